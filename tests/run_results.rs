//! What the last run was if its Job or its pods are gone or the CronJob is suspended, and how severe that is.

use crate::last_run::{JOB, NOW, SCHEDULED, active, cron_job, ended, finished, merge, other_job};
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
    assert_contains!(detail, "(activeDeadlineSeconds: 30)");
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
