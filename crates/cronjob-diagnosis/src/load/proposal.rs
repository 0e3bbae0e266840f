//! How to spread the starts: which `CronJob` gets which schedule, and the effect.
//!
//! A `CronJob` that starts rarely may depend on one that starts before it. So it is not moved to or past a
//! time at which another `CronJob` of its namespace starts. Since nothing starts earlier than before, the
//! order within a namespace is kept.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::delays::{self, ControllerCapacity, Delays};
use super::groups::{LOOKED_BACK, StartGroup, StartGroups};
use super::spread::{Mover, hash_of};
use super::start_counts::{StartCounts, tenths};
use super::window::{LoadWindow, moment};
use super::{LoadMember, Move, spread};
use kube_cron::Zone;

/// How to spread the starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The new schedules, sorted by name; empty if no peak can be lowered.
    pub suggestions: Vec<ScheduleSuggestion>,
    /// The busiest minute of the window, now and with all suggestions applied.
    pub effect: ProposalEffect,
}

/// The busiest minute of the period, now and with all suggestions applied.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Effects")]
pub struct ProposalEffect {
    /// Now.
    pub before: WorstMinute,
    /// With all suggestions applied.
    pub after: WorstMinute,
}

/// Another schedule for a `CronJob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleSuggestion {
    pub member: usize,
    pub schedule: String,
    /// How many minutes later each run starts.
    pub minutes_later: u32,
}

/// The busiest minute of a period.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Effect")]
#[serde(rename_all = "camelCase")]
pub struct WorstMinute {
    /// The number of starts in the busiest minute.
    pub most_in_a_minute: u64,
    /// The largest delay of the last start of a burst.
    #[serde(rename = "lastStartDelaySeconds", serialize_with = "tenths")]
    pub last_start_delay: f64,
}

pub(super) fn propose(
    groups: &StartGroups,
    members: &[LoadMember],
    capacity: &ControllerCapacity,
    counts: &StartCounts,
    delays: &Delays,
    at_most: Option<u32>,
) -> Proposal {
    let before = worst_minute(counts, delays);
    let nothing = Proposal {
        suggestions: Vec::new(),
        effect: ProposalEffect {
            before,
            after: before,
        },
    };
    if before.most_in_a_minute < 2 {
        return nothing;
    }
    let mut moved = counts.clone();
    let mut suggestions = Vec::new();
    let mut planned = plan(groups, members, counts.span, at_most);
    planned.sort_by_key(PlannedMove::of_group);
    for alike in planned.chunk_by(|one, other| one.of_group() == other.of_group()) {
        let Some((place, minutes)) = alike.first().map(PlannedMove::of_group) else {
            continue;
        };
        let Some(group) = groups.all.get(place) else {
            continue;
        };
        let Some(later) = same_but_later(group, minutes, counts) else {
            continue;
        };
        moved.replace(
            group,
            &later,
            u32::try_from(alike.len()).unwrap_or(u32::MAX),
        );
        suggestions.extend(alike.iter().filter_map(|planned| {
            let member = members.get(planned.member)?;
            Some(suggestion(member, group, &later, planned))
        }));
    }
    suggestions.sort_by_key(|one| (members.get(one.member).map(LoadMember::name), one.member));
    let after = worst_minute(&moved, &delays::of(capacity, &moved));
    if suggestions.is_empty() || after.most_in_a_minute >= before.most_in_a_minute {
        return nothing;
    }
    Proposal {
        suggestions,
        effect: ProposalEffect { before, after },
    }
}

fn worst_minute(counts: &StartCounts, delays: &Delays) -> WorstMinute {
    WorstMinute {
        most_in_a_minute: counts.most_in_a_minute(),
        last_start_delay: delays.buckets.iter().copied().fold(0.0, f64::max),
    }
}

/// How far ahead clock changes must not make a difference, in seconds: two years have four of them.
const CHECKED: i64 = 2 * 366 * 86_400;

/// A group with a later schedule, unless a clock change makes it run more or less often.
fn same_but_later(group: &StartGroup, minutes: u32, counts: &StartCounts) -> Option<StartGroup> {
    let zone = group.timetable.zone()?;
    let later = group.later(minutes)?;
    let (from, _) = counts.span.seconds();
    let (from, until) = (hour_of(zone, from), hour_of(zone, from + CHECKED));
    (later.count(from, until) == group.count(from, until)).then_some(later)
}

/// The beginning of the local hour of a second.
fn hour_of(zone: &Zone, second: i64) -> i64 {
    let offset = i64::from(zone.time_zone().to_offset(moment(second)).seconds());
    (second + offset).div_euclid(3_600) * 3_600 - offset
}

fn suggestion(
    member: &LoadMember,
    group: &StartGroup,
    later: &StartGroup,
    planned: &PlannedMove,
) -> ScheduleSuggestion {
    // A time zone in front of the schedule is kept.
    let written = &member.subject.schedule;
    let zone = written.rfind(group.schedule.text());
    let zone = zone.and_then(|at| written.get(..at)).unwrap_or_default();
    ScheduleSuggestion {
        member: planned.member,
        schedule: format!("{zone}{}", later.schedule.text()),
        minutes_later: planned.minutes,
    }
}

/// At least a week is considered, so that weekly peaks are found even if only a day is shown.
const SHORTEST: i64 = 7 * 86_400;
/// At most a month is considered.
const LONGEST: i64 = 31 * 86_400;
/// Members that start more often are not moved, since moving them does not help.
const MOST_OFTEN: i64 = 5 * 60;

/// A member to move, and by how much.
pub(super) struct PlannedMove {
    pub(super) group: usize,
    pub(super) member: usize,
    pub(super) minutes: u32,
}

impl PlannedMove {
    /// What those have in common that get the same schedule.
    fn of_group(&self) -> (usize, u32) {
        (self.group, self.minutes)
    }
}

/// Plans the moves that lower the busiest minute as far as possible.
pub(super) fn plan(
    groups: &StartGroups,
    members: &[LoadMember],
    span: LoadWindow,
    at_most: Option<u32>,
) -> Vec<PlannedMove> {
    let (from, to) = span.seconds();
    let until = from + (to - from).clamp(SHORTEST, LONGEST);
    // Starts shortly before the window may be moved into it, and the order must be kept with those shortly after it.
    let (first, end) = (from.div_euclid(60) - LOOKED_BACK / 60, until + LOOKED_BACK);
    let length = usize::try_from(end.div_euclid(60) - first + 1).unwrap_or(0);
    let mut counts = vec![0_u32; length];
    let mut starts = Vec::with_capacity(groups.all.len());
    for group in &groups.all {
        let number = group.number();
        let keeps = may_move(group) || is_rare(group);
        let mut own = Vec::new();
        group.starts(first * 60, end, |start| {
            let Ok(minute) = u32::try_from(start.div_euclid(60) - first) else {
                return;
            };
            if let Some(count) = counts.get_mut(minute as usize) {
                *count = count.saturating_add(number);
            }
            if keeps {
                own.push(minute);
            }
        });
        starts.push(own);
    }

    let mut order = StartOrder::of(groups, members, &starts);
    let mut movable: Vec<(usize, usize)> = Vec::new();
    for (place, group) in groups.all.iter().enumerate().filter(|(_, g)| may_move(g)) {
        movable.extend(group.members.iter().map(|member| (place, *member)));
    }
    movable.sort_by_key(|(_, member)| (members.get(*member).map(LoadMember::name), *member));
    let mut movers = Vec::with_capacity(movable.len());
    for (place, member) in &movable {
        let found = (
            groups.all.get(*place),
            starts.get(*place),
            members.get(*member),
        );
        let (Some(group), Some(own), Some(member)) = found else {
            return Vec::new();
        };
        let latest_move = order.latest_move(*place, group, member, own);
        movers.push(Mover {
            starts: own,
            most_minutes: latest_move.min(group.schedule.minutes_to_spare()),
            hash: hash_of(member.name()),
        });
    }
    let planned = |one: Move| {
        let (group, member) = *movable.get(one.mover)?;
        Some(PlannedMove {
            group,
            member,
            minutes: one.minutes,
        })
    };
    let moves = spread(&counts, &movers, at_most);
    moves.into_iter().filter_map(planned).collect()
}

fn may_move(group: &StartGroup) -> bool {
    let often = |period: kube_cron::Period| period.shortest >= MOST_OFTEN;
    !group.is_other
        && group.schedule.minutes_to_spare() > 0
        && group.schedule.period().is_some_and(often)
}

/// Members that start more often, in seconds, do not take part in the order.
const RARE: i64 = 3_600;

/// The minutes with starts whose order is to be kept, for each namespace.
pub(super) struct StartOrder<'a> {
    starts: BTreeMap<&'a str, Vec<u32>>,
    known: BTreeMap<(&'a str, usize), u32>,
}

impl<'a> StartOrder<'a> {
    /// `starts` are the minutes of each group.
    pub(super) fn of(groups: &StartGroups, members: &'a [LoadMember], starts: &[Vec<u32>]) -> Self {
        let mut by_namespace: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, group) in groups.all.iter().enumerate().filter(|(_, g)| is_rare(g)) {
            for member in group.members.iter().filter_map(|index| members.get(*index)) {
                let places = by_namespace.entry(member.name().0).or_default();
                places.insert(place);
            }
        }
        let minutes_of = |places: BTreeSet<usize>| {
            let lists = places.into_iter().filter_map(|place| starts.get(place));
            let mut all: Vec<u32> = lists.flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let starts = by_namespace.into_iter();
        let starts = starts.map(|(namespace, places)| (namespace, minutes_of(places)));
        StartOrder {
            starts: starts.collect(),
            known: BTreeMap::new(),
        }
    }

    /// How many minutes later a member can start without a change of the order.
    pub(super) fn latest_move(
        &mut self,
        place: usize,
        group: &StartGroup,
        member: &'a LoadMember,
        own: &[u32],
    ) -> u32 {
        if !is_rare(group) {
            return u32::MAX;
        }
        let (namespace, _) = member.name();
        let all = self.starts.get(namespace).map_or(&[][..], Vec::as_slice);
        let latest_move = || {
            let following = |start: &u32| {
                let next = all.partition_point(|other| other <= start);
                all.get(next).map(|next| next - start - 1)
            };
            own.iter().filter_map(following).min().unwrap_or(u32::MAX)
        };
        let known = self.known.entry((namespace, place));
        *known.or_insert_with(latest_move)
    }
}

/// Whether it starts so rarely that others may depend on it.
pub(super) fn is_rare(group: &StartGroup) -> bool {
    let period = group.schedule.period();
    period.is_none_or(|period| period.shortest >= RARE)
}
