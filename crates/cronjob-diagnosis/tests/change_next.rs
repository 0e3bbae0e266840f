//! The next run that `suspend`, `resume` and `trigger` report: it follows from the forecast.

use std::io;
use std::path::PathBuf;

use cronjob_diagnosis::change::{CatchUp, FirstStart, NoStart, Resumption, Suspension};
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::kubectl::PLAIN;
use kube_model::{Coverage, RelatedObjects, evidence_by_cron_job};
use kube_objects::snapshot::{self, Options};
use serde_json::{Value, json};

use crate::change_trigger::trigger;
use crate::support::model::at;
use crate::support::objects::Objects;
use crate::support::recorded::controller;

/// The field manager that makes the change.
const WRITER: &str = "kubectl";

/// A Job that does not finish, under Forbid.
const STUCK: &str = "cronjob forbid concurrencyPolicy=Forbid; last 21T23:56:00; active forbid-29921756 \
                     | job forbid-29921756 21T23:56:00";

fn objects(text: &str) -> Vec<Value> {
    Objects::default().read(text)
}

fn stuck() -> Vec<Value> {
    objects(STUCK)
}

/// Asks about the first CronJob of some objects, with or without permission to list Jobs.
fn ask<T>(objects: &[Value], now: &str, jobs_read: bool, ask: impl Fn(&Facts<'_>) -> T) -> T {
    let list = crate::support::json::list(objects);
    let stdin: &mut dyn io::Read = &mut list.as_bytes();
    let (evidence, errors) = snapshot::read(&[PathBuf::from("-")], &Options::default(), stdin);
    assert!(errors.is_empty(), "{errors:?}");
    let seen = RelatedObjects {
        jobs: if jobs_read { evidence.jobs } else { Vec::new() },
        events: evidence.events,
        ..RelatedObjects::default()
    };
    let cron_jobs = evidence.cron_jobs.into_iter().map(|located| located.object);
    let all_evidence = evidence_by_cron_job(cron_jobs.collect(), seen);
    let now = at(now);
    let controller = controller("1.36.2");
    let coverage = Coverage {
        jobs_read,
        events_read: true,
        as_of: now,
    };
    ask(&Facts::of(
        &controller,
        &PLAIN,
        &all_evidence[0],
        coverage,
        now,
    ))
}

fn suspend(facts: &Facts<'_>) -> Suspension {
    Suspension::of(facts, None, WRITER)
}

fn resume(facts: &Facts<'_>) -> Resumption {
    Resumption::of(facts, CatchUp::Run, WRITER)
}

fn suspended(mut objects: Vec<Value>) -> Vec<Value> {
    objects[0]["spec"]["suspend"] = json!(true);
    objects
}

#[test]
fn trigger_names_the_condition_of_the_next_run() {
    let next = ask(&stuck(), "2026-11-21T23:57:00Z", true, |facts| {
        trigger(facts, "by-hand")
    })
    .next_run;
    let next = next.unwrap();
    assert_eq!(next.at, at("2026-11-21T23:58:00Z"));
    assert!(next.note.unwrap().contains("forbid-29921756"));
}

/// The Job that is created makes the controller sync, so the run does not wait for an earlier wake-up.
#[test]
fn trigger_after_an_edit_starts_the_due_run() {
    let prospect = ask(
        &objects(
            "cronjob chg 7 * * * *; last 22T00:00:00; edited kubectl-edit 22T00:08:11; was */10 * * * *",
        ),
        "2026-11-22T00:08:12Z",
        true,
        |facts| trigger(facts, "by-hand"),
    );
    assert_eq!(prospect.sync.job_name.unwrap(), "chg-29921767");
    let next = prospect.next_run.unwrap();
    assert_eq!((next.at, next.note), (at("2026-11-22T01:07:00Z"), None));
}

/// The next attempt is due at 00:06:54, so there is no run at 00:04 in any case.
#[test]
fn first_missed_run_of_suspend_is_one_that_would_have_started() {
    let refused = objects(
        "cronjob backup; last 21T23:54:00 | failed backup 21T23:56:00 21T23:57:22 15 \
         | failed backup 21T23:58:44 21T23:58:44 1 | failed backup 22T00:01:27 22T00:01:27 1",
    );
    let suspension = ask(&refused, "2026-11-22T00:03:19Z", true, suspend);
    assert_eq!(suspension.next_run, Some(at("2026-11-22T00:06:00Z")));
}

/// The run of 19:48:00 starts a second late when the CronJob is resumed at 19:48:01: it is not one of those missed.
#[test]
fn run_that_resuming_starts_on_time_is_not_missed() {
    let objects = [json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": "import", "uid": "import", "generation": 1,
            "creationTimestamp": "2026-11-21T10:00:00Z",
        },
        "spec": {"schedule": "*/2 * * * *", "jobTemplate": {}},
        "status": {"lastScheduleTime": "2026-11-21T19:18:00Z"},
    })];
    let until = |time: &'static str| {
        ask(&objects, "2026-11-21T19:18:01Z", true, move |facts| {
            Suspension::of(facts, Some(at(time)), WRITER)
        })
    };
    let on_time = until("2026-11-21T19:48:01Z");
    assert_eq!(on_time.missed, Some(14));
    assert_eq!(on_time.last_missed, Some(at("2026-11-21T19:46:00Z")));
    let then = on_time.if_resumed.unwrap();
    assert_eq!(then.scheduled_time, Some(at("2026-11-21T19:48:00Z")));
    // A minute late it is missed, and started late.
    let late = until("2026-11-21T19:49:00Z");
    assert_eq!(late.missed, Some(15));
    assert_eq!(late.last_missed, Some(at("2026-11-21T19:48:00Z")));
}

/// A run that starts more than a minute late is a surprise.
#[test]
fn suspend_says_how_to_skip_a_run_that_would_start_late() {
    let hourly = objects("cronjob hourly 0 * * * *; last 22T10:00:00");
    let until = |time: &'static str| {
        let suspension = ask(&hourly, "2026-11-22T10:30:00Z", true, move |facts| {
            Suspension::of(facts, Some(at(time)), WRITER)
        });
        let late = suspension.if_resumed.unwrap().late_seconds;
        let text = suspension.text.to_string();
        let deadline = suspension.suggested_deadline_seconds;
        let says = |part: &str| text.contains(part);
        let said = [
            says("--catch-up=skip"),
            says("none of the other missed runs"),
        ];
        (late, deadline.is_some(), said)
    };
    let [exactly, later] = ["2026-11-22T11:01:00Z", "2026-11-22T11:01:01Z"].map(until);
    assert_eq!(exactly, (Some(60), false, [false, false]));
    assert_eq!(later, (Some(61), true, [true, false]));
    // The run of 11:00 is not started.
    let next = until("2026-11-22T12:01:01Z");
    assert_eq!(next, (Some(61), true, [true, true]));
}

#[test]
fn suspend_misses_a_blocked_run() {
    let suspension = ask(&stuck(), "2026-11-21T23:59:00Z", true, suspend);
    assert_eq!(suspension.pending, Some(at("2026-11-21T23:58:00Z")));
    assert_eq!(suspension.next_run, Some(at("2026-11-22T00:00:00Z")));
    assert_eq!(suspension.due, None);
}

#[test]
fn resume_names_the_condition_of_the_next_run() {
    let objects = suspended(stuck());
    let resumption = ask(&objects, "2026-11-21T23:59:00Z", true, resume);
    let late = resumption.first_start.late().unwrap();
    assert_eq!(late.scheduled_time, at("2026-11-21T23:58:00Z"));
    assert_eq!(late.starts_after, ["forbid-29921756"]);
    assert_eq!(resumption.next_run, Some(at("2026-11-22T00:00:00Z")));
    assert_contains!(resumption.next_run_condition.unwrap(), "forbid-29921756");
}

#[test]
fn run_that_resuming_starts_is_the_condition_of_the_next_one() {
    let objects = suspended(objects(&format!("{STUCK}; finished 21T23:57:00")));
    let resumption = ask(&objects, "2026-11-21T23:59:00Z", true, resume);
    let late = resumption.first_start.late().unwrap();
    assert_eq!(late.starts_after, [""; 0]);
    assert_eq!(resumption.next_run, Some(at("2026-11-22T00:00:00Z")));
    let note = resumption.next_run_condition.unwrap();
    assert_eq!(note, "if every earlier run has finished by then");
}

#[test]
fn changes_count_a_run_that_was_just_started() {
    let objects = objects(
        "cronjob new * * * * * concurrencyPolicy=Forbid; last 21T23:59:00; success 21T23:59:30 \
         | job new-29921760 22T00:00:00",
    );
    let now = "2026-11-22T00:00:01Z";
    ask(&objects, now, true, |facts| {
        let prospect = trigger(facts, "by-hand");
        assert_eq!(prospect.running, ["new-29921760"]);
        assert_eq!(prospect.due, None);
        let suspension = suspend(facts);
        assert_eq!((suspension.due, suspension.pending), (None, None));
        assert_eq!(suspension.running, ["new-29921760"]);
    });
    ask(&suspended(objects), now, true, |facts| {
        let resumption = resume(facts);
        let nothing = FirstStart::NoStart(NoStart::NoneMissed);
        assert_eq!((resumption.first_start, resumption.missed), (nothing, 0));
        let note = resumption.next_run_condition.unwrap();
        assert_eq!(note, "if new-29921760 has finished by then");
    });
}

/// Without permission to list Jobs, those in `status.active` count as running, and the text reports it.
#[test]
fn unread_jobs_count_as_running() {
    let objects = suspended(stuck());
    ask(&objects, "2026-11-21T23:59:00Z", false, |facts| {
        let resumption = resume(facts);
        let late = resumption.first_start.late().unwrap();
        assert_eq!(late.starts_after, ["forbid-29921756"]);
        let text = resumption.text;
        assert_contains!(text, "Jobs were not read");
    });
    ask(&stuck(), "2026-11-21T23:59:00Z", false, |facts| {
        let prospect = trigger(facts, "by-hand");
        assert_eq!(prospect.running, ["forbid-29921756"]);
        assert_eq!(prospect.sync.job_name, None, "{:?}", prospect.sync);
        let mut events = prospect.sync.events.iter();
        let missing = events.find(|event| event.reason == "MissingJob");
        assert!(missing.is_none(), "{missing:?}");
    });
}

/// Since version 4 Helm applies on the server side; before, it overwrites the field.
#[test]
fn release_that_was_applied_conflicts_with_the_suspension() {
    let text = |operation: &str| {
        let mut objects = stuck();
        objects[0]["metadata"]["labels"] = json!({"app.kubernetes.io/managed-by": "Helm"});
        objects[0]["metadata"]["annotations"] =
            json!({"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "ops"});
        objects[0]["metadata"]["managedFields"] = json!([{
            "manager": "helm", "operation": operation, "time": "2026-11-21T23:00:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:schedule": {}, "f:suspend": {}}},
        }]);
        ask(&objects, "2026-11-21T23:57:00Z", true, suspend)
            .text
            .to_string()
    };
    let conflict = "fails because of a conflict, or with --force-conflicts resumes it.";
    assert_ends!(text("Apply"), conflict);
    assert_lacks!(text("Update"), "conflict");
}

/// Flux applied the CronJob with spec.suspend, and will apply it again.
#[test]
fn other_writer_of_suspend_is_named() {
    let owned = |manager: &str, mut objects: Vec<Value>| {
        objects[0]["metadata"]["managedFields"] = json!([{
            "manager": manager, "operation": "Apply", "time": "2026-11-21T23:00:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:schedule": {}, "f:suspend": {}}},
        }]);
        objects
    };
    let now = "2026-11-21T23:57:00Z";
    let suspension = |manager| ask(&owned(manager, stuck()), now, true, suspend).text;
    let expected = "Flux manages spec.suspend: its next reconciliation resumes it.";
    assert!(suspension("kustomize-controller").ends_with(expected));
    assert!(!suspension("kubectl").contains("resumes it"));
    let suspended = owned("kustomize-controller", suspended(stuck()));
    let expected = "Flux manages spec.suspend: its next reconciliation suspends it again.";
    assert_contains!(ask(&suspended, now, true, resume).text, expected);
}
