//! `lint` through the real binary.

use crate::support::prelude::*;

// Windows writes paths with another stroke.
#[cfg(unix)]
mod finding_files;
mod fixing;
mod formats;
mod gitlab;
mod kustomize;
mod reading;
#[cfg(unix)]
mod rendered;
mod rules;
mod sarif;
mod severity;

/// The moment from which dates are looked for.
const NOW: &str = "--now=2026-11-21T08:00:00Z";

/// A CronJob that is fine.
const GOOD: &str = include_str!("../examples/lint/never-scheduled/good.yaml");

/// The same on 30 February.
const NEVER: &str = include_str!("../examples/lint/never-scheduled/bad.yaml");

fn lint(arguments: impl CommandLine) -> Ran {
    doctor((&format!("lint {NOW}"), arguments))
}

/// One that never runs, with a name of its own.
fn short(nth: usize) -> String {
    NEVER.replace("report", &format!("report-{nth}"))
}
