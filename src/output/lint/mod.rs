//! Findings in manifests, in every format.

mod document;
mod examples;
mod github;
mod gitlab;
mod junit;
mod rules;
mod sarif;
mod short;
mod text;

use jiff::Timestamp;

use super::answer::{Answer, Documented, Format, Formats};
use super::json;
use cronjob_diagnosis::diagnose::Severity;
use cronjob_manifest::lint::{HiddenFindings, LintFinding, LintReport, ObjectIdentity};
use cronjob_text::printable::{printable, shortened};
use cronjob_text::words::{counted, occurring, plural};

pub use document::LintDocument;
use document::document;
pub use examples::example;
pub use github::github;
use gitlab::gitlab;
use junit::junit;
pub use rules::difference;
pub(crate) use rules::{explain, list};
pub use sarif::sarif;
pub use short::short;
pub use text::text;

/// What `lint` found.
pub(crate) struct LintAnswer<'a> {
    pub report: &'a LintReport,
    pub now: Timestamp,
    /// The least severity of a failed test in a `JUnit` report.
    pub failures_from: Option<Severity>,
}

impl Answer for LintAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::default_of(Format::Text, |out, lint| text(out, lint.report))
            .and(Format::Short, |out, lint| short(out, lint.report))
            .and_documents()
            .and(Format::Sarif, |out, lint| json(out, &sarif(lint.report)))
            .and(Format::Github, |out, lint| github(out, lint.report))
            .and(Format::Gitlab, |out, lint| json(out, &gitlab(lint.report)))
            .and(Format::Junit, |out, lint| {
                junit(out, lint.report, lint.now, lint.failures_from)
            })
    }
}

impl Documented for LintAnswer<'_> {
    fn document(&self) -> impl serde::Serialize {
        document(self.report)
    }
}

/// Names that the API server accepts are shorter.
const LONGEST_NAME: usize = 600;

/// `CronJob shop/nightly`
fn display_name(object: &ObjectIdentity) -> String {
    let kind = object.kind.as_deref().unwrap_or("CronJob");
    format!("{kind} {}", object.qualified())
}

/// The message, shortened, because it may contain long values of the manifest.
fn headline(finding: &LintFinding) -> String {
    const LONGEST: usize = 1_000;
    shortened(&printable(&finding.headline()), LONGEST)
}

/// The message, after the name of the object if that says more than the line.
fn named_headline(finding: &LintFinding) -> String {
    let message = headline(finding);
    match &finding.object {
        Some(object) if finding.rendered => {
            let name = shortened(&printable(&object.qualified()), LONGEST_NAME);
            format!("{name}: {message}")
        }
        _ => message,
    }
}

/// What to do in this case, or else in general, if the message does not say it.
fn help(finding: &LintFinding) -> Option<&str> {
    let own = finding.found.help.as_deref();
    own.or(finding.lint.remedy)
}

/// The message and what to do as two sentences.
fn message_with_help(message: &str, finding: &LintFinding) -> String {
    let sentences = std::iter::once(message).chain(help(finding));
    sentences.collect::<Vec<_>>().join(". ")
}

/// `2 CronJobs in 1 file: 1 error, 3 warnings, 2 info`, and what is hidden.
pub(crate) fn summary(report: &LintReport) -> String {
    let severities = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "info", "info"),
    ];
    let counts = occurring(severities.map(|(severity, one, more)| {
        let count = report.count(severity);
        (count, plural(count, one, more))
    }));
    let found = if !counts.is_empty() {
        counts.join(", ")
    } else if report.hidden.warnings > 0 {
        "no errors".to_owned()
    } else {
        "no problems".to_owned()
    };
    let cron_jobs = counted(report.objects, "CronJob");
    let others = format!("{} of other kinds", counted(report.others, "object"));
    let objects = match (report.objects, report.others) {
        (_, 0) => cron_jobs,
        (0, _) => others,
        _ => format!("{cron_jobs} and {others}"),
    };
    let files = counted(report.files, "file");
    let hidden = hidden(report.hidden).map(|hidden| format!(" ({hidden})"));
    format!(
        "{objects} in {files}: {found}{}",
        hidden.unwrap_or_default()
    )
}

/// `12 hints hidden; --severity info shows them`
fn hidden(hidden: HiddenFindings) -> Option<String> {
    let (warnings, hints, unchecked) = (hidden.warnings, hidden.hints, hidden.unchecked);
    let named = occurring([
        (warnings, plural(warnings, "warning", "warnings")),
        (hints, plural(hints, "hint", "hints")),
    ]);
    let mut parts = Vec::new();
    if !named.is_empty() {
        parts.push(format!("{} hidden", named.join(" and ")));
    }
    match unchecked {
        0 => {}
        1 => parts.push("1 template, patch or nested object not checked".to_owned()),
        many => parts.push(format!(
            "{many} templates, patches or nested objects not checked"
        )),
    }
    let all = warnings + hints + unchecked;
    let them = plural(all, "it", "them");
    (all > 0).then(|| format!("{}; --severity info shows {them}", parts.join(", ")))
}
