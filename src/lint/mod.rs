//! What is wrong or risky in manifests of `CronJob`s, with the place and the fix.
//!
//! [`Linter::read`] looks at the text of one file and at nothing else: it finds the `CronJob`s in it,
//! shows each to the checks as a [`LintSubject`], and keeps what the rules about several
//! `CronJob`s need. [`Linter::finish`] asks those rules, takes away what is ignored, and counts. So
//! files can be read side by side, and none is kept. Where a cluster is to be asked as well, somebody
//! who can reach it shows it the [`candidates`] and passes on what it says to [`Linter::add_dry_run_results`].
//!
//! What each rule is stands in the catalog, [`crate::rules`]; the checks are here.
//!
//! The room reads no file, no clock and no environment, and prints nothing.

mod api_server;
mod config;
mod dry_run;
mod edits;
mod file_report;
mod finding;
mod fix;
mod ignore;
mod linter;
mod manifest;
mod path;
mod reading;
mod release;
mod rules;
mod subject;
#[cfg(test)]
mod testing;

pub use config::LintSettings;
pub(crate) use config::{Config, FILE_NAME};
pub(crate) use dry_run::{DryRunCandidate, DryRunResult, candidates};
pub(crate) use file_report::{CronJobViolation, FileReport, LintedCronJob};
pub use finding::LintFinding;
pub(crate) use finding::{Excerpt, ObjectIdentity, Region, Violation};
pub use fix::apply;
pub(crate) use fix::{Fix, TextEdit};
pub use linter::{LintReport, Linter};
pub use reading::wide_manifest;
pub(crate) use reading::{KUSTOMIZATIONS, Kustomization};
pub(crate) use release::Releases;
pub(crate) use subject::{Context, LintSubject, POD};

pub use crate::rules::Severity;

/// What finds a rule of the catalog in manifests.
#[derive(Clone, Copy)]
enum RuleCheck {
    /// Each `CronJob` by itself.
    Each(fn(&LintSubject<'_>) -> Vec<Violation>),
    /// All `CronJob`s together, in the order in which they were read.
    Across(fn(&[LintedCronJob], &Context<'_>) -> Vec<CronJobViolation>),
}
