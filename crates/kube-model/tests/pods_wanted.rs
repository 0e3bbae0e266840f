//! The Jobs whose pods are read.

use std::sync::Arc;

use jiff::Timestamp;
use kube_model::{CronJobEvidence, Job, pods_in_question, pods_wanted};
use serde_json::{Value, json};

use crate::support::model::{self, cron_job, ended};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap()
}

fn job(minute: i64, ending: Option<(&str, i64)>) -> Job {
    let job = model::job("a", at(minute));
    match ending {
        Some((r#type, minute)) => ended(job, r#type, at(minute)),
        None => job,
    }
}

fn evidence(jobs: Vec<Job>) -> CronJobEvidence {
    CronJobEvidence {
        cron_job: cron_job("a", "* * * * *"),
        jobs,
        ..CronJobEvidence::default()
    }
}

fn names_of(jobs: Vec<&Job>) -> Vec<String> {
    jobs.into_iter().map(|job| job.name.clone()).collect()
}

fn names(jobs: Vec<Job>) -> Vec<String> {
    names_of(pods_wanted(&evidence(jobs)))
}

#[test]
fn pods_of_succeeded_jobs_are_not_read() {
    assert_eq!(names(vec![job(10, Some(("Complete", 11)))]), [""; 0]);
    let failed_before = job(10, Some(("Failed", 11)));
    let succeeded = job(20, Some(("Complete", 21)));
    assert_eq!(names(vec![failed_before, succeeded]), [""; 0]);
}

#[test]
fn pods_of_running_jobs_and_of_the_last_failed_one_are_read() {
    let jobs = vec![
        job(10, Some(("Failed", 11))),
        job(20, Some(("Failed", 21))),
        job(30, None),
        job(40, None),
    ];
    assert_eq!(names(jobs), ["a-40", "a-30", "a-20"]);
}

#[test]
fn a_suspended_job_has_no_pods_once_they_are_deleted() {
    let mut suspended = job(10, None);
    suspended.suspend = Some(true);
    assert_eq!(names(vec![suspended.clone()]), [""; 0]);
    suspended.active = 1;
    assert_eq!(names(vec![suspended]), ["a-10"]);
}

#[test]
fn pods_of_at_most_five_jobs_are_read() {
    let jobs = (10..20).map(|minute| job(minute, None)).collect();
    assert_eq!(names(jobs), ["a-19", "a-18", "a-17", "a-16", "a-15"]);
}

#[test]
fn pods_of_jobs_of_other_owners_are_not_read() {
    let mut other = job(10, None);
    other.owner_references = Arc::default();
    assert_eq!(names(vec![other]), [""; 0]);
}

/// Which of these Jobs, all of minute 10, are in question this many seconds after their creation.
fn in_question(jobs: Vec<Job>, template: Value, age: i64) -> Vec<String> {
    let mut evidence = evidence(jobs);
    evidence.cron_job.spec.job_template = Arc::new(template);
    let now = Timestamp::from_second(600 + age).unwrap();
    names_of(pods_in_question(&evidence, now))
}

fn active(active: i32, ready: Option<i32>) -> Job {
    Job {
        active,
        ready,
        ..job(10, None)
    }
}

#[test]
fn job_whose_pods_are_all_ready_is_not_in_question() {
    let alone = |job: Job| !in_question(vec![job], json!(null), 60).is_empty();
    assert!(!alone(active(1, Some(1))));
    assert!(alone(active(1, Some(0))));
    assert!(alone(active(0, Some(0))));
    assert!(alone(active(1, None)), "older servers do not say");
    assert!(!alone(job(10, Some(("Failed", 11)))));
    let failed = Job {
        failed: 1,
        ..active(1, Some(1))
    };
    assert!(alone(failed));
    let suspended = Job {
        suspend: Some(true),
        ..active(0, None)
    };
    assert!(!alone(suspended));
}

#[test]
fn job_that_was_created_just_now_is_not_in_question() {
    let after = |age| in_question(vec![active(1, Some(0))], json!(null), age).len();
    assert_eq!((after(9), after(10)), (0, 1));
}

#[test]
fn job_with_fewer_pods_than_its_template_asks_for_is_in_question() {
    let with = |job: Job, parallelism: i64, completions: Option<i64>| {
        let spec = json!({"parallelism": parallelism, "completions": completions});
        in_question(vec![job], json!({ "spec": spec }), 60).len()
    };
    assert_eq!(with(active(2, Some(2)), 3, None), 1);
    assert_eq!(with(active(2, Some(2)), 3, Some(2)), 0);
    assert_eq!(with(active(3, Some(3)), 3, Some(9)), 0);
    let ending = Job {
        succeeded: 1,
        ..active(2, Some(2))
    };
    assert_eq!(with(ending, 3, Some(3)), 0);
}
