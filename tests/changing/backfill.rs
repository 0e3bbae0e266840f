//! `backfill` at a terminal; the rest of it is in tests/live/backfill.rs.

use serde_json::json;

use crate::changing::cast::{changes, server};
use crate::changing::terminal::at_terminal;

/// The plan for the newest of three missed slots.
const PLAN: &str = "\
shop/report
SLOT                   LOCAL TIME                     JOB               WHAT
2026-11-21T02:00:00Z   Sat 2026-11-21 02:00 Etc/UTC   report-29920440   run; missed: suspended

What comes of it
  warning  If it is resumed before another slot comes, the controller means to
           start 2026-11-21T02:00:00Z itself. If its Job is still there, it
           cannot create a Job of that name, fails to look up the one that is
           there, records nothing, and tries again, later and later, until the
           next slot, 2026-11-22T02:00:00Z, has come; that one may start up to
           16m40s late; if that Job is gone by then, the slot runs a second
           time. Resume it with resume --catch-up=skip.
  note     While each of these Jobs runs, the controller records the warning
           UnexpectedJob about it: it did not create it. That is harmless.
  note     status.lastScheduleTime stays as it is, although
           status.lastSuccessfulTime moves: these slots go on counting as missed
           until the controller starts a run itself.
";

const QUESTION: &str = "Run 1 slot of report? [yes/no] ";

#[test]
fn no_is_no() {
    let server = server();
    let arguments = ["backfill", "report", "--last=1"];
    let Some(no) = at_terminal(&server, &arguments, &["no"], || {}) else {
        return;
    };
    let screen = format!("{PLAN}{QUESTION}no\nNothing was changed.\n");
    assert_eq!((no.screen, no.code), (screen, 2));
    assert!(changes(&server).is_empty());
}

/// What was agreed to is about the CronJob as it was.
#[test]
fn a_cronjob_that_changes_while_it_is_asked() {
    let server = server();
    let arguments = ["backfill", "report", "--last=1"];
    let change = || {
        server.edit("batch/v1", "CronJob", "shop", "report", |report| {
            report["metadata"]["generation"] = json!(2);
            report["spec"]["schedule"] = json!("0 3 * * *");
        });
    };
    let Some(yes) = at_terminal(&server, &arguments, &["yes"], change) else {
        return;
    };
    let screen = format!(
        "{PLAN}{QUESTION}yes\nerror: shop/report changed meanwhile: nothing was changed; call \
         again to see what would be run now\n"
    );
    assert_eq!((yes.screen, yes.code), (screen, 2));
    assert!(changes(&server).is_empty());
}
