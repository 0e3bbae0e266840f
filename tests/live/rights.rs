//! What the rights do not reach: CronJobs have to be, and everything else may be missing.

use crate::live::prelude::*;

/// A server that keeps a resource from everybody.
fn server_without(resource: &'static str) -> ApiServer {
    let server = server();
    server.deny(move |attempt| attempt.resource == resource);
    server
}

#[test]
fn cron_jobs() {
    let server = server_without("cronjobs");
    let expected = view(&server, "scan").refused();
    insta::assert_snapshot!(expected);
    for verb in ["explain", "next-runs", "history"] {
        assert_eq!(view(&server, [verb]).refused(), expected);
        assert_eq!(view(&server, [verb, "-q"]).refused(), expected);
    }
}

#[test]
fn nothing_at_all() {
    assert_ran!(ask(&server(), "nobody", "scan -A"), 2);
}

#[test]
fn jobs() {
    let server = server_without("jobs");
    assert_ran!(view(&server, "scan"), 0);
    assert_ran!(view(&server, "scan -q"), 0);
}

#[test]
fn events() {
    let server = server_without("events");
    assert_ran!(view(&server, "scan"), 0);
    // Those of CronJobs and those of Jobs are two lists, and one lack.
    let ran = view(&server, "explain nightly");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stderr);
}

#[test]
fn neither_jobs_nor_events() {
    let server = server_without("jobs");
    server.deny(|attempt| attempt.resource == "events");
    assert_ran!(view(&server, "scan"), 0);
    assert_ran!(view(&server, "history nightly --since=24h -o csv"), 0);
}

/// Without Jobs the next runs are known but for what blocks them.
#[test]
fn next_runs_goes_without_jobs_and_events() {
    let server = server_without("jobs");
    server.deny(|attempt| attempt.resource == "events");
    let ran = view(&server, "next-runs");
    assert_eq!(ran.code, 0);
    let warnings: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{}", ran.stderr);
    for line in warnings {
        assert_starts!(line, "warning: ");
        assert_contains!(line, " are not shown: ");
    }
    assert_contains!(ran.stdout, "nightly");
}

#[test]
fn the_version() {
    let server = server();
    server.deny(|attempt| attempt.path == "/version");
    assert_ran!(view(&server, "scan"), 0);
    assert_ran!(view(&server, "scan -q"), 0);
    let given = "scan --kubernetes-version=1.27.3";
    assert_ran!(view(&server, given), 0);
}
