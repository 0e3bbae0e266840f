//! What the rights do not reach: CronJobs have to be, and everything else may be missing.

use crate::live::call::{ask, check, failed, fine_but};
use crate::live::scene::{SHOP, server};
use crate::support::apiserver::ApiServer;

/// A server that keeps a resource from everybody.
fn server_without(resource: &'static str) -> ApiServer {
    let server = server();
    server.deny(move |attempt| attempt.resource == resource);
    server
}

fn forbidden(resource: &str, group: &str) -> String {
    let qualified = if group.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}.{group}")
    };
    format!(
        "from the server (Forbidden): {qualified} is forbidden: User \"viewer\" cannot list \
         resource \"{resource}\" in API group \"{group}\" in the namespace \"shop\""
    )
}

fn without_jobs() -> String {
    let why = forbidden("jobs", "batch");
    format!(
        "warning: without Jobs, what runs, what failed and what was late cannot be told: {why}\n"
    )
}

fn without_events() -> String {
    let why = forbidden("events", "");
    format!("warning: without events, what the controller recorded cannot be told: {why}\n")
}

#[test]
fn cron_jobs() {
    let server = server_without("cronjobs");
    let expected = format!(
        "error: cannot list cronjobs.batch: {}\n",
        forbidden("cronjobs", "batch")
    );
    for verb in ["scan", "explain", "next-runs", "history"] {
        check(&ask(&server, "viewer", &[verb]), &failed(&expected));
        check(&ask(&server, "viewer", &[verb, "-q"]), &failed(&expected));
    }
}

#[test]
fn nothing_at_all() {
    let expected = "error: cannot list cronjobs.batch: from the server (Forbidden): \
                    cronjobs.batch is forbidden: User \"nobody\" cannot list resource \
                    \"cronjobs\" in API group \"batch\" at the cluster scope\n\
                    help: -n NAMESPACE asks about one namespace alone\n";
    check(
        &ask(&server(), "nobody", &["scan", "-A"]),
        &failed(expected),
    );
}

#[test]
fn jobs() {
    let server = server_without("jobs");
    check(
        &ask(&server, "viewer", &["scan"]),
        &fine_but(SHOP, &without_jobs()),
    );
    check(
        &ask(&server, "viewer", &["scan", "-q"]),
        &fine_but(SHOP, ""),
    );
}

#[test]
fn events() {
    let server = server_without("events");
    check(
        &ask(&server, "viewer", &["scan"]),
        &fine_but(SHOP, &without_events()),
    );
    // Those of CronJobs and those of Jobs are two lists, and one lack.
    let ran = ask(&server, "viewer", &["explain", "nightly"]);
    assert_eq!((ran.stderr, ran.code), (without_events(), 0));
}

#[test]
fn neither_jobs_nor_events() {
    let server = server_without("jobs");
    server.deny(|attempt| attempt.resource == "events");
    let both = without_jobs() + &without_events();
    check(&ask(&server, "viewer", &["scan"]), &fine_but(SHOP, &both));
    let expected = "\
namespace,name,kind,scheduledTime,localTime,status,jobName,startedAt,finishedAt,result,\
delaySeconds,durationSeconds,cause,reason
shop,nightly,scheduled,2026-11-21T02:00:00Z,2026-11-21T02:00:00+00:00,unknown,,,,,,,jobGone,\
\"it was started, as status.lastScheduleTime says; no Jobs were read\"
"
    .replace('\n', "\r\n");
    let ran = ask(
        &server,
        "viewer",
        &["history", "nightly", "--since=24h", "-o", "csv"],
    );
    check(&ran, &fine_but(&expected, &both));
}

/// Without Jobs the next runs are known but for what blocks them.
#[test]
fn next_runs_goes_without_jobs_and_events() {
    let server = server_without("jobs");
    server.deny(|attempt| attempt.resource == "events");
    let ran = ask(&server, "viewer", &["next-runs"]);
    assert_eq!(ran.code, 0);
    let warnings: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{}", ran.stderr);
    assert!(
        warnings
            .iter()
            .all(|line| line.starts_with("warning: without "))
    );
    assert!(ran.stdout.contains("nightly"), "{}", ran.stdout);
}

#[test]
fn the_version() {
    let server = server();
    server.deny(|attempt| attempt.path == "/version");
    let expected = "warning: the server does not tell its version, so that 1.37 is modelled (from \
                    the server (Forbidden): forbidden: User \"viewer\" cannot get path \
                    \"/version\"); --kubernetes-version names another\n";
    check(
        &ask(&server, "viewer", &["scan"]),
        &fine_but(SHOP, expected),
    );
    check(
        &ask(&server, "viewer", &["scan", "-q"]),
        &fine_but(SHOP, ""),
    );
    let given = ["scan", "--kubernetes-version=1.27.3"];
    check(&ask(&server, "viewer", &given), &fine_but(SHOP, ""));
}
