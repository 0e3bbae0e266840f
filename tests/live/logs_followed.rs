//! `logs --follow`: the tests act as the Job controller and the kubelet.

use crate::live::logs::{JOB, backup, ended, failed, logs, put, write};
use crate::live::prelude::*;

const SCHEDULED: &str = "2026-11-21T02:00:00Z";

fn running() -> Value {
    json!({"running": {"startedAt": "2026-11-21T02:12:08Z"}})
}

fn name(suffix: &str) -> String {
    format!("{JOB}-{suffix}")
}

/// A server with a running Job.
fn server_with_job() -> ApiServer {
    backup(&[job("shop", "backup", SCHEDULED, None)])
}

/// Follows the log of `backup`.
fn following(server: &ApiServer, more: impl CommandLine) -> RunningCall {
    let arguments = ("logs backup -f", NOW, more);
    RunningCall::start(Call::by(server, "admin", arguments))
}

/// Follows the log of a pod until it has ended with an exit code: what was said about the end, and the exit code of
/// the command.
fn followed_to(code: i32, reason: &str) -> (String, Option<i32>) {
    let server = server_with_job();
    put(&server, "aaaaa", "02:12:00", "Running", running());
    write(&server, "aaaaa", "one\n");
    let going = following(&server, "--tail=5");
    going.skip_messages(2);
    going.expect_line("one");
    write(&server, "aaaaa", "uno\n");
    going.expect_line("uno");
    let path = format!("/api/v1/namespaces/shop/pods/{}/log", name("aaaaa"));
    let requests = server.requests_where(|one| one.path == path);
    let parameters = ["follow", "tailLines"].map(|name| requests[0].parameter(name));
    assert_eq!(parameters, [Some("true"), Some("5")]);
    // The kubelet closes the log before it reports the end, and the pod of the next attempt may come first.
    server.end_log("shop", &name("aaaaa"), "main");
    put(&server, "bbbbb", "02:13:10", "Running", running());
    let end = ended(code, reason, "02:12:08", "02:13:00");
    put(&server, "aaaaa", "02:12:00", "Failed", end);
    let said = going.message();
    assert_contains!(going.message(), "kubectl logs -n shop -l job-name=");
    (said, going.end().1)
}

#[test]
fn log_is_followed_until_its_container_ends() {
    let (said, code) = followed_to(1, "Error");
    assert_contains!(said, "exited with code 1 (Error)");
    assert_eq!(code, Some(1));
    let (said, code) = followed_to(0, "Completed");
    assert_contains!(said, "exited with code 0 (Completed)");
    assert_eq!(code, Some(0));
}

/// As kubectl does for a Job.
#[test]
fn start_of_the_container_is_awaited() {
    let server = server_with_job();
    let waiting = json!({"waiting": {"reason": "ContainerCreating"}});
    put(&server, "aaaaa", "02:12:00", "Pending", waiting);
    let going = following(&server, "");
    let is_list = |one: &&Recorded| one.path.ends_with("/pods");
    server.wait_for(|requests| requests.iter().filter(is_list).count() == 1);
    put(&server, "aaaaa", "02:12:00", "Running", running());
    write(&server, "aaaaa", "one\n");
    going.expect_line("one");
    assert_eq!(going.interrupted().1, Some(130));
}

#[test]
fn silent_log_is_followed_beyond_the_request_timeout() {
    let server = server_with_job();
    put(&server, "aaaaa", "02:12:00", "Running", running());
    write(&server, "aaaaa", "one\n");
    let going = following(&server, "--request-timeout=1s");
    going.expect_line("one");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    write(&server, "aaaaa", "two\n");
    going.expect_line("two");
    assert_eq!(going.interrupted().1, Some(130));
}

#[test]
fn finished_job_is_printed_and_the_end_of_its_container_counts() {
    let server = backup(&[failed(21, "BackoffLimitExceeded")]);
    let end = ended(1, "Error", "02:00:02", "02:01:00");
    put(&server, "aaaaa", "02:00:00", "Failed", end);
    write(&server, "aaaaa", "text\n");
    let ran = logs(&server, "-f");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "text\n"));
    assert_eq!(watches(&server.requests()), 0);
}
