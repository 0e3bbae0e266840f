//! Finished Jobs beyond the history limits are deleted.

use std::cmp::Ordering;

use super::look::{Look, finished};
use crate::model::Job;

/// Deletes the oldest finished Jobs beyond the limits, successful ones first.
pub(super) fn clean_up(look: &mut Look<'_>) {
    let spec = &look.cron_job.spec;
    let limits = [
        ("Complete", spec.successful_jobs_history_limit),
        ("Failed", spec.failed_jobs_history_limit),
    ];
    let children = look.children();
    for (condition, limit) in limits {
        let Some(limit) = limit else { continue };
        let mut jobs: Vec<&Job> = children
            .iter()
            .copied()
            .filter(|job| finished(job) == Some(condition))
            .collect();
        let kept = usize::try_from(limit).unwrap_or(0);
        let surplus = jobs.len().saturating_sub(kept);
        jobs.sort_by(|one, other| by_start(one, other));
        for job in jobs.into_iter().take(surplus) {
            look.delete(job);
        }
    }
}

/// By time of start and then by name; what never started comes last.
fn by_start(one: &Job, other: &Job) -> Ordering {
    match (one.start_time, other.start_time) {
        (Some(one_start), Some(other_start)) => one_start
            .cmp(&other_start)
            .then_with(|| one.name.cmp(&other.name)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
