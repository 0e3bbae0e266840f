//! Asks `promtool` about rules and metrics.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use test_requirements::PROMETHEUS;

use super::folder::Folder;

/// What `promtool` says to a call; `None` where it is not installed.
pub(crate) fn promtool(folder: &Folder, arguments: &[&str], stdin: &str) -> Option<Output> {
    let child = Command::new("promtool")
        .args(arguments)
        .current_dir(folder.path())
        // It lives for seconds: what it collects costs more than the memory.
        .env("GOGC", "400")
        .env("GOMAXPROCS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        PROMETHEUS.skip();
        return None;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.as_bytes())
        .unwrap();
    Some(child.wait_with_output().unwrap())
}

/// Lets `promtool` check or test the rules of a file: it must find nothing wrong.
#[track_caller]
pub(crate) fn accepts(folder: &Folder, verb: &str, file: &str) {
    let Some(said) = promtool(folder, &[verb, "rules", file], "") else {
        return;
    };
    let shown = [said.stdout, said.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(said.status.success(), "{verb}: {}", shown.join("\n"));
}
