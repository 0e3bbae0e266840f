//! What the controller's own unit tests expect: the cases of `cronjob_controllerv2_test.go` and `utils_test.go`, from which
//! `vectors/README.md` says what is left out.

use crate::controller_vectors::blocked;
use crate::support::differences::assert_none;
use crate::support::json::Json;
use crate::support::recorded::{cases, controller, evidence};
use cronjob_controller::controller::{Decision, Outcome, decide, edit_effect};
use jiff::Timestamp;
use serde_json::{Value, json};

const CASES: &str = include_str!("vectors/upstream_tests.jsonl");

#[test]
fn every_case_of_the_unit_tests_of_the_controller() {
    let mut wrong = Vec::new();
    for (line, case) in cases(CASES) {
        let got = answer(&case);
        for (field, expected) in case["expect"].as_object().unwrap() {
            if got[field] != *expected {
                let (test, name) = (case["test"].text(), case["name"].text());
                let got = &got[field];
                wrong.push(format!(
                    "line {line}, {test}, {name}: {field} is {got}, not {expected}"
                ));
            }
        }
    }
    assert_eq!(CASES.lines().count(), 111, "a case was left out");
    assert_none(&wrong);
}

/// The answers to everything that a test of upstream asks.
fn answer(case: &Value) -> Value {
    let now: Timestamp = case["now"].text().parse().unwrap();
    let controller = controller("1.36");
    let (cron_job, jobs) = match case["test"].text() {
        // They ask for the wake-up without a sync, which a blocked run leaves as it is.
        "TestNextScheduleTimeDuration" => blocked(&case["cronJob"]),
        _ => evidence(&case["cronJob"], &case["jobs"]),
    };
    if case["test"] == "TestControllerV2UpdateCronJob" {
        let (changed, _) = evidence(&case["changed"], &Value::Null);
        let wake = edit_effect(&controller, &cron_job, &changed, &[], now).new_wake;
        let delay =
            wake.map(|wake| i64::try_from(wake.as_nanosecond() - now.as_nanosecond()).unwrap());
        return json!({ "delayNs": delay });
    }
    as_counted(&decide(&controller, &cron_job, &jobs, now))
}

/// A decision in the words of upstream's tests.
fn as_counted(decision: &Decision) -> Value {
    let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let events = &decision.events;
    let warnings = events.iter().filter(|e| e.r#type.as_str() == "Warning");
    let unexpected = events.iter().filter(|e| e.reason == "UnexpectedJob");
    let missed = decision.missed;
    let scheduled = missed.and_then(|missed| missed.scheduled_time);
    json!({
        "creates": usize::from(decision.starts()),
        "deletes": decision.deleted_jobs.len(),
        "deletedJobs": decision.deleted_jobs,
        "order": decision.deleted_jobs,
        "warnings": warnings.count(),
        "events": events.len(),
        "updatesStatus": decision.updates_status,
        "requeueAfterNs": decision.requeue_after,
        "lastSuccessfulTime": text(decision.status_after.last_successful_time),
        "scheduledTimestamp": decision.scheduled_timestamp,
        "reconciled": unexpected.map(|event| event.message.rsplit(' ').next()).collect::<Vec<_>>(),
        "scheduled": text(scheduled),
        "isScheduled": scheduled.is_some(),
        "error": decision.outcome == Outcome::InvalidSchedule,
        "earliest": text(missed.and_then(|missed| missed.since)),
        "mostRecent": text(scheduled),
        "missed": missed.map(|missed| missed.class.as_str()),
    })
}
