//! Signals to the program, as a user's shell sends them.

use std::fmt::Display;
use std::process::Command;

/// Sends a process a signal, such as `INT`. Uses the `kill` of the shell, because not every machine has a program of
/// that name.
pub(crate) fn send(name: &str, process: impl Display) {
    let kill = format!("kill -s {name} {process}");
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success(), "{kill}");
}

/// Whether these tests were started so that a hangup is ignored, for example by nohup; the program then
/// ignores it, too.
pub(crate) fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is that of signal 1.
    ignored
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits & 1 == 1)
}
