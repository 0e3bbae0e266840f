//! A pod whose node does not respond: it is unknown whether it runs, and no output claims that it does.

use crate::live::prelude::*;

const SCHEDULED: &str = "2026-11-21T02:00:00Z";
const SILENT_SINCE: &str = "2026-11-21T02:05:40Z";

/// A pod as the node controller leaves it: only the condition `Ready` changes, without a reason.
fn silent_pod(job: &Value) -> Value {
    let status = json!({
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": SILENT_SINCE}],
        "containerStatuses": [{
            "name": "main", "ready": true, "restartCount": 0,
            "state": {"running": {"startedAt": SCHEDULED}},
        }],
    });
    let mut pod = pod_of(job, "abcde", &status);
    pod["spec"]["nodeName"] = json!("node-7");
    pod
}

fn node(ready: &str) -> Value {
    let ready =
        json!({"type": "Ready", "status": ready, "lastTransitionTime": "2026-11-21T02:05:35Z"});
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-7"},
        "status": {"conditions": [ready]},
    })
}

fn server(node: Option<Value>, policy: &str) -> ApiServer {
    let server = ApiServer::start(Options::default());
    let mut running = job("shop", "nightly", SCHEDULED, None);
    running["status"]["ready"] = json!(0);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["spec"]["concurrencyPolicy"] = json!(policy);
    nightly["status"] = status_with_active(&running);
    server.add(nightly);
    server.add(silent_pod(&running));
    server.add(running);
    if let Some(node) = node {
        server.add(node);
    }
    server
}

fn explained(server: &ApiServer) -> Value {
    let ran = view(server, "explain nightly -o json");
    ran.document()["items"][0].clone()
}

/// The requests for nodes.
fn asked(server: &ApiServer) -> Vec<String> {
    let asked = server.requests_where(|request| request.path == "/api/v1/nodes");
    let selectors = asked
        .iter()
        .map(|request| request.parameter("fieldSelector"));
    selectors
        .map(|one| one.unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn run_on_a_node_that_is_not_ready_is_not_running() {
    let server = server(Some(node("Unknown")), "Allow");
    let item = explained(&server);
    let last = &item["lastRun"];
    let state = json!([last["state"], last["since"]]);
    assert_eq!(state, json!(["unknown", SILENT_SINCE]));
    assert_contains!(last["reason"].text(), "node-7");
    assert_contains!(last["reason"].text(), "02:05:35");
    let finding = &item["findings"][0];
    let found = json!([finding["code"], finding["severity"]]);
    assert_eq!(found, json!(["no-pod-ready", "warning"]));
    let command = finding["remedy"]["command"].text();
    assert_eq!(command, "kubectl get node node-7");
    assert_eq!(asked(&server), ["metadata.name=node-7"]);
    let scan = view(&server, "scan -o json").document();
    let row = &scan["items"][0];
    assert_eq!(
        json!([row["health"], row["lastRun"]["state"]]),
        json!(["warning", "unknown"])
    );
}

/// The run is neither running nor ended, in JSON and in text.
#[test]
fn history_of_a_run_on_a_silent_node_is_unknown() {
    let server = server(Some(node("Unknown")), "Allow");
    let history = view(&server, "history nightly --since=2h -o json").document();
    let item = &history["items"][0];
    let run = &item["runs"].items().last().unwrap();
    let known = json!([run["status"], run["result"], run["cause"]]);
    assert_eq!(known, json!(["unknown", null, "nodeNotResponding"]));
    assert_eq!(run["reason"], explained(&server)["lastRun"]["reason"]);
    let counts = json!([item["summary"]["running"], item["summary"]["unknown"]]);
    assert_eq!(counts, json!([0, 1]));
    let text = view(&server, "history nightly --since=2h").stdout;
    assert_contains!(text, "node-7");
    assert_lacks!(text, "running");
}

/// The schedule was changed after the Job was started.
#[test]
fn run_outside_the_schedule_on_a_silent_node_has_no_result() {
    let server = server(Some(node("Unknown")), "Allow");
    set(&server, "nightly", "schedule", "0 3 * * *");
    let history = view(&server, "history nightly --since=2h -o json").document();
    let run = &history["items"][0]["offSchedule"][0];
    assert_eq!(run["scheduledTime"], SCHEDULED);
    assert_eq!(run["result"], Value::Null);
}

/// The blocked run is a separate error, which names the node, too, and does not suggest deleting the Job.
#[test]
fn run_on_a_silent_node_that_blocks_others_names_the_node() {
    let server = server(Some(node("Unknown")), "Forbid");
    let call = Call::new("explain nightly -o json --now=2026-11-22T02:10:00Z");
    let ran = call
        .with(&server, &Kubeconfig::user("viewer").namespace("shop"))
        .run();
    let item = ran.document()["items"][0].clone();
    let finding = &item["findings"][0];
    assert_eq!(finding["code"], "blocked-by-running-job");
    assert_contains!(finding["detail"].text(), "node-7");
    let remedy = finding["remedy"].to_string();
    assert_contains!(remedy, "kubectl get node node-7");
    assert!(!remedy.contains("delete job"), "{remedy}");
}

/// Without the right to read nodes, the pod alone shows that its node is silent.
#[test]
fn nodes_that_cannot_be_read_are_not_an_error() {
    let server = server(Some(node("Unknown")), "Allow");
    server.deny(|attempt| attempt.resource == "nodes");
    let ran = view(&server, "explain nightly -o json");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let last = &ran.document()["items"][0]["lastRun"];
    assert_eq!(last["state"], "unknown");
    assert_contains!(last["reason"].text(), "02:05:40");
}

/// The node is ready again, and the kubelet has not updated the status of the pod yet.
#[test]
fn run_on_a_node_that_is_ready_again_is_running() {
    let server = server(Some(node("True")), "Allow");
    assert_eq!(explained(&server)["lastRun"]["state"], "running");
}

#[test]
fn node_that_no_longer_exists_is_named() {
    let server = server(None, "Allow");
    let last = &explained(&server)["lastRun"];
    assert_eq!(last["state"], "unknown");
    assert_contains!(last["reason"].text(), "no longer exists");
}

/// A container that is not ready for another reason runs, and its node is not read.
#[test]
fn pod_that_is_not_ready_is_not_silent() {
    let server = server(Some(node("Unknown")), "Allow");
    let name = format!("{}-abcde", job_name("nightly", SCHEDULED));
    server.edit("v1", "Pod", "shop", &name, |pod| {
        pod["status"]["conditions"][0]["reason"] = json!("ContainersNotReady");
    });
    assert_eq!(explained(&server)["lastRun"]["state"], "running");
    assert_eq!(asked(&server), [""; 0]);
}
