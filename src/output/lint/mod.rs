//! Findings in manifests, in every format.

mod document;
mod github;
mod junit;
mod markdown;
mod rules;
mod sarif;
mod short;
mod text;

use crate::diagnose::{Severity, counted};
use crate::lint::{LintFinding, LintReport, ObjectIdentity};
use crate::output::style::Meaning;
use crate::printable::{printable, shortened};

pub(crate) use document::{LintDocument, document};
pub use github::github;
pub(crate) use junit::junit;
pub(crate) use markdown::markdown;
pub(crate) use rules::{explain, list};
pub use sarif::sarif;
pub use short::short;
pub use text::text;

fn meaning(severity: Severity) -> Meaning {
    match severity {
        Severity::Info => Meaning::Strong,
        Severity::Warning => Meaning::Odd,
        Severity::Error => Meaning::Bad,
    }
}

/// `CronJob shop/nightly`
fn called(object: &ObjectIdentity) -> String {
    let kind = object.kind.as_deref().unwrap_or("CronJob");
    let name = object.name.as_deref().unwrap_or("(no name)");
    match &object.namespace {
        Some(namespace) => format!("{kind} {namespace}/{name}"),
        None => format!("{kind} {name}"),
    }
}

/// The message, shortened, because it may contain long values of the manifest.
fn headline(finding: &LintFinding) -> String {
    const LONGEST: usize = 1_000;
    shortened(&printable(&finding.headline()), LONGEST)
}

/// What to do in this case, or else in general.
fn help(finding: &LintFinding) -> &str {
    let own = finding.found.help.as_deref();
    own.unwrap_or(finding.lint.remedy)
}

/// `2 CronJobs in 1 file: 1 error, 3 warnings, 2 info`
pub(crate) fn summary(report: &LintReport) -> String {
    let severities = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "info", "info"),
    ];
    let counts = severities
        .into_iter()
        .map(|(severity, one, more)| (report.count(severity), one, more))
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more)| format!("{count} {}", if count == 1 { one } else { more }));
    let counts: Vec<String> = counts.collect();
    let found = if counts.is_empty() {
        "no problems".to_owned()
    } else {
        counts.join(", ")
    };
    let objects = counted(report.objects, "CronJob");
    let files = counted(report.files, "file");
    format!("{objects} in {files}: {found}")
}
