//! A schedule in the zone it runs in: the next run, the one before, how many there are.

use std::sync::Arc;

use jiff::Timestamp;

use super::clockwork::{Clockwork, CountSeconds, Endless};
use super::walk::SearchResult;
use super::zone::Zone;
use super::{next, previous, sweep};

/// A schedule in the zone it runs in.
///
/// All questions about time are asked here. They are answered as upstream's `Next` answers. That is
/// almost always later than the moment asked from; near some changes of an offset upstream's answer
/// depends on the moment asked from, and may be that moment or an earlier one, and so is this one.
/// `53 3 * * *` in Pacific/Chatham gives the same run over and over when its summer time ends.
///
/// ```
/// use kube_cron::{BundledZones, Dialect, Schedule, Zones};
///
/// let berlin = BundledZones.load("Europe/Berlin").unwrap();
/// let nightly = Schedule::parse("30 2 * * *", Dialect::V3_0, &BundledZones).unwrap().in_zone(&berlin);
/// // On 29 March 2026 Berlin has no 02:30, and the run of that day is lost.
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
    /// Times of a clock.
    Clock(Clockwork),
    /// `@every`: a number of seconds after the run before.
    Every(i64),
}

/// How many runs lie in an interval, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCount {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Option<Timestamp>,
    /// The last of them.
    pub last: Option<Timestamp>,
    /// Whether upstream's search gave up before it came to the end of the interval.
    pub gave_up: bool,
}

impl Timetable {
    /// The next run after a moment; `None` where upstream's search gives up after five years.
    pub fn next(&self, after: Timestamp) -> Result<Option<Timestamp>, Endless> {
        let second = self.next_after_second(floor(after))?;
        Ok(second.and_then(|second| Timestamp::from_second(second).ok()))
    }

    /// The last run before a moment, as a search that began long ago would have found it.
    ///
    /// `None` if there was none in the hundred years before.
    pub fn previous(&self, before: Timestamp) -> Option<Timestamp> {
        let before = ceiling(before);
        let second = match &self.rule {
            RunRule::Every(delay) => before.checked_sub(*delay),
            RunRule::Clock(clockwork) => previous::before(clockwork, before),
        };
        second.and_then(|second| Timestamp::from_second(second).ok())
    }

    /// Whether the clock shows a time of the schedule at a moment.
    ///
    /// `@every` has no times of its own, so that nothing is one of its scheduled times.
    pub fn is_scheduled(&self, moment: Timestamp) -> bool {
        let second = floor(moment);
        moment.subsec_nanosecond() == 0
            && matches!(self.rule, RunRule::Clock(_))
            && self.next_second(second - 1) == SearchResult::At(second)
    }

    /// How many runs a search that begins at `after` finds up to and including `until`.
    ///
    /// They are counted, not enumerated: ten years of minutes take microseconds.
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

    /// The same in whole seconds of the Unix epoch, also beyond the years that timestamps have.
    pub fn count_seconds(&self, after: i64, until: i64) -> Result<CountSeconds, Endless> {
        match &self.rule {
            RunRule::Every(delay) => Ok(sweep::every(*delay, after, until)),
            RunRule::Clock(clockwork) => sweep::clock(clockwork, after, until),
        }
    }

    /// The second of the next run after a second; `None` where upstream gives up.
    pub fn next_after_second(&self, after: i64) -> Result<Option<i64>, Endless> {
        match self.next_second(after) {
            SearchResult::At(second) => Ok(Some(second)),
            SearchResult::Never => Ok(None),
            SearchResult::Endless => Err(Endless),
        }
    }

    /// The runs after a moment, one by one, as upstream finds them one from the other.
    ///
    /// Where they go round in a circle, which upstream would follow indefinitely, the last item is
    /// [`Endless`].
    pub fn after(&self, after: Timestamp) -> Runs<'_> {
        Runs {
            timetable: self,
            at: Some(after),
            progress: next::Progress::default(),
        }
    }

    /// The runs before a moment, latest first.
    pub fn before(&self, before: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        std::iter::successors(self.previous(before), |run| self.previous(*run))
    }

    /// The zone whose clock decides; `None` for `@every`, which no clock concerns.
    pub fn zone(&self) -> Option<&Arc<Zone>> {
        match &self.rule {
            RunRule::Clock(clockwork) => Some(&clockwork.zone),
            RunRule::Every(_) => None,
        }
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

/// The runs after a moment, one by one.
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

/// The second that a moment lies in; upstream drops the fraction too.
pub(crate) fn floor(moment: Timestamp) -> i64 {
    moment.as_second() - i64::from(moment.subsec_nanosecond() < 0)
}

fn ceiling(moment: Timestamp) -> i64 {
    moment.as_second() + i64::from(moment.subsec_nanosecond() > 0)
}
