//! How to spread the starts: which `CronJob` gets which schedule, and what that comes to.

use std::collections::BTreeMap;

use super::Member;
use super::delays::{self, Delays, Worked};
use super::groups::{Group, Groups};
use super::plan::{Planned, plan};
use super::span::moment;
use super::tally::Tally;
use crate::schedule::Zone;

/// Schedules that spread the starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What gets another schedule, in the order of the names; nothing where that lowers no peak.
    pub suggestions: Vec<Suggestion>,
    /// As it is.
    pub before: Effect,
    /// As it would be.
    pub after: Effect,
}

/// A schedule for a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Its place among all members.
    pub member: usize,
    /// The new schedule.
    pub schedule: String,
    /// How many minutes later each run starts.
    pub minutes_later: u32,
}

/// The worst of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The most starts in one minute.
    pub most_in_a_minute: u64,
    /// How late the last start of a crowd is at worst, in seconds.
    pub last_start_delay: f64,
}

/// Proposes schedules.
pub(super) fn propose(
    groups: &Groups,
    members: &[Member],
    worked: &Worked,
    tally: &Tally,
    delays: &Delays,
    at_most: Option<u32>,
) -> Proposal {
    let before = effect(tally, delays);
    let nothing = Proposal {
        suggestions: Vec::new(),
        before,
        after: before,
    };
    if before.most_in_a_minute < 2 {
        return nothing;
    }
    let mut moved = tally.clone();
    let mut checked = BTreeMap::new();
    let mut suggestions = Vec::new();
    for planned in plan(groups, members, tally.span, at_most) {
        let Some(group) = groups.all.get(planned.group) else {
            continue;
        };
        let later = checked
            .entry((planned.group, planned.minutes))
            .or_insert_with(|| same_but_later(group, planned.minutes, tally));
        let (Some(later), Some(member)) = (later, members.get(planned.member)) else {
            continue;
        };
        moved.replace(group, later);
        suggestions.push(suggestion(member, group, later, &planned));
    }
    let name = |one: &Suggestion| {
        let subject = members.get(one.member).map(|member| &member.subject);
        subject.map(|subject| (&subject.namespace, &subject.name))
    };
    suggestions.sort_by(|one, other| name(one).cmp(&name(other)));
    let after = effect(&moved, &delays::of(worked, &moved));
    if suggestions.is_empty() || after.most_in_a_minute >= before.most_in_a_minute {
        return nothing;
    }
    Proposal {
        suggestions,
        before,
        after,
    }
}

fn effect(tally: &Tally, delays: &Delays) -> Effect {
    Effect {
        most_in_a_minute: tally.most_in_a_minute(),
        last_start_delay: delays.buckets.iter().copied().fold(0.0, f64::max),
    }
}

/// So far ahead the clock must not make a difference: two years have four changes of it.
const CHECKED: i64 = 2 * 366 * 86_400;

/// A group with a later schedule, unless some change of the clock makes it run more or less often.
fn same_but_later(group: &Group, minutes: u32, tally: &Tally) -> Option<Group> {
    let zone = group.timetable.zone()?;
    let later = group.later(minutes)?;
    let (from, _) = tally.span.seconds();
    let (from, until) = (hour_of(zone, from), hour_of(zone, from + CHECKED));
    (later.count(from, until) == group.count(from, until)).then_some(later)
}

/// Where the hour of a second begins on the clock.
fn hour_of(zone: &Zone, second: i64) -> i64 {
    let offset = i64::from(zone.time_zone().to_offset(moment(second)).seconds());
    (second + offset).div_euclid(3_600) * 3_600 - offset
}

fn suggestion(member: &Member, group: &Group, later: &Group, planned: &Planned) -> Suggestion {
    // A zone in front of the schedule stays there.
    let written = &member.subject.schedule;
    let zone = written
        .rfind(group.schedule.text())
        .and_then(|at| written.get(..at))
        .unwrap_or_default();
    Suggestion {
        member: planned.member,
        schedule: format!("{zone}{}", later.schedule.text()),
        minutes_later: planned.minutes,
    }
}
