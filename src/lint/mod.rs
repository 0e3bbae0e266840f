//! What is wrong or risky in manifests of `CronJob`s, with the place and the fix.
//!
//! [`Linter::read`] looks at the text of one file and at nothing else: it finds the `CronJob`s in it,
//! shows each to the checks as a [`Subject`], and keeps what the rules about several
//! `CronJob`s need. [`Linter::finish`] asks those rules, takes away what is ignored, and counts. So
//! files can be read side by side, and none is kept. Where a cluster is to be asked as well, somebody
//! who can reach it shows it the [`candidates`] and passes on what it says to [`Linter::hear`].
//!
//! What each rule is stands in the catalogue, [`crate::rules`]; the checks are here.
//!
//! The room reads no file, no clock and no environment, and prints nothing.

mod across;
mod config;
mod dry_run;
mod edits;
mod excerpt;
mod file_report;
mod finding;
mod fix;
mod ignore;
mod kustomization;
mod linter;
mod manifest;
mod mending;
mod no_namespace;
mod path;
mod reading;
mod release;
mod rules;
mod server;
mod settings;
mod subject;
#[cfg(test)]
mod testing;
mod text;

pub use across::{Accusation, Sighting, Spot};
pub use config::{Config, ConfigError, FILE_NAME};
pub use dry_run::{Candidate, Verdict, candidates};
pub use excerpt::Excerpt;
pub use file_report::FileReport;
pub use finding::{Finding, Found, Object, Region};
pub use fix::{Edit, Fix, Fixed, apply};
pub use kustomization::{KUSTOMIZATIONS, Kustomization};
pub use linter::{Linter, Report};
pub use release::{Releases, ReleasesError};
pub use settings::Settings;
pub use subject::{Context, POD, Subject};
pub use text::wide_manifest;

pub use crate::rules::Severity;

/// What finds a rule of the catalogue in manifests.
#[derive(Clone, Copy)]
enum Check {
    /// Each `CronJob` by itself.
    Each(fn(&Subject<'_>) -> Vec<Found>),
    /// All `CronJob`s together, in the order in which they were read.
    Across(fn(&[Sighting], &Context<'_>) -> Vec<Accusation>),
}
