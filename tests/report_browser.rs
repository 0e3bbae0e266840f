//! The report in a real browser: `tests/browser` opens and uses it in headless Chromium.
//!
//! The test needs Debian's `chromium` (or the one in `CHROMIUM`), Node.js 20 and `npm ci` in `tests/browser`; `.ci/run`
//! installs all of it. The result is also in `target/tmp/report-browser.txt`, since cargo hides the output of passing
//! tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use test_requirements::BROWSER;

#[test]
fn report_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let chromium =
        env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    if !is_installed(&folder, &chromium) {
        return BROWSER.skip();
    }
    let contexts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contexts.html");
    fs::write(&contexts, crate::live::contexts::page_of_two()).unwrap();
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec"])
        .current_dir(&folder)
        .env("DOCTOR", crate::support::run::binary())
        .env("CHROMIUM", &chromium)
        .env("PAGE_OF_TWO_CONTEXTS", &contexts)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // The number of tests, and the time to open a large page.
    let shown = ["ℹ tests ", "ℹ pass ", "ℹ fail ", "CronJobs: "];
    let summary = text
        .lines()
        .filter(|line| shown.iter().any(|part| line.contains(part)));
    let summary: Vec<&str> = summary.map(|line| line.trim_start_matches("ℹ ")).collect();
    print_result(&format!(
        "the report in a browser: {}\n",
        summary.join(", ")
    ));
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn is_installed(folder: &Path, chromium: &Path) -> bool {
    let node = Command::new("node").arg("--version").output();
    let version = node.map_or_else(
        |_| String::new(),
        |node| String::from_utf8_lossy(&node.stdout).into_owned(),
    );
    let major = version.trim_start_matches('v').split('.').next();
    let major: u32 = major.and_then(|major| major.parse().ok()).unwrap_or(0);
    let has_packages = folder.join("node_modules/playwright-core").exists();
    chromium.exists() && major >= 20 && has_packages
}

fn print_result(text: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-browser.txt");
    fs::write(file, text).unwrap();
    eprint!("{text}");
}
