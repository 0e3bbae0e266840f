//! Jobs that no longer exist, and that nothing explains.
//!
//! A Job that no history limit removed was deleted by another client, or the snapshot is incomplete: the same may have
//! happened to every older Job.

use jiff::Timestamp;

use super::retention::Retention;
use super::run;
use crate::diagnose::{EventJob, EventJobs, Facts, JobRemoval, local};
use cronjob_text::text::Text;
use kube_model::JobResult;

/// A Job that should still be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnexplainedDeletion {
    /// Its scheduled time, or its end where the scheduled time is not known.
    pub(super) at: i64,
    pub(super) evidence: Text,
}

/// The youngest Job that is gone without a reason.
pub(super) fn latest_unexplained_deletion(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    retention: &Retention,
) -> Option<UnexplainedDeletion> {
    let of_events = event_jobs
        .removed()
        .filter_map(|event_job| of_event_job(retention, event_job));
    let of_status = [
        last_success(facts, retention),
        last_start(facts, event_jobs, retention),
    ];
    let all = of_status.into_iter().flatten().chain(of_events);
    all.max_by_key(|deletion| deletion.at)
}

/// The Job that succeeded last, by the status.
fn last_success(facts: &Facts<'_>, retention: &Retention) -> Option<UnexplainedDeletion> {
    let last = facts.lost_success()?;
    let removal = retention.removal(last.as_second(), false);
    let explained = removal.if_succeeded || removal.after_ttl;
    (!explained).then(|| UnexplainedDeletion {
        at: last.as_second(),
        evidence: text!("the Job that succeeded at {}", local(facts, last)),
    })
}

/// The Job that was started last, by the status.
fn last_start(
    facts: &Facts<'_>,
    event_jobs: &EventJobs,
    retention: &Retention,
) -> Option<UnexplainedDeletion> {
    let last = facts.input.cron_job.status.last_schedule_time?;
    let mut known = facts.runs.iter().filter_map(run::scheduled_time);
    let is_known = known.any(|scheduled_time| scheduled_time == last)
        || event_jobs.removed_times().any(|removed| removed == last);
    let explained = retention.removal(last.as_second(), false).is_possible();
    (!is_known && !explained).then(|| UnexplainedDeletion {
        at: last.as_second(),
        evidence: text!("the Job of the run scheduled at {}", local(facts, last)),
    })
}

fn of_event_job(retention: &Retention, event_job: &EventJob) -> Option<UnexplainedDeletion> {
    let scheduled_time = event_job.scheduled_time.as_second();
    // It may have started late, and so have been younger than its scheduled time.
    let started = event_job
        .created
        .map_or(scheduled_time, Timestamp::as_second);
    let removal = retention.removal(started, true);
    let by_limit = match event_job.result {
        Some(JobResult::Succeeded) => removal.if_succeeded,
        Some(JobResult::Failed) => removal.if_failed,
        None => removal.if_succeeded || removal.if_failed,
    };
    let by_controller = matches!(
        event_job.removed,
        JobRemoval::Deleted(_) | JobRemoval::Replaced(_)
    );
    let explained = by_limit || by_controller || removal.after_ttl || removal.replaced;
    (!explained).then(|| UnexplainedDeletion {
        at: scheduled_time,
        evidence: event_job.job_name.as_str().into(),
    })
}
