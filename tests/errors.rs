//! What is said when something is wrong: what, where, why, and the way out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail in any way"
)]

mod support;

// What a system says of a file that is missing differs from one to the next.
#[cfg(target_os = "linux")]
#[path = "errors/files.rs"]
mod files;
#[path = "errors/flags.rs"]
mod flags;
#[cfg(target_os = "linux")]
#[path = "errors/full_disk.rs"]
mod full_disk;
#[path = "errors/usage.rs"]
mod usage;

use support::run::doctor;

/// The complaint of a call that could do nothing.
fn refused(arguments: &[&str]) -> String {
    doctor(arguments).refused()
}

/// The recorded cluster, and the moment at which it was recorded.
const CLUSTER: [&str; 3] = ["-f", "examples/cluster", "--now=2026-11-21T02:13:08Z"];
