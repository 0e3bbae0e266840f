//! What is said when something is wrong: what, where, why, and the way out.

// What a system says of a file that is missing differs from one to the next.
#[cfg(target_os = "linux")]
mod files;
mod flags;
#[cfg(target_os = "linux")]
mod full_disk;
mod times;
mod usage;

use crate::support::prelude::*;

/// The complaint of a call that could do nothing.
fn refused(arguments: impl CommandLine) -> String {
    doctor(arguments).refused()
}

/// The recorded cluster, and the moment at which it was recorded.
const CLUSTER: &str = "-f examples/cluster --now=2026-11-21T02:13:08Z";
