//! Between the prediction and the change, another client can edit the object, and the response can get
//! lost.

use crate::changing::prelude::*;

const NIGHTLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/nightly";
const REPORT: &str = "/apis/batch/v1/namespaces/shop/cronjobs/report";
const SKIP: &str = "resume report --catch-up=skip -y";

/// The edit is reported. The prediction is still the same, so the change is made for the new version.
#[test]
fn conflict_with_the_same_prediction_is_retried() {
    let server = server();
    let ran = while_waiting(&server, "suspend nightly -y", || {
        set(&server, "nightly", "concurrencyPolicy", "Replace");
    });
    assert_ran!(ran, 0, "cronjob.batch/nightly suspended\n");
    let versions: Vec<String> = patches(&server);
    // The patch is sent to the busy server, then it conflicts, then it changes the object.
    assert_eq!(versions.len(), 3);
    assert_eq!(versions[0], versions[1]);
    assert_ne!(versions[1], versions[2]);
    let nightly = stored(&server, "nightly");
    assert_eq!(nightly["spec"]["concurrencyPolicy"], "Replace");
    assert_eq!(nightly["spec"]["suspend"], json!(true));
}

calls! {
    /// Another run would be the first one to be missed, which was not confirmed.
    suspend_of_another_schedule_is_left_alone(server) {}
        while_waiting(&server, "suspend nightly -y", || another_schedule(&server))
        => 2, "" => stored(&server, "nightly")["spec"]["suspend"] == json!(false);
    /// A Job is running now, and concurrencyPolicy: Forbid prevents a second one, so the confirmed start
    /// would not happen.
    resume_that_would_be_blocked_since_an_edit_is_left_undone(server) {}
        while_waiting(&server, "resume report -y --catch-up=run", || forbid_while_running(&server))
        => 2, "" => is_suspended(&server, "report");
    /// Another client suspended it again for another reason, and ending that suspension was not confirmed.
    resume_after_another_reason_is_left_alone(server) {
        let reason = json!({"cronjob-doctor/suspend-reason": "INCIDENT 42: do not resume"});
        let edit = || set(&server, "import", "metadata.annotations", reason);
    } while_waiting(&server, "resume import -y", edit) => 2, "" => is_suspended(&server, "import");
    /// A run started in the meantime, as scheduled. The confirmed prediction is that none starts from now on.
    suspend_after_another_run_has_the_same_prediction(server) {
        let run = || {
            let job = job("shop", "hourly", "2026-11-21T03:05:00Z", None);
            set(&server, "hourly", "status.active", status_with_active(&job)["active"].take());
        };
    } while_waiting(&server, "suspend hourly -y", run) => 0, "cronjob.batch/hourly suspended\n";
    change_by_another_client_is_reported(server) {
        let suspend = || set(&server, "nightly", "suspend", true);
    } while_waiting(&server, "suspend nightly -y", suspend)
        => 0, "cronjob.batch/nightly already suspended\n";
    /// Another client edits the CronJob between the two changes. The effect of the first change does not
    /// count as such an edit.
    skip_continues_after_an_edit_between_its_two_changes(server) {
        let edit = || set(&server, "report", "metadata.annotations", json!({"run": "by somebody"}));
        let ran = while_patch_waits(&server, Match::path(REPORT), SKIP, edit);
        let report = stored(&server, "report");
        assert_eq!(report["spec"]["suspend"], json!(false));
    } ran => 0, "cronjob.batch/report resumed\n"
        => report["metadata"]["annotations"]["run"] == "by somebody";
    /// The edit changes the prediction, and the message says exactly what was changed before.
    skip_says_what_it_changed_before_an_edit_that_matters(server) {
        let edit = || set(&server, "report", "timeZone", "Mars/Olympus");
        let ran = while_patch_waits(&server, Match::path(REPORT), SKIP, edit);
        let report = stored(&server, "report");
        assert_eq!(report["spec"]["suspend"], json!(true));
    } ran => 2, "" => report["status"]["lastScheduleTime"] == "2026-11-21T02:00:00Z";
    /// The request is lost, and sent once more for the same version.
    suspend_sends_a_lost_request_again(server) {
        server.fault(Match::path(NIGHTLY).method("PATCH"), Fault::Reset.times(1));
        let ran = call(&server, "suspend nightly -yq");
        let versions = patches(&server);
        assert_eq!(versions.len(), 2);
    } ran => 0, "cronjob.batch/nightly suspended\n" => versions[0] == versions[1];
    /// The warnings in responses of the server are passed on, unless --quiet is given.
    warnings_of_the_server_are_shown(server) {
        server.warn(Match::any().method("PATCH"), "careful");
    } call(&server, "suspend nightly -y -o name") => 0;
    warnings_of_the_server_are_hidden_with_quiet(server) {
        server.warn(Match::any().method("PATCH"), "careful");
    } call(&server, "suspend nightly -yq") => 0, "cronjob.batch/nightly suspended\n";
    deleted_object_is_an_error(server) {
        let delete = || server.delete("batch/v1", "CronJob", "shop", "nightly");
    } while_waiting(&server, "suspend nightly -yq", delete) => 2, "";
    /// The change was made, and only the response is lost.
    suspend_with_a_lost_response_is_not_sent_again(server) {
        let cut = Fault::CutOff(10).times(1);
        server.fault(Match::path(NIGHTLY).method("PATCH"), cut);
    } call(&server, "suspend nightly -y")
        => 0, "cronjob.batch/nightly suspended\n" => changes(&server).len() == 1;
    /// After a conflict, the first CronJob cannot be read again. The call still suspends the other one.
    object_that_cannot_be_read_again_does_not_end_the_call(server) {
        let edit = || {
            set(&server, "hourly", "schedule", "6 * * * *");
            let list = Match::path("/apis/batch/v1/namespaces/shop/cronjobs");
            server.fault(list, Fault::Status(403));
        };
    } while_waiting(&server, "suspend hourly nightly -yq", edit)
        => 2, "cronjob.batch/nightly suspended\n";
    /// Neither the patch nor the request that reads its result gets a response.
    change_without_any_answer_is_unknown(server) {
        server.fault(Match::path(NIGHTLY), Fault::Reset);
    } call(&server, "suspend nightly -yq") => 2, "";
}

#[test]
fn suspend_of_another_schedule_is_asked_about_again() {
    for (answer, code, suspend) in [("yes", 0, true), ("no", 2, false)] {
        let server = server();
        let edit = || another_schedule(&server);
        let asked = asked!(&server, "suspend nightly", &["yes", answer], edit);
        let question = format!("Suspend it anyway? [yes/no] {answer}\n");
        assert_contains!(asked.screen, &question);
        assert_eq!(asked.code, code);
        assert_eq!(is_suspended(&server, "nightly"), suspend);
    }
}

fn another_schedule(server: &ApiServer) {
    set(server, "nightly", "schedule", "0 5 * * *");
}

/// The versions for which patches were sent.
fn patches(server: &ApiServer) -> Vec<String> {
    let patches = server.requests_where(|one| one.method == "PATCH");
    let version = |one: &Recorded| one.json()["metadata"]["resourceVersion"].to_string();
    patches.iter().map(version).collect()
}

/// At a terminal the question is asked again.
#[test]
fn resume_that_would_be_blocked_since_an_edit_asks_again() {
    let server = server();
    let edit = || forbid_while_running(&server);
    let asked = asked!(&server, "resume report", &["run", "yes"], edit);
    let end = "Resume it anyway? [yes/no] yes\ncronjob.batch/report resumed\n";
    assert_ends!(asked.screen, end);
    assert_eq!(asked.code, 0);
    assert!(!is_suspended(&server, "report"));
}

/// The connection is lost in the middle of the call.
#[test]
fn lost_server_names_the_cronjobs_that_were_not_suspended() {
    let server = server();
    server.fault(Match::path(NIGHTLY).method("PATCH"), Fault::Reset);
    let ran = call(&server, "suspend hourly nightly -yq never -A");
    let expected = ("cronjob.batch/hourly suspended (namespace shop)\n", 2);
    assert_eq!((ran.stdout.as_str(), ran.code), expected);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.stderr);
    let error = "error: cronjob.batch/nightly (namespace shop): cannot reach SERVER: ";
    assert_starts!(lines[0], error);
    // Reading the CronJob shows that it is not suspended yet, but the change may still be made.
    assert_ends!(
        lines[0],
        "; the change may have been made, or may still be made"
    );
    assert_texts!(lines[1], lines[2],);
}

/// The server cannot be reached at all, so nothing can have been changed.
#[test]
fn server_that_stops_leaves_nothing_unknown() {
    let server = server();
    add_like_report(&server, &["other"]);
    let names = ["resume", "report", "other", "import", "-yq", NOW];
    let arguments = (&names, "--catch-up=run --stagger=3s");
    let going = RunningCall::start(Call::by(&server, "admin", arguments));
    going.expect_line("cronjob.batch/report resumed");
    server.stop();
    let said = going.message();
    assert_starts!(said, "error: cronjob.batch/other: cannot reach ");
    assert_lacks!(said, "unknown");
    going.expect_message("1 resumed; 2 not resumed: shop/other, shop/import");
    assert_eq!(going.end().1, Some(2));
}

/// The status was patched, and then the server rejects the patch of the spec: this does no harm, and the
/// same call completes the resumption.
#[test]
fn failed_resume_after_a_skip_is_completed_by_the_next_call() {
    let server = server();
    let invalid = Fault::Status(422).times(1);
    server.fault(Match::path(REPORT).method("PATCH"), invalid);
    let skip = "resume report --catch-up=skip -yq";
    assert_ran!(call(&server, skip), 2, "");
    assert_ran!(call(&server, skip), 0, "cronjob.batch/report resumed\n");
    let sent = server.requests_where(|one| one.method == "PATCH");
    let paths = sent.iter().map(|one| one.path.as_str());
    let expected = [&format!("{REPORT}/status"), REPORT, REPORT];
    assert!(paths.eq(expected), "{sent:?}");
}
