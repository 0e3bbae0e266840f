//! When the next success of a `CronJob` is due.

use jiff::{SignedDuration, Timestamp};

use super::Facts;
use super::suspension::unchanged_since;
use cronjob_text::duration::{later, whole_second};
use kube_model::PastRun;

/// How late a run may start, in seconds: the controller, the scheduler and the kubelet need time.
const START: i64 = 300;

/// How long a run may take of which nothing is stated or usual, in seconds.
const UNKNOWN: i64 = 3_600;

impl Facts<'_> {
    /// The time by which a Job should have succeeded again: a time in the past means that a success is overdue.
    ///
    /// With the annotation `cronjob-doctor/success-within`, it is that long after the last success, or after
    /// the creation if there was none. Otherwise it is the start of the first run since then that had to
    /// succeed, plus the time that it may take, plus five minutes for its start.
    ///
    /// That run is the earlier of these two:
    ///
    /// - The first Job that the controller created since the last success. If it is gone, the last run that
    ///   was started counts. A run that started late, for example because of `concurrencyPolicy: Forbid`,
    ///   counts from its start.
    /// - The first scheduled time since the last success, and since the schedule, the time zone, the
    ///   suspension or the deadline last changed. Whether a run was started for it does not matter: a run
    ///   that was missed during an outage or because of its deadline did not succeed either.
    ///
    /// It may take as long as the annotation `cronjob-doctor/max-duration` states, or else as long as is not
    /// unusual ([`longest_usual`](super::durations::RunDurations::longest_usual)), or else as long as
    /// `activeDeadlineSeconds` of its Job allows, at most an hour ([`longest_run`](Facts::longest_run)).
    ///
    /// `None` while the `CronJob` is suspended or being deleted, if it is not in a cluster, if its version records
    /// no success, and if nothing is scheduled.
    pub(crate) fn success_due(&self) -> Option<Timestamp> {
        if self.input.is_suspended() || self.input.cron_job.deletion_timestamp.is_some() {
            return None;
        }
        let since = self.without_success_since()?;
        let expected = self.input.expectations();
        if let Some(within) = expected.success_within_seconds {
            return Some(after(since, within));
        }
        let changed = unchanged_since(&self.input.cron_job);
        let changed = changed.map_or(since, |changed| changed.max(since));
        let started = self.first_started(since).or_else(|| {
            let last = self.input.cron_job.status.last_schedule_time?;
            // Of a run that an edit started late, only the edit shows when.
            (last > since).then(|| last.max(changed))
        });
        let scheduled = self.next_run_after(changed);
        let start = started.into_iter().chain(scheduled).min()?;
        let (takes, _) = self.longest_run(UNKNOWN);
        Some(after(start, takes.saturating_add(START)))
    }

    /// When the controller first created a Job after a moment.
    fn first_started(&self, since: Timestamp) -> Option<Timestamp> {
        let runs = self.runs.iter().filter(|run| run.is_by_controller());
        let created = runs.filter_map(|run: &PastRun<'_>| run.job.creation_timestamp);
        created.filter(|created| *created > since).min()
    }
}

fn after(moment: Timestamp, seconds: i64) -> Timestamp {
    whole_second(later(moment, SignedDuration::from_secs(seconds)))
}
