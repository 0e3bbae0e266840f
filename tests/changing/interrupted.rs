//! Signals while a change is under way: it ends soon, and says what was changed, what was not, and what
//! is unknown.

use std::io;
use std::process::{Child, Stdio};
use std::time::Instant;

use crate::changing::prelude::*;

const HOURLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/hourly";
const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";

/// The program ends within a second; a machine that is busy with other tests is given some more, and
/// what does not end takes a minute and more.
const SOON: Duration = Duration::from_secs(20);

fn call(server: &ApiServer, arguments: impl CommandLine) -> Call<'_> {
    call_at_now(server, (arguments, "--request-timeout=90s"))
}

/// Starts a call, and sends it signals once such a request has come in. Returns what it then says, and
/// its exit code.
fn interrupted(
    server: &ApiServer,
    arguments: impl CommandLine,
    signals: &[&str],
    begun: impl Fn(&Recorded) -> bool,
) -> (String, String, Option<i32>) {
    let child = call(server, arguments).start();
    server.wait_for(|requests| requests.iter().any(&begun));
    for name in signals {
        signal::send(name, child.id());
    }
    ended(server, child)
}

fn ended(server: &ApiServer, mut child: Child) -> (String, String, Option<i32>) {
    let signalled = Instant::now();
    let code = child.wait().unwrap().code();
    assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
    let stdout = io::read_to_string(child.stdout.take().unwrap()).unwrap();
    let stderr = io::read_to_string(child.stderr.take().unwrap()).unwrap();
    (stdout, stderr.replace(&server.url(), "SERVER"), code)
}

fn patches(name: &'static str) -> impl Fn(&Recorded) -> bool {
    move |one| one.method == "PATCH" && one.path.ends_with(name)
}

/// The request may have arrived, and the server may act on it after the end of the call: the state
/// file names the CronJob.
#[test]
fn interrupt_during_a_hanging_patch_reports_it_as_unknown() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        if name == "HUP" && signal::hangup_is_ignored() {
            continue;
        }
        let server = server();
        server.fault(Match::path(HOURLY).method("PATCH"), Fault::Hang);
        let state = &state_file(&server);
        let arguments = ["suspend", "hourly", "nightly", "-yq", "--save-state", state];
        let ended = interrupted(&server, arguments, &[name], patches("hourly"));
        let said = "\
error: cronjob.batch/hourly: interrupted while waiting for SERVER (PATCH /apis/batch/v1/namespaces/shop/cronjobs/hourly); the change may have been made, or may still be made
0 suspended; 1 unknown: shop/hourly; 1 not suspended: shop/nightly
to continue: run the same command again with a new --save-state file
";
        assert_eq!(ended, (String::new(), said.to_owned(), Some(code)));
        let text = fs::read_to_string(state).unwrap();
        assert_contains!(text, r#""uid-of-hourly","reason":null,"suspendedAt""#);
        assert_ends!(text, "}\n");
        assert_lacks!(text, "nightly");
    }
}

/// The server wants to be asked again later: nothing was changed, and that is known.
#[test]
fn interrupt_during_retry_after_reports_nothing_as_unknown() {
    let server = server();
    let busy = Fault::TooManyRequests { retry_after: 60 };
    server.fault(Match::path(HOURLY).method("PATCH"), busy);
    let arguments = "suspend hourly nightly -yq";
    let (stdout, stderr, code) = interrupted(&server, arguments, &["INT"], patches("hourly"));
    assert_eq!((stdout.as_str(), code), ("", Some(130)));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_starts!(
        lines[0],
        "error: cronjob.batch/hourly: the server responded with 429: "
    );
    assert_lacks!(lines[0], "unknown");
    insta::assert_snapshot!(lines[1]);
}

/// Neither the answer nor a look at the object arrives.
#[test]
fn interrupt_during_a_hanging_look_reports_it_as_unknown() {
    let server = server();
    let cut = Fault::CutOff(10).times(1);
    server.fault(Match::path(HOURLY).method("PATCH"), cut);
    server.fault(Match::path(HOURLY).method("GET"), Fault::Hang);
    let looks = |one: &Recorded| one.method == "GET" && one.path == HOURLY;
    let arguments = "suspend hourly -yq";
    let (_, stderr, code) = interrupted(&server, arguments, &["INT"], looks);
    let summary = "\n0 suspended; 1 unknown: shop/hourly\n";
    assert_ends!(stderr, summary);
    assert_eq!(code, Some(130));
}

/// The second one ends it at once: there may be no summary.
#[test]
fn second_interrupt_ends_at_once() {
    let server = server();
    server.fault(Match::path(HOURLY).method("PATCH"), Fault::Hang);
    let arguments = "suspend hourly nightly -yq";
    let (stdout, _, code) = interrupted(&server, arguments, &["INT", "INT"], patches("hourly"));
    assert_eq!((stdout.as_str(), code), ("", Some(130)));
}

/// What was answered is told as usual.
#[test]
fn interrupt_between_two_changes_reports_what_is_left() {
    let server = server();
    let arguments = "resume report other -yq --catch-up=run --stagger=60s";
    add_like_report(&server, &["other"]);
    let (stdout, stderr, code) = interrupted(&server, arguments, &["INT"], patches("report"));
    let expected = ("cronjob.batch/report resumed\n", Some(130));
    assert_eq!((stdout.as_str(), code), expected);
    insta::assert_snapshot!(stderr);
}

/// Half of a skip was done, and the other half hangs.
#[test]
fn interrupt_during_the_second_half_of_a_skip_says_what_was_changed() {
    let server = server();
    let report = "/apis/batch/v1/namespaces/shop/cronjobs/report";
    server.fault(Match::path(report).method("PATCH"), Fault::Hang);
    let second = |one: &Recorded| one.method == "PATCH" && one.path == report;
    let arguments = "resume report -yq --catch-up=skip";
    let (_, stderr, code) = interrupted(&server, arguments, &["INT"], second);
    let changed = "; status.lastScheduleTime was set to 2026-11-21T02:00:00Z; the change may \
                   have been made, or may still be made\n\
                   0 resumed; 1 unknown: shop/report\n";
    assert_ends!(stderr, changed);
    assert_eq!(code, Some(130));
}

#[test]
fn interrupt_while_watching_keeps_the_document() {
    let server = server();
    let arguments = "resume report -yq --catch-up=run --wait -o json";
    let child = Call::by(&server, "admin", arguments).start();
    let watch = |one: &Recorded| one.is_watch();
    server.wait_for_request(watch);
    signal::send("INT", child.id());
    let (stdout, _, code) = ended(&server, child);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let item = &document["items"][0];
    let expected = [&json!(true), &Value::Null];
    assert_eq!([&item["applied"], &item["observed"]], expected);
    assert_eq!(code, Some(130));
}

/// The name is chosen beforehand, so that somebody can look for the Job.
#[test]
fn interrupt_during_a_hanging_post_names_what_is_unknown() {
    let nightly = "\
error: cronjob.batch/nightly: interrupted while waiting for SERVER (POST /apis/batch/v1/namespaces/shop/jobs); job.batch/again may have been created, or may still be created
0 created; 1 unknown: shop/nightly
";
    let report = "\
error: job.batch/report-29919000: interrupted while waiting for SERVER (POST /apis/batch/v1/namespaces/shop/jobs); job.batch/report-29919000 may have been created, or may still be created
1 run may have been started, or may still be started: 2026-11-20T02:00:00Z
1 run not started: 2026-11-21T02:00:00Z
to continue: kubectl cronjob-doctor backfill report -n shop --since 2026-11-20T02:00:00Z --until 2026-11-21T02:00:00Z
";
    for (arguments, said) in [
        ("trigger nightly -yq --name=again", nightly),
        ("backfill report --last=2 -yq", report),
    ] {
        let server = server();
        server.fault(Match::path(JOBS).method("POST"), Fault::Hang);
        let posts = |one: &Recorded| one.method == "POST" && one.path == JOBS;
        let ended = interrupted(&server, arguments, &["INT"], posts);
        assert_eq!(ended, (String::new(), said.to_owned(), Some(130)));
    }
}

/// In the middle of the question that is asked again.
#[test]
fn interrupt_at_the_second_question_changes_nothing() {
    let server = server();
    let edit = || forbid_while_running(&server);
    let asked = asked!(&server, "resume report", &["run", "\x03"], edit);
    let end = "\n0 resumed; 1 not resumed: shop/report\n";
    assert_ends!(asked.screen, end);
    assert_eq!(asked.code, 130);
    assert!(is_suspended(&server, "report"));
}

/// `nohup` keeps it going when the terminal goes away. Only Linux tells that.
#[test]
fn hangup_that_is_ignored_ends_nothing() {
    let server = server();
    let busy = Fault::TooManyRequests { retry_after: 1 }.times(1);
    server.fault(Match::path(HOURLY).method("PATCH"), busy);
    let script = "trap '' HUP; exec \"$@\"";
    let child = in_shell(&server, script, "suspend hourly -yq")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    server.wait_for_request(patches("hourly"));
    signal::send("HUP", child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(is_suspended(&server, "hourly"));
}
