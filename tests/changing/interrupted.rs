//! Signals during a change: the call ends soon, and reports what was changed, what was not, and what is
//! unknown.

use std::process::{Child, Stdio};
use std::time::Instant;

use crate::changing::prelude::*;

const HOURLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/hourly";
const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";

/// The program ends within a second. A machine that is busy with other tests gets more time, and a call
/// that ignores the signal takes a minute and more.
const SOON: Duration = Duration::from_secs(20);

fn call(server: &ApiServer, arguments: impl CommandLine) -> Call<'_> {
    call_at_now(server, (arguments, "--request-timeout=90s"))
}

/// Starts a call, and sends it signals once a matching request has arrived. Returns its output and exit
/// code.
fn interrupted(
    server: &ApiServer,
    arguments: impl CommandLine,
    signals: &[&str],
    begun: impl Fn(&Recorded) -> bool,
) -> Ran {
    let child = call(server, arguments).start();
    server.wait_for(|requests| requests.iter().any(&begun));
    for name in signals {
        signal::send(name, child.id());
    }
    ended(server, child)
}

fn ended(server: &ApiServer, child: Child) -> Ran {
    let signalled = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
    Ran::of(output).replacing(&server.url(), "SERVER")
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
        let arguments = ["suspend", "hourly", "nightly", "-yq"];
        let ran = interrupted(&server, arguments, &[name], patches("hourly"));
        assert_eq!((ran.stdout.as_str(), ran.code), ("", code));
        insta::allow_duplicates! { insta::assert_snapshot!(ran.stderr) };
    }
}

calls! {
    /// The server answers with Retry-After, so it is known that nothing was changed.
    interrupt_during_retry_after_reports_nothing_as_unknown(server) {
        let busy = Fault::TooManyRequests { retry_after: 60 };
        server.fault(Match::path(HOURLY).method("PATCH"), busy);
    } interrupted(&server, "suspend hourly nightly -yq", &["INT"], patches("hourly")) => 130, "";
    /// Neither the response to the patch nor the object that is read after it arrives.
    interrupt_during_a_hanging_read_reports_it_as_unknown(server) {
        let cut = Fault::CutOff(10).times(1);
        server.fault(Match::path(HOURLY).method("PATCH"), cut);
        server.fault(Match::path(HOURLY).method("GET"), Fault::Hang);
        let reads = |one: &Recorded| one.method == "GET" && one.path == HOURLY;
    } interrupted(&server, "suspend hourly -yq", &["INT"], reads) => 130;
    /// Changes with a response are reported as usual.
    interrupt_between_two_changes_reports_what_is_left(server) {
        add_like_report(&server, &["other"]);
        let arguments = "resume report other -yq --catch-up=run --stagger=60s";
    } interrupted(&server, arguments, &["INT"], patches("report"))
        => 130, "cronjob.batch/report resumed\n";
    /// The first patch of a skip was made, and the second one hangs.
    interrupt_during_the_second_half_of_a_skip_says_what_was_changed(server) {
        let report = "/apis/batch/v1/namespaces/shop/cronjobs/report";
        server.fault(Match::path(report).method("PATCH"), Fault::Hang);
        let second = |one: &Recorded| one.method == "PATCH" && one.path == report;
    } interrupted(&server, "resume report -yq --catch-up=skip", &["INT"], second) => 130;
    /// The name is chosen before the request, so that the user can look for the Job.
    interrupt_during_a_hanging_post_names_the_job {}
        interrupted_post("trigger nightly -yq --name=again") => 130, "";
    interrupt_during_a_hanging_post_names_the_runs {}
        interrupted_post("backfill report --last=2 -yq") => 130, "";
}

/// Interrupts a call whose request for its first Job hangs.
fn interrupted_post(arguments: &str) -> Ran {
    let server = server();
    server.fault(Match::path(JOBS).method("POST"), Fault::Hang);
    let posts = |one: &Recorded| one.method == "POST" && one.path == JOBS;
    interrupted(&server, arguments, &["INT"], posts)
}

/// The call may end without a summary.
#[test]
fn second_interrupt_ends_the_call_immediately() {
    let server = server();
    server.fault(Match::path(HOURLY).method("PATCH"), Fault::Hang);
    let arguments = "suspend hourly nightly -yq";
    let ran = interrupted(&server, arguments, &["INT", "INT"], patches("hourly"));
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 130));
}

#[test]
fn interrupt_while_watching_keeps_the_document() {
    let server = server();
    let arguments = "resume report -yq --catch-up=run --wait -o json";
    let child = Call::by(&server, "admin", arguments).start();
    server.wait_for_watch();
    signal::send("INT", child.id());
    let ran = ended(&server, child);
    let item = ran.json()["items"][0].take();
    assert_eq!(
        json!([item["applied"], item["observed"]]),
        json!([true, null])
    );
    assert_eq!(ran.code, 130);
}

/// The interrupt arrives during the question that is asked again after an edit.
#[test]
fn interrupt_at_the_second_question_changes_nothing() {
    let server = server();
    let edit = || forbid_while_running(&server);
    let asked = asked!(&server, "resume report", &["run", "\x03"], edit);
    assert_ends!(asked.screen, "\n0 resumed; 1 not resumed: shop/report\n");
    assert_eq!(asked.code, 130);
    assert!(is_suspended(&server, "report"));
}

/// `nohup` keeps the call running when the terminal is closed. Only Linux shows whether a signal is ignored.
#[test]
fn hangup_that_is_ignored_does_not_end_the_call() {
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
