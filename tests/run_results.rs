//! What the last run was if its Job or its pods are gone or the CronJob is suspended, and how severe that is.

use crate::last_run::{JOB, NOW, SCHEDULED, active, cron_job, ended, finished, other_job};
use crate::support::json::merge;
use crate::support::prelude::*;

fn explained(objects: &[Value]) -> Value {
    doctor_with_objects(("explain -o json", ["-f", "-", NOW]), objects).json()["items"][0].take()
}

/// Its deadline passed after 30 seconds, and its pod took 1,002 more to end.
#[test]
fn run_has_failed_when_that_was_decided_and_not_when_its_last_pod_ended() {
    let [decided, ended_at] = ["2026-11-22T22:04:30Z", "2026-11-22T22:21:12Z"];
    let mut stopped = finished(JOB, SCHEDULED, "Failed", ended_at);
    stopped["spec"] = json!({"activeDeadlineSeconds": 30});
    let condition = |r#type, at| json!({"type": r#type, "status": "True", "lastTransitionTime": at, "reason": "DeadlineExceeded"});
    let conditions = [
        condition("FailureTarget", decided),
        condition("Failed", ended_at),
    ];
    stopped["status"]["conditions"] = json!(conditions);
    let objects = [
        cron_job(&json!({"activeDeadlineSeconds": 40}), &ended()),
        stopped,
    ];
    let item = explained(&objects);
    let last = &item["lastRun"];
    let found = [
        &last["state"],
        &last["since"],
        &last["finishedAt"],
        &last["reason"],
    ];
    let expected = [
        "failed",
        decided,
        ended_at,
        "stopped by activeDeadlineSeconds: 30",
    ];
    assert_eq!(json!(found), json!(expected));
    let said =
        "failed after 30s: stopped by activeDeadlineSeconds: 30; its last pod ended 16m42s later";
    assert_contains!(item["lastRun"]["text"].text(), said);
    let mut findings = item["findings"].items().iter();
    let found = findings
        .find(|one| one["code"] == "last-run-failed")
        .unwrap();
    let detail = found["detail"].text();
    assert_contains!(detail, "failed at Sun 2026-11-22 22:04:30 UTC");
    assert_contains!(detail, "stopped by activeDeadlineSeconds: 30");
}

fn event(reason: &str, message: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "ops", "name": format!("{reason}.{at}")},
        "involvedObject": {"kind": "CronJob", "namespace": "ops", "name": "report", "uid": "u"},
        "reason": reason, "message": message, "count": 1, "firstTimestamp": at, "lastTimestamp": at,
    })
}

/// The CronJob is due at 22:04. It last succeeded on November 1, and its runs were skipped up to November 21.
fn skipped(annotations: &Value, status: &Value) -> Vec<Value> {
    let mut last = json!({"lastScheduleTime": "2026-11-21T22:04:00Z"});
    merge(&mut last, status);
    let mut skipped = cron_job(&json!({}), &last);
    merge(
        &mut skipped["metadata"],
        &json!({
            "creationTimestamp": "2026-10-01T12:00:00Z",
            "annotations": annotations,
            "managedFields": [{
                "manager": "kubectl-cronjob-doctor", "operation": "Update", "subresource": "status",
                "time": "2026-11-22T10:00:00Z", "fieldsV1": {"f:status": {"f:lastScheduleTime": {}}},
            }],
        }),
    );
    vec![skipped, other_job()]
}

#[test]
fn last_run_before_skipped_ones_is_the_one_that_was_started() {
    let success = json!({"lastSuccessfulTime": "2026-11-01T22:09:00Z"});
    let annotations = json!({
        "cronjob-doctor/skipped-runs": "2026-11-03T22:04:00Z/2026-11-21T22:04:00Z",
        "cronjob-doctor/last-suspension": "2026-11-03T10:00:00Z/2026-11-22T10:00:00Z",
    });
    // Without the annotations, the run that succeeded is the last one that is known to have been started.
    let none = json!({});
    let cases = [
        (
            &none,
            &success,
            "2026-11-01T22:04:00Z",
            "succeeded",
            "succeeded (Job deleted); 20 runs skipped since",
        ),
        (
            &annotations,
            &success,
            "2026-11-02T22:04:00Z",
            "deleted",
            "Job deleted, result unknown; 19 runs skipped since",
        ),
    ];
    for (annotations, status, at, state, said) in cases {
        let item = explained(&skipped(annotations, status));
        let last = &item["lastRun"];
        assert_eq!(
            (&last["scheduledTime"], &last["state"]),
            (&json!(at), &json!(state))
        );
        assert_contains!(last["text"].text(), said);
    }
    let mut later = success.clone();
    later["lastSuccessfulTime"] = json!("2026-11-02T22:09:00Z");
    let last = explained(&skipped(&annotations, &later))["lastRun"].take();
    let found = [&last["scheduledTime"], &last["state"], &last["finishedAt"]];
    let expected = ["2026-11-02T22:04:00Z", "succeeded", "2026-11-02T22:09:00Z"];
    assert_eq!(json!(found), json!(expected));
    // Nothing shows that a run was started before those that were skipped.
    assert_eq!(explained(&skipped(&none, &none))["lastRun"], Value::Null);
}

#[test]
fn suspension_that_is_only_tried_out_is_not_said_to_exist() {
    let mut running = cron_job(&json!({}), &ended());
    running["metadata"]["managedFields"] = json!([{
        "manager": "kubectl-create", "operation": "Update", "time": "2026-11-01T12:00:00Z",
        "fieldsV1": {"f:spec": {"f:schedule": {}, "f:suspend": {}}},
    }]);
    let verdict = |objects: &[Value]| {
        let flags = ["-f", "-", NOW, "--what-if", "suspend=true"];
        let ran = doctor_with_objects(("explain -o json", flags), objects);
        ran.json()["items"][0]["whatIf"]["verdict"]
            .text()
            .to_owned()
    };
    let expected =
        "If you suspend it: nothing starts. First missed run: Mon 2026-11-23 22:04 UTC (in 23h)";
    assert_eq!(verdict(&[running.clone(), other_job()]), expected);
    running["spec"]["suspend"] = json!(true);
    assert_starts!(
        verdict(&[running, other_job()]),
        "Suspended with kubectl create"
    );
}

/// Its pod may have waited for an image until somebody deleted the Job.
#[test]
fn job_that_was_deleted_is_not_said_to_have_run() {
    let message = format!("Active job went missing: {JOB}");
    let missing = event("MissingJob", &message, "2026-11-22T22:20:00Z");
    let objects = [cron_job(&json!({}), &ended()), other_job(), missing];
    let last = explained(&objects)["lastRun"].take();
    let found = [&last["state"], &last["reason"], &last["since"]];
    let expected = [
        "deletedWithoutSuccess",
        "deleted before it finished",
        "2026-11-22T22:20:00Z",
    ];
    assert_eq!(json!(found), json!(expected));
}

/// Both history limits are 0, and no success was ever recorded.
#[test]
fn run_that_goes_missing_after_a_failed_one_has_not_succeeded() {
    let state = |status: &Value, events: &[Value]| {
        let mut fails = cron_job(&json!({}), status);
        merge(
            &mut fails["spec"],
            &json!({"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0}),
        );
        fails["status"]
            .as_object_mut()
            .unwrap()
            .remove("lastSuccessfulTime");
        let mut objects = vec![fails, other_job()];
        objects.extend_from_slice(events);
        explained(&objects)["lastRun"]["state"].text().to_owned()
    };
    // The run of the day before.
    let saw = |result: &str| {
        let message = format!("Saw completed job: report-29921644, condition: {result}");
        event("SawCompletedJob", &message, "2026-11-21T22:05:00Z")
    };
    let message = format!("Active job went missing: {JOB}");
    let missing = event("MissingJob", &message, "2026-11-22T22:05:00Z");
    let failed = "deletedWithoutSuccess";
    assert_eq!(state(&ended(), &[saw("Failed")]), failed);
    assert_eq!(state(&ended(), &[saw("Failed"), missing.clone()]), failed);
    assert_eq!(state(&active(), &[saw("Failed")]), failed);
    // A success may have been lost.
    assert_eq!(
        state(&ended(), &[saw("Complete"), missing.clone()]),
        "deleted"
    );
    assert_eq!(state(&ended(), &[missing]), "deleted");
}

/// Somebody who says why has seen that it fails.
#[test]
fn failure_before_a_suspension_with_a_reason_is_information() {
    let severity = |reason: Option<&str>, suspended_at: &str, until: Option<&str>| {
        let mut suspended = cron_job(&json!({}), &ended());
        suspended["spec"]["suspend"] = json!(true);
        suspended["metadata"]["annotations"] = json!({"cronjob-doctor/suspended-at": suspended_at});
        let annotations = &mut suspended["metadata"]["annotations"];
        if let Some(reason) = reason {
            annotations["cronjob-doctor/suspend-reason"] = json!(reason);
        }
        if let Some(until) = until {
            annotations["cronjob-doctor/suspended-until"] = json!(until);
        }
        let failed = finished(JOB, SCHEDULED, "Failed", "2026-11-22T22:04:27Z");
        let item = explained(&[suspended, failed]);
        let mut findings = item["findings"].items().iter();
        let found = findings
            .find(|one| one["code"] == "last-run-failed")
            .unwrap();
        found["severity"].text().to_owned()
    };
    let (why, after, before) = (
        Some("broken"),
        "2026-11-22T22:30:00Z",
        "2026-11-22T22:04:10Z",
    );
    assert_eq!(severity(why, after, None), "info");
    assert_eq!(severity(None, after, None), "error");
    // The run was under way, and has failed since.
    assert_eq!(severity(why, before, None), "error");
    assert_eq!(severity(why, after, Some("2026-11-23T08:00:00Z")), "info");
    assert_eq!(severity(why, after, Some("2026-11-22T22:45:00Z")), "error");
}
