//! How long the runs of a `CronJob` usually take, by the Jobs that still exist and those that were recorded.
//!
//! A run lasts from `status.startTime` of its Job until the Job finishes: time in which the Job was suspended,
//! for example in a queue, does not count. Of a recorded run only the creation of its Job is known, so it lasts from
//! then. Only runs that succeeded are counted.

use schemars::JsonSchema;
use serde::Serialize;

use super::Facts;
use cronjob_text::duration::human;
use kube_model::{PastRun, StoredRun};

/// How it is known how long a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationSource {
    /// The annotation `cronjob-doctor/max-duration` states it.
    Stated,
    /// The Jobs that still exist show it.
    Usual,
    /// The Job is stopped after it, because of `activeDeadlineSeconds`.
    Deadline,
    Assumed,
}

/// With fewer runs, nothing is said to be usual.
const ENOUGH: usize = 5;

/// With fewer runs, no run is said to be unusual. The controller keeps as many Jobs that succeeded by default.
const FEW: usize = 3;

/// How much longer than usual a run always may take, in seconds: short runs differ by their pods' start.
const SLACK: i64 = 60;

/// No statement about how fast a run is makes sense for shorter ones, in seconds.
const LONG: i64 = 60;

/// The value at a percentile by the nearest-rank method: the smallest value that at least `percent` percent of
/// the values do not exceed. It is always one of the values, which are sorted.
pub fn nearest_rank(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// How long each run took that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunDurations {
    sorted: Vec<i64>,
}

/// How long the runs of a `CronJob` usually take.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsualDuration {
    /// The median, in seconds.
    pub p50_seconds: i64,
    /// The 95th percentile, in seconds, by the nearest-rank method: of fewer than 20 runs, the longest.
    pub p95_seconds: i64,
    /// The sum of the durations, in seconds.
    pub sum_seconds: i64,
    /// The number of runs: those that succeeded and whose Jobs still exist or were recorded.
    pub runs: usize,
}

impl Facts<'_> {
    /// How long a run may take, in seconds, and how that is known: what is `assumed` counts where nothing is
    /// stated or usual, and no shorter `activeDeadlineSeconds` ends the Job.
    pub(crate) fn longest_run(&self, assumed: i64) -> (i64, DurationSource) {
        if let Some(stated) = self.input.expectations().max_duration_seconds {
            return (stated, DurationSource::Stated);
        }
        let durations = self.durations();
        if let Some(usual) = durations.usual().and(durations.longest_usual()) {
            return (usual, DurationSource::Usual);
        }
        let deadline = self
            .input
            .cron_job
            .spec
            .job_setting("activeDeadlineSeconds");
        match deadline.filter(|deadline| *deadline > 0 && *deadline < assumed) {
            Some(deadline) => (deadline, DurationSource::Deadline),
            None => (assumed, DurationSource::Assumed),
        }
    }
}

impl RunDurations {
    pub(super) fn of(runs: &[PastRun<'_>]) -> Self {
        let succeeded = runs.iter().filter(|run| run.succeeded());
        let mut sorted: Vec<i64> = succeeded.filter_map(PastRun::run_seconds).collect();
        sorted.sort_unstable();
        RunDurations { sorted }
    }

    /// Adds the durations of recorded runs that succeeded.
    pub(super) fn with_recorded<'r>(mut self, runs: impl Iterator<Item = &'r StoredRun>) -> Self {
        let times = runs.filter_map(|run| run.started_at.zip(run.finished_at));
        let seconds = times.map(|(started, finished)| finished.as_second() - started.as_second());
        self.sorted.extend(seconds.filter(|seconds| *seconds >= 0));
        self.sorted.sort_unstable();
        self
    }

    /// The median of any number of runs, in seconds.
    pub(crate) fn p50(&self) -> Option<i64> {
        nearest_rank(&self.sorted, 50)
    }

    /// The 95th percentile of any number of runs, in seconds: of fewer than 20 runs, the longest.
    pub(crate) fn p95(&self) -> Option<i64> {
        nearest_rank(&self.sorted, 95)
    }

    /// What is usual; `None` with fewer than five runs.
    pub(crate) fn usual(&self) -> Option<UsualDuration> {
        self.known().filter(|known| !known.are_few())
    }

    /// What shows that a run is unusual; `None` with fewer than three runs.
    pub(super) fn known(&self) -> Option<UsualDuration> {
        let runs = Some(self.sorted.len()).filter(|runs| *runs >= FEW)?;
        let all = self.sorted.iter().copied();
        Some(UsualDuration {
            p50_seconds: self.p50()?,
            p95_seconds: self.p95()?,
            sum_seconds: all.fold(0, i64::saturating_add),
            runs,
        })
    }

    /// The longest duration that is not unusual, in seconds: twice the 95th percentile, and at least a
    /// minute more than it.
    pub(crate) fn longest_usual(&self) -> Option<i64> {
        Some(times_with_slack(self.p95()?, 2))
    }
}

/// A multiple of a duration, and at least a minute more than it.
fn times_with_slack(seconds: i64, factor: i64) -> i64 {
    let slack = seconds.saturating_add(SLACK);
    seconds.saturating_mul(factor).max(slack)
}

impl UsualDuration {
    /// Of three or four runs only the extremes say something.
    fn are_few(self) -> bool {
        self.runs < ENOUGH
    }

    /// Whether a run takes unusually long: more than twice the 95th percentile, or four times the longest of few runs,
    /// and at least a minute more than it.
    pub(super) fn is_exceeded_by(self, seconds: i64) -> bool {
        let factor = if self.are_few() { 4 } else { 2 };
        seconds > times_with_slack(self.p95_seconds, factor)
    }

    /// Whether a run took suspiciously little time: less than a tenth of the median, or a twentieth with few runs.
    /// Nothing is said of runs that usually take less than a minute.
    pub(super) fn is_far_above(self, seconds: i64) -> bool {
        let factor = if self.are_few() { 20 } else { 10 };
        self.p50_seconds >= LONG && seconds.saturating_mul(factor) < self.p50_seconds
    }

    /// `4m (95% within 6m, 12 runs)`
    pub fn in_words(self) -> String {
        let (p50, p95) = (human(self.p50_seconds), human(self.p95_seconds));
        let longest = if self.are_few() {
            "the longest"
        } else {
            "95% within"
        };
        format!("{p50} ({longest} {p95}, {} runs)", self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durations(seconds: &[i64]) -> RunDurations {
        let mut sorted = seconds.to_vec();
        sorted.sort_unstable();
        RunDurations { sorted }
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        assert_eq!(nearest_rank(&[], 95), None);
        assert_eq!(nearest_rank(&[7], 50), Some(7));
        // Ranks 2 and 4 of 4.
        assert_eq!(nearest_rank(&[1, 2, 3, 4], 50), Some(2));
        assert_eq!(nearest_rank(&[1, 2, 3, 4], 95), Some(4));
        // 95% of 19 is 18.05: rank 19. 95% of 20 is rank 19, too.
        let ranks: Vec<i64> = (1..=20).collect();
        assert_eq!(nearest_rank(&ranks[..19], 95), Some(19));
        assert_eq!(nearest_rank(&ranks, 95), Some(19));
    }

    #[test]
    fn four_runs_are_too_few_and_five_are_enough() {
        assert_eq!(durations(&[240, 250, 230, 300]).usual(), None);
        let usual = durations(&[240, 250, 230, 300, 360]).usual().unwrap();
        let expected = UsualDuration {
            p50_seconds: 250,
            p95_seconds: 360,
            sum_seconds: 1_380,
            runs: 5,
        };
        assert_eq!(usual, expected);
        assert_eq!(usual.in_words(), "4m10s (95% within 6m, 5 runs)");
    }

    #[test]
    fn longest_usual_is_twice_the_95th_percentile_and_at_least_a_minute_more() {
        assert_eq!(durations(&[]).longest_usual(), None);
        assert_eq!(durations(&[10]).longest_usual(), Some(70));
        assert_eq!(durations(&[60]).longest_usual(), Some(120));
        assert_eq!(durations(&[61]).longest_usual(), Some(122));
        assert_eq!(durations(&[i64::MAX]).longest_usual(), Some(i64::MAX));
    }
}
