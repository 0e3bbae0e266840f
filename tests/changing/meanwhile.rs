//! Between the prediction and the change the object can become another one, and the answer can be
//! lost on its way.

use std::thread;

use serde_json::json;

use crate::changing::cast::{call, changes, running_report, server, stored};
use crate::changing::terminal::at_terminal;
use crate::live::call::{check, fine, fine_but};
use crate::support::apiserver::{ApiServer, Fault, Match, Recorded};
use crate::support::run::Ran;

const NIGHTLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/nightly";
const REPORT: &str = "/apis/batch/v1/namespaces/shop/cronjobs/report";

/// Runs a call whose first change is put off for a second, and edits an object in that second.
fn while_waiting(server: &ApiServer, arguments: &[&str], edit: impl FnOnce()) -> Ran {
    let busy = Fault::TooManyRequests { retry_after: 1 }.times(1);
    server.fault(Match::any().method("PATCH"), busy);
    thread::scope(|scope| {
        let call = scope.spawn(|| call(server, arguments));
        let patched = |requests: &[Recorded]| requests.iter().any(|one| one.method == "PATCH");
        server.wait_for(patched);
        edit();
        call.join().unwrap()
    })
}

/// What changed is said; the prediction is the same, and so the change is made, for the new
/// version.
#[test]
fn nothing_that_matters() {
    let server = server();
    let ran = while_waiting(&server, &["suspend", "nightly", "-y"], || {
        server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
            nightly["spec"]["schedule"] = json!("0 3 * * *");
        });
    });
    assert_eq!(ran.stdout, "cronjob.batch/nightly suspended\n");
    let told = "shop/nightly changed meanwhile: spec.schedule: 0 2 * * * -> 0 3 * * *\n";
    assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
    let versions: Vec<String> = patches(&server);
    assert_eq!(
        versions.len(),
        3,
        "the busy server, the conflict, the change"
    );
    assert_eq!(versions[0], versions[1]);
    assert_ne!(versions[1], versions[2]);
    let nightly = stored(&server, "nightly");
    assert_eq!(nightly["spec"]["schedule"], "0 3 * * *");
    assert_eq!(nightly["spec"]["suspend"], json!(true));
}

/// For which versions patches were sent.
fn patches(server: &ApiServer) -> Vec<String> {
    let requests = server.requests();
    let patches = requests.iter().filter(|one| one.method == "PATCH");
    let version = |one: &Recorded| {
        let version = &one.json()["metadata"]["resourceVersion"];
        version.as_str().unwrap().to_owned()
    };
    patches.map(version).collect()
}

/// A Job runs now, and the policy forbids a second one: what was agreed to would not happen.
#[test]
fn another_prediction() {
    let server = server();
    let [forbidding, job] = running_report("Forbid");
    let edit = || {
        server.put(job);
        server.edit("batch/v1", "CronJob", "shop", "report", |report| {
            report["spec"]["concurrencyPolicy"] = json!("Forbid");
            report["status"] = forbidding["status"].clone();
        });
    };
    let ran = while_waiting(&server, &["resume", "report", "-y", "--catch-up=run"], edit);
    let told = "\
shop/report changed meanwhile: spec.concurrencyPolicy: Allow -> Forbid; status.active: unset -> report-29916120
shop/report
  Starts nothing as long as report-29916120 runs (Forbid), and then
  report-29920440 for the slot of Sat 2026-11-21 02:00 Etc/UTC, 13m late
  already. 2 other missed slots get no Job. Runs next Sun 2026-11-22 02:00
  Etc/UTC (in 23h).
error: cronjob.batch/report: it changed meanwhile, and with it what would happen; it was left alone
";
    assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert_eq!(stored(&server, "report")["spec"]["suspend"], json!(true));
}

/// At a terminal it is asked again.
#[test]
fn another_prediction_at_a_terminal() {
    let server = server();
    let [forbidding, job] = running_report("Forbid");
    let edit = || {
        server.put(job);
        server.edit("batch/v1", "CronJob", "shop", "report", |report| {
            report["spec"]["concurrencyPolicy"] = json!("Forbid");
            report["status"] = forbidding["status"].clone();
        });
    };
    let Some(asked) = at_terminal(&server, &["resume", "report"], &["run", "yes"], edit) else {
        return;
    };
    let end = "Resume it all the same? [yes/no] yes\ncronjob.batch/report resumed\n";
    assert!(asked.screen.ends_with(end), "{}", asked.screen);
    assert_eq!(asked.code, 0);
    assert_eq!(stored(&server, "report")["spec"]["suspend"], json!(false));
}

#[test]
fn somebody_else_did_it() {
    let server = server();
    let ran = while_waiting(&server, &["suspend", "nightly", "-y"], || {
        server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
            nightly["spec"]["suspend"] = json!(true);
        });
    });
    assert_eq!(ran.stdout, "cronjob.batch/nightly suspended (no change)\n");
    let told = "shop/nightly changed meanwhile: spec.suspend: false -> true\n";
    assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
    assert_eq!(ran.code, 0);
}

#[test]
fn somebody_deleted_it() {
    let server = server();
    let ran = while_waiting(&server, &["suspend", "nightly", "-yq"], || {
        server.delete("batch/v1", "CronJob", "shop", "nightly");
    });
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert!(
        ran.stderr
            .starts_with("error: cronjob.batch/nightly: from the server (NotFound): "),
        "{}",
        ran.stderr
    );
}

/// The change was made, and its answer is lost: nobody makes it twice.
#[test]
fn an_answer_that_is_lost() {
    let server = server();
    server.fault(
        Match::path(NIGHTLY).method("PATCH"),
        Fault::CutOff(10).times(1),
    );
    let ran = call(&server, &["suspend", "nightly", "-y"]);
    assert_eq!(
        (ran.stdout.as_str(), ran.code),
        ("cronjob.batch/nightly suspended\n", 0)
    );
    assert!(
        ran.stderr
            .contains("\nthe answer was lost (the answer of SERVER broke off (PATCH "),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.ends_with("), and the change was made\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(changes(&server).len(), 1);
}

/// The request is lost: it is sent once more, for the same version.
#[test]
fn a_request_that_is_lost() {
    let server = server();
    server.fault(Match::path(NIGHTLY).method("PATCH"), Fault::Reset.times(1));
    let ran = call(&server, &["suspend", "nightly", "-yq"]);
    check(&ran, &fine("cronjob.batch/nightly suspended\n"));
    let versions = patches(&server);
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0], versions[1]);
}

/// The server goes away in the middle: what is left is named.
#[test]
fn a_server_that_goes_away() {
    let server = server();
    server.fault(Match::path(NIGHTLY).method("PATCH"), Fault::Reset);
    let ran = call(
        &server,
        &["suspend", "hourly", "nightly", "-yq", "never", "-A"],
    );
    assert_eq!(
        (ran.stdout.as_str(), ran.code),
        ("cronjob.batch/hourly suspended (namespace shop)\n", 2)
    );
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.stderr);
    assert!(
        lines[0]
            .starts_with("error: cronjob.batch/nightly (namespace shop): cannot reach SERVER: "),
        "{}",
        lines[0]
    );
    assert!(
        !lines[0].contains("not known"),
        "it was looked at: {}",
        lines[0]
    );
    assert_eq!(lines[1], "1 suspended, 2 not: ops/never");
    assert_eq!(
        lines[2],
        "to go on: run the same command again; what is suspended stays as it is"
    );
}

/// Neither the change nor a look at it is answered.
#[test]
fn nobody_knows() {
    let server = server();
    server.fault(Match::path(NIGHTLY), Fault::Reset);
    let ran = call(&server, &["suspend", "nightly", "-yq"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert!(
        ran.stderr
            .ends_with("; whether the change was made is not known\n"),
        "{}",
        ran.stderr
    );
}

/// The status was moved, and then the server refuses the rest: nothing harmful is left behind, and
/// the same call again does what is left.
#[test]
fn half_of_a_skip() {
    let server = server();
    server.fault(
        Match::path(REPORT).method("PATCH"),
        Fault::Status(422).times(1),
    );
    let skip = ["resume", "report", "--catch-up=skip", "-yq"];
    let ran = call(&server, &skip);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert!(
        ran.stderr
            .ends_with(" (1 of 2 changes was made, and is harmless)\n"),
        "{}",
        ran.stderr
    );
    check(
        &call(&server, &skip),
        &fine("cronjob.batch/report resumed\n"),
    );
    let paths: Vec<String> = changes(&server)
        .iter()
        .map(|line| line.split(['?', ' ']).nth(1).unwrap().to_owned())
        .collect();
    let status = format!("{REPORT}/status");
    assert_eq!(paths, [&status, REPORT, REPORT]);
}

/// The server is warned about; so are we.
#[test]
fn warnings() {
    let server = server();
    server.warn(Match::any().method("PATCH"), "careful");
    let ran = call(&server, &["suspend", "nightly", "-y", "-o", "name"]);
    assert!(ran.stderr.ends_with("warning: careful\n"), "{}", ran.stderr);
    let quiet = call(&server, &["resume", "nightly", "-yq"]);
    check(&quiet, &fine_but("cronjob.batch/nightly resumed\n", ""));
}
