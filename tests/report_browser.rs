//! The report in a real browser: `tests/browser` opens it in a headless Chromium and uses it.
//!
//! That takes Debian's `chromium` (or one that `CHROMIUM` names), Node.js 20 and what `npm ci` puts into
//! `tests/browser/node_modules`; `.ci/run` installs all of it. Without them the test says what is missing.
//! What it came to is in `target/tmp/report-browser.txt`, too, since cargo shows nothing of a test that
//! passes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_report_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium =
        env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    let missing = missing(&folder, &chromium);
    if !missing.is_empty() {
        let missing = missing.join(" and ");
        return tell(&format!(
            "the report in a browser: SKIPPED, for want of {missing}\n"
        ));
    }
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec"])
        .current_dir(&folder)
        .env("DOCTOR", env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .env("CHROMIUM", &chromium)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // How many there were, and how long a large page took to open.
    let telling = ["ℹ tests ", "ℹ pass ", "ℹ fail ", "CronJobs: "];
    let told = text
        .lines()
        .filter(|line| telling.iter().any(|part| line.contains(part)));
    let told: Vec<&str> = told.map(|line| line.trim_start_matches("ℹ ")).collect();
    tell(&format!("the report in a browser: {}\n", told.join(", ")));
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What is needed and not there.
fn missing(folder: &Path, chromium: &Path) -> Vec<&'static str> {
    let node = Command::new("node").arg("--version").output();
    let version = node.map_or_else(
        |_| String::new(),
        |node| String::from_utf8_lossy(&node.stdout).into_owned(),
    );
    let major = version.trim_start_matches('v').split('.').next();
    let major: u32 = major.and_then(|major| major.parse().ok()).unwrap_or(0);
    let installed = folder.join("node_modules/playwright-core").exists();
    let wanted = [
        (
            chromium.exists(),
            "a Chromium, such as Debian's (CHROMIUM names another)",
        ),
        (major >= 20, "Node.js 20"),
        (installed, "`npm ci` in tests/browser"),
    ];
    let absent = wanted.into_iter().filter(|(is_there, _)| !is_there);
    absent.map(|(_, what)| what).collect()
}

fn tell(text: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-browser.txt");
    fs::write(file, text).unwrap();
    eprint!("{text}");
}
