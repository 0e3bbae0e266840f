//! The report in a real browser: `tests/browser` opens it in a headless Chromium and uses it.
//!
//! That takes Debian's `chromium` (or one that `CHROMIUM` names), Node.js 20 and what `npm ci` puts into
//! `tests/browser/node_modules`; `.ci/run` installs all of it. Without them it says what is missing.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail in any way, and tell about it"
)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_report_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium =
        env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    let node = Command::new("node").arg("--version").output();
    let missing = [
        (
            !chromium.exists(),
            "a Chromium, such as Debian's (CHROMIUM names another)",
        ),
        (node.is_err(), "Node.js"),
        (
            !folder.join("node_modules/playwright-core").exists(),
            "`npm ci` in tests/browser",
        ),
    ];
    let missing: Vec<&str> = missing
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, what)| what)
        .collect();
    if !missing.is_empty() {
        eprintln!(
            "skipped: the report in a browser wants {}",
            missing.join(" and ")
        );
        return;
    }
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec"])
        .current_dir(&folder)
        .env("DOCTOR", env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .env("CHROMIUM", &chromium)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // How long it took to open, for whoever wants to know.
    for line in text
        .lines()
        .filter(|line| line.contains(" ms, all laid out after "))
    {
        eprintln!("{line}");
    }
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
