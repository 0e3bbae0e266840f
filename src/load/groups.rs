//! `CronJob`s that start at the same times are computed once, with their number.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::window::moment;
use super::{LoadMember, LoadWindow};
use crate::controller::Controller;
use crate::schedule::{Endless, Schedule, Timetable};
use crate::upcoming::{ScheduleProblem, read};

/// Kinds of members by how often they start, the most frequent first. Who is due again before it was
/// started is started once: so of each kind no more can wait than there are.
pub(super) const KINDS: usize = 4;

/// The longest periods of the kinds, in seconds; the last kind has no longest.
const LONGEST: [i64; KINDS - 1] = [60, 10 * 60, 3_600];

/// Numbers of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountsByKind(pub(super) [u32; KINDS]);

impl CountsByKind {
    pub(super) fn total(self) -> u32 {
        self.0.iter().fold(0, |sum, kind| sum.saturating_add(*kind))
    }

    /// No one of them has a longer period than this, in seconds.
    pub(super) fn longest_period(self) -> f64 {
        let last = self.0.iter().rposition(|number| *number > 0);
        let longest = last.and_then(|kind| LONGEST.get(kind));
        #[allow(clippy::cast_precision_loss)] // an hour
        longest.map_or(f64::INFINITY, |seconds| *seconds as f64)
    }

    pub(super) fn change(&mut self, kind: usize, by: impl Fn(u32) -> u32) {
        if let Some(number) = self.0.get_mut(kind) {
            *number = by(*number);
        }
    }
}

/// Members that start at the very same times.
pub(super) struct StartGroup {
    pub(super) schedule: Schedule,
    pub(super) timetable: Timetable,
    pace: StartPattern,
    /// Which of the [`CountsByKind`] it is.
    pub(super) kind: usize,
    /// By their places among all members.
    pub(super) members: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StartPattern {
    /// By a clock.
    Clock,
    /// So many seconds one after the other, at this distance from the multiples of them.
    Every {
        delay: i64,
        phase: i64,
        /// Nothing starts up to then.
        after: i64,
    },
}

/// All members, by what they start.
pub(super) struct StartGroups {
    pub(super) all: Vec<StartGroup>,
    problems: Vec<(usize, ScheduleProblem)>,
}

/// What a schedule is known by: its text and its zone.
type ScheduleKey<'a> = (&'a str, Option<&'a str>);

impl StartGroups {
    pub(super) fn of(
        controller: &Controller<'_>,
        members: &[LoadMember],
        from: i64,
        chosen: impl Fn(&LoadMember) -> bool,
    ) -> Self {
        let mut groups = StartGroups {
            all: Vec::new(),
            problems: Vec::new(),
        };
        let mut schedules: BTreeMap<ScheduleKey<'_>, Result<Schedule, ScheduleProblem>> =
            BTreeMap::new();
        let mut places: BTreeMap<(ScheduleKey<'_>, StartPattern), usize> = BTreeMap::new();
        for (index, member) in members.iter().enumerate().filter(|(_, m)| chosen(m)) {
            let subject = &member.subject;
            let key = (subject.schedule.as_str(), subject.time_zone.as_deref());
            let schedule = schedules
                .entry(key)
                .or_insert_with(|| read(controller, subject));
            let schedule = match schedule {
                Ok(schedule) => schedule,
                Err(problem) => {
                    groups.problems.push((index, problem.clone()));
                    continue;
                }
            };
            let timetable = schedule.in_zone(&controller.local);
            let pace = pace(schedule, &timetable, member.anchor, from);
            let place = places.entry((key, pace)).or_insert_with(|| {
                groups.all.push(StartGroup {
                    schedule: schedule.clone(),
                    timetable,
                    pace,
                    kind: kind(schedule),
                    members: Vec::new(),
                });
                groups.all.len() - 1
            });
            if let Some(group) = groups.all.get_mut(*place) {
                group.members.push(index);
            }
        }
        groups
    }

    /// How many members there are of each kind.
    pub(super) fn kinds(&self) -> CountsByKind {
        let mut kinds = CountsByKind::default();
        for group in &self.all {
            kinds.change(group.kind, |sum| sum.saturating_add(group.number()));
        }
        kinds
    }

    /// How many members there are whose schedule can be read.
    pub(super) fn counted(&self) -> usize {
        self.all.iter().map(|group| group.members.len()).sum()
    }

    /// The search of a group goes round in circles.
    pub(super) fn stands_still(&mut self, place: usize) {
        if let Some(group) = self.all.get(place) {
            let members = group.members.iter();
            let endless = |index: &usize| (*index, ScheduleProblem::Endless(Endless));
            self.problems.extend(members.map(endless));
        }
    }

    /// What cannot be told, in the order of the members.
    pub(super) fn into_problems(mut self) -> Vec<(usize, ScheduleProblem)> {
        self.problems.sort_by_key(|(index, _)| *index);
        self.problems
    }
}

/// `@every` counts on from the last start or the creation; what never was begins with the span.
fn pace(
    schedule: &Schedule,
    timetable: &Timetable,
    anchor: Option<Timestamp>,
    from: i64,
) -> StartPattern {
    let delay = match schedule.period() {
        Some(period) if timetable.zone().is_none() => period.shortest,
        _ => return StartPattern::Clock,
    };
    let anchor = anchor.map_or(from, Timestamp::as_second);
    StartPattern::Every {
        delay,
        phase: anchor.rem_euclid(delay),
        // What lies behind makes no difference, and those that meet are one group.
        after: if anchor < from - LOOKED_BACK {
            i64::MIN
        } else {
            anchor
        },
    }
}

/// Nobody asks for starts that lie farther back before a span.
pub(super) const LOOKED_BACK: i64 = 3_600;

fn kind(schedule: &Schedule) -> usize {
    let period = schedule.period().map_or(i64::MAX, |period| period.shortest);
    LONGEST
        .iter()
        .take_while(|longest| **longest < period)
        .count()
}

impl StartGroup {
    /// How many members it has.
    pub(super) fn number(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    /// A group without members that starts so many minutes later, if there can be one.
    pub(super) fn later(&self, minutes: u32) -> Option<StartGroup> {
        let schedule = self.schedule.later(minutes)?;
        Some(StartGroup {
            timetable: schedule.in_zone(self.timetable.zone()?),
            schedule,
            pace: StartPattern::Clock,
            kind: self.kind,
            members: Vec::new(),
        })
    }

    /// The starts from a second on, up to and without another, in order; whether that is all of
    /// them, or the search goes round in circles.
    pub(super) fn starts(&self, from: i64, to: i64, mut each: impl FnMut(i64)) -> bool {
        match self.pace {
            StartPattern::Clock => {
                for run in self.timetable.after(moment(from - 1)) {
                    match run.map(Timestamp::as_second) {
                        // Near odd changes of a clock the search may go back.
                        Ok(run) if run < from => {}
                        Ok(run) if run < to => each(run),
                        Ok(_) => return true,
                        Err(Endless) => return false,
                    }
                }
            }
            StartPattern::Every { delay, .. } => {
                let mut run = self.first(from);
                while run < to {
                    each(run);
                    run += delay;
                }
            }
        }
        true
    }

    /// How many starts there are in that time.
    pub(super) fn count(&self, from: i64, to: i64) -> u64 {
        match self.pace {
            StartPattern::Clock => {
                let counted = self.timetable.count(moment(from - 1), moment(to - 1));
                counted.map_or(0, |counted| counted.count)
            }
            StartPattern::Every { delay, .. } => {
                let length = to - self.first(from);
                u64::try_from((length + delay - 1).div_euclid(delay)).unwrap_or(0)
            }
        }
    }

    /// The first start of `@every` from a second on.
    fn first(&self, from: i64) -> i64 {
        match self.pace {
            StartPattern::Clock => i64::MAX,
            StartPattern::Every {
                delay,
                phase,
                after,
            } => {
                let from = from.max(after.saturating_add(1));
                from + (phase - from).rem_euclid(delay)
            }
        }
    }
}

/// Members that start at the very same times.
#[derive(Clone, Debug)]
pub(crate) struct GroupStarts<T> {
    /// By their places among all members.
    pub members: Vec<usize>,
    /// What was made of their starts.
    pub starts: T,
}

/// The starts of a span of time of all members, of those that are suspended, too. Those that
/// [`load()`](super::load()) counts are these. `each` is told one after the other, in order, and keeps
/// of them what it wants: a day may have tens of thousands. The others come with the reason why nobody
/// can tell.
pub(crate) fn starts_by_group<T: Default>(
    controller: &Controller<'_>,
    members: &[LoadMember],
    span: LoadWindow,
    each: impl Fn(&mut T, Timestamp),
) -> (Vec<GroupStarts<T>>, Vec<(usize, ScheduleProblem)>) {
    let (from, to) = span.seconds();
    let mut groups = StartGroups::of(controller, members, from, |_| true);
    let mut all = Vec::with_capacity(groups.all.len());
    let mut endless = Vec::new();
    for (place, group) in groups.all.iter().enumerate() {
        let mut starts = T::default();
        if !group.starts(from, to, |second| each(&mut starts, moment(second))) {
            endless.push(place);
        }
        all.push(GroupStarts {
            members: group.members.clone(),
            starts,
        });
    }
    for place in endless {
        groups.stands_still(place);
    }
    (all, groups.into_problems())
}
