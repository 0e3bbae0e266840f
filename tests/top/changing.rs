//! Changes from the dashboard: foretold, agreed to, and sent as the verbs send them.

use serde_json::json;

use crate::changing::cast::{changes, patch, stored};
use crate::support::apiserver::{ApiServer, Fault, Match};
use crate::top::terminal::{CALM, Setting, Terminal, noon};

/// The dashboard with a CronJob of `shop` selected.
fn looking_at(setting: &Setting<'_>, name: &str) -> Option<Terminal> {
    let mut terminal = Terminal::start(setting)?;
    terminal.await_text("4 CronJobs");
    terminal.press(&format!("/shop/{name}\r"));
    terminal.await_text(&format!("/shop/{name}  1 of 4"));
    Some(terminal)
}

fn suspended(server: &ApiServer, name: &str) -> bool {
    stored(server, name)["spec"]["suspend"] == json!(true)
}

#[test]
fn suspended_and_resumed() {
    let server = noon();
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "nightly") else {
        return;
    };
    terminal.press("s");
    terminal.await_text(
        "\
── suspend nightly -n shop ─────────────────────────────────────────────────────
shop/nightly
  Nothing starts from now on; the run of Sun 2026-11-22 02:00 Etc/UTC (in 13h)
  is the first that is missed. Resumed within 60m of a missed slot, it starts
  that run late; after that, nothing late.

 Suspend nightly?   yes  [no]
 first letter, or arrows and enter; esc changes nothing",
    );
    // Enter is the answer that does the least.
    terminal.press("\r");
    terminal.await_text("Nothing was changed.");
    assert!(changes(&server).is_empty());

    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    terminal.press("y");
    terminal.await_text("cronjob.batch/nightly suspended");
    let body = r#"{"metadata":{"resourceVersion":"2"},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "", body)]);
    // The dashboard sees it as everybody does who watches.
    terminal.await_text("ok (suspended)");

    terminal.press("s");
    terminal.await_text("Resume nightly?   yes  [no]");
    terminal.press("\t\r");
    terminal.await_text("cronjob.batch/nightly resumed");
    assert!(!suspended(&server, "nightly"));
    assert_eq!(changes(&server).len(), 2);
}

/// `report` missed four nights: resumed, it would start the last of them ten hours late.
#[test]
fn a_late_run_is_skipped() {
    let server = noon();
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "report") else {
        return;
    };
    terminal.press("s");
    let question = "Run the missed one late, skip it, or cancel?   run   skip  [cancel]";
    terminal.await_text(question);
    terminal.press("c");
    terminal.await_text("Nothing was changed.");
    terminal.press("s");
    terminal.await_text(question);
    terminal.press("s");
    terminal.await_text("cronjob.batch/report resumed");
    let slot = &stored(&server, "report")["status"]["lastScheduleTime"];
    assert_eq!(slot, &json!("2026-11-21T02:00:00Z"));
    let lines: Vec<String> = changes(&server);
    assert!(lines[0].contains("/cronjobs/report/status?"), "{lines:?}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_job_is_started() {
    let server = noon();
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "nightly") else {
        return;
    };
    terminal.press("t");
    terminal.await_text("Start nightly-manual-");
    terminal.press("y");
    terminal.await_text(" created");
    let made = changes(&server);
    assert!(
        made[0].starts_with("POST /apis/batch/v1/namespaces/shop/jobs?"),
        "{made:?}"
    );
    assert_eq!(made.len(), 1);
}

/// Somebody else was faster: what happened meanwhile is told, and whether the change is to be made to
/// what is there now is asked.
#[test]
fn it_changes_meanwhile() {
    let server = noon();
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "nightly") else {
        return;
    };
    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        nightly["spec"]["schedule"] = json!("0 3 * * *");
    });
    terminal.press("y");
    terminal.await_text("Suspend it all the same?");
    terminal.press("y");
    terminal.await_text("cronjob.batch/nightly suspended");
    assert!(suspended(&server, "nightly"));
    let attempts = server.requests();
    let attempts = attempts.iter().filter(|request| request.method == "PATCH");
    assert_eq!(attempts.count(), 2);
}

#[test]
fn somebody_may_not() {
    let server = noon();
    let setting = Setting {
        user: "viewer",
        ..Setting::usual(&server)
    };
    let Some(mut terminal) = looking_at(&setting, "nightly") else {
        return;
    };
    terminal.press("s");
    terminal.await_all(&[
        "error: you may not patch cronjobs.batch",
        "It was not done.",
        "esc or enter: back",
    ]);
    terminal.press("\r");
    terminal.await_end_of("It was not done.");
    assert!(changes(&server).is_empty());
}

/// Nobody has to wait for a server before anything is agreed to.
#[test]
fn the_server_does_not_answer() {
    let server = noon();
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "nightly") else {
        return;
    };
    server.fault(Match::any().watch(false), Fault::Hang);
    terminal.press("s");
    terminal.await_all(&["working…", " esc changes nothing"]);
    terminal.press("\x1b");
    terminal.await_text("Nothing was changed.");
    terminal.await_end_of("working…");
    server.clear_faults();
    // What is asked next is asked of the server anew, and answered.
    terminal.press("t");
    terminal.await_text("Start nightly-manual-");
    terminal.press("n");
    terminal.await_end_of("Start nightly-manual-");
    // Until the verb has ended, q is about what it does.
    terminal.await_end_of("working…");
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
    assert!(changes(&server).is_empty());
}

#[test]
fn the_server_refuses() {
    let server = noon();
    server.fault(Match::any().method("PATCH"), Fault::Status(403));
    let Some(mut terminal) = looking_at(&Setting::usual(&server), "nightly") else {
        return;
    };
    terminal.press("s");
    terminal.await_text("Suspend nightly?");
    terminal.press("y");
    terminal.await_all(&[
        "error: cronjob.batch/nightly: from the server",
        "It was not done.",
    ]);
    assert!(!suspended(&server, "nightly"));
}

#[test]
fn nothing_is_changed_where_that_is_not_wanted() {
    let server = noon();
    let arguments = [CALM.as_slice(), &["--read-only"]].concat();
    let setting = Setting {
        arguments: &arguments,
        ..Setting::usual(&server)
    };
    let Some(mut terminal) = looking_at(&setting, "nightly") else {
        return;
    };
    terminal.press("s");
    terminal.await_text("--read-only: nothing can be changed, so no suspend");
    terminal.press("t");
    terminal.await_text("--read-only: nothing can be changed, so no trigger");
    assert!(changes(&server).is_empty());
}
