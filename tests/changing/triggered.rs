//! `trigger --wait` and `--logs`: what is printed while the Job runs. The test plays the Job
//! controller and the kubelet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::changing::prelude::*;
use crate::changing::terminal::at_terminal;
use crate::live::scene::pod_in_state;
use crate::support::apiserver::Scripted;

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
const AGAIN: &str = "/apis/batch/v1/namespaces/shop/jobs/again";
const POD: &str = "again-x7k2p";
const LOG: &str = "/api/v1/namespaces/shop/pods/again-x7k2p/log";
const IMAGE: &str = "registry.example.com/main:1.4";

fn begin(server: &ApiServer, more: impl CommandLine) -> RunningCall {
    let arguments = ("trigger nightly -y --name=again", more);
    RunningCall::start(call_at_now(server, arguments))
}

/// Starts the Job `again` of `shop/nightly`, and waits until it is created and all watches are open.
fn start(server: &ApiServer, more: impl CommandLine) -> RunningCall {
    let going = begin(server, more);
    server.wait_for(|requests| watches(requests) == 3);
    going
}

/// The same, after the output up to the line that reports its creation.
fn started(server: &ApiServer, more: impl CommandLine) -> RunningCall {
    let going = start(server, more);
    going.skip_messages(3);
    going.line();
    going
}

/// The same, but the response to the creation is lost, and the Job has ended before the call can read it: no
/// watch reports its end.
fn started_and_over(
    server: &ApiServer,
    more: impl CommandLine,
    end: impl FnOnce(&ApiServer),
) -> RunningCall {
    let cut = Fault::CutOff(10).times(1);
    server.fault(Match::path(JOBS).method("POST"), cut);
    let later = Fault::TooManyRequests { retry_after: 1 };
    server.fault(Match::path(AGAIN), later);
    let going = begin(server, more);
    server.wait_for_request(|one| one.path == AGAIN);
    end(server);
    server.clear_faults();
    going.skip_messages(3);
    let lost = going.message();
    assert_starts!(lost, "the response was lost (the response from ");
    assert_ends!(lost, "), but the change was made");
    going.line();
    going
}

fn again(server: &ApiServer) -> Option<Value> {
    server.object("batch/v1", "Job", "shop", "again")
}

fn uid(server: &ApiServer) -> Value {
    again(server).unwrap()["metadata"]["uid"].clone()
}

fn log_requests(server: &ApiServer) -> Vec<Recorded> {
    server.requests_where(|one| one.path.ends_with("/log"))
}

/// Writes the whole log of a pod's container.
fn write_log(server: &ApiServer, pod: &str, text: &str) {
    server.log("shop", pod, "main", text);
    server.end_log("shop", pod, "main");
}

/// A pod of the Job, with one container that is in a state.
fn pod(server: &ApiServer, name: &str, phase: &str, state: &Value) -> Value {
    let status = [json!(phase), state.clone()];
    let created = "2026-11-21T02:13:09Z";
    pod_in_state(server, ["shop", "again", name], created, status)
}

fn put_pod(server: &ApiServer, name: &str, phase: &str, state: &Value) {
    server.put(pod(server, name, phase, state));
}

fn running() -> Value {
    json!({"running": {"startedAt": "2026-11-21T02:13:10Z"}})
}

fn ended(exit_code: i32) -> Value {
    let reason = if exit_code == 0 { "Completed" } else { "Error" };
    json!({"terminated": {"exitCode": exit_code, "reason": reason}})
}

/// Records a warning event about the Job.
fn record(server: &ApiServer, reason: &str, message: &str) {
    server.put(json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "shop", "name": format!("again.{}", reason.to_lowercase())},
        "involvedObject": {"kind": "Job", "namespace": "shop", "name": "again", "uid": uid(server)},
        "type": "Warning", "reason": reason, "message": message,
    }));
}

#[test]
fn trigger_wait_reports_progress_until_the_job_is_complete() {
    let server = server();
    let going = started(&server, "--wait");
    let exceeded = "Error creating: exceeded quota: pods";
    record(&server, "FailedCreate", exceeded);
    going.message();
    let put = |phase: &str, state: Value| put_pod(&server, POD, phase, &state);
    let waiting =
        |reason: &str, message: &str| json!({"waiting": {"reason": reason, "message": message}});
    let no_image = waiting("ErrImagePull", "no such image");
    let back_off = waiting("ImagePullBackOff", "Back-off");
    for state in [json!({}), no_image.clone(), back_off] {
        put("Pending", state);
        going.message();
    }
    // The container alternates between these two states, which are reported once.
    put("Pending", no_image);
    put("Running", running());
    going.message();
    put("Succeeded", ended(0));
    going.message();
    finish(&server, "again", "Complete");
    assert_ran!(going.ran(), 0);
    // What is watched is the Job, its pods, and the events about it.
    let watches = server.requests_where(Recorded::is_watch);
    let line = |one: &Recorded| {
        let selector = one.parameter("labelSelector");
        let selector = selector.or(one.parameter("fieldSelector"));
        format!("{} {}", one.path, selector.unwrap())
    };
    let mut watches: Vec<String> = watches.iter().map(line).collect();
    watches.sort();
    let expected = [
        "/api/v1/namespaces/shop/events involvedObject.kind=Job,involvedObject.name=again",
        "/api/v1/namespaces/shop/pods job-name=again",
        "/apis/batch/v1/namespaces/shop/jobs metadata.name=again",
    ];
    assert_eq!(watches, expected);
}

calls! {
    trigger_wait_finds_a_job_that_completed_unseen(server) {
        let going = started_and_over(&server, "--wait", |server| finish(server, "again", "Complete"));
    } going.ran() => 0;
    trigger_wait_fails_after_its_timeout(server) {}
        call(&server, "trigger nightly -yq --name=again --wait=0s")
        => 2, "job.batch/again created\n";
    interrupt_leaves_the_job(server) {
        let going = started(&server, "--wait");
        going.interrupt();
        going.message();
    } going.ran() => 130 => again(&server).is_some();
    deleted_job_is_an_error(server) {
        let going = started(&server, "--wait");
        server.delete("batch/v1", "Job", "shop", "again");
        going.message();
    } going.ran() => 2;
    /// The history limit leaves no space for the Job: it is deleted as soon as it has ended.
    trigger_wait_sees_the_end_of_a_job_deleted_right_after(server) {
        let going = started(&server, "--wait");
        finish(&server, "again", "Complete");
        server.delete("batch/v1", "Job", "shop", "again");
    } going.ran() => 0;
    trigger_logs_shows_the_log_of_a_job_that_failed_unseen(server) {
        let going = started_and_over(&server, "--logs", |server| {
            write_log(server, POD, "oops\n");
            put_pod(server, POD, "Failed", &ended(3));
            finish(server, "again", "Failed");
        });
        going.skip_messages(2);
        going.skip_lines(2);
    } going.ran() => 1;
    trigger_wait_exits_with_1_when_the_job_fails(server) {
        let going = started(&server, "--wait");
        put_pod(&server, POD, "Failed", &ended(3));
        going.message();
        finish(&server, "again", "Failed");
        going.line();
        going.skip_messages(2);
    } going.ran() => 1;
    /// A Job may have ended before the watch has reported its pod.
    trigger_logs_shows_the_log_of_a_job_that_is_over(server) {
        let going = start(&server, "-q --logs");
        going.line();
        finish(&server, "again", "Complete");
        write_log(&server, POD, "quick\n");
        put_pod(&server, POD, "Succeeded", &ended(0));
        going.line();
    } going.ran() => 0;
    /// A history limit of 0 deletes the Job first.
    job_of_rm_may_be_deleted_by_others(server) {
        let going = started(&server, "--rm");
        finish(&server, "again", "Complete");
        server.delete("batch/v1", "Job", "shop", "again");
        going.message();
    } going.ran() => 0;
    /// By then, another Job has the name.
    rm_leaves_another_job_of_the_name_alone(server) {
        let going = started(&server, "--rm");
        server.fault(Match::path(AGAIN).method("DELETE"), Fault::Hold);
        finish(&server, "again", "Complete");
        server.wait_for_request(|one| one.method == "DELETE");
        server.edit("batch/v1", "Job", "shop", "again", |job| {
            job["metadata"]["uid"] = json!("another");
        });
        server.clear_faults();
        going.message();
    } going.ran() => 0 => again(&server).is_some();
    job_of_rm_stays_after_an_interrupt(server) {
        let going = started(&server, "--rm");
        going.interrupt();
        going.skip_messages(2);
    } going.ran() => 130 => again(&server).is_some();
    job_of_rm_that_cannot_be_deleted_is_reported(server) {
        let going = started(&server, "--rm");
        server.fault(Match::path(AGAIN).method("DELETE"), Fault::Status(422));
        finish(&server, "again", "Complete");
        going.skip_messages(2);
    } going.ran() => 2;
    rm_requires_the_right_to_delete_jobs(server) {
        server.deny(|attempt| attempt.verb == "delete");
    } call(&server, "trigger nightly -yq --name=again --rm") => 2 => changes(&server).is_empty();
    sidecar_that_keeps_the_job_running_is_named(server) {
        let going = started(&server, "--wait");
        let [istio, image] = ["istio-proxy", "docker.io/istio/proxyv2:1.24.0"];
        let mut held = pod(&server, POD, "Running", &ended(0));
        held["spec"]["containers"] = json!([
            {"name": "main", "image": IMAGE}, {"name": istio, "image": image},
        ]);
        let statuses = &mut held["status"]["containerStatuses"];
        statuses[0]["state"]["terminated"]["finishedAt"] = json!("2026-11-21T02:00:00Z");
        let mut proxy = statuses[0].clone();
        proxy["name"] = json!(istio);
        proxy["image"] = json!(image);
        proxy["state"] = running();
        *statuses = json!([statuses[0], proxy]);
        server.put(held);
        going.message_where(|line| line.contains("container istio-proxy (Istio) keeps running"));
        going.message_where(|line| line.contains("to prevent it, set the annotation"));
        going.interrupt();
    } going.ran() => 130;
    /// The kubelet does not end the log of a container that has ended. The call does not wait for that
    /// indefinitely, and still shows the logs after it.
    log_that_stays_open_does_not_outlast_the_job(server) {
        let going = start(&server, "-q --logs");
        going.line();
        server.log("shop", POD, "main", "one\n");
        put_pod(&server, POD, "Running", &running());
        going.line();
        write_log(&server, "again-second", "two\n");
        put_pod(&server, "again-second", "Succeeded", &ended(0));
        put_pod(&server, POD, "Failed", &ended(1));
        finish(&server, "again", "Complete");
        going.line();
        going.message();
    } going.ran() => 0;
    /// A kubelet that never has the log does not keep the call from ending.
    log_that_is_never_available_is_given_up(server) {
        server.fault(Match::path(LOG), Fault::Status(400));
        let going = started(&server, "--logs");
        put_pod(&server, POD, "Running", &running());
        going.message_where(|line| line.starts_with("warning: cannot read the log of "));
        finish(&server, "again", "Complete");
    } going.ran() => 0 => log_requests(&server).len() == 6;
    /// Without permission to read pods, the call still follows the Job.
    trigger_wait_without_the_right_to_pods_warns(server) { server.deny(|attempt| attempt.resource == "pods"); }
        call(&server, "trigger nightly -y --name=again --wait=0s")
        => 2, "job.batch/again created\n";
    trigger_logs_warns_about_a_log_that_cannot_be_read {} with_log_fault(Fault::Status(500)) => 0;
    /// An HTML page from a proxy on the way is not the log of the container.
    log_that_is_a_page_is_not_shown {} with_log_fault(Fault::Html(200)) => 0;
}

/// A call whose requests for the log are answered with this fault.
fn with_log_fault(fault: Fault) -> Ran {
    let server = server();
    server.fault(Match::path(LOG), fault);
    let going = started(&server, "--logs");
    put_pod(&server, POD, "Running", &running());
    going.skip_messages(3);
    finish(&server, "again", "Complete");
    going.ran()
}

#[test]
fn trigger_wait_survives_an_outage_of_the_server() {
    let server = server();
    let going = started(&server, "--wait");
    server.stop();
    let lost = "warning: connection to the cluster lost, retrying: ";
    assert_starts!(going.message(), lost);
    server.restart();
    finish(&server, "again", "Complete");
    let lines = vec!["job.batch/again succeeded after 30s".to_owned()];
    assert_eq!(going.end(), (lines, Some(0)));
}

#[test]
fn trigger_wait_as_json_has_the_failure_of_the_job() {
    let server = server();
    let going = start(&server, "-q --wait --logs -o json");
    server.log("shop", POD, "main", "to stderr\n");
    put_pod(&server, POD, "Running", &running());
    going.expect_message("to stderr");
    server.end_log("shop", POD, "main");
    finish(&server, "again", "Failed");
    let (lines, code) = going.end();
    let document: Value = serde_json::from_str(&lines.join("\n")).unwrap();
    let expected = json!({
        "jobName": "again", "result": "failed", "durationSeconds": 30,
        "reason": "BackoffLimitExceeded",
        "message": "Job has reached the specified backoff limit",
    });
    assert_eq!(document["items"][0]["observed"], expected);
    assert_eq!(document["items"][0]["applied"], json!(true));
    assert_eq!(code, Some(1));
}

/// On a terminal, what could steer it is escaped.
#[test]
fn trigger_logs_does_not_steer_the_terminal() {
    let server = server();
    let is_over = AtomicBool::new(false);
    let session = thread::scope(|scope| {
        scope.spawn(|| {
            while changes(&server).is_empty() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                thread::yield_now();
            }
            server.log("shop", POD, "main", "\u{1b}]0;title\u{7}\u{1b}[2J\n");
            put_pod(&server, POD, "Running", &running());
            server.end_log("shop", POD, "main");
            finish(&server, "again", "Complete");
        });
        let arguments = "trigger nightly --name=again --yes --logs";
        let session = at_terminal(&server, arguments, &[], || {});
        is_over.store(true, Ordering::Relaxed);
        session
    });
    let Some(session) = session else { return };
    assert_eq!(session.code, 0);
    assert_contains!(session.screen, "\\u{1b}]0;title\\u{7}\\u{1b}[2J\n");
}

/// Two pods, one after the other: the first fails. What the second writes is shown when the first
/// writes no more.
#[test]
fn trigger_logs_shows_the_logs_of_two_pods_in_turn() {
    let server = server();
    // The kubelet is behind the API server.
    let too_soon = Fault::Status(400).times(1);
    server.fault(Match::path(LOG), too_soon);
    let going = started(&server, "--logs");
    server.log("shop", POD, "main", "one\ntwo\n");
    put_pod(&server, POD, "Running", &running());
    going.skip_messages(2);
    assert_eq!([going.line(), going.line()], ["one", "two"]);
    server.log("shop", "again-second", "main", "three\n");
    put_pod(&server, "again-second", "Running", &running());
    going.message();
    server.log("shop", POD, "main", "oops\n");
    going.line();
    put_pod(&server, POD, "Failed", &ended(1));
    going.message();
    server.end_log("shop", POD, "main");
    going.message();
    going.line();
    finish(&server, "again", "Complete");
    server.log("shop", "again-second", "main", "done\n");
    going.line();
    server.end_log("shop", "again-second", "main");
    assert_ran!(going.ran(), 0);
    let log = |one: &Recorded| {
        let [container, follow] = ["container", "follow"].map(|name| one.parameter(name).unwrap());
        assert_eq!((container, follow), ("main", "true"));
        one.path.clone()
    };
    let logs: Vec<String> = log_requests(&server).iter().map(log).collect();
    let second = "/api/v1/namespaces/shop/pods/again-second/log";
    assert_eq!(logs, [LOG, LOG, second]);
}

#[test]
fn trigger_logs_without_its_rights_creates_no_job() {
    let rights = ["watch jobs ", "list pods ", "watch pods ", "get pods log"];
    let errors = rights.map(|right| {
        let server = server();
        server.deny(move |attempt| {
            [&*attempt.verb, &attempt.resource, &attempt.subresource].join(" ") == right
        });
        let ran = call(&server, "trigger nightly -yq --logs");
        assert!(changes(&server).is_empty());
        ran.refused()
    });
    insta::assert_snapshot!(errors.concat());
    // A user with permission to read only cannot create a Job.
    let ran = call_as(&server(), "viewer", "trigger nightly -yq --wait");
    assert_ran!(ran, 2);
}

/// Two Jobs at the same time: each is reported, and one that fails is enough for the exit code.
#[test]
fn trigger_wait_with_one_failed_job_of_two_exits_with_1() {
    let server = server();
    let arguments = ["trigger", "nightly", "hourly", "-yq", "--wait", NOW];
    let going = RunningCall::start(Call::by(&server, "admin", arguments));
    let name = |line: String| {
        let line = line.strip_prefix("job.batch/").unwrap();
        line.strip_suffix(" created").unwrap().to_owned()
    };
    let names = [name(going.line()), name(going.line())];
    finish(&server, &names[1], "Failed");
    let failed = going.line();
    let expected = format!("job.batch/{} failed after 30s: ", names[1]);
    assert_starts!(failed, &expected);
    finish(&server, &names[0], "Complete");
    let lines = vec![format!("job.batch/{} succeeded after 30s", names[0])];
    assert_eq!(going.end(), (lines, Some(1)));
}

/// The Job is deleted after its end was shown, and with it its pods.
#[test]
fn job_of_rm_is_deleted_after_it_has_failed() {
    let server = server();
    let going = started(&server, "--rm");
    let uid = uid(&server);
    put_pod(&server, POD, "Failed", &ended(3));
    going.message();
    finish(&server, "again", "Failed");
    going.expect_line("job.batch/again failed after 30s: BackoffLimitExceeded: Job has reached the specified backoff limit");
    let ran = going.ran();
    assert_eq!(ran.code, 1);
    assert_ends!(ran.stdout, "\njob.batch/again deleted\n");
    let deleting = &server.requests_where(|one| one.method == "DELETE")[0];
    assert_eq!(deleting.path, AGAIN);
    let expected = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
        "preconditions": {"uid": uid},
    });
    assert_eq!(deleting.json(), expected);
    assert!(again(&server).is_none());
}

/// If the response is lost, the Job is read, and the deletion is requested again if the Job still exists.
#[test]
fn rm_without_an_answer_finds_out_what_happened() {
    let deleted = |fault: Scripted, expected: (i32, usize, bool)| {
        let server = server();
        let going = started(&server, "--rm");
        server.fault(Match::path(AGAIN).method("DELETE"), fault);
        finish(&server, "again", "Complete");
        let mut said = String::new();
        while let Some(line) = going.message_before_end() {
            said += &format!("{line}\n").replace(&server.url(), "SERVER");
        }
        let code = going.ran().code;
        let sent = changes(&server);
        let sent = sent.iter().filter(|one| one.starts_with("DELETE"));
        let outcome = (code, sent.count(), again(&server).is_some());
        assert_eq!(outcome, expected, "{said}");
        said
    };
    deleted(Fault::CutOff(10).times(1), (0, 1, false));
    deleted(Fault::Reset.times(1), (0, 2, false));
    let said = deleted(Fault::Status(500).times(2), (2, 2, true));
    insta::assert_snapshot!(said);
}

/// The end of the log is shown with the reason, and a termination message keeps its lines.
#[test]
fn failed_job_shows_the_end_of_its_log() {
    let server = server();
    let log = "one\ntwo\nFATAL: no \u{1b}[31mpassword\n";
    write_log(&server, POD, log);
    let going = started(&server, "--wait");
    let end = json!({"terminated": {
        "exitCode": 3, "reason": "Error", "message": "cannot connect\n\tuser \"backup\"\u{7}\n",
    }});
    put_pod(&server, POD, "Failed", &end);
    going.expect_message("again-x7k2p: Failed: Error: cannot connect");
    going.expect_message("      user \"backup\"\\u{7}");
    finish(&server, "again", "Failed");
    let said = std::iter::from_fn(|| going.message_before_end());
    let said: Vec<String> = said.collect();
    let end = [
        "Last 3 lines of the log of container main of pod again-x7k2p:",
        "| one",
        "| two",
        r"| FATAL: no \u{1b}[31mpassword",
    ];
    assert!(said.ends_with(&end.map(str::to_owned)), "{said:#?}");
    assert_eq!(going.ran().code, 1);
}

/// --logs has shown it already.
#[test]
fn log_that_was_streamed_is_not_repeated() {
    let server = server();
    write_log(&server, POD, "one\ntwo\n");
    let going = started(&server, "--logs");
    put_pod(&server, POD, "Failed", &ended(3));
    assert_eq!([going.line(), going.line()], ["one", "two"]);
    finish(&server, "again", "Failed");
    while let Some(line) = going.message_before_end() {
        assert_lacks!(line, "Last 2 lines");
    }
    assert_eq!((log_requests(&server).len(), going.ran().code), (1, 1));
}
