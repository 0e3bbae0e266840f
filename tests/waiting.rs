//! A Job without a running container is waiting in the output of every command.

use crate::last_run::{JOB, NOW, SCHEDULED, active, cron_job, job, other_job, pod};
use crate::support::prelude::*;

/// The Job of 22:04, which is suspended, or whose pod has no image.
fn objects(case: &str) -> Vec<Value> {
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
    let mut objects = vec![forbid, waiting];
    if case == "no image" {
        objects.push(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "ops", "name": format!("{JOB}-abcde"), "creationTimestamp": SCHEDULED,
                "ownerReferences": [owner_reference("Job", JOB, &json!(JOB))]},
            "status": {"phase": "Pending", "containerStatuses": [{
                "name": "main", "ready": false, "restartCount": 0,
                "state": {"waiting": {"reason": "ImagePullBackOff"}},
            }]},
        }));
    }
    objects
}

fn answer(case: &str, call: &str) -> Value {
    doctor_with_objects((call, NOW), &objects(case)).document()
}

#[test]
fn job_that_waits_is_waiting_in_explain_scan_and_history() {
    for case in ["suspended", "no image"] {
        let explain = answer(case, "explain -o json -f -");
        assert_eq!(explain["items"][0]["lastRun"]["state"], "waiting", "{case}");
        let scan = answer(case, "scan -o json -f -");
        assert_eq!(scan["items"][0]["lastRun"]["state"], "waiting", "{case}");
        let history = answer(case, "history -o json -f -");
        let item = &history["items"][0];
        let mut runs = item["runs"].items().iter();
        let run = runs.find(|run| run["jobName"] == JOB).unwrap();
        let reason = &explain["items"][0]["lastRun"]["reason"];
        assert_eq!(run["waitingFor"], *reason, "{case}");
        assert_eq!(
            json!([run["status"], run["result"]]),
            json!(["waiting", null])
        );
        let table = doctor_with_objects(("history -o csv -f -", NOW), &objects(case)).fine();
        let row = table.lines().find(|row| row.contains(JOB)).unwrap();
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!([cells[5], cells[9]], ["waiting", ""], "{row}");
        let counts = json!([item["summary"]["running"], item["summary"]["waiting"]]);
        assert_eq!(counts, json!([0, 1]), "{case}");
    }
}

/// By the status of its Job, no pod is ready: without the pod, that is all that is known.
#[test]
fn job_with_an_unread_pod_that_is_not_ready_waits_in_each_answer() {
    let objects = &objects("no image")[..2];
    let answer = |call| doctor_with_objects((call, NOW), objects).document();
    let history = answer("history -o json -f -");
    let summary = &history["items"][0]["summary"];
    assert_eq!(
        json!([summary["running"], summary["waiting"]]),
        json!([0, 1])
    );
    for call in ["explain -o json -f -", "scan -o json -f -"] {
        assert_eq!(
            answer(call)["items"][0]["lastRun"]["state"],
            "waiting",
            "{call}"
        );
    }
}

/// The run after that of a Job that blocks it starts when that Job ends: it is not skipped. The recorder waits for it.
#[test]
fn run_that_starts_when_a_job_ends_is_pending_in_each_format_of_history() {
    let objects = objects("suspended");
    let call = |format: &str| {
        let call = format!("history -o {format} -f - --now=2026-11-24T22:30:00Z");
        doctor_with_objects(&*call, &objects)
    };
    let document = call("json").document();
    let item = &document["items"][0];
    let last = item["runs"].items().last().unwrap();
    let shown = json!([
        last["status"],
        last["jobName"],
        last["result"],
        last["cause"]
    ]);
    assert_eq!(shown, json!(["pending", null, null, "forbid"]));
    let before = &item["runs"].items().iter().rev().nth(1).unwrap();
    assert_eq!(before["status"], "skipped");
    assert_eq!(item["summary"]["pending"], 1);
    let statuses = item["runs"].texts("status");
    let skipped = statuses.iter().filter(|status| **status == "skipped");
    assert_eq!(item["summary"]["skipped"], skipped.count());
    let table = call("csv").fine();
    assert_eq!(
        table.lines().last().unwrap().split(',').nth(5),
        Some("pending")
    );
    assert_contains!(call("markdown").fine(), "1 pending");
    assert_contains!(call("wide").fine(), "1 pending");
}

/// Only another controller starts the pod: all answers say so, also where the Job blocks a run.
#[test]
fn job_that_is_managed_elsewhere_waits_for_its_controller() {
    let mut objects = objects("suspended");
    objects[1]["spec"] = json!({"managedBy": "example.com/queue"});
    let call = "explain -o json -f - --now=2026-11-23T22:30:00Z";
    let document = doctor_with_objects(call, &objects).document();
    let item = &document["items"][0];
    assert_eq!(item["lastRun"]["state"], "waiting");
    let reason = "its pods are left to example.com/queue (spec.managedBy), which has started none";
    assert_eq!(item["lastRun"]["reason"], reason);
    assert_contains!(item["verdict"].text(), "waiting for example.com/queue");
    let finding = &item["findings"][0];
    assert_eq!(finding["code"], "blocked-by-running-job");
    let detail = finding["detail"].text();
    assert_contains!(detail, "Only example.com/queue starts and ends it");
    assert!(!detail.contains("running"), "{detail}");
}

/// Runs of 22:51 and 22:54 are unfinished at 23:00, and a run is due every three minutes.
#[test]
fn runs_that_nothing_started_or_that_crash_do_not_take_longer_than_a_period() {
    let is_found = |spec: &Value, status: &Value, pod_status: Option<&Value>| {
        let mut often = cron_job(&json!({}), &active());
        often["spec"]["schedule"] = json!("*/3 * * * *");
        often["status"]["lastScheduleTime"] = json!("2026-11-22T22:54:00Z");
        let mut objects = vec![often, other_job()];
        for (name, created) in [
            ("report-29923131", "2026-11-22T22:51:00Z"),
            ("report-29923134", "2026-11-22T22:54:00Z"),
        ] {
            let mut status = status.clone();
            if status["active"] == 1 {
                status["startTime"] = json!(created);
            }
            objects.push(job(name, created, spec, &status));
            if let Some(pod_status) = pod_status {
                let mut own = pod(pod_status);
                own["metadata"]["name"] = json!(format!("{name}-x"));
                own["metadata"]["ownerReferences"] = json!([owner_reference("Job", name, name)]);
                objects.push(own);
            }
        }
        let ran = doctor_with_objects(("explain -o json", ["-f", "-", NOW]), &objects);
        let found = ran.json()["items"][0]["findings"].take();
        found.texts("code").contains(&"runs-longer-than-period")
    };
    let none = json!({});
    let at_work = json!({"active": 1, "ready": 1});
    let crashes = json!({"phase": "Running", "containerStatuses": [{
        "name": "main", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-22T22:59:00Z"}},
    }]});
    assert!(is_found(&none, &at_work, None));
    assert!(!is_found(
        &json!({"managedBy": "example.com/none"}),
        &none,
        None
    ));
    assert!(!is_found(&none, &none, None));
    assert!(!is_found(
        &none,
        &json!({"active": 1, "ready": 0}),
        Some(&crashes)
    ));
}
