//! `CronJob`s that start at the same times are computed once, with their number.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::window::moment;
use super::{LoadMember, LoadWindow};
use cronjob_controller::controller::{Controller, Generation};
use cronjob_controller::upcoming::{ScheduleProblem, read};
use kube_cron::{Endless, Period, Schedule, Timetable};

/// The number of kinds of members, by how often they start, most frequent first. A member that is due again
/// before it was started is started once, so that no more of a kind can wait than there are.
pub(super) const KINDS: usize = 4;

/// The longest periods of the kinds, in seconds; the last kind has no limit.
const LONGEST: [i64; KINDS - 1] = [60, 10 * 60, 3_600];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountsByKind(pub(super) [u32; KINDS]);

impl CountsByKind {
    pub(super) fn total(self) -> u32 {
        self.0.iter().fold(0, |sum, kind| sum.saturating_add(*kind))
    }

    /// An upper bound of their periods, in seconds.
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

/// Members that start at exactly the same times.
pub(super) struct StartGroup {
    pub(super) schedule: Schedule,
    pub(super) timetable: Timetable,
    pace: StartPattern,
    /// The index of its kind in [`CountsByKind`].
    pub(super) kind: usize,
    pub(super) members: Vec<usize>,
    /// Whether the members are not `CronJob`s: their starts do not delay others, and they are not moved.
    pub(super) is_other: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StartPattern {
    Clock,
    /// Every `delay` seconds, `phase` seconds after the multiples of `delay`.
    Every {
        delay: i64,
        phase: i64,
        /// There is no start up to this second.
        after: i64,
        /// Whether only the first run of each minute is started.
        once_a_minute: bool,
    },
}

/// All members, grouped by their starts.
pub(super) struct StartGroups {
    pub(super) all: Vec<StartGroup>,
    problems: Vec<(usize, ScheduleProblem)>,
}

/// Members with the same key have the same schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScheduleKey<'a> {
    schedule: &'a str,
    time_zone: Option<&'a str>,
    /// The kind, which decides how the schedule is read, if it is not a `CronJob`.
    other_kind: Option<&'static str>,
}

impl StartGroups {
    pub(super) fn of(
        controller: &Controller,
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
            let other = subject.other_kind.map(|kind| kind.name);
            let key = ScheduleKey {
                schedule: &subject.schedule,
                time_zone: subject.time_zone.as_deref(),
                other_kind: other,
            };
            let schedule = schedules.entry(key);
            let schedule = match schedule.or_insert_with(|| read(controller, subject)) {
                Ok(schedule) => schedule,
                Err(problem) => {
                    groups.problems.push((index, problem.clone()));
                    continue;
                }
            };
            let timetable = schedule.in_zone(&subject.local(controller));
            let by_minute = other.is_none() && controller.behavior().generation == Generation::V2;
            let pace = pace(by_minute, schedule, &timetable, subject.anchor, from);
            let place = places.entry((key, pace)).or_insert_with(|| {
                groups.all.push(StartGroup {
                    schedule: schedule.clone(),
                    timetable,
                    pace,
                    kind: kind(schedule),
                    is_other: other.is_some(),
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

    /// The number of members of each kind.
    pub(super) fn kinds(&self) -> CountsByKind {
        let mut kinds = CountsByKind::default();
        for group in self.all.iter().filter(|group| !group.is_other) {
            kinds.change(group.kind, |sum| sum.saturating_add(group.number()));
        }
        kinds
    }

    /// The number of members whose schedule can be read: `CronJob`s, or schedules of other kinds.
    pub(super) fn counted(&self, is_other: bool) -> usize {
        let groups = self.all.iter();
        let groups = groups.filter(|group| group.is_other == is_other);
        groups.map(|group| group.members.len()).sum()
    }

    /// Goes through the groups. `ends` says whether the search of a schedule ends; if not, that is a problem.
    pub(super) fn visit(&mut self, mut ends: impl FnMut(usize, &StartGroup) -> bool) {
        let endless = |index: &usize| (*index, ScheduleProblem::Endless(Endless));
        for (place, group) in self.all.iter().enumerate() {
            if !ends(place, group) {
                self.problems.extend(group.members.iter().map(endless));
            }
        }
    }

    /// The members whose starts cannot be computed, in order.
    pub(super) fn into_problems(mut self) -> Vec<(usize, ScheduleProblem)> {
        self.problems.sort_by_key(|(index, _)| *index);
        self.problems
    }
}

/// `@every` counts from the last start or the creation; without either, from the beginning of the window. If `by_minute`,
/// Jobs have the names of minutes.
fn pace(
    by_minute: bool,
    schedule: &Schedule,
    timetable: &Timetable,
    anchor: Option<Timestamp>,
    from: i64,
) -> StartPattern {
    let every = timetable.is_every().then(|| schedule.period());
    let Some(Period {
        shortest: delay, ..
    }) = every.flatten()
    else {
        return StartPattern::Clock;
    };
    let anchor = anchor.map_or(from, Timestamp::as_second);
    StartPattern::Every {
        delay,
        phase: anchor.rem_euclid(delay),
        once_a_minute: by_minute && delay < 60,
        // An old anchor makes no difference, so that members with the same phase are one group.
        after: if anchor < from - LOOKED_BACK {
            i64::MIN
        } else {
            anchor
        },
    }
}

/// How far before a window starts are computed at most, in seconds.
pub(super) const LOOKED_BACK: i64 = 3_600;

fn kind(schedule: &Schedule) -> usize {
    let period = schedule.period().map_or(i64::MAX, |period| period.shortest);
    LONGEST
        .iter()
        .take_while(|longest| **longest < period)
        .count()
}

impl StartGroup {
    pub(super) fn number(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    /// A group without members that starts this many minutes later, if that is possible.
    pub(super) fn later(&self, minutes: u32) -> Option<StartGroup> {
        let schedule = self.schedule.later(minutes)?;
        Some(StartGroup {
            timetable: schedule.in_zone(self.timetable.zone()?),
            schedule,
            pace: StartPattern::Clock,
            kind: self.kind,
            is_other: self.is_other,
            members: Vec::new(),
        })
    }

    /// Calls `each` with the starts in `from..to`, in order. Returns false if the schedule search does not end.
    pub(super) fn starts(&self, from: i64, to: i64, mut each: impl FnMut(i64)) -> bool {
        match self.pace {
            StartPattern::Clock => {
                for run in self.timetable.after(moment(from - 1)) {
                    match run.map(Timestamp::as_second) {
                        // Near unusual clock changes the search may go back.
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
                    if self.is_started(run) {
                        each(run);
                    }
                    run += delay;
                }
            }
        }
        true
    }

    /// The number of starts in `from..to`.
    pub(super) fn count(&self, from: i64, to: i64) -> u64 {
        match self.pace {
            StartPattern::Clock => {
                let counted = self.timetable.count(moment(from - 1), moment(to - 1));
                counted.map_or(0, |counted| counted.count)
            }
            StartPattern::Every {
                delay,
                once_a_minute,
                ..
            } => {
                let first = self.first(from);
                let runs = (to - first + delay - 1).div_euclid(delay);
                let runs = if once_a_minute && runs > 0 {
                    let last = first + (runs - 1) * delay;
                    let minutes = last.div_euclid(60) - first.div_euclid(60) + 1;
                    minutes - i64::from(!self.is_started(first))
                } else {
                    runs
                };
                u64::try_from(runs).unwrap_or(0)
            }
        }
    }

    /// Whether a run of `@every` is started: of those in one minute, only the first one is, because the Jobs of the
    /// others would have the same name.
    fn is_started(&self, run: i64) -> bool {
        match self.pace {
            StartPattern::Every {
                delay,
                after,
                once_a_minute: true,
                ..
            } => {
                let before = run - delay;
                before < after || before.div_euclid(60) != run.div_euclid(60)
            }
            _ => true,
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
                ..
            } => {
                let from = from.max(after.saturating_add(1));
                from + (phase - from).rem_euclid(delay)
            }
        }
    }
}

/// Members that start at exactly the same times, and their starts.
#[derive(Clone, Debug)]
pub(crate) struct GroupStarts<T> {
    pub members: Vec<usize>,
    /// The starts, as collected by the caller.
    pub starts: T,
}

/// The starts of all members in a window, including suspended ones, as [`load()`](super::load()) counts them.
/// `each` is called for every start in order, and keeps only what the caller needs, since a day may have tens of
/// thousands of starts. Also returns the members whose starts cannot be computed.
pub(crate) fn starts_by_group<T: Default>(
    controller: &Controller,
    members: &[LoadMember],
    span: LoadWindow,
    each: impl Fn(&mut T, Timestamp),
) -> (Vec<GroupStarts<T>>, Vec<(usize, ScheduleProblem)>) {
    let (from, to) = span.seconds();
    let mut groups = StartGroups::of(controller, members, from, |_| true);
    let mut all = Vec::with_capacity(groups.all.len());
    groups.visit(|_, group| {
        let (members, mut starts) = (group.members.clone(), T::default());
        let ended = group.starts(from, to, |second| each(&mut starts, moment(second)));
        all.push(GroupStarts { members, starts });
        ended
    });
    (all, groups.into_problems())
}
