//! One small test of each kind, to copy. CONTRIBUTING.md says which kind is for what.

use cronjob_controller::controller::{Outcome, decide};

use crate::support::model::{at, cron_job, ended, job};
use crate::support::prelude::*;
use crate::support::recorded::controller;

/// The core: what the controller of a release does. The times are derived manually.
#[test]
fn run_that_is_due_starts() {
    let mut nightly = cron_job("nightly", "0 2 * * *");
    nightly.status.last_schedule_time = Some(at("2026-03-09T02:00:00Z"));
    let last = job("nightly", at("2026-03-09T02:00:00Z"));
    let last = ended(last, "Complete", at("2026-03-09T02:03:00Z"));
    let decision = decide(&controller("1.36"), &nightly, &[last], at("02:01"));
    assert_eq!(decision.outcome, Outcome::Start);
    assert_eq!(decision.scheduled_time, Some(at("02:00")));
}

/// The program with objects on its standard input: the document has the outcome.
#[test]
fn next_run_of_a_manifest() {
    let nightly = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"namespace": "shop", "name": "nightly"},
        "spec": {"schedule": "0 2 * * *", "timeZone": "Etc/UTC", "jobTemplate": {}},
    });
    let call = "next-runs -f - --now=2026-11-21T12:00:00Z --count=1 -o json";
    let document: Value =
        serde_json::from_str(&doctor_with_objects(call, &[nightly]).fine()).unwrap();
    let run = &document["items"][0]["runs"][0];
    assert_eq!(run["scheduledTime"], "2026-11-22T02:00:00Z");
}

/// The wording: all output is compared with a snapshot, and the exit code with a number.
#[test]
fn wrong_flag_suggests_the_right_one() {
    assert_ran!(doctor("scan --problem-only"), 2);
}

/// A verb that reads a cluster: `shop/nightly` and `shop/hourly` of tests/live/scene.rs, one of them suspended.
#[cfg(target_os = "linux")]
#[test]
fn suspended_cronjob_of_a_cluster() {
    use crate::live::prelude::*;

    let server = server();
    set(&server, "nightly", "suspend", true);
    let document: Value = serde_json::from_str(&view(&server, "scan -o json").fine()).unwrap();
    let items = document["items"].items();
    let suspended = items.iter().filter(|item| item["suspended"] == true);
    let names: Vec<&str> = suspended.map(|item| item["name"].text()).collect();
    assert_eq!(names, ["nightly"]);
}

/// A verb that changes a cluster: the request that was sent, and what the server has then.
#[cfg(target_os = "linux")]
#[test]
fn suspension_is_one_request() {
    use crate::changing::prelude::*;

    let server = server();
    let ran = call(&server, "suspend nightly --yes");
    assert_eq!(ran.code, 0, "{ran}");
    let [sent] = <[String; 1]>::try_from(changes(&server)).unwrap();
    assert_starts!(
        sent,
        "PATCH /apis/batch/v1/namespaces/shop/cronjobs/nightly?"
    );
    assert!(is_suspended(&server, "nightly"));
}

/// A command that keeps running: the test waits for its output and requests instead of sleeping.
#[cfg(target_os = "linux")]
#[test]
fn followed_cluster_is_printed_line_by_line() {
    use crate::live::prelude::*;

    let server = server();
    let going = RunningCall::start(Call::by(
        &server,
        "viewer",
        "scan --watch --no-headers nightly",
    ));
    going.line();
    server.wait_for(|requests| watches(requests) == 3);
    set(&server, "nightly", "suspend", true);
    assert_contains!(going.line(), "suspended");
}

#[test]
fn contributing_lists_every_sample() {
    let guide =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/CONTRIBUTING.md")).unwrap();
    let tests = include_str!("samples.rs").split("#[test]\nfn ").skip(1);
    let names = tests.map(|test| test.split('(').next().unwrap());
    let own = "contributing_lists_every_sample";
    let missing: Vec<&str> = names
        .filter(|name| *name != own && !guide.contains(*name))
        .collect();
    assert_eq!(missing, [""; 0]);
}
