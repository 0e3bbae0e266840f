//! The Jobs themselves are suspended.

use super::super::commands::{add, counted};
use super::super::pods::queue_of_template;
use super::super::{Facts, Found};
use crate::model::QUEUE_LABEL;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let template = &facts.cron_job.spec.job_template;
    let suspended = template
        .pointer("/spec/suspend")
        .and_then(serde_json::Value::as_bool);
    // Kueue resumes the Jobs of its queues. An admission webhook may choose the queue.
    let mut jobs = facts.runs.iter().map(|run| run.job);
    let queued =
        queue_of_template(template).is_some() || jobs.any(|job| job.labels.contains(QUEUE_LABEL));
    if suspended != Some(true) || queued {
        return None;
    }
    let waiting = facts
        .runs
        .iter()
        .filter(|run| run.job.suspend == Some(true) && run.ending().is_none());
    let waiting = u64::try_from(waiting.count()).unwrap_or(0);
    let mut detail =
        "spec.jobTemplate.spec.suspend is true: Jobs are created, but start no pods.".to_owned();
    if waiting > 0 {
        add(
            &mut detail,
            format_args!(" {} for that to change.", wait(waiting)),
        );
    }
    let patch = json!({ "jobTemplate": { "spec": { "suspend": false } } });
    Some(Found::new(detail).remedy(facts.patch(&patch)))
}

fn wait(jobs: u64) -> String {
    format!(
        "{} {}",
        counted(jobs, "Job"),
        if jobs == 1 { "waits" } else { "wait" }
    )
}
