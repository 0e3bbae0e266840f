//! A Job whose result is decided, but whose pod does not end: every verb reports the same about it. The expected values
//! were seen on a real 1.34.1 cluster whose node did not respond.

use crate::support::prelude::*;

const EXAMPLE: &str = "-f examples/findings/job-ending.yaml --kubernetes-version 1.34";
const JOB: &str = "report-29552852";
/// The Job failed at 19:32:16; the grace period of its pod was over at 19:32:46, and a run was due each minute.
const BEFORE_THE_NEXT_RUN: &str = "--now=2026-03-10T19:32:50Z";
const BLOCKING: &str = "--now=2026-03-10T19:35:16Z";

fn explained(now: &str) -> Value {
    let document = doctor(("explain -o json", EXAMPLE, now)).document();
    document["items"][0].clone()
}

#[test]
fn explanation_of_an_ending_job_names_verdict_pod_and_node() {
    let item = explained(BLOCKING);
    let last = &item["lastRun"];
    let state = [
        &last["state"],
        &last["endsAs"],
        &last["since"],
        &last["finishedAt"],
    ];
    let expected = json!(["ending", "failed", "2026-03-10T19:32:16Z", null]);
    assert_eq!(json!(state), expected);
    for part in [
        "activeDeadlineSeconds: 15",
        "report-29552852-5gtss",
        "19:32:46",
        "node-7",
    ] {
        assert_contains!(last["reason"].text(), part);
    }
    // The runs of 19:32, 19:33 and 19:34; that of 19:35 was due seconds ago.
    assert_eq!(item["runsSinceSuccess"], 3);
    let outcome = [
        &item["decision"]["outcome"],
        &item["decision"]["statusAfter"]["active"],
    ];
    assert_eq!(json!(outcome), json!(["blocked", [JOB]]));
    let pod = &item["pods"][0];
    let pod = [&pod["node"], &pod["terminatingSince"]];
    assert_eq!(json!(pod), json!(["node-7", "2026-03-10T19:32:46Z"]));
    let text = doctor(("explain", EXAMPLE, BLOCKING)).fine();
    for wrong in [
        "has been running",
        "waiting for",
        "not started",
        "no active pods",
        "Pending",
    ] {
        assert!(!text.contains(wrong), "{wrong}: {text}");
    }
}

/// The run has failed, whatever its pod does. Nothing else is wrong while the pod may still end in time.
#[test]
fn ending_job_has_failed_and_is_an_error_itself_when_it_blocks_a_run() {
    for (now, expected) in [
        (
            BEFORE_THE_NEXT_RUN,
            json!([["last-run-failed", "error"], ["job-ending", "info"]]),
        ),
        (
            BLOCKING,
            json!([["job-ending", "error"], ["last-run-failed", "error"]]),
        ),
    ] {
        let item = explained(now);
        let findings = item["findings"].items().iter();
        let found: Value = findings
            .map(|one| json!([one["code"], one["severity"]]))
            .collect();
        assert_eq!(found, expected, "{now}");
        let findings = item["findings"].items().iter();
        let mut failed = findings.filter(|one| one["code"] == "last-run-failed");
        let detail = failed.next().unwrap()["detail"].text().to_owned();
        assert_contains!(detail, "failed at Tue 2026-03-10 19:32:16 UTC");
    }
}

/// The node may come back, and the pod may still be running: deleting is the last remedy, and the Job is never deleted
/// first.
#[test]
fn remedy_of_an_ending_job_begins_with_its_node() {
    let item = explained(BLOCKING);
    let command = item["findings"][0]["remedy"]["command"].text().to_owned();
    assert_eq!(command, "kubectl get node node-7");
    let remedy = item["findings"][0]["remedy"].to_string();
    let force = "kubectl delete pod report-29552852-5gtss -n shop --force --grace-period=0";
    assert_contains!(remedy, force);
    assert_contains!(remedy, "the old process may still run");
    assert!(!remedy.contains("delete job"), "{remedy}");
}

#[test]
fn scan_and_history_show_an_ending_job_as_explain_does() {
    let scan = doctor(("scan -o json", EXAMPLE, BLOCKING)).document();
    let row = &scan["items"][0];
    let found = [
        &row["health"],
        &row["lastRun"]["state"],
        &row["lastRun"]["endsAs"],
    ];
    assert_eq!(json!(found), json!(["error", "ending", "failed"]));
    let history = doctor(("history -o json", EXAMPLE, BLOCKING)).document();
    let run = &history["items"][0]["runs"][0];
    let found = [
        &run["jobName"],
        &run["status"],
        &run["result"],
        &run["endingSince"],
        &run["finishedAt"],
    ];
    let expected = json!([JOB, "onTime", "failed", "2026-03-10T19:32:16Z", null]);
    assert_eq!(json!(found), expected);
}
