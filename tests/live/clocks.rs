//! Which clock is used: the server's, unless `--now` is set.

use crate::live::prelude::*;
use crate::live::running_call::CLOCK;

fn server_at(now: &str) -> ApiServer {
    server_of(Options::default().now(now))
}

fn scan(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    Call::by(server, "viewer", ("scan", arguments)).run()
}

/// Removes the warning about the clocks: the difference in it, such as `2d3h`, varies between runs.
fn without_difference(ran: &mut Ran, direction: &str) {
    let end = format!(" {direction} the API server's; using the API server's time\n");
    let rest = ran.stderr.strip_prefix(CLOCK);
    let middle = rest.and_then(|rest| rest.strip_suffix(&end));
    let is_difference = |text: &str| text.chars().all(|c| "0123456789ydhms".contains(c));
    assert!(
        middle.is_some_and(|text| !text.is_empty() && is_difference(text)),
        "{ran}"
    );
    ran.stderr.clear();
}

#[test]
fn clock_of_a_server_ahead_is_used_with_a_warning() {
    let server = server_at("2150-01-01T00:00:00Z");
    let mut ran = scan(&server, "--problems-only --no-headers");
    without_difference(&mut ran, "behind");
    let now = "--now=2150-01-01T00:00:00Z";
    let given = scan(&server, ("--problems-only --no-headers", now));
    assert_eq!(ran, given);
    assert_eq!(given.stderr, "");
}

#[test]
fn clock_of_a_server_behind_is_used_with_a_warning() {
    let server = server_at("2001-01-01T00:00:00Z");
    let mut ran = scan(&server, "");
    without_difference(&mut ran, "ahead of");
    assert_eq!(ran, scan(&server, "--now=2001-01-01T00:00:00Z"));
    assert_eq!(scan(&server, "-q"), ran);
}

#[test]
fn clock_of_the_server_is_ignored_with_now() {
    let server = server_at("2001-01-01T00:00:00Z");
    assert_ran!(scan(&server, "--now=2026-11-21T02:13:08Z"), 0);
}

/// Some proxies remove the `Date` header; then the local clock is used.
#[test]
fn clock_of_this_machine_is_used_if_the_server_sends_no_date() {
    let server = server_at("2001-01-01T00:00:00Z");
    server.omit_date();
    let ran = scan(&server, "-o name");
    let mut names: Vec<&str> = ran.stdout.lines().collect();
    names.sort_unstable();
    assert_eq!(names, ["cronjob.batch/hourly", "cronjob.batch/nightly"]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0));
}
