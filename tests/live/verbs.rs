//! The output of each verb for a healthy cluster, and the requests it sends.

use crate::live::prelude::*;

#[test]
fn call_without_a_verb_equals_scan() {
    let server = server();
    for arguments in ["scan", ""] {
        assert_eq!(view(&server, arguments).fine(), SHOP);
    }
    for arguments in [&["scan", "-A"][..], &["-A"]] {
        assert_eq!(view(&server, arguments).fine(), ALL);
    }
}

#[test]
fn scan_asks_for_four_lists() {
    let server = server();
    assert_ran!(view(&server, "scan"), 0);
    let expected = [
        "GET /api/v1/namespaces/shop/events",
        "GET /api/v1/namespaces/shop/resourcequotas",
        "GET /apis/batch/v1/namespaces/shop/cronjobs",
        "GET /apis/batch/v1/namespaces/shop/jobs",
        "GET /version",
    ];
    assert_eq!(server.sorted_lines(), expected);
    for request in server.requests() {
        let accept = match request.path.as_str() {
            "/version" => "application/json",
            _ => "application/vnd.kubernetes.protobuf, application/json",
        };
        assert_eq!(request.header("Accept"), Some(accept), "{}", request.path);
    }
}

/// Only the objects that concern this CronJob need to be requested.
#[test]
fn explain_of_one_name_asks_only_about_that_cronjob() {
    let server = server();
    let mut explained = Vec::new();
    for name in ["nightly", "cj/nightly", "cronjob/nightly"] {
        server.clear_requests();
        explained.push(view(&server, ["explain", name]).fine());
        let requests = server.requests();
        let selectors = requests
            .iter()
            .filter_map(|request| request.parameter("fieldSelector"));
        let mut selectors: Vec<&str> = selectors.collect();
        selectors.sort_unstable();
        let expected = [
            "involvedObject.kind=CronJob,involvedObject.name=nightly",
            "involvedObject.kind=Job",
            "metadata.name=nightly",
        ];
        assert_eq!(selectors, expected);
    }
    explained.dedup();
    assert_eq!(explained.len(), 1);
    insta::assert_snapshot!(explained[0]);
}

calls! {
    next_equals_next_runs(server) {
        let next = view(&server, "next-runs nightly --count=3");
        assert_eq!(view(&server, "next nightly --count=3"), next);
    } next => 0;
    history_shows_the_runs_since_a_time {} view(&server(), "history nightly --since=24h") => 0;
}
