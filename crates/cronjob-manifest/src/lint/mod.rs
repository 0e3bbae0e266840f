//! Problems and risks in manifests of `CronJob`s, with positions and fixes.
//!
//! [`Linter::read`] checks the text of one file: it finds the `CronJob`s, passes each to the checks as a
//! `LintSubject`, and keeps what the rules about several `CronJob`s need. [`Linter::finish`] applies
//! those rules, removes ignored findings, and counts. Files can therefore be read in parallel, and none
//! is kept in memory. For a server-side dry run, the caller sends the [`candidates`] to the cluster and
//! passes the answers to [`Linter::add_dry_run_results`].
//!
//! The catalog of rules is [`crate::rules`]; the checks are here. This module does not read files, clocks
//! or the environment, and prints nothing.

mod api_server;
mod config;
mod dry_run;
mod edits;
mod exit_code;
mod file_report;
mod finding;
mod fix;
mod ignore;
mod linter;
mod manifest;
mod merge;
mod path;
mod reading;
mod release;
mod rules;
mod shell;
mod subject;

pub use config::{Config, FILE_NAME, LintSettings};
pub use dry_run::{DryRunCandidate, DryRunResult, RejectionCause, candidates};
pub use file_report::FileReport;
pub use finding::{Excerpt, LintFinding, ObjectIdentity, Region, Violation};
pub use fix::{Fix, TextEdit, apply};
pub use linter::{HiddenFindings, LintReport, Linter};
pub use reading::wide_manifest;
pub use release::Releases;

use file_report::{CronJobViolation, LintedCronJob};
use subject::{Context, LintSubject, POD};

pub use crate::rules::Severity;

/// What finds a rule of the catalog in manifests.
#[derive(Clone, Copy)]
enum RuleCheck {
    /// Each `CronJob` by itself, which breaks the rule at most once.
    Single(fn(&LintSubject<'_>) -> Option<Violation>),
    /// Each `CronJob` by itself.
    Each(fn(&LintSubject<'_>) -> Vec<Violation>),
    /// All `CronJob`s together, in the order in which they were read.
    Across(fn(&[LintedCronJob], &Context<'_>) -> Vec<CronJobViolation>),
}
