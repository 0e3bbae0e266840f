//! What is on the screen: rows, filters, pages, other sizes, plain terminals.

use serde_json::json;

use crate::live::logs::{container, pod};
use crate::live::scene::cron_job;
use crate::live::since_success;
use crate::support::apiserver::{ApiServer, Options};
use crate::support::run::has_terminal;
use crate::top::terminal::{CALM, Setting, Terminal, noon};

/// The whole screen except for the time.
const START: &str = "\
CronJobs on test                              Kubernetes 1.36.2  hh:mm:ssZ  live
4 CronJobs: 1 error, 2 warnings, 1 ok (2 suspended)
 NAMESPACE   NAME     NEXT     LAST     RESULT      HEALTH▾
▸ops         never    none     never    -           error: never-scheduled
 shop        import   none     32h      no success  warning: suspended
 shop        report   none     3d10h    no success  warning: suspended
 shop        nightly  13h      10h      succeeded   ok










── ops/never: never: February 31 does not exist ────────────────────────────────
 never-scheduled: \"0 0 31 2 *\" never runs: February 31 does not exist. No Job is
 ever started.
 -> Use dates that exist. If the CronJob is only started manually, set
 spec.suspend: true.

 ? help  / filter  e explain  l logs  s suspend  t trigger  v timeline  q quit
";

#[test]
fn start_shows_the_table() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::start(&Setting::usual(&server));
    terminal.await_screen(START);
    terminal.await_taken(true);
    terminal.quit();
}

#[test]
fn typed_filter_applies_immediately() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::usual(&server);
    terminal.press("/rep");
    terminal.await_all(&["/rep▏ 1 of 4", "▸shop        report"]);
    terminal.await_end_of("nightly");
    terminal.press("\r");
    terminal.await_text("/rep  1 of 4");
    // Another filter replaces it.
    terminal.press("/!never-scheduled");
    terminal.await_all(&["/!never-scheduled▏ 1 of 4", "▸ops         never"]);
    terminal.press("\x1b");
    terminal.await_screen(START);
}

#[test]
fn enter_explains_and_question_mark_shows_keys() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::usual(&server);
    terminal.press("/nightly\r\r");
    terminal.await_all(&["── shop/nightly ──", "  Schedule    0 2 * * *"]);
    terminal.press("G");
    terminal.await_text("Next runs");
    terminal.press("?");
    terminal.await_text("create a Job now");
    terminal.press("q");
    terminal.await_text("── shop/nightly ──");
    terminal.press("q");
    terminal.await_text("NAMESPACE");
}

/// As `explain` does.
#[test]
fn explanation_shows_what_changed_since_the_last_success() {
    let Some(server) = noon() else { return };
    since_success::add(&server, "broken", "1.5", "Failed");
    let mut terminal = Terminal::start(&Setting {
        size: (100, 60),
        ..Setting::usual(&server)
    });
    terminal.await_text("▸shop        broken");
    terminal.press("/broken\r\r");
    terminal.await_all(&[
        "── shop/broken ──",
        "Changed since the last success",
        "containers[main].image: registry.example.com/main:1.4 -> registry.example.com/main:1.5",
    ]);
    terminal.press("q");
}

#[test]
fn resize_redraws_the_screen() {
    let Some(server) = noon() else { return };
    let mut terminal = Terminal::usual(&server);
    terminal.resize(120, 40);
    terminal.await_text("│12:00      │14:00");
    terminal.resize(39, 24);
    terminal.await_text("terminal too small: 39x24 (needs at l");
    terminal.resize(80, 24);
    terminal.await_screen(START);
    terminal.quit();
}

/// The same screen in ASCII without colors.
#[test]
fn plain_terminal_gets_ascii_without_colors() {
    let Some(server) = noon() else { return };
    let setting = Setting {
        environment: &[("TERM", "xterm"), ("LANG", "C"), ("NO_COLOR", "1")],
        ..Setting::usual(&server)
    };
    let terminal = Terminal::start(&setting);
    let plain = START.replace('─', "-").replace('▸', ">").replace('▾', "v");
    let plain = plain.replace('…', "~");
    terminal.await_screen(&plain);
    assert!(!terminal.has_colors());
}

#[test]
fn empty_namespace_shows_no_cronjobs_found() {
    if !has_terminal() {
        return;
    }
    let server = ApiServer::start(Options::default());
    let terminal = Terminal::start(&Setting {
        arguments: &["top", "--tzdb", "bundled"],
        ..Setting::usual(&server)
    });
    terminal.await_all(&["CronJobs in shop on test ", " No CronJobs found."]);
}

#[test]
fn hostile_names_are_escaped() {
    let Some(server) = noon() else { return };
    let mut hostile = cron_job("shop", "hostile", "0 5 * * *\u{1b}[2J\u{202e}");
    hostile["spec"]["timeZone"] = json!("Mars/\u{7}Phobos\u{4f60}\u{597d}");
    server.add(hostile);
    let terminal = Terminal::start(&Setting {
        size: (100, 24),
        ..Setting::usual(&server)
    });
    terminal.await_all(&["5 CronJobs", "hostile  0 5 * * *…  none"]);
}

#[test]
fn sort_flag_sets_the_initial_order() {
    let Some(server) = noon() else { return };
    let arguments = [CALM.as_slice(), &["--sort", "name"]].concat();
    let setting = Setting {
        arguments: &arguments,
        ..Setting::usual(&server)
    };
    let mut terminal = Terminal::start(&setting);
    terminal.await_text("NAME▾");
    terminal.press("N");
    terminal.await_text("NAME▴");
}

#[test]
fn logs_of_the_newest_job_are_shown_from_their_end() {
    const JOB: &str = "nightly-29920440";
    let Some(server) = noon() else { return };
    let end = json!({"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": "2026-11-21T02:03:00Z"}});
    let containers = json!([container("main", 0, end)]);
    server.put(pod(JOB, "aaaaa", "02:00:01", "Failed", containers));
    let lines: Vec<String> = (1..=600).map(|number| format!("line {number}\n")).collect();
    let log = lines.concat();
    let name = format!("{JOB}-aaaaa");
    server.log("shop", &name, "main", &format!("{log}\u{1b}[2J the end\n"));
    server.end_log("shop", &name, "main");
    let mut terminal = Terminal::usual(&server);
    terminal.press("/shop/nightly\r");
    terminal.await_text("/shop/nightly  1 of 4");
    terminal.press("l");
    terminal.await_all(&[
        "── shop/nightly: logs ",
        "| line 600",
        r"| \u{1b}[2J the end",
        "exited with code 3",
        "l read again",
    ]);
    terminal.press("g");
    terminal.await_all(&["Job nightly-29920440, scheduled at", "| line 102"]);
    // A CronJob without a Job has no logs.
    terminal.press("q");
    terminal.await_text("/shop/nightly  1 of 4");
    terminal.press("/ops/never\rl");
    terminal.await_text("No logs: it has no Jobs");
    terminal.press("q");
    terminal.quit();
}
