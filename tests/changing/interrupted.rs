//! Signals while a change is under way: it ends soon, and says what was changed, what was not, and what
//! is unknown.

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
        let state = &state_file(&server);
        let arguments = ["suspend", "hourly", "nightly", "-yq", "--save-state", state];
        let ran = interrupted(&server, arguments, &[name], patches("hourly"));
        assert_eq!((ran.stdout.as_str(), ran.code), ("", code));
        insta::allow_duplicates! { insta::assert_snapshot!(ran.stderr) };
        let text = fs::read_to_string(state).unwrap();
        assert_contains!(text, r#""uid-of-hourly","reason":null,"suspendedAt""#);
        assert_ends!(text, "}\n");
        assert_lacks!(text, "nightly");
    }
}

calls! {
    /// The server wants to be asked again later: nothing was changed, and that is known.
    interrupt_during_retry_after_reports_nothing_as_unknown(server) {
        let busy = Fault::TooManyRequests { retry_after: 60 };
        server.fault(Match::path(HOURLY).method("PATCH"), busy);
    } interrupted(&server, "suspend hourly nightly -yq", &["INT"], patches("hourly")) => 130, "";
    /// Neither the answer nor a look at the object arrives.
    interrupt_during_a_hanging_look_reports_it_as_unknown(server) {
        let cut = Fault::CutOff(10).times(1);
        server.fault(Match::path(HOURLY).method("PATCH"), cut);
        server.fault(Match::path(HOURLY).method("GET"), Fault::Hang);
        let looks = |one: &Recorded| one.method == "GET" && one.path == HOURLY;
    } interrupted(&server, "suspend hourly -yq", &["INT"], looks) => 130;
    /// What was answered is told as usual.
    interrupt_between_two_changes_reports_what_is_left(server) {
        add_like_report(&server, &["other"]);
        let arguments = "resume report other -yq --catch-up=run --stagger=60s";
    } interrupted(&server, arguments, &["INT"], patches("report"))
        => 130, "cronjob.batch/report resumed\n";
    /// Half of a skip was done, and the other half hangs.
    interrupt_during_the_second_half_of_a_skip_says_what_was_changed(server) {
        let report = "/apis/batch/v1/namespaces/shop/cronjobs/report";
        server.fault(Match::path(report).method("PATCH"), Fault::Hang);
        let second = |one: &Recorded| one.method == "PATCH" && one.path == report;
    } interrupted(&server, "resume report -yq --catch-up=skip", &["INT"], second) => 130;
    /// The name is chosen beforehand, so that somebody can look for the Job.
    interrupt_during_a_hanging_post_names_the_job {}
        interrupted_post("trigger nightly -yq --name=again") => 130, "";
    interrupt_during_a_hanging_post_names_the_runs {}
        interrupted_post("backfill report --last=2 -yq") => 130, "";
}

/// Interrupts a call whose first Job is not answered.
fn interrupted_post(arguments: &str) -> Ran {
    let server = server();
    server.fault(Match::path(JOBS).method("POST"), Fault::Hang);
    let posts = |one: &Recorded| one.method == "POST" && one.path == JOBS;
    interrupted(&server, arguments, &["INT"], posts)
}

/// The second one ends it at once: there may be no summary.
#[test]
fn second_interrupt_ends_at_once() {
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

/// In the middle of the question that is asked again.
#[test]
fn interrupt_at_the_second_question_changes_nothing() {
    let server = server();
    let edit = || forbid_while_running(&server);
    let asked = asked!(&server, "resume report", &["run", "\x03"], edit);
    assert_ends!(asked.screen, "\n0 resumed; 1 not resumed: shop/report\n");
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
