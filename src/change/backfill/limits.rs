//! What the history limits delete while a backfill goes on.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Step;
use crate::controller::decide;
use crate::diagnose::Facts;
use crate::model::{CronJob, Job, JobResult};

/// What the controller deletes if every Job of a backfill succeeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    /// Jobs that are there already, in order.
    pub(super) earlier: Vec<String>,
    /// Jobs of the backfill itself, in order.
    pub(super) own: Vec<String>,
}

/// Lets the controller look each time when a Job is done.
pub(super) fn deleted(facts: &Facts<'_>, steps: &[Step]) -> Deleted {
    // What it would start itself is not asked here.
    let mut cron_job = facts.cron_job.clone();
    cron_job.spec.suspend = Some(true);
    let mut jobs = facts.jobs.to_vec();
    let mut deleted = Deleted::default();
    let mut now = facts.now;
    for step in steps {
        now = now
            .checked_add(SignedDuration::from_secs(1))
            .unwrap_or(Timestamp::MAX);
        jobs.push(done(&cron_job, step, now));
        let decision = decide(facts.controller, &cron_job, &jobs, now);
        let goes: HashSet<&String> = decision.deleted_jobs.iter().collect();
        jobs.retain(|job| !goes.contains(&job.name));
        for name in decision.deleted_jobs {
            if facts.job_named(&name).is_some() {
                deleted.earlier.push(name);
            } else {
                deleted.own.push(name);
            }
        }
    }
    deleted
}

/// The Job of a step as it is when it has succeeded.
fn done(cron_job: &CronJob, step: &Step, at: Timestamp) -> Job {
    let mut job = Job {
        creation_timestamp: Some(at),
        start_time: Some(at),
        ..cron_job.job_named(step.job_name.clone(), step.job_name.clone())
    };
    job.finish(JobResult::Succeeded, at);
    job
}

/// `ttlSecondsAfterFinished` of the template.
pub(super) fn ttl_seconds(template: &Arc<serde_json::Value>) -> Option<i64> {
    template
        .pointer("/spec/ttlSecondsAfterFinished")
        .and_then(serde_json::Value::as_i64)
}
