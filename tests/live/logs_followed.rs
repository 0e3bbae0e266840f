//! `logs --follow`: the tests act as the Job controller and the kubelet.

#![allow(
    clippy::needless_pass_by_value,
    reason = "the objects of a test are written where they are used"
)]

use crate::live::logs::{JOB, backup, container, ended, failed, logs, pod, put, write};
use crate::live::prelude::*;

const SCHEDULED: &str = "2026-11-21T02:00:00Z";

fn running() -> Value {
    json!({"running": {"startedAt": "2026-11-21T02:12:08Z"}})
}

fn name(suffix: &str) -> String {
    format!("{JOB}-{suffix}")
}

/// Follows the logs of `backup`.
fn following(server: &ApiServer, more: impl CommandLine) -> RunningCall {
    let arguments = ("logs backup -f", NOW, more);
    RunningCall::start(Call::by(server, "admin", arguments))
}

/// A server with a running Job.
fn server_with_job() -> ApiServer {
    backup(&[job("shop", "backup", SCHEDULED, None)])
}

/// Follows a Job whose two pods run at the same time, until both logs are read.
fn following_two_pods() -> (ApiServer, RunningCall) {
    let mut job = job("shop", "backup", SCHEDULED, None);
    job["spec"]["parallelism"] = json!(2);
    let server = backup(&[job]);
    for suffix in ["aaaaa", "bbbbb"] {
        put(&server, suffix, "02:12:00", "Running", running());
        write(&server, suffix, "");
    }
    let going = following(&server, "");
    let is_log = |one: &&Recorded| one.path.ends_with("/log");
    server.wait_for(|requests| requests.iter().filter(is_log).count() == 2);
    (server, going)
}

fn finish(server: &ApiServer, status: &Value) {
    server.edit("batch/v1", "Job", "shop", JOB, |job| {
        job["status"] = status.clone();
    });
}

#[test]
fn later_attempts_are_picked_up_until_the_job_fails() {
    let server = server_with_job();
    put(&server, "aaaaa", "02:12:00", "Running", running());
    write(&server, "aaaaa", "one\n");
    let going = following(&server, "");
    assert!(going.message().starts_with("-- Job "));
    assert!(going.message().contains("pod backup-29920440-aaaaa"));
    going.expect_line("one");
    write(&server, "aaaaa", "uno\n");
    going.expect_line("uno");
    server.end_log("shop", &name("aaaaa"), "main");
    let end = ended(1, "Error", "02:12:08", "02:13:00");
    put(&server, "aaaaa", "02:12:00", "Failed", end);
    let said = going.message();
    assert_contains!(said, "exited with code 1 (Error)");
    write(&server, "bbbbb", "two\n");
    put(&server, "bbbbb", "02:13:10", "Running", running());
    assert!(going.message().contains("pod backup-29920440-bbbbb"));
    going.expect_line("two");
    server.end_log("shop", &name("bbbbb"), "main");
    let end = ended(137, "OOMKilled", "02:13:10", "02:14:00");
    put(&server, "bbbbb", "02:13:10", "Failed", end);
    let said = going.message();
    assert_contains!(said, "exited with code 137 (OOMKilled)");
    let mut job = failed(21, "BackoffLimitExceeded");
    job["status"]["failed"] = json!(2);
    finish(&server, &job["status"]);
    going.message();
    assert_ran!(going.ran(), 1, "one\nuno\ntwo\n");
}

/// Lines of pods that run at the same time are printed as a whole, with their pod as a prefix.
#[test]
fn parallel_pods_are_followed_at_the_same_time() {
    let (server, going) = following_two_pods();
    write(&server, "aaaaa", "half a ");
    write(&server, "bbbbb", "whole line\n");
    going.expect_line(&format!("[pod/{}/main] whole line", name("bbbbb")));
    write(&server, "aaaaa", "line\n");
    going.expect_line(&format!("[pod/{}/main] half a line", name("aaaaa")));
    for suffix in ["aaaaa", "bbbbb"] {
        server.end_log("shop", &name(suffix), "main");
        let end = ended(0, "Completed", "02:12:08", "02:13:00");
        put(&server, suffix, "02:12:00", "Succeeded", end);
    }
    let end = Some("2026-11-21T02:13:00Z");
    finish(&server, &job("shop", "backup", SCHEDULED, end)["status"]);
    assert_eq!(going.end(), (vec![], Some(0)));
}

/// Each start of a container has a log of its own.
#[test]
fn restarted_container_is_followed_again() {
    let server = server_with_job();
    put(&server, "aaaaa", "02:12:00", "Running", running());
    write(&server, "aaaaa", "one\n");
    let going = following(&server, "");
    going.expect_line("one");
    server.end_log("shop", &name("aaaaa"), "main");
    let end = ended(1, "Error", "02:12:08", "02:13:00");
    put(&server, "aaaaa", "02:12:00", "Running", end.clone());
    going.skip_messages(2);
    assert!(going.message().contains("exited with code 1 (Error)"));
    let mut again = container("main", 1, running());
    again["lastState"] = end;
    server.put(pod(JOB, "aaaaa", "02:12:00", "Running", json!([again])));
    going.message();
    // The log of the test server still has the text of the first start.
    going.expect_line("one");
    assert_eq!(going.interrupted().1, Some(130));
}

/// A line without an end neither fills the memory nor delays other logs.
#[test]
fn very_long_lines_of_parallel_pods_are_broken() {
    let (server, going) = following_two_pods();
    let long = "x".repeat(200_000);
    write(&server, "aaaaa", &long);
    write(&server, "bbbbb", "short\n");
    let prefix = |suffix: &str| format!("[pod/{}/main] ", name(suffix));
    let mut long_lines = 0;
    loop {
        let line = going.line();
        if let Some(part) = line.strip_prefix(&prefix("aaaaa")) {
            assert!(part.len() > 64 << 10 && part.bytes().all(|byte| byte == b'x'));
            long_lines += 1;
        } else {
            assert_eq!(line, format!("{}short", prefix("bbbbb")));
            break;
        }
    }
    assert!(long_lines <= 3, "{long_lines}");
    assert_eq!(going.interrupted().1, Some(130));
}

/// The connection to the log is lost after some bytes, and the log is continued from that second.
#[test]
fn interrupted_log_is_continued() {
    let server = server_with_job();
    put(&server, "aaaaa", "02:12:00", "Running", running());
    let path = format!("/api/v1/namespaces/shop/pods/{}/log", name("aaaaa"));
    server.fault(Match::path(&path), Fault::CutOff(4).times(1));
    write(&server, "aaaaa", "one\ntwo\n");
    let going = following(&server, "--tail=5");
    going.expect_line("one");
    server.wait_for(|requests| requests.iter().filter(|one| one.path == path).count() == 2);
    let requests = server.requests();
    let again = requests.iter().rfind(|one| one.path == path).unwrap();
    assert_eq!(again.parameter("sinceTime"), Some("2026-11-21T02:13:08Z"));
    assert_eq!(again.parameter("tailLines"), None);
    // The test server does not know the times of lines, so it sends all of them again.
    going.expect_line("one");
    going.expect_line("two");
    going.skip_messages(2);
    assert!(going.message().starts_with("warning: the log of backup-"));
    assert_eq!(going.interrupted().1, Some(130));
}

#[test]
fn what_keeps_pods_from_starting_is_reported() {
    let server = server_with_job();
    let going = following(&server, "");
    going.message();
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}});
    put(&server, "aaaaa", "02:12:00", "Pending", waiting);
    going.expect_message(&format!(
        "{}: Pending: ImagePullBackOff: no such image",
        name("aaaaa")
    ));
    server.delete("batch/v1", "Job", "shop", JOB);
    let said = going.message();
    assert_ends!(said, "deleted before it finished");
    assert_eq!(going.end(), (vec![], Some(2)));
}

#[test]
fn finished_job_is_printed_and_its_outcome_counts() {
    let server = backup(&[failed(21, "BackoffLimitExceeded")]);
    let end = ended(1, "Error", "02:00:02", "02:01:00");
    for suffix in ["aaaaa", "bbbbb", "ccccc"] {
        put(&server, suffix, "02:00:00", "Failed", end.clone());
        write(&server, suffix, "text\n");
    }
    let ran = logs(&server, "-f");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "text\ntext\ntext\n"));
    let last = ran.stderr.lines().last().unwrap();
    assert_starts!(last, "job.batch/backup-29920440 failed");
    assert_eq!(watches(&server.requests()), 0);
}
