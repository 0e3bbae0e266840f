//! Finished Jobs beyond the history limits are deleted.

use std::cmp::Ordering;

use super::behavior::HistoryOrder;
use super::sync::SyncContext;
use kube_model::{Job, JobResult};

/// Deletes the finished Jobs beyond the limits.
pub(super) fn clean_up(sync: &mut SyncContext<'_>) {
    sync.delete(surplus(sync));
}

/// The oldest finished Jobs beyond the limits, in the order in which they are deleted.
pub(super) fn surplus<'a>(sync: &SyncContext<'a>) -> Vec<&'a Job> {
    let spec = &sync.cron_job.spec;
    let successful = (JobResult::Succeeded, spec.successful_jobs_history_limit);
    let failed = (JobResult::Failed, spec.failed_jobs_history_limit);
    let (limits, by_start): (_, fn(&Job, &Job) -> Ordering) = match sync.behavior.history {
        HistoryOrder::SuccessfulFirst => ([successful, failed], never_started_last),
        HistoryOrder::FailedFirst => ([failed, successful], never_started_first),
    };
    let mut found = Vec::new();
    for (finish, limit) in limits {
        let Some(limit) = limit else { continue };
        let children = sync.children.iter();
        let jobs = children.filter(|child| child.finish == Some(finish));
        let kept = usize::try_from(limit).unwrap_or(0);
        let surplus = jobs.clone().count().saturating_sub(kept);
        if surplus == 0 {
            continue;
        }
        let mut jobs: Vec<&Job> = jobs.map(|child| child.job).collect();
        jobs.sort_by(|one, other| by_start(one, other));
        found.extend(jobs.into_iter().take(surplus));
    }
    found
}

/// By time of start and then by name.
fn never_started_last(one: &Job, other: &Job) -> Ordering {
    let key = |job: &Job| (job.start_time.is_none(), job.start_time);
    key(one)
        .cmp(&key(other))
        .then_with(|| one.name.cmp(&other.name))
}

fn never_started_first(one: &Job, other: &Job) -> Ordering {
    one.start_time.cmp(&other.start_time)
}
