//! However the dashboard ends, the terminal is restored.

use crate::live::call::Call;
use crate::support::apiserver::Kubeconfig;
use crate::top::terminal::{Setting, Terminal, noon};

/// Asserts the exit code after a way to end the dashboard.
#[track_caller]
fn assert_ends(code: i32, end: impl FnOnce(&mut Terminal)) {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::usual(&server);
    terminal.await_taken(true);
    end(&mut terminal);
    assert_eq!(terminal.end().0, code);
}

#[test]
fn keys_restore_the_terminal() {
    for key in ["q", "\x03"] {
        assert_ends(0, |terminal| terminal.press(key));
    }
}

#[test]
fn signals_restore_the_terminal() {
    let signals = [("TERM", 143), ("HUP", 129), ("QUIT", 131), ("INT", 130)];
    for (name, code) in signals {
        assert_ends(code, |terminal| terminal.signal(name));
    }
}

/// A signal ends the dashboard while it asks a question.
#[test]
fn signal_during_question_restores_the_terminal() {
    assert_ends(143, |terminal| {
        terminal.press("/nightly\rs");
        terminal.await_text("Suspend nightly?");
        terminal.signal("TERM");
    });
}

/// While the dashboard is stopped, the shell has the terminal.
#[test]
fn stop_and_continue_restore_and_redraw() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::usual(&server);
    for stop in ["key", "signal"] {
        match stop {
            "key" => terminal.press("\x1a"),
            _ => terminal.signal("TSTP"),
        }
        terminal.await_end_of("4 CronJobs");
        terminal.await_stop();
        terminal.await_taken(false);
        terminal.signal("CONT");
        terminal.await_text("4 CronJobs");
        terminal.await_taken(true);
    }
    terminal.quit();
}

#[test]
fn top_without_terminal_fails() {
    let Some(server) = noon() else { return };
    let config = Kubeconfig::user("admin");
    for term in ["dumb", "xterm"] {
        let call = Call::new(["top"]).with(&server, &config);
        assert_ran!(call.variable("TERM", term).run(), 2, "");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn top_in_dumb_terminal_fails() {
    let Some(server) = noon() else { return };
    let setting = Setting {
        environment: &[("TERM", "dumb")],
        ..Setting::usual(&server)
    };
    let mut terminal = Terminal::start(&setting);
    let (code, screen) = terminal.end();
    assert_eq!(code, 2);
    assert_contains!(screen, "error: top needs an interactive terminal");
}

#[test]
fn files_and_now_are_rejected() {
    assert_ran!(Call::new(["top", "-f", "examples/cluster"]).run(), 2);
    assert_ran!(Call::new(["top", "--now", "2026-11-21T02:13:08Z"]).run(), 2);
}
