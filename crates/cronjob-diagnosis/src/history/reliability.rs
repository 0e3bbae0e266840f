//! How reliable a `CronJob` was: how many of its due runs succeeded in time, and how that changed from week to week.
//!
//! Only runs that were due count. A run whose result is not known is never taken for a success or a failure.

use std::iter;
use std::ops::AddAssign;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::reason::CONTROLLER_DOWN;
use super::{
    CronJobHistory, HistoryEntry, HistoryWindow, Percentiles, RecordedRun, RunSource, SETTLED_AFTER,
};
use cronjob_text::duration::later;
use kube_model::{RunResult, RunStatus};

/// The causes of runs that do not count as due: the CronJob was not meant to run them, or the controller started nothing
/// at all.
const EXCLUDED: [&str; 4] = ["suspended", "skipped", "notCreated", CONTROLLER_DOWN];

/// The causes of runs that did not succeed although no Job with a result shows it.
const ENDED_EARLY: [&str; 2] = ["replaced", "jobMissing"];

/// How many of the runs that were due in a window succeeded in time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reliability {
    /// The start of the window.
    pub since: Timestamp,
    /// The end of the window.
    pub until: Timestamp,
    /// The figures of the whole window.
    #[serde(flatten)]
    pub figures: ReliabilityFigures,
    /// The most due runs in a row that are known to have failed or not to have started.
    pub longest_failure_streak: u64,
    /// The figures of each week, oldest first. The last one ends with the window; the first one can be shorter,
    /// or up to a day longer.
    pub weeks: Vec<ReliabilityWeek>,
}

/// How many of the runs that were due succeeded in time, how long they took, and how late they started.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityFigures {
    /// What happened to the runs.
    #[serde(flatten)]
    pub runs: DueRuns,
    /// The share of the runs with a known outcome that succeeded in time, from 0 to 1; null if there are none.
    pub success_rate: Option<f64>,
    /// How long the runs took that succeeded, in seconds.
    pub duration_seconds: Percentiles,
    /// How late the controller started the runs, in seconds.
    pub delay_seconds: Percentiles,
}

/// What happened to runs that were due.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub struct DueRuns {
    /// The number of runs that were due: the sum of the next five.
    pub due: u64,
    /// Runs that succeeded, and that started before the next run was due.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that succeeded, but started only when the next run was due already.
    pub late: u64,
    /// Runs that did not start.
    pub skipped: u64,
    /// Runs whose outcome is not known, for example because they have not finished.
    pub unknown: u64,
    /// Runs that do not count as due: during a suspension, skipped on purpose, before the creation, or recorded as missed
    /// while the controller was down.
    pub excluded: u64,
}

/// A week of the window.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ReliabilityWeek {
    /// The start of the week, or of the window.
    pub from: Timestamp,
    /// The figures of the week.
    #[serde(flatten)]
    pub figures: ReliabilityFigures,
}

/// What happened to the runs of a day.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct ReliabilityDay {
    /// The day.
    pub date: Date,
    /// What happened to the runs.
    #[serde(flatten)]
    pub runs: DueRuns,
}

impl HistoryWindow {
    /// The last 28 days.
    pub fn recent(now: Timestamp) -> Self {
        let since = now.checked_sub(SignedDuration::from_hours(28 * 24));
        HistoryWindow {
            since: since.ok(),
            until: None,
        }
    }
}

impl Reliability {
    /// The reliability in the window of a history; `None` if no recorder was asked: old Jobs are gone then.
    pub fn of(item: &CronJobHistory<'_>) -> Option<Self> {
        let history = &item.history;
        if history.recorded.is_none() || history.error.is_some() {
            return None;
        }
        let starts = weeks(history.since, history.until, item.facts.zone().time_zone());
        let mut weeks: Vec<Tally> = starts.iter().map(|_| Tally::default()).collect();
        let (mut all, mut streak, mut longest) = (Tally::default(), 0, 0);
        for run in judged(item) {
            all.add(&run);
            let week = starts.partition_point(|start| *start <= run.at);
            if let Some(week) = weeks.get_mut(week.saturating_sub(1)) {
                week.add(&run);
            }
            streak = match run.outcome {
                DueOutcome::Failed | DueOutcome::Skipped => streak + 1,
                DueOutcome::Excluded => streak,
                DueOutcome::Succeeded | DueOutcome::Late | DueOutcome::Unknown => 0,
            };
            longest = longest.max(streak);
        }
        let weeks = starts.into_iter().zip(weeks);
        Some(Reliability {
            since: history.since,
            until: history.until,
            figures: all.figures(),
            longest_failure_streak: longest,
            weeks: weeks
                .map(|(from, week)| ReliabilityWeek {
                    from,
                    figures: week.figures(),
                })
                .collect(),
        })
    }
}

/// Calls `count` with each run of a history and its outcome, up to a time and to the first one whose outcome may change.
pub fn count_settled(
    item: &CronJobHistory<'_>,
    until: Timestamp,
    mut count: impl FnMut(Timestamp, DueRuns),
) {
    let settled = later(until, SignedDuration::from_secs(-SETTLED_AFTER));
    for run in judged(item).take_while(|run| !run.is_open && run.at <= settled) {
        let mut one = DueRuns::default();
        one.add(run.outcome);
        count(run.at, one);
    }
}

/// The days from one moment to another in a time zone, with the runs of each.
pub fn days(
    item: &CronJobHistory<'_>,
    since: Timestamp,
    until: Timestamp,
    zone: &TimeZone,
) -> Vec<ReliabilityDay> {
    let date = |at: Timestamp| at.to_zoned(zone.clone()).date();
    let last = date(until);
    let all = iter::successors(Some(date(since)), |day| day.tomorrow().ok());
    let mut days: Vec<ReliabilityDay> = all
        .take_while(|day| *day <= last)
        .map(|date| ReliabilityDay {
            date,
            runs: DueRuns::default(),
        })
        .collect();
    for run in judged(item) {
        let day = date(run.at);
        if let Ok(index) = days.binary_search_by_key(&day, |day| day.date)
            && let Some(day) = days.get_mut(index)
        {
            day.runs.add(run.outcome);
        }
    }
    days
}

/// The starts of the weeks of a window, oldest first. They are counted back from its end, by the clock of a time zone.
fn weeks(since: Timestamp, until: Timestamp, zone: &TimeZone) -> Vec<Timestamp> {
    let end = until.to_zoned(zone.clone());
    let start = |week: i64| {
        let before = Span::new().try_days(week * 7).ok()?;
        Some(end.checked_sub(before).ok()?.timestamp())
    };
    // A few hours that are left, for example after a clock change, are not a week.
    let first = later(since, SignedDuration::from_hours(24));
    let starts = (1..).map_while(start).take_while(|start| *start > first);
    let mut starts: Vec<Timestamp> = starts.collect();
    starts.push(since);
    starts.reverse();
    starts
}

/// What happened to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DueOutcome {
    Succeeded,
    Failed,
    /// It succeeded too late.
    Late,
    Skipped,
    Unknown,
    Excluded,
}

struct JudgedRun<'a> {
    at: Timestamp,
    outcome: DueOutcome,
    /// Whether its outcome may change.
    is_open: bool,
    run: Option<&'a RecordedRun>,
}

/// The runs of a history with their outcomes, in order.
fn judged<'a>(item: &'a CronJobHistory<'_>) -> impl Iterator<Item = JudgedRun<'a>> {
    let mut runs = item.history.runs.iter().peekable();
    iter::from_fn(move || {
        let (at, entry) = runs.next()?;
        let next = runs.peek().map(|(next, _)| *next);
        let next = next.or_else(|| item.facts.next_run_after(at));
        let record = item.facts.input.record.as_ref();
        let is_recorded = record.is_some_and(|record| record.covers(at));
        Some(JudgedRun {
            at,
            outcome: outcome(entry, next, is_recorded),
            is_open: is_open(entry),
            run: entry.run.as_ref(),
        })
    })
}

/// Whether the outcome of a run may change. A stored run without its Job stays as it is.
fn is_open(entry: &HistoryEntry) -> bool {
    let is_running =
        entry.status == RunStatus::Running && entry.source != Some(RunSource::Recorder);
    is_running || entry.reason.as_ref().is_some_and(|reason| reason.is_open)
}

/// What happened to a run; `next` is when the next one was due, and `is_recorded` whether the recorder was watching.
fn outcome(entry: &HistoryEntry, next: Option<Timestamp>, is_recorded: bool) -> DueOutcome {
    let cause = entry.reason.as_ref().map_or("", |reason| &*reason.code);
    let is_in_time = |at: Timestamp| next.is_none_or(|next| at < next);
    let Some(run) = &entry.run else {
        let is_open = entry.reason.as_ref().is_some_and(|reason| reason.is_open);
        return match entry.status {
            RunStatus::Skipped if EXCLUDED.contains(&cause) => DueOutcome::Excluded,
            // Otherwise it is a conclusion from what is left.
            RunStatus::Skipped if !is_open && is_recorded => DueOutcome::Skipped,
            _ => DueOutcome::Unknown,
        };
    };
    match (run.result, run.started_at, run.finished_at) {
        (Some(RunResult::Failed), ..) => DueOutcome::Failed,
        (None, ..) if ENDED_EARLY.contains(&cause) => DueOutcome::Failed,
        (Some(RunResult::Succeeded), Some(started), _) if !is_in_time(started) => DueOutcome::Late,
        (Some(RunResult::Succeeded), Some(_), _) => DueOutcome::Succeeded,
        // Its start is not known, but it was before that.
        (Some(RunResult::Succeeded), None, Some(finished)) if is_in_time(finished) => {
            DueOutcome::Succeeded
        }
        _ => DueOutcome::Unknown,
    }
}

impl AddAssign for DueRuns {
    fn add_assign(&mut self, other: Self) {
        self.due += other.due;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.late += other.late;
        self.skipped += other.skipped;
        self.unknown += other.unknown;
        self.excluded += other.excluded;
    }
}

impl DueRuns {
    /// The number of runs whose outcome is known.
    pub fn known(self) -> u64 {
        self.due - self.unknown
    }

    fn add(&mut self, outcome: DueOutcome) {
        self.due += u64::from(outcome != DueOutcome::Excluded);
        *match outcome {
            DueOutcome::Succeeded => &mut self.succeeded,
            DueOutcome::Failed => &mut self.failed,
            DueOutcome::Late => &mut self.late,
            DueOutcome::Skipped => &mut self.skipped,
            DueOutcome::Unknown => &mut self.unknown,
            DueOutcome::Excluded => &mut self.excluded,
        } += 1;
    }

    /// The runs of each outcome that count as due.
    pub fn outcomes(self) -> [(&'static str, u64); 5] {
        [
            ("succeeded", self.succeeded),
            ("failed", self.failed),
            ("late", self.late),
            ("skipped", self.skipped),
            ("unknown", self.unknown),
        ]
    }

    /// The share of the runs with a known outcome that succeeded in time.
    pub fn success_rate(self) -> Option<f64> {
        let float = |count: u64| u32::try_from(count).ok().map(f64::from);
        let known = float(self.known()).filter(|known| *known > 0.0)?;
        Some(float(self.succeeded)? / known)
    }
}

/// The runs of a window or a week.
#[derive(Default)]
struct Tally {
    runs: DueRuns,
    durations: Vec<i64>,
    delays: Vec<i64>,
}

impl Tally {
    fn add(&mut self, judged: &JudgedRun<'_>) {
        self.runs.add(judged.outcome);
        let Some(run) = judged.run else { return };
        if run.result == Some(RunResult::Succeeded) {
            self.durations.extend(run.duration_seconds);
        }
        if !run.backfilled {
            self.delays.extend(run.delay_seconds);
        }
    }

    fn figures(self) -> ReliabilityFigures {
        ReliabilityFigures {
            runs: self.runs,
            success_rate: self.runs.success_rate(),
            duration_seconds: Percentiles::of(self.durations),
            delay_seconds: Percentiles::of(self.delays),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::RunReason;

    #[test]
    fn run_that_can_still_start_or_was_not_recorded_is_not_counted_as_skipped() {
        let outcome = |(is_open, is_recorded)| {
            let reason = RunReason {
                code: "forbid".into(),
                detail: cronjob_text::text::Text::default(),
                is_open,
            };
            let entry = HistoryEntry {
                status: RunStatus::Skipped,
                run: None,
                reason: Some(reason),
                source: None,
                times: 0..1,
            };
            outcome(&entry, None, is_recorded)
        };
        let (unknown, skipped) = (DueOutcome::Unknown, DueOutcome::Skipped);
        assert_eq!(
            [(true, true), (false, false), (false, true)].map(outcome),
            [unknown, unknown, skipped]
        );
    }
}
