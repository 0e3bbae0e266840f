//! A Job that is stuck, and what its pods show.

use crate::live::prelude::*;

const SCHEDULED: &str = "2026-11-21T02:00:00Z";

/// A CronJob whose Job of 02:00 waits for its image.
fn server() -> ApiServer {
    let server = ApiServer::start(Options::default());
    let mut running = job("shop", "nightly", SCHEDULED, None);
    running["status"]["ready"] = json!(0);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["status"] = status_with_active(&running);
    server.add(nightly);
    let message = "Back-off pulling image \"registry.example.com/main:1.4\"";
    server.add(pod_of(&running, "abcde", &image_pull_fails(message)));
    server.add(running);
    server
}

#[test]
fn explain_reads_pods_and_events_of_the_stuck_job_only() {
    let server = server();
    assert_ran!(view(&server, "explain nightly"), 0);
    // Only the pods of the stuck Job are read, and the events about its only pod.
    let name = job_name("nightly", SCHEDULED);
    let about = |path: &str, parameter: &str| {
        let asked = server.requests_where(|request| request.path == path);
        let selectors = asked
            .iter()
            .filter_map(|request| request.parameter(parameter));
        selectors.max().map(str::to_owned)
    };
    let expected = Some(format!("job-name={name}"));
    assert_eq!(
        about("/api/v1/namespaces/shop/pods", "labelSelector"),
        expected
    );
    assert_eq!(
        about("/api/v1/namespaces/shop/events", "fieldSelector"),
        Some(format!(
            "involvedObject.kind=Pod,involvedObject.name={name}-abcde"
        ))
    );
}

calls! {
    explain_without_the_right_to_list_pods_warns(server) { server.deny(|attempt| attempt.resource == "pods"); }
        view(&server, "explain nightly") => 0;
}

/// Disrupted pods are deleted: events show what stopped them, and are read only if no pod is left.
#[test]
fn events_are_read_where_no_pod_of_a_failed_job_is_left() {
    let reasons = |has_pod: bool| {
        let server = ApiServer::start(Options::default());
        server.add(cron_job("shop", "nightly", "0 2 * * *"));
        let mut failed = job("shop", "nightly", SCHEDULED, None);
        failed["status"] = ended_status("Failed", [SCHEDULED, "2026-11-21T02:05:00Z"]);
        if has_pod {
            server.add(pod_of(&failed, "abcde", &json!({"phase": "Failed"})));
        }
        server.add(failed);
        assert_eq!(view(&server, "explain nightly").code, 0);
        let requests = server.requests();
        let selectors = requests
            .iter()
            .filter_map(|request| request.parameter("fieldSelector"));
        let mut reasons: Vec<String> = selectors
            .filter_map(|selector| selector.strip_prefix("involvedObject.kind=Pod,reason="))
            .map(str::to_owned)
            .collect();
        reasons.sort_unstable();
        reasons
    };
    let expected = ["Evicted", "Preempted", "ScaleDown", "TaintManagerEviction"];
    assert_eq!(reasons(false), expected);
    assert_eq!(reasons(true), [""; 0]);
}

/// Only the pod knows why the Job failed: a page for a comment or a mail has the reason of `explain` and `report`.
#[test]
fn scan_as_markdown_has_the_reason_that_explain_has() {
    let server = ApiServer::start(Options::default());
    let mut failed = job("shop", "nightly", SCHEDULED, None);
    failed["status"] = ended_status("Failed", [SCHEDULED, "2026-11-21T02:00:32Z"]);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["status"] = json!({"lastScheduleTime": SCHEDULED});
    server.add(nightly);
    let ended = json!({
        "exitCode": 137, "reason": "OOMKilled", "startedAt": SCHEDULED, "finishedAt": "2026-11-21T02:00:31Z",
    });
    let status = json!({"phase": "Failed", "containerStatuses": [{
        "name": "main", "restartCount": 0, "ready": false, "state": {"terminated": ended},
    }]});
    server.add(pod_of(&failed, "abcde", &status));
    server.add(failed);
    let markdown = view(&server, "scan -n shop -o markdown").stdout;
    assert_contains!(markdown, "failed after 32s: exit code 137 (OOMKilled) |");
}
