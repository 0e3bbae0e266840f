//! The phases of runs: `history` of named CronJobs reads all pods, and the kubelet's events about their images.

use crate::live::prelude::*;

/// The pod of the Job of 02:00, which waited two minutes, most of that time for its image.
fn scene() -> ApiServer {
    let server = server();
    let job = server
        .object("batch/v1", "Job", "shop", "nightly-29920440")
        .unwrap();
    let ended = json!({"exitCode": 0, "startedAt": "2026-11-21T02:02:00Z", "finishedAt": "2026-11-21T02:02:50Z"});
    let scheduled = json!({"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-21T02:00:03Z"});
    let status = json!({
        "phase": "Succeeded", "conditions": [scheduled],
        "containerStatuses": [{"name": "main", "restartCount": 0, "state": {"terminated": ended}}],
    });
    server.add(pod_of(&job, "abcde", &status));
    for (reason, at) in [
        ("Pulling", "02:00:04"),
        ("Pulled", "02:01:59"),
        ("Started", "02:02:00"),
    ] {
        let at = format!("2026-11-21T{at}Z");
        server.add(pull_event("nightly-29920440-abcde", reason, &at));
    }
    server.clear_requests();
    server
}

/// How often pods, events about them, and quotas were listed.
fn reads(server: &ApiServer) -> [usize; 3] {
    let count = |is_it: fn(&Recorded) -> bool| server.requests_where(is_it).len();
    let of_pods = |request: &Recorded| {
        let selector = request.parameter("fieldSelector");
        selector.is_some_and(|selector| selector.contains("involvedObject.kind=Pod"))
    };
    let reads = [
        count(|request| request.path.ends_with("/pods")),
        count(of_pods),
        count(|request| request.path.ends_with("/resourcequotas")),
    ];
    server.clear_requests();
    reads
}

#[test]
fn history_of_one_name_as_json_reads_the_phases_of_runs() {
    let server = scene();
    let ran = ask(&server, "viewer", "history nightly -nshop -o json");
    let phases = json!({
        "queuedSeconds": 0, "waitingSeconds": 120, "nodeSeconds": 3, "imageSeconds": 115, "initSeconds": null,
        "runningSeconds": 50, "endingSeconds": 10,
    });
    let document = ran.json();
    assert_eq!(
        document["items"][0]["runs"].items().last().unwrap()["phases"],
        phases
    );
    assert_eq!(reads(&server), [1, 2, 0]);
    // The text format does not show phases, and a call without names may be for many CronJobs.
    for less in ["history nightly", "history -o json"] {
        assert_eq!(ask(&server, "viewer", (less, "-nshop")).code, 0);
        assert_eq!(reads(&server), [0, 0, 0], "{less}");
    }
}
