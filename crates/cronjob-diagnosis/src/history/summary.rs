//! The figures of a history.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::History;
use super::{RecordedRun, RunResult, RunStatus};
use crate::diagnose::{JobRemoval, nearest_rank};

/// A summary of past runs.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "PastSummary")]
#[serde(rename_all = "camelCase")]
pub struct HistorySummary {
    /// The number of runs in the window: the sum of the next numbers, up to the unknown ones.
    pub runs: u64,
    /// Runs that started within ten seconds.
    pub on_time: u64,
    /// Runs that started later.
    pub late: u64,
    /// Runs whose Job was not created by the controller but, for example, by `backfill`.
    pub backfilled: u64,
    /// Runs whose Job has not finished, and runs.
    pub running: u64,
    /// Runs whose Job has not finished, and of which no container has started.
    pub waiting: u64,
    /// Runs that are due, and that the controller may still start.
    pub pending: u64,
    /// Runs that did not start.
    pub skipped: u64,
    /// Runs of which the evidence does not show whether they started.
    pub unknown: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that started while another one was running.
    pub overlaps: u64,
    /// How late the runs started, in seconds.
    pub delay_seconds: Percentiles,
    /// How long the runs took, in seconds.
    pub duration_seconds: Percentiles,
}

/// Percentiles.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Spread")]
pub struct Percentiles {
    /// The median.
    pub p50: Option<i64>,
    /// The 95th percentile.
    pub p95: Option<i64>,
    /// The maximum.
    pub max: Option<i64>,
}

impl Percentiles {
    pub(crate) fn of(mut values: Vec<i64>) -> Self {
        values.sort_unstable();
        Percentiles {
            p50: nearest_rank(&values, 50),
            p95: nearest_rank(&values, 95),
            max: values.last().copied(),
        }
    }
}

impl HistorySummary {
    /// Adds the numbers of other runs. Percentiles cannot be added.
    pub(crate) fn add_counts(&mut self, other: &Self) {
        self.runs += other.runs;
        self.on_time += other.on_time;
        self.late += other.late;
        self.backfilled += other.backfilled;
        self.running += other.running;
        self.waiting += other.waiting;
        self.pending += other.pending;
        self.skipped += other.skipped;
        self.unknown += other.unknown;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.overlaps += other.overlaps;
    }
}

pub(super) fn of(history: &History) -> HistorySummary {
    let mut summary = HistorySummary::default();
    for entry in &history.runs.entries {
        let count = u64::try_from(entry.count()).unwrap_or(0);
        summary.runs += count;
        *match entry.known_status() {
            RunStatus::OnTime => &mut summary.on_time,
            RunStatus::Late => &mut summary.late,
            RunStatus::Backfilled => &mut summary.backfilled,
            RunStatus::Running => &mut summary.running,
            RunStatus::Waiting => &mut summary.waiting,
            RunStatus::Pending => &mut summary.pending,
            RunStatus::Skipped => &mut summary.skipped,
            RunStatus::Unknown => &mut summary.unknown,
        } += count;
        match entry.run.as_ref().and_then(|run| run.result) {
            Some(RunResult::Succeeded) => summary.succeeded += count,
            Some(RunResult::Failed) => summary.failed += count,
            Some(RunResult::Running) | None => {}
        }
    }
    let entries = &history.runs.entries;
    let scheduled = || entries.iter().filter_map(|entry| entry.run.as_ref());
    summary.delay_seconds =
        Percentiles::of(scheduled().filter_map(|run| run.delay_seconds).collect());
    summary.duration_seconds =
        Percentiles::of(scheduled().filter_map(|run| run.duration_seconds).collect());
    let off_schedule = history.off_schedule.iter().map(|one| &one.run);
    let all = scheduled().chain(off_schedule).chain(&history.manual);
    summary.overlaps = overlaps(all, history.as_of);
    summary
}

/// How many runs started while another one was running.
fn overlaps<'a>(runs: impl Iterator<Item = &'a RecordedRun>, now: Timestamp) -> u64 {
    let mut intervals: Vec<(Timestamp, Timestamp)> = runs
        .filter_map(|run| {
            let running = run.result == Some(RunResult::Running) || run.ending_since.is_some();
            let removed = run.removed.and_then(JobRemoval::at);
            let end = run.finished_at.or(running.then_some(now)).or(removed)?;
            Some((run.started_at?, end))
        })
        .collect();
    intervals.sort_unstable();
    let mut busy_until = None;
    let mut count = 0;
    for (start, end) in intervals {
        count += u64::from(busy_until.is_some_and(|busy| start < busy));
        busy_until = busy_until.max(Some(end));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_sorted_values() {
        assert_eq!(Percentiles::of(vec![]), Percentiles::default());
        let expected = Percentiles {
            p50: Some(2),
            p95: Some(4),
            max: Some(4),
        };
        assert_eq!(Percentiles::of(vec![4, 1, 3, 2]), expected);
    }

    #[test]
    fn runs_that_touch_do_not_overlap() {
        let at = |second| Timestamp::from_second(second).ok();
        let run = |start, end| RecordedRun {
            job_name: String::new(),
            started_at: at(start),
            finished_at: at(end),
            result: None,
            delay_seconds: None,
            duration_seconds: None,
            phases: None,
            template: None,
            images: None,
            has_new_template: false,
            exit_code: None,
            source: None,
            job_uid: None,
            ending_since: None,
            awaited: None,
            silence: None,
            failure: None,
            removed: None,
            is_unsuccessful: false,
            backfilled: false,
        };
        let count = |runs: &[RecordedRun]| overlaps(runs.iter(), at(1_000).unwrap());
        assert_eq!(count(&[run(0, 10), run(10, 20)]), 0);
        assert_eq!(count(&[run(0, 10), run(9, 20), run(19, 30)]), 2);
        assert_eq!(count(&[run(0, 100), run(1, 2), run(3, 4)]), 2);
        // One that is running, or whose pod is ending, has no end yet.
        let running = RecordedRun {
            result: Some(RunResult::Running),
            finished_at: None,
            ..run(0, 0)
        };
        let ending = RecordedRun {
            result: None,
            ending_since: at(5),
            ..running.clone()
        };
        let unknown = RecordedRun {
            ending_since: None,
            ..ending.clone()
        };
        for (first, overlaps) in [(running, 1), (ending, 1), (unknown, 0)] {
            assert_eq!(count(&[first, run(10, 20)]), overlaps);
        }
    }
}
