//! Quotas without space for the next Job, and what frees it.

use cronjob_diagnosis::diagnose::{Finding, Severity};
use kube_model::{Event, Job};
use serde_json::json;
use std::sync::Arc;

use super::Example;
use super::pods::{at, changed, silent};

const QUOTA: &str = "quota-exceeded";

fn found(change: impl FnOnce(&mut Example)) -> Finding {
    changed(QUOTA, change).unwrap()
}

/// Adds a Job that has not finished, and that the CronJob owns or that has no owner.
fn unfinished(example: &mut Example, is_own: bool) {
    let mut job = Job {
        name: "import-29552159".to_owned(),
        uid: "another".to_owned(),
        conditions: Vec::new(),
        completion_time: None,
        active: 1,
        succeeded: 0,
        ..example.evidence.jobs[0].clone()
    };
    if !is_own {
        "stranger".clone_into(&mut job.name);
        job.owner_references = Arc::default();
        job.annotations = [("", ""); 0].into_iter().collect();
    }
    example.evidence.jobs.push(job);
}

#[test]
fn quota_with_space_is_not_reported() {
    silent(QUOTA, |example| example.evidence.quotas[0].used = Some(19));
    assert_eq!(found(|_| {}).severity, Severity::Error);
}

#[test]
fn quota_with_scopes_or_of_another_namespace_does_not_count() {
    silent(QUOTA, |example| example.evidence.quotas[0].is_scoped = true);
    silent(QUOTA, |example| {
        "shop".clone_into(&mut example.evidence.quotas[0].namespace);
    });
    silent(QUOTA, |example| example.evidence.quotas[0].hard = None);
}

/// The history keeps one successful Job: when the running Job ends, the earlier one is deleted.
#[test]
fn own_job_that_ends_frees_quota() {
    silent(QUOTA, |example| {
        unfinished(example, true);
        example.spec().successful_jobs_history_limit = Some(1);
    });
    // If the history keeps two more, nothing is deleted.
    let kept = found(|example| unfinished(example, true));
    assert_eq!(kept.severity, Severity::Error);
}

#[test]
fn job_above_the_history_limit_frees_quota_at_the_next_sync() {
    silent(QUOTA, |example| {
        example.spec().successful_jobs_history_limit = Some(0);
    });
}

/// The Job of 07:00 ended at 07:04:40.
#[test]
fn job_that_expires_before_the_run_frees_quota() {
    let expires = |seconds: i64| {
        move |example: &mut Example| {
            let template = json!({"spec": {"ttlSecondsAfterFinished": seconds}});
            example.spec().job_template = Arc::new(template);
        }
    };
    silent(QUOTA, expires(3_320));
    assert_eq!(found(expires(3_321)).severity, Severity::Error);
}

#[test]
fn other_jobs_in_the_namespace_may_free_quota() {
    let finding = found(|example| unfinished(example, false));
    assert_eq!(finding.severity, Severity::Warning);
    let others = " 1 other Job in the namespace may free quota by finishing.";
    assert_ends!(finding.detail, others);
    let none = found(|example| {
        unfinished(example, false);
        let quota = &mut example.evidence.quotas[0];
        (quota.hard, quota.used) = (Some(0), Some(0));
    });
    assert_eq!(none.severity, Severity::Error);
    let next = "scheduled at Tue 2026-03-10 08:00 UTC.";
    assert_ends!(none.detail, next);
}

#[test]
fn suspended_cron_job_needs_no_quota() {
    silent(QUOTA, |example| example.spec().suspend = Some(true));
}

#[test]
fn refusal_that_was_recorded_is_found_once() {
    let refused = |message: &str| {
        let message = message.to_owned();
        move |example: &mut Example| {
            let cron_job = &example.evidence.cron_jobs[0].object;
            let mut event = Event {
                namespace: cron_job.namespace.clone(),
                reason: "FailedCreate".to_owned(),
                message,
                last_timestamp: at("07:49:00"),
                ..Event::default()
            };
            let involved = &mut event.involved_object;
            "CronJob".clone_into(&mut involved.kind);
            cron_job.namespace.clone_into(&mut involved.namespace);
            cron_job.name.clone_into(&mut involved.name);
            example.evidence.events.push(event);
        }
    };
    silent(QUOTA, refused("Error creating job: exceeded quota: jobs"));
    let other = refused("Error creating job: failed calling webhook");
    assert_eq!(found(other).severity, Severity::Error);
}
