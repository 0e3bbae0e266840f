//! The connection to the cluster is lost and restored.

use crate::support::apiserver::{Fault, Match, watches};
use crate::top::terminal::{Setting, Terminal, noon};

#[test]
fn lost_connection_is_shown_and_restored() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::start(&Setting::usual(&server));
    terminal.await_text("  live");
    // All three watches must be open: one that is not would be opened later.
    server.wait_for(|requests| watches(requests) == 3);
    server.stop();
    // The rows stay and can be used.
    terminal.await_all(&[
        "Z  disconnected since 12:0",
        "Z, reconnecting",
        "▸ops         never    none     never",
        "cannot reach https://127.0.0.1:",
    ]);
    terminal.press("/shop/nightly\r");
    terminal.await_text("1 of 4");
    server.restart();
    terminal.await_text("  live");
    crate::live::scene::set(&server, "nightly", "suspend", true);
    terminal.await_text("ok (suspended)");
    terminal.quit();
}

/// The dashboard shows what it could read, why there are no updates, and continues with the permission.
#[test]
fn missing_watch_permission_is_shown() {
    let Some(server) = noon() else { return };
    let jobs = Match::path("/apis/batch/v1/jobs").watch(true);
    server.fault(jobs, Fault::Status(403));
    let mut terminal = Terminal::start(&Setting::usual(&server));
    terminal.await_all(&[
        "disconnected since 12:0",
        "▸ops         never    none     never",
        " cannot watch jobs.batch (forbidden): changes are not shown",
    ]);
    server.clear_faults();
    terminal.await_text("  live");
    terminal.quit();
}

/// The dashboard ends, because it would get no more updates.
#[test]
fn rejected_credentials_end_the_dashboard() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::start(&Setting::usual(&server));
    terminal.await_text("  live");
    server.fault(Match::any(), Fault::Status(401));
    server.restart();
    let (code, screen) = terminal.end();
    assert_eq!(code, 2);
    let error = "error: you must be logged in to the server (Unauthorized)";
    assert_contains!(screen, error);
}
