//! Error messages: what is wrong, where, why, and how to fix it.

// The message for a missing file differs between operating systems.
#[cfg(target_os = "linux")]
mod files;
mod flags;
#[cfg(target_os = "linux")]
mod full_disk;
mod times;
mod usage;

use crate::support::prelude::*;

/// The error of a call that was refused.
fn refused(arguments: impl CommandLine) -> String {
    doctor(arguments).refused()
}

/// The recorded cluster, and the time at which it was recorded.
const CLUSTER: &str = "-f examples/cluster --now=2026-11-21T02:13:08Z";
