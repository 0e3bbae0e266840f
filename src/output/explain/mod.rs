//! An explanation, as text and as a document.

mod document;
mod pods;
mod text;

use jiff::Timestamp;

pub use document::document;
pub use text::text;

use crate::controller::{Decision, EditEffect, Release};
use crate::diagnose::{Facts, Finding, MissedFor};
use crate::output::next_runs::ControllerDocument;
use crate::upcoming::Run;

/// All that is said about one `CronJob`.
pub struct Explanation<'a> {
    /// What is known.
    pub facts: Facts<'a>,
    /// One sentence.
    pub verdict: String,
    /// What its schedule means.
    pub description: Option<String>,
    /// Why slots were missed.
    pub causes: Vec<MissedFor>,
    /// The next runs, with what is unusual about them.
    pub next_runs: Vec<Run>,
    /// What is wrong or risky.
    pub findings: Vec<Finding>,
    /// What would be if something were different, with what was changed.
    pub what_if: Option<WhatIf>,
    /// What other releases would do.
    pub compared: Vec<(Release, Decision)>,
}

/// The same `CronJob` with some fields changed.
pub struct WhatIf {
    /// What was changed, as it was given.
    pub changes: Vec<String>,
    /// What the controller would do then.
    pub decision: Decision,
    /// In one sentence.
    pub verdict: String,
    /// What making the change would lead to.
    pub effect: EditEffect,
}

/// What is common to all explanations of a call.
pub struct Header {
    /// The controller.
    pub controller: ControllerDocument,
    /// The moment taken for now.
    pub now: Timestamp,
}

/// A moment after another, by a number of nanoseconds.
fn later(now: Timestamp, nanoseconds: i64) -> Option<Timestamp> {
    now.checked_add(jiff::SignedDuration::from_nanos(nanoseconds))
        .ok()
}
