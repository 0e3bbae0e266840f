//! Signals to the program, as a user's shell sends them.

use std::fmt::Display;
use std::process::Command;

/// Sends a process a signal, such as `INT`. The shell's own kill is there on every machine, and a program
/// of that name is not.
pub(crate) fn send(name: &str, process: impl Display) {
    let kill = format!("kill -s {name} {process}");
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success(), "{kill}");
}
