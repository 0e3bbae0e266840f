//! A sync with many Jobs takes a time that grows no faster than their number. Each case here would take many times as
//! long if it grew with the square of it.

use cronjob_controller::controller::{Controller, Outcome, decide};
use kube_model::{ConcurrencyPolicy, CronJob, Job, ObjectReference};
use serde_json::{Value, json};

use crate::support::json::owner_reference;
use crate::support::recorded::{self, evidence};

const JOBS: usize = 60_000;

/// A CronJob whose status lists its Jobs in another order.
fn with_jobs(policy: ConcurrencyPolicy, finished: bool, listed: usize) -> (CronJob, Vec<Job>) {
    let job = json!({
        "metadata": {"name": "a", "namespace": "shop", "uid": "u",
            "ownerReferences": [owner_reference("CronJob", "report", "cj")]},
        "spec": {},
        "status": if finished { json!({"conditions": [{"type": "Complete", "status": "True"}]}) }
            else { json!({}) },
    });
    let cron_job = json!({
        "apiVersion": "batch/v1",
        "metadata": {"name": "report", "namespace": "shop", "uid": "cj",
            "creationTimestamp": "2026-11-21T00:00:00Z"},
        "spec": {"schedule": "0 * * * *", "jobTemplate": {}},
    });
    let (mut cron_job, jobs) = evidence(&cron_job, &Value::Array(vec![job]));
    cron_job.spec.concurrency_policy = policy;
    let name = |nth: usize| format!("report-{nth}");
    let jobs = (0..JOBS).map(|nth| Job {
        name: name(nth),
        uid: name(nth),
        ..jobs[0].clone()
    });
    // Every other one, from the end.
    cron_job.status.active = (0..listed)
        .rev()
        .map(|nth| ObjectReference {
            name: name(nth * 2),
            uid: name(nth * 2),
            ..ObjectReference::default()
        })
        .collect();
    (cron_job, jobs.collect())
}

#[test]
fn thousands_of_active_jobs_are_compared_with_the_status() {
    let controller = recorded::controller("1.36");
    let now = "2026-11-21T00:30:00Z".parse().unwrap();
    let count = |controller: &Controller, cron_job: &CronJob, jobs: &[Job], reason: &str| {
        let decision = decide(controller, cron_job, jobs, now);
        let events = decision.events.iter();
        let count = events.filter(|event| event.reason == reason).count();
        (count, decision.status_after.active.len())
    };
    // Half of the Jobs are listed.
    let (cron_job, jobs) = with_jobs(ConcurrencyPolicy::Allow, false, JOBS / 2);
    let unexpected = count(&controller, &cron_job, &jobs, "UnexpectedJob");
    assert_eq!(unexpected, (JOBS / 2, JOBS / 2));
    let (mut cron_job, jobs) = with_jobs(ConcurrencyPolicy::Allow, true, JOBS / 2);
    let finished = count(&controller, &cron_job, &jobs, "SawCompletedJob");
    assert_eq!(finished, (JOBS / 2, 0));
    cron_job.spec.successful_jobs_history_limit = Some(0);
    let deleted = count(&controller, &cron_job, &jobs, "SuccessfulDelete");
    assert_eq!(deleted, (JOBS, 0));
    // Half of the listed Jobs do not exist.
    let (cron_job, jobs) = with_jobs(ConcurrencyPolicy::Allow, false, JOBS);
    let missing = count(&controller, &cron_job, &jobs, "MissingJob");
    assert_eq!(missing, (JOBS / 2, JOBS / 2));
    let missing = count(&controller, &cron_job, &[], "MissingJob");
    assert_eq!(missing, (JOBS, 0));
}

#[test]
fn thousands_of_active_jobs_are_replaced() {
    let controller = recorded::controller("1.36");
    let (cron_job, jobs) = with_jobs(ConcurrencyPolicy::Replace, false, JOBS / 2);
    let now = "2026-11-21T01:00:01Z".parse().unwrap();
    let decision = decide(&controller, &cron_job, &jobs, now);
    assert_eq!(decision.outcome, Outcome::Replace);
    assert_eq!(decision.deleted_jobs.len(), JOBS / 2);
    assert_eq!(decision.deleted_jobs[0], cron_job.status.active[0].name);
    assert_eq!(decision.status_after.active.len(), 1);
}
