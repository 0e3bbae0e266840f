//! A Job of which no container runs is waiting, in every answer.

use crate::last_run::{JOB, NOW, SCHEDULED, cron_job, job};
use crate::support::prelude::*;

/// The Job of 22:04, which Kueue has not admitted, or whose pod is not ready.
fn objects(case: &str) -> [Value; 2] {
    let status = json!({
        "lastScheduleTime": SCHEDULED,
        "active": [{"apiVersion": "batch/v1", "kind": "Job", "name": JOB, "namespace": "ops", "uid": JOB}],
    });
    let mut waiting = match case {
        "suspended" => job(JOB, SCHEDULED, &json!({"suspend": true}), &json!({})),
        _ => job(
            JOB,
            SCHEDULED,
            &json!({}),
            &json!({"startTime": SCHEDULED, "active": 1, "ready": 0}),
        ),
    };
    waiting["metadata"]["annotations"] =
        json!({"batch.kubernetes.io/cronjob-scheduled-timestamp": SCHEDULED});
    let mut forbid = cron_job(&json!({}), &status);
    forbid["spec"]["concurrencyPolicy"] = json!("Forbid");
    [forbid, waiting]
}

fn answer(case: &str, call: &str) -> Value {
    doctor_with_objects((call, NOW), &objects(case)).document()
}

#[test]
fn job_that_waits_is_waiting_in_explain_scan_and_history() {
    for case in ["suspended", "not ready"] {
        let explain = answer(case, "explain -o json -f -");
        assert_eq!(explain["items"][0]["lastRun"]["state"], "waiting", "{case}");
        let scan = answer(case, "scan -o json -f -");
        assert_eq!(scan["items"][0]["lastRun"]["state"], "waiting", "{case}");
        let history = answer(case, "history -o json -f -");
        let item = &history["items"][0];
        let run = &item["runs"]
            .items()
            .iter()
            .find(|run| run["jobName"] == JOB)
            .unwrap()["waitingFor"];
        assert_eq!(*run, explain["items"][0]["lastRun"]["reason"], "{case}");
        let counts = json!([item["summary"]["running"], item["summary"]["waiting"]]);
        assert_eq!(counts, json!([1, 1]), "{case}");
    }
}
