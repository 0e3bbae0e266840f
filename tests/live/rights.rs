//! Missing permissions: CronJobs have to be readable, and everything else may be missing.

use crate::live::prelude::*;
use crate::support::verbs;

/// A server on which no user may access a resource.
fn server_without(resource: &'static str) -> ApiServer {
    let server = server();
    server.deny(move |attempt| attempt.resource == resource);
    server
}

/// A server on which no user may access Jobs and events.
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
fn cronjobs_that_cannot_be_listed_are_an_error_of_each_verb() {
    let server = server_without("cronjobs");
    let expected = view(&server, "scan").refused();
    insta::assert_snapshot!(expected);
    for verb in verbs::reading() {
        assert_eq!(view(&server, [&verb]).refused(), expected, "{verb}");
        assert_eq!(view(&server, [&*verb, "-q"]).refused(), expected, "{verb}");
    }
}

calls! {
    scan_without_any_right_is_refused {} ask(&server(), "nobody", "scan -A") => 2;
    scan_without_the_right_to_jobs_warns {} view(&server_without("jobs"), "scan") => 0;
    scan_without_the_right_to_jobs_and_with_quiet_does_not_warn {} view(&server_without("jobs"), "scan -q") => 0;
    scan_without_the_right_to_jobs_and_events_warns_about_both {} view(&server_without_both(), "scan") => 0;
    history_without_the_right_to_jobs_and_events_shows_unknown_runs {}
        view(&server_without_both(), "history nightly --since=24h -o csv") => 0;
    scan_without_the_right_to_the_version_assumes_the_default {} view(&server_without_version(), "scan") => 0;
    scan_without_the_version_and_with_quiet_does_not_warn {} view(&server_without_version(), "scan -q") => 0;
    scan_with_a_given_version_does_not_ask_for_it {}
        view(&server_without_version(), "scan --kubernetes-version=1.27.3") => 0;
}

#[test]
fn events_that_cannot_be_listed_are_one_warning() {
    let server = server_without("events");
    assert_ran!(view(&server, "scan"), 0);
    // The events about CronJobs and those about Jobs are two lists, but one warning.
    let ran = view(&server, "explain nightly");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stderr);
}

/// Without Jobs, the next runs are known, except for what blocks them.
#[test]
fn next_runs_without_the_right_to_jobs_and_events_warns() {
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
