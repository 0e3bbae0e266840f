//! Results of a server-side dry run of the `CronJob`s of a file.
//!
//! [`candidates`] are the objects to send, and [`Linter::add_dry_run_results`] takes the answers. The
//! caller sends the requests in between.

use std::sync::Arc;

use serde_json::Value;

use super::api_server;
use super::file_report::FileReport;
use super::finding::Violation;
use super::linter::Linter;
use super::manifest::{cron_jobs, may_hold, parts};
use super::merge::is_missing_namespace;
use super::reading::utf8_text;
use super::rules::manifest::template_within;
use super::subject::{Context, LintSubject};
use crate::rules::{self, Rule};
use crate::validation::{self, CauseReason, ValidationResult};
use located_yaml::{self, Node};

/// A `CronJob` as kubectl would send it.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRunCandidate {
    pub object: Value,
    /// The version of its API, such as `v1`.
    pub version: String,
    pub namespace: Option<String>,
}

/// The answer of the cluster for a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DryRunResult {
    Accepted {
        warnings: Vec<String>,
    },
    Rejected {
        message: String,
        /// The fields that cause it, if known.
        causes: Vec<RejectionCause>,
    },
}

/// A cause of a rejection, as in `status.details.causes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectionCause {
    /// The field, such as `spec.schedule`; empty if the server names none.
    pub field: String,
    pub message: String,
}

/// The `CronJob`s of a file, in order; `None` for one that cannot be sent.
pub fn candidates(bytes: &[u8]) -> Vec<Option<DryRunCandidate>> {
    let mut found = Vec::new();
    if let Ok(text) = utf8_text(bytes) {
        each(text, |node| found.push(candidate(node)));
    }
    found
}

fn candidate(node: &Node) -> Option<DryRunCandidate> {
    let object = node.to_json().ok()?;
    let string = |path: &str| object.pointer(path).and_then(Value::as_str);
    let version = string("/apiVersion")?.strip_prefix("batch/")?;
    let namespace = string("/metadata/namespace").filter(|name| !name.is_empty());
    Some(DryRunCandidate {
        version: version.to_owned(),
        namespace: namespace.map(str::to_owned),
        object,
    })
}

/// Calls `show` for each `CronJob` of a text, in the order in which they are linted.
fn each(text: &str, mut show: impl FnMut(&Node)) {
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        for document in located_yaml::parse_part(text, part).documents {
            let objects = cron_jobs(&document.root);
            if template_within(&objects).is_none() {
                objects.into_iter().for_each(&mut show);
            }
        }
    }
}

impl Linter<'_> {
    /// Adds the answers for the [`candidates`] of a file that were not found without the cluster.
    pub fn add_dry_run_results(
        &self,
        report: &mut FileReport,
        bytes: &[u8],
        results: &[Option<DryRunResult>],
    ) {
        let Ok(text) = utf8_text(bytes) else { return };
        report.asked_cluster = true;
        let context = self.context(report.settings.releases.newest());
        let file = report.file.clone();
        let mut results = results.iter();
        each(text, |node| {
            let Some(Some(result)) = results.next() else {
                return;
            };
            let subject = LintSubject::new(node, text, &file, &context);
            let object = Arc::new(subject.object());
            for (rule, found) in new_violations(&subject, result) {
                if let Some(mut finding) = report.finding_in(text, rule, found) {
                    finding.object = Some(object.clone());
                    report.findings.push(finding);
                }
            }
        });
    }
}

/// What the cluster reports in addition to what every API server of the release reports.
fn new_violations(
    subject: &LintSubject<'_>,
    result: &DryRunResult,
) -> Vec<(&'static Rule, Violation)> {
    let Context { release, zones, .. } = *subject.context;
    let known = validation::validate(subject.node, &[], release, zones);
    match result {
        DryRunResult::Accepted { warnings } => {
            let is_known = |text: &String| known.warnings.iter().any(|one| one.message == *text);
            let new = warnings.iter().filter(|text| !is_known(text));
            new.map(|text| (&rules::SERVER_WARNING, warned(subject, text)))
                .collect()
        }
        DryRunResult::Rejected { message, causes } => {
            let new = refusals(subject, &known, message, causes);
            new.into_iter()
                .map(|found| (&rules::REJECTED_BY_CLUSTER, found))
                .collect()
        }
    }
}

fn warned(subject: &LintSubject<'_>, text: &str) -> Violation {
    match api_server::field_of(text) {
        Some((field, rest)) => subject.found(field, rest),
        None => of_whole(subject, text),
    }
}

fn refusals(
    subject: &LintSubject<'_>,
    known: &ValidationResult,
    message: &str,
    causes: &[RejectionCause],
) -> Vec<Violation> {
    let of_fields: Vec<_> = causes
        .iter()
        .filter(|cause| !cause.field.is_empty())
        .collect();
    if !of_fields.is_empty() {
        let is_known = |new: &RejectionCause| {
            let mut causes = known.causes.iter();
            causes.any(|cause| cause.field == new.field && cause.message == new.message)
        };
        let new = of_fields.into_iter().filter(|cause| !is_known(cause));
        return new
            .map(|cause| subject.found(&cause.field, cause.message.as_str()))
            .collect();
    }
    // A server that cannot decode a manifest reports only the first error.
    let mut reasons = known.causes.iter().map(|cause| cause.reason);
    if reasons.any(CauseReason::precludes_validation) || known.message.as_deref() == Some(message) {
        return Vec::new();
    }
    let found = of_whole(subject, message);
    vec![if is_missing_namespace(message) {
        found.help("Create the namespace first; until then the cluster reports nothing else about the object.")
    } else {
        found
    }]
}

/// A violation by the whole object, shown at its name.
fn of_whole(subject: &LintSubject<'_>, message: &str) -> Violation {
    let mut found = subject.found("metadata.name", message);
    found.field = String::new();
    found
}
