//! Changes from the dashboard: planned, confirmed and sent like those of the commands.

use crate::changing::prelude::*;
use crate::live::scene::job;
use crate::top::terminal::{CALM, Setting, Terminal, noon};

/// Waits until the dialog is closed: a key before that belongs to the change.
#[track_caller]
fn await_closed(terminal: &Terminal, dialog: &str) {
    terminal.await_end_of(&format!("── {dialog} -n shop"));
}

/// Starts the dashboard and selects a CronJob of `shop`.
fn select(server: &ApiServer, name: &str) -> Terminal {
    select_with(&Setting::usual(server), name)
}

fn select_with(setting: &Setting<'_>, name: &str) -> Terminal {
    let mut terminal = Terminal::start(setting);
    terminal.await_text("4 CronJobs");
    terminal.press(&format!("/shop/{name}\r"));
    terminal.await_text(&format!("/shop/{name}  1 of 4"));
    terminal
}

#[test]
fn suspend_and_resume_ask_and_patch() {
    let Some(server) = noon() else { return };
    let mut terminal = select(&server, "nightly");
    terminal.press("s");
    terminal.await_text(
        "\
── suspend nightly -n shop ─────────────────────────────────────────────────────
shop/nightly
  Nothing starts until it is resumed. First missed run: Sun 2026-11-22 02:00
  Etc/UTC (in 13h). If resumed within 60m of a missed run, it starts that run
  late; if later, it starts none of the missed runs.

 Suspend nightly?   yes  [no]
 first letter, or arrows and enter, to answer  esc cancel",
    );
    // Enter gives the answer that changes nothing.
    terminal.press("\r");
    terminal.await_text("Nothing was changed.");
    assert!(changes(&server).is_empty());

    await_closed(&terminal, "suspend nightly");
    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    terminal.press("y");
    terminal.await_text("cronjob.batch/nightly suspended");
    let body = r#"{"metadata":{"resourceVersion":"2","annotations":{"cronjob-doctor/suspended-at":"2026-11-21T12:00:05Z","cronjob-doctor/suspended-by":"admin"}},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "", body)]);
    // The dashboard learns of the change from its watch.
    terminal.await_text("ok (suspended)");
    await_closed(&terminal, "suspend nightly");

    terminal.press("s");
    terminal.await_text("Resume nightly?   yes  [no]");
    terminal.press("\t\r");
    terminal.await_text("cronjob.batch/nightly resumed");
    assert!(!is_suspended(&server, "nightly"));
    assert_eq!(changes(&server).len(), 2);
}

/// `report` missed four nights. If resumed, it would start the last run ten hours late.
#[test]
fn resume_with_skip_starts_no_late_run() {
    let Some(server) = noon() else { return };
    let mut terminal = select(&server, "report");
    terminal.press("s");
    let question = "Start the missed run late, skip it, or cancel?   run   skip  [cancel]";
    terminal.await_text(question);
    terminal.press("c");
    terminal.await_text("Nothing was changed.");
    await_closed(&terminal, "resume report");
    terminal.press("s");
    terminal.await_text(question);
    terminal.press("s");
    terminal.await_text("cronjob.batch/report resumed");
    let last_scheduled = &stored(&server, "report")["status"]["lastScheduleTime"];
    assert_eq!(last_scheduled, &json!("2026-11-21T02:00:00Z"));
    let lines: Vec<String> = changes(&server);
    assert_contains!(lines[0], "/cronjobs/report/status?");
    assert_eq!(lines.len(), 2);
}

#[test]
fn trigger_creates_a_job() {
    let Some(server) = noon() else { return };
    let mut terminal = select(&server, "nightly");
    terminal.press("t");
    terminal.await_text("Create nightly-manual-");
    terminal.press("y");
    terminal.await_text(" created");
    let sent = changes(&server);
    assert_starts!(sent[0], "POST /apis/batch/v1/namespaces/shop/jobs?");
    assert_eq!(sent.len(), 1);
}

/// Another user modified the CronJob in the meantime: the dashboard shows the new plan and asks again.
#[test]
fn suspend_of_modified_cron_job_asks_again() {
    let Some(server) = noon() else { return };
    let mut terminal = select(&server, "nightly");
    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    crate::live::scene::set(&server, "nightly", "schedule", "0 3 * * *");
    terminal.press("y");
    terminal.await_text("Suspend it anyway?");
    terminal.press("y");
    terminal.await_text("cronjob.batch/nightly suspended");
    assert!(is_suspended(&server, "nightly"));
    let attempts = server.requests_where(|request| request.method == "PATCH");
    assert_eq!(attempts.len(), 2);
}

#[test]
fn change_without_permission_fails() {
    let Some(server) = noon() else { return };
    let setting = Setting {
        user: "viewer",
        ..Setting::usual(&server)
    };
    let mut terminal = select_with(&setting, "nightly");
    terminal.press("s");
    terminal.await_all(&[
        "error: cannot patch cronjobs.batch",
        "Refused.",
        "esc or enter back",
    ]);
    terminal.press("\r");
    terminal.await_end_of("Refused.");
    assert!(changes(&server).is_empty());
}

/// Before the change is confirmed, the user can cancel without waiting for the server.
#[test]
fn unanswered_change_can_be_canceled() {
    let Some(server) = noon() else { return };
    let mut terminal = select(&server, "nightly");
    server.fault(Match::any().watch(false), Fault::Hang);
    terminal.press("s");
    terminal.await_all(&["working…", " esc cancel"]);
    terminal.press("\x1b");
    terminal.await_text("Nothing was changed.");
    terminal.await_end_of("working…");
    server.clear_faults();
    // The next change sends its own requests, which are answered.
    terminal.press("t");
    terminal.await_text("Create nightly-manual-");
    terminal.press("n");
    terminal.await_end_of("Create nightly-manual-");
    // Until the change has ended, q goes to its dialog.
    terminal.await_end_of("working…");
    terminal.quit();
    assert!(changes(&server).is_empty());
}

#[test]
fn rejected_change_fails() {
    let Some(server) = noon() else { return };
    server.fault(Match::any().method("PATCH"), Fault::Status(403));
    let mut terminal = select(&server, "nightly");
    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    terminal.press("y");
    terminal.await_all(&[
        "error: cronjob.batch/nightly: from server",
        "The change failed.",
    ]);
    assert!(!is_suspended(&server, "nightly"));
}

#[test]
fn read_only_dashboard_changes_nothing() {
    let Some(server) = noon() else { return };
    let arguments = [CALM.as_slice(), &["--read-only"]].concat();
    let setting = Setting {
        arguments: &arguments,
        ..Setting::usual(&server)
    };
    let mut terminal = select_with(&setting, "nightly");
    terminal.press("s");
    terminal.await_text("--read-only: cannot suspend");
    terminal.press("t");
    terminal.await_text("--read-only: cannot trigger");
    assert!(changes(&server).is_empty());
}

/// `nightly` has `concurrencyPolicy: Forbid`, and a Job of it runs.
#[test]
fn forbidden_trigger_can_be_forced() {
    let Some(server) = noon() else { return };
    server.put(job("shop", "nightly", "2026-11-21T11:58:00Z", None));
    let mut terminal = select(&server, "nightly");
    terminal.press("t");
    terminal.await_text("concurrencyPolicy: Forbid does not apply to manually created");
    terminal.await_text("T trigger --force  esc or enter back");
    assert!(changes(&server).is_empty());
    terminal.press("T");
    terminal.await_text("── trigger nightly -n shop --force");
    terminal.await_text("Create nightly-manual-");
    terminal.press("y");
    terminal.await_text("job.batch/nightly-manual-");
    assert_eq!(changes(&server).len(), 1);
}
