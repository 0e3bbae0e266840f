//! The cluster goes away, and comes back.

use serde_json::json;

use crate::support::apiserver::{Fault, Match, Recorded};
use crate::top::terminal::{Setting, Terminal, noon};

#[test]
fn the_server_goes_away_and_comes_back() {
    let server = noon();
    let Some(mut terminal) = Terminal::start(&Setting::usual(&server)) else {
        return;
    };
    terminal.await_text("  live");
    // All three watches are open: one that is not yet would be asked for anew later.
    server.wait_for(|requests| {
        let lines = requests.iter().map(Recorded::line);
        lines.filter(|line| line.starts_with("watch ")).count() == 3
    });
    server.stop();
    // What was known stays, and can be looked at.
    terminal.await_all(&[
        "Z  not live since 12:0",
        "Z, trying again",
        "▸ops         never    0 0 31 2 *",
        "cannot reach https://127.0.0.1:",
    ]);
    terminal.press("/shop/nightly\r");
    terminal.await_text("1 of 4");
    server.restart();
    terminal.await_text("  live");
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        nightly["spec"]["suspend"] = json!(true);
    });
    terminal.await_text("ok (suspended)");
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
}

/// The dashboard shows what it could read, says why nothing moves, and moves once it may.
#[test]
fn somebody_may_not_watch() {
    let server = noon();
    let jobs = Match::path("/apis/batch/v1/jobs").watch(true);
    server.fault(jobs, Fault::Status(403));
    let Some(mut terminal) = Terminal::start(&Setting::usual(&server)) else {
        return;
    };
    terminal.await_all(&[
        "not live since 12:0",
        "▸ops         never    0 0 31 2 *",
        " cannot watch jobs.batch (forbidden): changes are not shown",
    ]);
    server.clear_faults();
    terminal.await_text("  live");
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
}

/// Nothing more would come, however long somebody waits.
#[test]
fn refused_credentials_end_it() {
    let server = noon();
    let Some(mut terminal) = Terminal::start(&Setting::usual(&server)) else {
        return;
    };
    terminal.await_text("  live");
    server.fault(Match::any(), Fault::Status(401));
    server.restart();
    let (code, screen) = terminal.end();
    assert_eq!(code, 2);
    let error = "error: you must be logged in to the server (Unauthorized)";
    assert!(screen.contains(error), "{screen}");
}
