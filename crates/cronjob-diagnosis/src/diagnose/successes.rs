//! How many runs were due since the last success.

use jiff::{SignedDuration, Timestamp};

use super::Facts;
use super::last_run::LastRunState;
use super::suspension::{SuspensionRecord, unchanged_since};

/// Where many runs start together, the last one may start this late, in seconds.
const START_LAG: i64 = 60;

impl Facts<'_> {
    /// How many runs were due since the last success, or since the creation, and did not succeed.
    ///
    /// Runs during a suspension do not count, nor those before the last change of the schedule, the time zone or the
    /// deadline, unless it is known that they failed. Neither do those that may still succeed: the run that is
    /// under way, and what was due less than a usual duration ago.
    ///
    /// `None` if that is unknown: the schedule cannot be read, or nothing shows the last success.
    pub(crate) fn runs_since_success(&self) -> Option<u64> {
        let timetable = self.timetable.as_ref()?;
        let since = self.without_success_since()?;
        let succeeded = self.runs.iter().filter(|run| run.succeeded());
        let shown = succeeded
            .clone()
            .any(|run| run.finished_at() == Some(since));
        // A run that was due while the last successful one ran did not succeed.
        let scheduled = succeeded.filter_map(|run| run.scheduled_time).max();
        let from = scheduled.filter(|_| shown).unwrap_or(since);
        let until = self.judged_until()?;
        let changed = unchanged_since(&self.input.cron_job);
        let first = changed.map_or(from, |changed| changed.max(from));
        let due = if first < until {
            timetable.count(first, until).ok()?.count
        } else {
            0
        };
        let failed = self.runs.iter().filter(|run| run.has_failed());
        let failed = failed.filter(|run| !run.is_manual());
        let failed = failed.filter_map(|run| run.scheduled_time);
        let others = failed.chain(self.unsuccessful_without_job()).filter(|at| {
            let is_counted = first < *at && *at <= until;
            from < *at && !is_counted
        });
        let due = due.saturating_add(u64::try_from(others.count()).unwrap_or_default());
        let longest = self.durations().longest_usual();
        let may_succeed = self.runs.iter().filter(|run| {
            let is_counted = run.scheduled_time > Some(first) && run.scheduled_time <= Some(until);
            let age = run.job.creation_timestamp.map(|at| self.input.ago(at));
            let is_slow = age.zip(longest).is_some_and(|(age, longest)| age > longest);
            let may_succeed = run.ending().is_none() && !run.has_failed();
            is_counted && may_succeed && !run.is_manual() && !is_slow
        });
        let may_succeed = if self.input.jobs_are_unknown() {
            self.input.cron_job.status.active.len()
        } else {
            may_succeed.count()
        };
        Some(due.saturating_sub(u64::try_from(may_succeed).unwrap_or_default()))
    }

    /// The scheduled time of the last run if its Job is gone, and it is known that it did not succeed.
    fn unsuccessful_without_job(&self) -> Option<Timestamp> {
        let last = self.last_scheduled_run()?;
        let has_job = self.runs.iter().any(|run| run.job.name == last.job_name);
        let is_unsuccessful = matches!(
            last.state,
            LastRunState::Failed | LastRunState::DeletedWithoutSuccess
        );
        last.scheduled_time.filter(|_| is_unsuccessful && !has_job)
    }

    /// Up to when runs must have succeeded.
    fn judged_until(&self) -> Option<Timestamp> {
        let seen = self.input.coverage.as_of.min(self.input.now);
        // Nothing is due once its deletion has been requested.
        let deleted = self.input.cron_job.deletion_timestamp;
        let seen = deleted.map_or(seen, |deleted| deleted.min(seen));
        let usual = self.durations().p95();
        let takes = usual.unwrap_or_default().saturating_add(START_LAG);
        let until = seen.checked_sub(SignedDuration::from_secs(takes)).ok()?;
        if !self.input.is_suspended() {
            return Some(until);
        }
        let suspended = SuspensionRecord::of(&self.input.cron_job)?.since(&self.input)?;
        Some(suspended.min(until))
    }
}
