//! What the rights do not reach: CronJobs have to be, and everything else may be missing.

use crate::live::prelude::*;

/// A server that keeps a resource from everybody.
fn server_without(resource: &'static str) -> ApiServer {
    let server = server();
    server.deny(move |attempt| attempt.resource == resource);
    server
}

/// The same without Jobs and events.
fn server_without_both() -> ApiServer {
    let server = server_without("jobs");
    server.deny(|attempt| attempt.resource == "events");
    server
}

fn server_without_version() -> ApiServer {
    let server = server();
    server.deny(|attempt| attempt.path == "/version");
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

calls! {
    nothing_at_all {} ask(&server(), "nobody", "scan -A") => 2;
    jobs {} view(&server_without("jobs"), "scan") => 0;
    jobs_quietly {} view(&server_without("jobs"), "scan -q") => 0;
    neither_jobs_nor_events {} view(&server_without_both(), "scan") => 0;
    history_without_jobs_and_events {}
        view(&server_without_both(), "history nightly --since=24h -o csv") => 0;
    the_version {} view(&server_without_version(), "scan") => 0;
    the_version_quietly {} view(&server_without_version(), "scan -q") => 0;
    the_version_that_is_given {}
        view(&server_without_version(), "scan --kubernetes-version=1.27.3") => 0;
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

/// Without Jobs the next runs are known but for what blocks them.
#[test]
fn next_runs_goes_without_jobs_and_events() {
    let ran = view(&server_without_both(), "next-runs");
    assert_eq!(ran.code, 0);
    let warnings: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{}", ran.stderr);
    for line in warnings {
        assert_starts!(line, "warning: ");
        assert_contains!(line, " are not shown: ");
    }
    assert_contains!(ran.stdout, "nightly");
}
