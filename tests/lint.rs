//! `lint` through the real binary.

use crate::support::prelude::*;

// Windows uses another path separator.
#[cfg(unix)]
mod finding_files;
mod fixing;
mod formats;
mod gitlab;
mod kustomize;
mod reading;
#[cfg(target_os = "linux")]
mod rendered;
mod sarif;
mod severity;

/// The time at which the search for runs starts.
const NOW: &str = "--now=2026-11-21T08:00:00Z";

/// A CronJob without problems.
const GOOD: &str = include_str!("../examples/lint/never-scheduled/good.yaml");

/// The same on 30 February.
const NEVER: &str = include_str!("../examples/lint/never-scheduled/bad.yaml");

fn lint(arguments: impl CommandLine) -> Ran {
    doctor((&format!("lint {NOW}"), arguments))
}

/// A CronJob that never runs, with a unique name.
fn short(nth: usize) -> String {
    NEVER.replace("report", &format!("report-{nth}"))
}
