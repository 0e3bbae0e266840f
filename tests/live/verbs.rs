//! What each verb says of a cluster that is well, and what it asks for.

use crate::live::call::{ask, check, fine};
use crate::live::scene::{ALL, SHOP, server};
use crate::support::apiserver::{ApiServer, Recorded};
use crate::support::run::Ran;

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
    for arguments in [&["scan"][..], &[]] {
        check(&ask(&server, "viewer", arguments), &fine(SHOP));
    }
    for arguments in [&["scan", "-A"][..], &["-A"]] {
        check(&ask(&server, "viewer", arguments), &fine(ALL));
    }
}

#[test]
fn scan_asks_for_four_lists() {
    let server = server();
    assert_ran!(ask(&server, "viewer", &["scan"]), 0);
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

/// `explain nightly`, for which nothing needs to be asked but what is about that one.
const NIGHTLY: &str = "\
shop/nightly
  Runs next Sun 2026-11-22 02:00 Etc/UTC (in 23h)

  Schedule    0 2 * * * in Etc/UTC
              at 02:00
  Controller  Kubernetes 1.36.2 (v2), its clock in UTC
  Now         2026-11-21T02:13:08Z

What the controller does when it looks now
  pass Jobs        1 of its Jobs known, 0 of them unfinished; 0 count as active
  pass time zone   Etc/UTC
  pass suspend     not suspended
  STOP slot        no slot is due
  looks again at 2026-11-22T02:00:00.1Z (in 23h)

Next slots
  2026-11-22T02:00:00Z   23h      Sun 2026-11-22 02:00 UTC
  2026-11-23T02:00:00Z   47h      Mon 2026-11-23 02:00 UTC
  2026-11-24T02:00:00Z   2d23h    Tue 2026-11-24 02:00 UTC
  2026-11-25T02:00:00Z   3d23h    Wed 2026-11-25 02:00 UTC
  2026-11-26T02:00:00Z   4d23h    Thu 2026-11-26 02:00 UTC
";

#[test]
fn explain() {
    let server = server();
    for name in ["nightly", "cj/nightly", "cronjob/nightly"] {
        server.clear_requests();
        check(&ask(&server, "viewer", &["explain", name]), &fine(NIGHTLY));
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
}

#[test]
fn next_runs() {
    let expected = "\
WHEN                   IN      LOCAL TIME                 NAMESPACE   NAME
2026-11-22T02:00:00Z   23h     Sun 2026-11-22 02:00 UTC   shop        nightly
2026-11-23T02:00:00Z   47h     Mon 2026-11-23 02:00 UTC   shop        nightly
2026-11-24T02:00:00Z   2d23h   Tue 2026-11-24 02:00 UTC   shop        nightly
";
    let server = server();
    for verb in ["next-runs", "next"] {
        let ran: Ran = ask(&server, "viewer", &[verb, "nightly", "--count=3"]);
        check(&ran, &fine(expected));
    }
}

#[test]
fn history() {
    let ran = ask(&server(), "viewer", &["history", "nightly", "--since=24h"]);
    assert_ran!(ran, 0);
}
