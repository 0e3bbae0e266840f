//! `backfill` at a terminal; the rest of it is in tests/live/backfill.rs.

use serde_json::json;

use crate::changing::cast::{changes, server};
use crate::changing::terminal::at_terminal;

/// The plan for the newest of three missed slots.
#[test]
fn no_is_no() {
    let server = server();
    let arguments = ["backfill", "report", "--last=1"];
    let Some(no) = at_terminal(&server, &arguments, &["no"], || {}) else {
        return;
    };
    assert_eq!(no.code, 2);
    insta::assert_snapshot!(no.screen);
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
    assert_eq!(yes.code, 2);
    insta::assert_snapshot!(yes.screen);
    assert!(changes(&server).is_empty());
}
