//! What each verb says of a cluster that is well, and what it asks for.

use crate::live::prelude::*;

/// What was asked, in no order: lists go side by side.
fn asked(server: &ApiServer) -> Vec<String> {
    let requests = server.requests();
    let mut lines: Vec<String> = requests.iter().map(Recorded::line).collect();
    lines.sort();
    lines
}

#[test]
fn scan_and_the_bare_call() {
    let server = server();
    for arguments in ["scan", ""] {
        assert_eq!(ask(&server, "viewer", arguments).fine(), SHOP);
    }
    for arguments in [&["scan", "-A"][..], &["-A"]] {
        assert_eq!(ask(&server, "viewer", arguments).fine(), ALL);
    }
}

#[test]
fn scan_asks_for_four_lists() {
    let server = server();
    assert_ran!(ask(&server, "viewer", ["scan"]), 0);
    assert_eq!(
        asked(&server),
        [
            "GET /api/v1/namespaces/shop/events",
            "GET /api/v1/namespaces/shop/resourcequotas",
            "GET /apis/batch/v1/namespaces/shop/cronjobs",
            "GET /apis/batch/v1/namespaces/shop/jobs",
            "GET /version",
        ]
    );
    for request in server.requests() {
        let is_list = request.path != "/version";
        let protobuf = "application/vnd.kubernetes.protobuf, application/json";
        let accept = if is_list {
            protobuf
        } else {
            "application/json"
        };
        assert_eq!(request.header("Accept"), Some(accept), "{}", request.path);
    }
}

/// Nothing needs to be asked but what is about that one.
#[test]
fn explain() {
    let server = server();
    let mut explained = Vec::new();
    for name in ["nightly", "cj/nightly", "cronjob/nightly"] {
        server.clear_requests();
        explained.push(ask(&server, "viewer", ["explain", name]).fine());
        let requests = server.requests();
        let selectors = requests
            .iter()
            .filter_map(|request| request.parameter("fieldSelector"));
        let mut selectors: Vec<&str> = selectors.collect();
        selectors.sort_unstable();
        assert_eq!(
            selectors,
            [
                "involvedObject.kind=CronJob,involvedObject.name=nightly",
                "involvedObject.kind=Job",
                "metadata.name=nightly",
            ]
        );
    }
    explained.dedup();
    assert_eq!(explained.len(), 1);
    insta::assert_snapshot!(explained[0]);
}

#[test]
fn next_runs() {
    let server = server();
    let count = "nightly --count=3";
    let next = ask(&server, "viewer", ("next-runs", &count));
    assert_eq!(ask(&server, "viewer", ("next", &count)), next);
    assert_ran!(next, 0);
}

#[test]
fn history() {
    let ran = ask(&server(), "viewer", ["history", "nightly", "--since=24h"]);
    assert_ran!(ran, 0);
}
