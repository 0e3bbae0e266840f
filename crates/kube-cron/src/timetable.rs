//! A schedule in a zone: the next run, the previous run, and the number of runs.

use std::sync::Arc;

use jiff::Timestamp;

use super::clockwork::{Clockwork, Endless};
use super::sweep::RunCount;
use super::walk::SearchResult;
use super::zone::Zone;
use super::{next, previous, sweep};

/// A schedule in a zone.
///
/// The results are those of upstream's `Next`. They are almost always later than the given time. Near
/// some changes of the offset, upstream's result depends on the given time and may be that time or an
/// earlier one, and so does the result here: `53 3 * * *` in Pacific/Chatham returns the same run again
/// and again when daylight saving time ends.
///
/// ```
/// use kube_cron::{BundledZones, Dialect, Schedule, Zones};
///
/// let berlin = BundledZones.load("Europe/Berlin").unwrap();
/// let nightly = Schedule::parse("30 2 * * *", Dialect::V3_0, &BundledZones).unwrap().in_zone(&berlin);
/// // On March 29, 2026, 02:30 does not exist in Berlin, and that day has no run.
/// let next = nightly.next("2026-03-28T12:00:00Z".parse().unwrap()).unwrap();
/// assert_eq!(next, Some("2026-03-30T00:30:00Z".parse().unwrap()));
/// ```
#[derive(Clone, Debug)]
pub struct Timetable {
    pub(crate) rule: RunRule,
}

/// How runs follow each other.
#[derive(Clone, Debug)]
pub(crate) enum RunRule {
    /// Local times.
    Clock(Clockwork),
    /// `@every`: a number of seconds after the previous run.
    Every(i64),
}

impl Timetable {
    /// The next run after a given time; `None` if upstream's search gives up after five years.
    pub fn next(&self, after: Timestamp) -> Result<Option<Timestamp>, Endless> {
        let second = self.next_after_second(floor(after))?;
        Ok(second.and_then(|second| Timestamp::from_second(second).ok()))
    }

    /// The time after which a search finds the runs after a given time, if the last run was at `last`.
    ///
    /// Runs of `@every` follow the last run at equal intervals. For other schedules it is the given time.
    pub fn search_start(&self, last: Timestamp, after: Timestamp) -> Timestamp {
        match self.rule {
            RunRule::Every(delay) if last < after => {
                let passed = (floor(after) - floor(last)).rem_euclid(delay);
                Timestamp::from_second(floor(after) - passed).unwrap_or(after)
            }
            RunRule::Every(_) => last,
            RunRule::Clock(_) => after,
        }
    }

    /// The last run before a given time, as found by a search that began long before.
    ///
    /// `None` if there was none in the previous hundred years.
    pub fn previous(&self, before: Timestamp) -> Option<Timestamp> {
        let before = ceiling(before);
        let second = match &self.rule {
            RunRule::Every(delay) => before.checked_sub(*delay),
            RunRule::Clock(clockwork) => previous::before(clockwork, before),
        };
        second.and_then(|second| Timestamp::from_second(second).ok())
    }

    /// Whether the local time matches the schedule at a given time.
    ///
    /// Always false for `@every`, which has no fixed times.
    pub fn is_scheduled(&self, moment: Timestamp) -> bool {
        let second = floor(moment);
        moment.subsec_nanosecond() == 0
            && matches!(self.rule, RunRule::Clock(_))
            && self.next_second(second - 1) == SearchResult::At(second)
    }

    /// The number of runs that a search from `after` finds up to and including `until`.
    ///
    /// Runs are not enumerated: counting ten years of minutes takes microseconds.
    pub fn count(&self, after: Timestamp, until: Timestamp) -> Result<RunCount, Endless> {
        let counted = self.count_seconds(floor(after), floor(until))?;
        let timestamp = |second: i64| Timestamp::from_second(second).ok();
        Ok(RunCount {
            count: counted.count,
            first: counted.first.and_then(timestamp),
            last: counted.last.and_then(timestamp),
            gave_up: counted.gave_up,
        })
    }

    /// The number of runs in whole seconds since the Unix epoch, not limited to the years of timestamps.
    pub fn count_seconds(&self, after: i64, until: i64) -> Result<RunCount<i64>, Endless> {
        match &self.rule {
            RunRule::Every(delay) => Ok(sweep::every(*delay, after, until)),
            RunRule::Clock(clockwork) => sweep::clock(clockwork, after, until),
        }
    }

    /// The second of the next run after a second; `None` if upstream gives up.
    pub fn next_after_second(&self, after: i64) -> Result<Option<i64>, Endless> {
        match self.next_second(after) {
            SearchResult::At(second) => Ok(Some(second)),
            SearchResult::Never => Ok(None),
            SearchResult::Endless => Err(Endless),
        }
    }

    /// The runs after a given time, each searched from the previous one, as upstream does.
    ///
    /// If they repeat in a circle, which upstream would follow indefinitely, the last item is
    /// [`Endless`].
    pub fn after(&self, after: Timestamp) -> Runs<'_> {
        Runs {
            timetable: self,
            at: Some(after),
            progress: next::Progress::default(),
        }
    }

    /// The runs before a given time, latest first.
    pub fn before(&self, before: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        std::iter::successors(self.previous(before), |run| self.previous(*run))
    }

    /// The zone of the schedule; `None` for `@every`, which does not depend on one.
    pub fn zone(&self) -> Option<&Arc<Zone>> {
        match &self.rule {
            RunRule::Clock(clockwork) => Some(&clockwork.zone),
            RunRule::Every(_) => None,
        }
    }

    /// Whether it is one of `@every`: its runs are counted from the one before, and not by a clock.
    pub fn is_every(&self) -> bool {
        matches!(self.rule, RunRule::Every(_))
    }

    pub(crate) fn next_second(&self, after: i64) -> SearchResult {
        match &self.rule {
            RunRule::Every(delay) => after
                .checked_add(*delay)
                .map_or(SearchResult::Never, SearchResult::At),
            RunRule::Clock(clockwork) => next::after(clockwork, after),
        }
    }
}

/// An iterator over the runs after a given time.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    timetable: &'a Timetable,
    at: Option<Timestamp>,
    progress: next::Progress,
}

impl Iterator for Runs<'_> {
    type Item = Result<Timestamp, Endless>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.timetable.next(self.at?);
        self.at = next.unwrap_or(None);
        let run = next.transpose()?;
        if run.is_ok_and(|run| !self.progress.is_made(floor(run))) {
            self.at = None;
            return Some(Err(Endless));
        }
        Some(run)
    }
}

/// The time in whole seconds; upstream drops the fraction, too.
pub(crate) fn floor(moment: Timestamp) -> i64 {
    moment.as_second() - i64::from(moment.subsec_nanosecond() < 0)
}

fn ceiling(moment: Timestamp) -> i64 {
    moment.as_second() + i64::from(moment.subsec_nanosecond() > 0)
}
