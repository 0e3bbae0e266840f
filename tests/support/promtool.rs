//! Checks rules and metrics with `promtool`.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use test_requirements::PROMETHEUS;

use super::folder::Folder;

/// The output of a call of `promtool`; `None` if it is not installed.
pub(crate) fn promtool(folder: &Folder, arguments: &[&str], stdin: &str) -> Option<Output> {
    let child = Command::new("promtool")
        .args(arguments)
        .current_dir(folder.path())
        // It runs for seconds only: collecting garbage costs more than the memory.
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

/// Asserts that `promtool` checks or tests the rules of a file without finding an error.
#[track_caller]
pub(crate) fn accepts(folder: &Folder, verb: &str, file: &str) {
    let Some(output) = promtool(folder, &[verb, "rules", file], "") else {
        return;
    };
    let shown = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{verb}: {}", shown.join("\n"));
}
