//! `explain --follow`, against an API server on which the test acts as the controller.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::docs_live::cluster;
use crate::live::scene::cron_job;
use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::prelude::*;

const NAMESPACE: &str = "ops";
const CRON_JOB: &str = "replacer";

/// The recorded cluster, half a second before the next run of minutely CronJobs.
fn server() -> ApiServer {
    let server = cluster();
    server.set_date("2026-11-21T02:13:59Z");
    server
}

/// Starts to follow, and acts as the controller once the run is due. Returns what is printed from then
/// on, and the exit code.
fn follow(server: &ApiServer, act: impl FnOnce()) -> (String, Option<i32>) {
    follow_all(server, &[CRON_JOB], act)
}

/// The same for several CronJobs. The run of `replacer` comes first.
fn follow_all(server: &ApiServer, names: &[&str], act: impl FnOnce()) -> (String, Option<i32>) {
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace(NAMESPACE));
    let mut child = program()
        .arg("explain")
        .args(names)
        .args(["--follow", "-q", "--kubeconfig"])
        .arg(kubeconfig)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut waiting = String::new();
    loop {
        let mut line = String::new();
        let read = out.read_line(&mut line).unwrap();
        assert_ne!(read, 0, "it ended early:\n{waiting}");
        if line.starts_with("ops/replacer after") {
            assert_eq!(line, "ops/replacer after Sat 2026-11-21 02:14 UTC\n");
            break;
        }
        waiting.push_str(&line);
    }
    let expected = "expected to delete\n  replacer-29920453 and start replacer-29920454.";
    assert_contains!(waiting, expected);
    act();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    (rest, child.wait().unwrap().code())
}

fn event(cron_job: &str, reason: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "namespace": NAMESPACE,
            "name": format!("{cron_job}.{}", reason.to_lowercase()),
        },
        "involvedObject": {"kind": "CronJob", "namespace": NAMESPACE, "name": cron_job},
        "type": "Normal",
        "reason": reason,
        "message": message,
        "count": 1,
        "firstTimestamp": "2026-11-21T02:14:00Z",
        "lastTimestamp": "2026-11-21T02:14:00Z",
    })
}

fn job(cron_job: &str, name: &str) -> Value {
    let uid = match cron_job {
        CRON_JOB => "a4e4c247-c975-4ef2-b0d9-d09c89c684cc".to_owned(),
        other => format!("uid-of-{other}"),
    };
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "namespace": NAMESPACE,
            "name": name,
            "creationTimestamp": "2026-11-21T02:14:00Z",
            "ownerReferences": [owner_reference("CronJob", cron_job, &uid)],
        },
        "spec": {},
        "status": {},
    })
}

/// What the controller does when it starts a Job of a CronJob.
fn start(server: &ApiServer, cron_job: &str) {
    let name = format!("{cron_job}-29920454");
    server.put(job(cron_job, &name));
    let message = format!("Created job {name}");
    server.put(event(cron_job, "SuccessfulCreate", &message));
    server.edit("batch/v1", "CronJob", NAMESPACE, cron_job, |object| {
        object["status"]["lastScheduleTime"] = json!("2026-11-21T02:14:00Z");
    });
}

fn replace(server: &ApiServer) {
    server.delete("batch/v1", "Job", NAMESPACE, "replacer-29920453");
    let message = "Deleted job replacer-29920453";
    server.put(event(CRON_JOB, "SuccessfulDelete", message));
    start(server, CRON_JOB);
}

#[test]
fn follow_of_the_predicted_start_succeeds() {
    let server = server();
    let (printed, code) = follow(&server, || replace(&server));
    insta::assert_snapshot!(printed);
    assert_eq!(code, Some(0));
}

/// As if the controller behaved differently or was down: the predicted start does not happen, and the output
/// reports it.
#[test]
fn follow_of_another_start_than_predicted_fails() {
    let server = server();
    let (printed, code) = follow(&server, || server.put(job(CRON_JOB, "replacer-odd")));
    insta::assert_snapshot!(printed);
    assert_eq!(code, Some(1));
}

/// `second` is started while `replacer`, which comes first, is compared with its prediction.
#[test]
fn cron_jobs_that_are_due_together_are_both_compared_with_their_prediction() {
    let server = server();
    let mut second = cron_job(NAMESPACE, "second", "* * * * *");
    second["status"]["lastScheduleTime"] = json!("2026-11-21T02:13:00Z");
    server.add(second);
    let (printed, code) = follow_all(&server, &[CRON_JOB, "second"], || {
        replace(&server);
        start(&server, "second");
    });
    let as_predicted = |job: &str| printed.contains(&format!("as predicted Job created: {job}\n"));
    assert!(as_predicted("replacer-29920454"), "{printed}");
    assert!(as_predicted("second-29920454"), "{printed}");
    insta::assert_snapshot!(printed);
    assert_eq!(code, Some(0));
}

/// Nothing is expected of a CronJob that is suspended before its sync.
#[test]
fn suspension_before_the_sync_ends_the_wait() {
    let server = cluster();
    server.set_date("2026-11-21T02:13:10Z");
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace(NAMESPACE));
    let mut child = program()
        .args(["explain", CRON_JOB, "--follow", "-q", "--kubeconfig"])
        .arg(kubeconfig)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    while !printed.ends_with("and start replacer-29920454.\n") {
        assert_ne!(out.read_line(&mut printed).unwrap(), 0, "{printed}");
    }
    server.edit("batch/v1", "CronJob", NAMESPACE, CRON_JOB, |object| {
        object["spec"]["suspend"] = json!(true);
    });
    out.read_to_string(&mut printed).unwrap();
    assert_contains!(printed, "the CronJob was changed");
    assert_contains!(printed, "Nothing to wait for");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
