//! The window of a history, and the scheduled times in it.

use jiff::Timestamp;

use super::retention::evidence_ends;
use super::{HistoryError, run};
use crate::diagnose::{EventJobs, Facts};
use cronjob_text::duration::ceiling;
use kube_cron::Timetable;

/// The number of runs that are examined without `--since`.
pub(super) const DEFAULT_RUNS: usize = 100;

/// What is asked for; what is not said is chosen by the evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryWindow {
    pub since: Option<Timestamp>,
    /// Until when; never later than now.
    pub until: Option<Timestamp>,
}

string_enum! {
    /// Why a window begins where it does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WindowBasis {
        /// `--since` was given.
        Asked = "asked",
        /// The scheduled time of the oldest known run.
        OldestRun = "oldestRun",
        /// The creation of the `CronJob`: no Job has been removed since, or none is known.
        Creation = "creation",
        Nothing = "nothing",
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ResolvedWindow {
    pub(super) since: Timestamp,
    pub(super) until: Timestamp,
    pub(super) basis: WindowBasis,
    /// Whether it ends before now because the evidence does.
    pub(super) ends_with_evidence: bool,
}

pub(super) fn resolve(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    reaches_back: bool,
    window: &HistoryWindow,
) -> ResolvedWindow {
    let as_of = evidence_ends(&facts.input);
    let known = as_of < facts.input.now;
    let until = match window.until {
        Some(until) => until.min(facts.input.now),
        None if known => as_of,
        None => facts.input.now,
    };
    let created = facts.input.cron_job.creation_timestamp;
    let (since, basis) = match (window.since, oldest_run(facts, event_jobs), created) {
        (Some(since), _, _) => (since, WindowBasis::Asked),
        (None, Some(oldest), Some(created)) if reaches_back && created <= oldest => {
            (created, WindowBasis::Creation)
        }
        (None, Some(oldest), _) => (oldest, WindowBasis::OldestRun),
        (None, None, Some(created)) => (created, WindowBasis::Creation),
        (None, None, None) => (until, WindowBasis::Nothing),
    };
    ResolvedWindow {
        since,
        until,
        basis,
        ends_with_evidence: window.until.is_none() && known,
    }
}

/// The time that the oldest run was started for, or at.
fn oldest_run(facts: &Facts<'_>, event_jobs: &EventJobs) -> Option<Timestamp> {
    let of_jobs = facts
        .runs
        .iter()
        .filter_map(|run| run::scheduled_time(run).or(run.job.creation_timestamp));
    let record = facts.input.record.as_ref();
    let stored = record.and_then(|record| Some(record.runs.first()?.at));
    of_jobs
        .chain(event_jobs.removed_times())
        .chain(stored)
        .min()
}

pub(crate) const MAX_RUNS: u64 = 6_000_000;

/// Scheduled times that cannot be counted first are searched one by one, which takes time.
const MAX_UNCOUNTED: u64 = 100_000;

/// The scheduled times of a window, one found from the other.
pub(super) struct ScheduledTimes {
    pub(super) seconds: Vec<i64>,
    pub(super) next: Option<i64>,
    /// The number of earlier runs that are omitted; `None` if there were too many to count.
    pub(super) omitted: Option<u64>,
    /// The window starts later than requested, because runs are omitted.
    pub(super) since: Option<Timestamp>,
    /// The search does not get past the last one.
    pub(super) stands_still: bool,
}

impl ScheduledTimes {
    pub(super) fn empty() -> Self {
        ScheduledTimes {
            seconds: Vec::new(),
            next: None,
            omitted: Some(0),
            since: None,
            stands_still: false,
        }
    }
}

/// The scheduled times of a window; without a start, the last hundred.
pub(super) fn scheduled_times(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    span: &ResolvedWindow,
) -> Result<ScheduledTimes, HistoryError> {
    let timetable = match (&facts.schedule, &facts.timetable) {
        (Err(problem), _) => return Err(problem.clone().into()),
        (Ok(_), None) => return Ok(ScheduledTimes::empty()),
        (Ok(_), Some(timetable)) => timetable,
    };
    if span.since > span.until {
        return Ok(ScheduledTimes::empty());
    }
    let bounded = span.basis != WindowBasis::Asked;
    if timetable.zone().is_some() {
        by_the_clock(timetable, span, bounded)
    } else {
        let period = period(timetable, span.until);
        every(period, &anchors(facts, event_jobs), span, bounded)
    }
}

fn by_the_clock(
    timetable: &Timetable,
    span: &ResolvedWindow,
    bounded: bool,
) -> Result<ScheduledTimes, HistoryError> {
    let mut times = ScheduledTimes::empty();
    let mut after = second_before(span.since);
    if bounded {
        let hundredth = timetable.before(later(span.until)).nth(DEFAULT_RUNS - 1);
        if let Some(first) = hundredth.filter(|first| *first > span.since) {
            let before = second_before(first);
            let omitted = timetable.count(after, before).ok();
            times.omitted = omitted.map(|counted| counted.count);
            times.since = Some(first).filter(|_| times.omitted != Some(0));
            after = before;
        }
    }
    let most = match timetable.count(after, span.until) {
        Ok(counted) if counted.count > MAX_RUNS => return Err(HistoryError::TooMany),
        Ok(counted) => counted.count,
        // The search stands still, or is busy with the centuries before there were standard times.
        Err(_) => MAX_UNCOUNTED,
    };
    let begins = span.since.as_second();
    for scheduled_time in timetable.after(after) {
        let Ok(scheduled_time) = scheduled_time else {
            times.stands_still = true;
            break;
        };
        let second = scheduled_time.as_second();
        let behind = times.seconds.last().is_some_and(|last| second <= *last);
        // Upstream's search may stumble backwards, and then it comes by the same again.
        if behind || second < begins {
            times.stands_still = true;
            break;
        }
        if scheduled_time > span.until {
            times.next = Some(second);
            break;
        }
        if u64::try_from(times.seconds.len()).is_ok_and(|found| found >= most) {
            return Err(HistoryError::TooMany);
        }
        times.seconds.push(second);
    }
    Ok(times)
}

/// A time to count from.
#[derive(Clone, Copy)]
struct Anchor {
    second: i64,
    /// Whether it is a scheduled time itself.
    is_scheduled: bool,
}

impl Anchor {
    fn new(second: i64, is_scheduled: bool) -> Self {
        Anchor {
            second,
            is_scheduled,
        }
    }
}

/// What `@every` counts on from: each run that is known, and the creation.
fn anchors(facts: &Facts<'_>, event_jobs: &EventJobs) -> Vec<Anchor> {
    let of_jobs = facts.runs.iter().filter_map(run::scheduled_time);
    let of_status = facts.input.cron_job.status.last_schedule_time;
    let runs = of_jobs.chain(event_jobs.removed_times()).chain(of_status);
    let created = facts.input.cron_job.creation_timestamp;
    let mut anchors: Vec<Anchor> = runs
        .map(|run| Anchor::new(run.as_second(), true))
        .chain(created.map(|created| Anchor::new(created.as_second(), false)))
        .collect();
    // A run at the moment of the creation is a scheduled time.
    anchors.sort_by_key(|anchor| (anchor.second, !anchor.is_scheduled));
    anchors.dedup_by_key(|anchor| anchor.second);
    anchors
}

fn every(
    period: i64,
    anchors: &[Anchor],
    span: &ResolvedWindow,
    bounded: bool,
) -> Result<ScheduledTimes, HistoryError> {
    let (since, until) = (ceiling(span.since), span.until.as_second());
    let mut times = ScheduledTimes::empty();
    let Some(Anchor { second: first, .. }) = anchors.first() else {
        return Ok(times);
    };
    // Before the first, as if it had been counted on from there, too.
    let before = (first - since).max(0).div_euclid(period);
    let mut marks = vec![Anchor::new(first - before * period - period, false)];
    marks.extend(anchors);
    let ends = |index: usize| {
        let next: Option<&Anchor> = marks.get(index + 1);
        next.map_or(until + 1, |next| next.second.min(until + 1))
    };
    let runs_since = |index: usize, mark: &Anchor| {
        let begins = if mark.is_scheduled {
            mark.second
        } else {
            mark.second + period
        };
        let skipped = -(begins - since).min(0).div_euclid(period);
        let from = begins + skipped * period;
        let count = (ends(index) - 1 - from).div_euclid(period) + 1;
        (from, count.max(0))
    };
    let counts = marks.iter().enumerate();
    let total = counts.map(|(index, mark)| runs_since(index, mark).1);
    let total = u64::try_from(total.sum::<i64>()).unwrap_or(0);
    if total > MAX_RUNS && !bounded {
        return Err(HistoryError::TooMany);
    }
    let kept = if bounded {
        usize::try_from(total).map_or(DEFAULT_RUNS, |total| total.min(DEFAULT_RUNS))
    } else {
        usize::MAX
    };
    for (index, mark) in marks.iter().enumerate().rev() {
        let (from, count) = runs_since(index, mark);
        let earlier = (0..count).rev().map(|step| from + step * period);
        let remaining = kept - times.seconds.len();
        times.seconds.extend(earlier.take(remaining));
    }
    times.seconds.reverse();
    let found = u64::try_from(times.seconds.len()).unwrap_or(total);
    times.omitted = Some(total.saturating_sub(found));
    if total > found {
        let first = times.seconds.first();
        times.since = first.and_then(|first| Timestamp::from_second(*first).ok());
    }
    times.next = times.seconds.last().map(|last| last + period);
    Ok(times)
}

fn period(timetable: &Timetable, at: Timestamp) -> i64 {
    let next = timetable.next(at).ok().flatten();
    next.map_or(i64::from(u32::MAX), |next| {
        next.as_second() - at.as_second()
    })
    .max(1)
}

fn second_before(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(ceiling(moment).saturating_sub(1)).unwrap_or(Timestamp::MIN)
}

fn later(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second().saturating_add(1)).unwrap_or(Timestamp::MAX)
}
