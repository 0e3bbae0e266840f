//! `explain --follow`, against an API server on which the test plays the controller.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::docs_live::cluster;
use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::prelude::*;

const NAMESPACE: &str = "ops";
const CRON_JOB: &str = "replacer";

/// The recorded cluster, half a second before the next slot of minutely CronJobs.
fn server() -> ApiServer {
    let server = cluster();
    server.set_date("2026-11-21T02:13:59Z");
    server
}

/// Begins to follow, and plays the controller once the moment has come. What is printed from then
/// on is returned, with the exit code.
fn follow(server: &ApiServer, play: impl FnOnce()) -> (String, Option<i32>) {
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace(NAMESPACE));
    let mut child = program()
        .args(["explain", CRON_JOB, "--follow", "-q", "--kubeconfig"])
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
    play();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    (rest, child.wait().unwrap().code())
}

fn event(reason: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": NAMESPACE, "name": reason.to_lowercase()},
        "involvedObject": {"kind": "CronJob", "namespace": NAMESPACE, "name": CRON_JOB},
        "type": "Normal",
        "reason": reason,
        "message": message,
        "count": 1,
        "firstTimestamp": "2026-11-21T02:14:00Z",
        "lastTimestamp": "2026-11-21T02:14:00Z",
    })
}

fn job(name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "namespace": NAMESPACE,
            "name": name,
            "creationTimestamp": "2026-11-21T02:14:00Z",
            "ownerReferences":
                [owner_reference("CronJob", CRON_JOB, "a4e4c247-c975-4ef2-b0d9-d09c89c684cc")],
        },
        "spec": {},
        "status": {},
    })
}

#[test]
fn it_happens_as_predicted() {
    let server = server();
    let (printed, code) = follow(&server, || {
        server.delete("batch/v1", "Job", NAMESPACE, "replacer-29920453");
        server.put(event("SuccessfulDelete", "Deleted job replacer-29920453"));
        server.put(job("replacer-29920454"));
        server.put(event("SuccessfulCreate", "Created job replacer-29920454"));
        server.edit("batch/v1", "CronJob", NAMESPACE, CRON_JOB, |object| {
            object["status"]["lastScheduleTime"] = json!("2026-11-21T02:14:00Z");
        });
    });
    insta::assert_snapshot!(printed);
    assert_eq!(code, Some(0));
}

/// A controller that is wrong, or down: what is waited for does not come, and that is said.
#[test]
fn it_happens_otherwise() {
    let server = server();
    let (printed, code) = follow(&server, || server.put(job("replacer-odd")));
    insta::assert_snapshot!(printed);
    assert_eq!(code, Some(1));
}
