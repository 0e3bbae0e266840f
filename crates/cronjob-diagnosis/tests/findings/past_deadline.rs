//! Runs that missed their deadline, with different evidence.

use cronjob_diagnosis::diagnose::{Finding, Severity};
use jiff::Timestamp;
use kube_model::{ConcurrencyPolicy, CronJob, Event, ManagedField};
use serde_json::json;

use super::Example;
use super::pods::{changed, silent};

const LOST: &str = "starting-deadline-exceeded";

fn time(text: &str) -> Option<Timestamp> {
    format!("2026-03-{text}Z").parse().ok()
}

/// The example at another moment, up to which the evidence reaches.
fn found_at(now: &str, change: impl FnOnce(&mut CronJob)) -> Option<Finding> {
    changed(LOST, |example| {
        example.now = time(now).unwrap();
        seen_until(example, now);
        change(example.cron_job());
    })
}

fn seen_until(example: &mut Example, until: &str) {
    let event = &mut example.evidence.events[0];
    event.first_timestamp = time(until);
    event.last_timestamp = time(until);
}

/// Due at 22:00, with a deadline of five minutes; the last start was on the 7th.
#[test]
fn run_is_lost_once_its_deadline_is_over() {
    assert_eq!(found_at("08T22:05:00", |_| {}), None);
    let found = found_at("08T22:05:01", |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    let late = "The run scheduled at Sun 2026-03-08 22:00 UTC was not started in time ";
    assert_starts!(found.detail, late);
    // The second night at 22:00, when the run of that night may still be started.
    let found = found_at("09T22:00:01", |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    let found = found_at("09T22:05:01", |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Error);
}

#[test]
fn run_that_started_since_then_ends_the_finding() {
    let started = |cron_job: &mut CronJob| {
        cron_job.status.last_schedule_time = time("09T22:00:00");
    };
    assert_eq!(found_at("10T01:10:00", started), None);
}

#[test]
fn evidence_that_ends_before_the_deadline_proves_nothing() {
    silent(LOST, |example| seen_until(example, "08T22:04:00"));
}

#[test]
fn suspended_cron_job_loses_no_runs_by_its_deadline() {
    let suspended = |cron_job: &mut CronJob| cron_job.spec.suspend = Some(true);
    assert_eq!(found_at("10T01:10:00", suspended), None);
}

#[test]
fn cron_job_without_deadline_or_with_zero_has_other_findings() {
    for deadline in [None, Some(0)] {
        let change = |cron_job: &mut CronJob| cron_job.spec.starting_deadline_seconds = deadline;
        assert_eq!(found_at("10T01:10:00", change), None, "{deadline:?}");
    }
}

/// The CronJob was resumed, or its schedule or deadline was changed, between the two nights.
#[test]
fn runs_before_a_change_are_not_counted() {
    let changed_at = |fields: serde_json::Value| {
        move |cron_job: &mut CronJob| {
            let mut field = ManagedField {
                manager: "kubectl-patch".to_owned(),
                operation: "Update".to_owned(),
                time: time("09T10:00:00"),
                ..ManagedField::default()
            };
            field.note_fields(&serde_json::from_value(fields).unwrap());
            cron_job.managed_fields.push(field);
            cron_job.generation = Some(3);
        }
    };
    for fields in [
        json!({"f:spec": {"f:suspend": {}}}),
        json!({"f:spec": {"f:startingDeadlineSeconds": {}}}),
        json!({"f:spec": {"f:schedule": {}, "f:jobTemplate": {}}}),
    ] {
        let found = found_at("10T01:10:00", changed_at(fields)).unwrap();
        let second = "The run scheduled at Mon 2026-03-09 22:00 UTC was not started";
        assert_starts!(found.detail, second);
    }
}

/// An hour is the longest deadline that is proposed. At half past ten it reaches back to 22:00.
#[test]
fn remedy_sets_the_deadline_if_that_starts_the_missed_run() {
    let remedy = |now: &str| found_at(now, |_| {}).unwrap().remedy.unwrap().text;
    insta::assert_snapshot!(remedy("09T22:30:00"));
    assert!(remedy("09T23:30:00").starts_with("kubectl cronjob-doctor backfill mirror "));
    // An hour would still reach back to 22:00, but only for 20 more minutes.
    assert!(remedy("09T22:40:00").starts_with("kubectl cronjob-doctor backfill mirror "));
    let short = found_at("08T22:00:56", |cron_job| {
        cron_job.spec.schedule = "*/2 * * * *".to_owned();
        cron_job.spec.starting_deadline_seconds = Some(30);
    });
    let short = short.unwrap().remedy.unwrap().text;
    assert_contains!(short, r#""startingDeadlineSeconds":300"#);
    assert_contains!(short, "immediately starts mirror-");
    let long = found_at("10T01:10:00", |cron_job| {
        cron_job.spec.starting_deadline_seconds = Some(3_600);
    });
    let expected = "kubectl cronjob-doctor backfill mirror -n shop --last 1";
    assert_eq!(long.unwrap().remedy.unwrap().text, expected);
}

/// An event about the CronJob at 22:00.
fn event(example: &mut Example, reason: &str, message: &str) {
    let cron_job = &example.evidence.cron_jobs[0].object;
    let mut event = Event {
        reason: reason.to_owned(),
        message: message.to_owned(),
        first_timestamp: time("09T22:00:00"),
        last_timestamp: time("09T22:00:05"),
        ..example.evidence.events[0].clone()
    };
    cron_job.name.clone_into(&mut event.involved_object.name);
    event.involved_object.uid.clear();
    example.evidence.events.push(event);
}

#[test]
fn missed_deadline_with_known_cause_names_the_cause() {
    let cause = |change: fn(&mut Example)| {
        let found = changed(LOST, change).unwrap();
        let (_, cause) = found.detail.split_once(" will not be started. ").unwrap();
        cause.to_owned()
    };
    assert_texts!(
        cause(|example| event(
            example,
            "FailedCreate",
            "Error creating job: exceeded quota: jobs"
        )),
        cause(|example| event(example, "JobAlreadyActive", "Not starting job because …")),
        cause(|example| {
            let job = &mut example.evidence.jobs[0];
            job.completion_time = time("09T22:10:00");
            example.spec().concurrency_policy = ConcurrencyPolicy::Forbid;
        }),
    );
}

/// The times of `@every` count from the deadline since 1.6: 900 s, where the interval is 30 minutes.
#[test]
fn deadline_below_the_interval_of_every_prevents_runs_since_1_6() {
    const EXAMPLE: &str = "starting-deadline-under-every";
    let in_release = |release: &'static str| {
        move |example: &mut Example| {
            example.controller = crate::support::recorded::controller(release);
        }
    };
    assert!(changed(EXAMPLE, in_release("1.6")).is_some());
    assert!(changed(EXAMPLE, in_release("1.5")).is_none());
    let deadline = |seconds| {
        move |example: &mut Example| {
            example.cron_job().spec.starting_deadline_seconds = Some(seconds);
        }
    };
    assert!(changed(EXAMPLE, deadline(1_799)).is_some());
    assert!(changed(EXAMPLE, deadline(1_800)).is_none());
}
