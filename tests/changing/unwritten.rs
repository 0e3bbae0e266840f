//! Results and messages that cannot be written: the confirmed changes are still made, and the exit code
//! shows that the output is incomplete.

use std::fs::OpenOptions;
use std::process::{Child, Stdio};

use crate::changing::prelude::*;
use crate::live::backfill::made;

/// A pipe without a reader, and a device that is always full, each with its error.
fn outputs() -> [(Stdio, &'static str); 2] {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    [
        (writer.into(), "Broken pipe (os error 32)"),
        (full.into(), "No space left on device (os error 28)"),
    ]
}

/// The messages and the exit code of a call whose results go to `stdout`.
fn run(server: &ApiServer, arguments: impl CommandLine, stdout: Stdio) -> (String, Option<i32>) {
    printed(call_at_now(server, arguments).stdout(stdout).start())
}

fn printed(child: Child) -> (String, Option<i32>) {
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (stderr, output.status.code())
}

/// The messages and the exit code if the changes were made and their result cannot be written.
fn unwritten(said: &str, why: &str) -> (String, Option<i32>) {
    let said = format!("{said}\nerror: cannot write the result: {why}\n");
    (said, Some(2))
}

#[test]
fn suspend_without_stdout_suspends_all() {
    for format in ["", "-o name", "-o json"] {
        for (stdout, why) in outputs() {
            let server = server();
            let arguments = "suspend hourly nightly import -yq";
            let ran = run(&server, (arguments, format), stdout);
            assert_eq!(ran, unwritten("2 suspended", why), "{format:?}");
            assert!(is_suspended(&server, "hourly") && is_suspended(&server, "nightly"));
        }
    }
}

#[test]
fn suspend_without_stdout_reports_what_failed() {
    let server = server();
    let hourly = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/hourly").method("PATCH");
    server.fault(hourly, Fault::Status(422));
    let [(closed, why), _] = outputs();
    let ran = run(&server, "suspend hourly nightly -yq", closed);
    let said = "error: cronjob.batch/hourly: from server (Unknown): the test wanted it so\n\
                1 suspended; 1 not suspended: shop/hourly";
    assert_eq!(ran, unwritten(said, why));
}

#[test]
fn suspend_without_stderr_suspends_all() {
    for (stderr, _) in outputs() {
        let server = server();
        let arguments = "suspend hourly nightly --yes";
        let child = call_at_now(&server, arguments).stderr(stderr).start();
        let output = child.wait_with_output().unwrap();
        let lines = "cronjob.batch/hourly suspended\ncronjob.batch/nightly suspended\n";
        assert_eq!(String::from_utf8(output.stdout).unwrap(), lines);
        assert_eq!(output.status.code(), Some(2));
        assert!(is_suspended(&server, "hourly") && is_suspended(&server, "nightly"));
    }
}

#[test]
fn changes_without_stdout_are_made() {
    for (arguments, said, count) in [
        ("resume report import --catch-up=skip", "2 resumed", 3),
        ("trigger hourly nightly", "2 created", 2),
        ("trigger --job job/failed", "1 created", 1),
    ] {
        for (stdout, why) in outputs() {
            let server = server();
            server.add(failed());
            let mut second = cron_job("shop", "second", "5 * * * *");
            second["status"] = json!({"lastScheduleTime": "2026-11-21T02:05:00Z"});
            server.add(second);
            let ran = run(&server, (arguments, "-yq"), stdout);
            assert_eq!(ran, unwritten(said, why), "{arguments:?}");
            assert_eq!(changes(&server).len(), count, "{arguments:?}");
            let is_resumed = !is_suspended(&server, "report") && !is_suspended(&server, "import");
            assert_eq!(is_resumed, arguments.starts_with("resume"));
        }
    }
}

fn failed() -> Value {
    let mut failed = job("shop", "report", "2026-11-20T02:00:00Z", None);
    failed["metadata"]["name"] = json!("failed");
    failed["status"] = ended_status("Failed", [STARTED, ENDED]);
    failed
}

/// The Job continues, and its progress could not be printed any more.
#[test]
fn trigger_logs_without_stdout_stops_waiting() {
    let server = server();
    let [(closed, why), _] = outputs();
    let arguments = "trigger nightly -yq --name=again --wait";
    let ran = run(&server, arguments, closed);
    let said = "job.batch/again has not started\n1 created";
    assert_eq!(ran, unwritten(said, why));
}

/// The test plays the Job controller.
#[test]
fn backfill_without_stdout_runs_all() {
    for (stdout, why) in outputs() {
        let server = server();
        let arguments = "backfill report --since=3d -yq";
        let child = call_at_now(&server, arguments).stdout(stdout).start();
        for job in ["report-29917560", "report-29919000", "report-29920440"] {
            made(&server, job);
            finish(&server, job, "Complete");
        }
        assert_eq!(printed(child), unwritten("3 created", why));
    }
}

/// Nothing is changed, and the reader of the pipe has seen enough, as with the verbs that only read.
#[test]
fn dry_run_into_a_closed_pipe_is_quiet() {
    for verb in [
        "suspend nightly",
        "resume import",
        "trigger nightly",
        "backfill report --last=1",
    ] {
        let [(closed, _), (full, why)] = outputs();
        let arguments = (verb, "--dry-run");
        let ran = run(&server(), arguments, closed);
        assert_eq!(ran, (String::new(), Some(0)), "{arguments:?}");
        let (said, code) = run(&server(), arguments, full);
        assert_ends!(said, &format!(": {why}\n"));
        assert_eq!(code, Some(2));
    }
}
