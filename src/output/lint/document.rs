//! The machine-readable document.

use schemars::JsonSchema;
use serde::Serialize;

use super::help;
use crate::output::envelope::{DocumentBody, Envelope};
use cronjob_diagnosis::diagnose::Severity;
use cronjob_manifest::lint::{LintFinding, LintReport, ObjectIdentity};

/// Problems in manifests: `lint -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintReport")]
#[serde(rename_all = "camelCase")]
pub struct LintDocument<'a> {
    /// The numbers of files, objects and findings.
    summary: Summary,
    /// The findings, by file and line.
    findings: Vec<FindingDocument<'a>>,
}

impl DocumentBody for LintDocument<'_> {}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintSummary")]
#[serde(rename_all = "camelCase")]
struct Summary {
    /// Number of files that were read.
    files: usize,
    /// Number of CronJobs that were checked.
    objects: usize,
    /// Number of objects of other kinds with a schedule that were checked.
    other_objects: usize,
    /// Number of errors.
    errors: usize,
    /// Number of warnings.
    warnings: usize,
    /// Number of findings of severity info.
    infos: usize,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintFinding")]
#[serde(rename_all = "camelCase")]
struct FindingDocument<'a> {
    /// The code of the rule.
    code: &'static str,
    /// The name of the rule.
    name: &'static str,
    /// The severity.
    severity: Severity,
    /// What is wrong; if the API server would reject it, the API server's message.
    message: &'a str,
    /// Additional information.
    notes: &'a [String],
    /// The file; for standard input `stdin` or what `--stdin-name` says, and for `-k` the directory.
    file: &'a str,
    /// The line where it begins, counted from 1.
    line: u32,
    /// The column where it begins, counted from 1.
    column: u32,
    /// The line where it ends.
    end_line: u32,
    /// The column after its last character.
    end_column: u32,
    /// The field, as the API server names it.
    field: Option<&'a str>,
    /// The object; null if the finding is about a file.
    object: Option<&'a ObjectIdentity>,
    /// The Kubernetes versions that it applies to; null if it applies to all that were checked.
    kubernetes_versions: Option<&'a str>,
    /// Whether `--fix` can fix it.
    fixable: bool,
    /// What `--fix` would do.
    fix: Option<&'a str>,
    /// How to fix it; null if the message says everything.
    help: Option<&'a str>,
}

pub(super) fn document(report: &LintReport) -> Envelope<LintDocument<'_>> {
    LintDocument {
        summary: Summary {
            files: report.files,
            objects: report.objects,
            other_objects: report.others,
            errors: report.total(Severity::Error),
            warnings: report.total(Severity::Warning),
            infos: report.total(Severity::Info),
        },
        findings: report.findings.iter().map(FindingDocument::from).collect(),
    }
    .into()
}

impl<'a> From<&'a LintFinding> for FindingDocument<'a> {
    fn from(finding: &'a LintFinding) -> Self {
        let found = &finding.found;
        FindingDocument {
            code: finding.lint.code,
            name: finding.rule.name,
            severity: finding.severity,
            message: &found.message,
            notes: &found.notes,
            file: &finding.file,
            line: finding.region.start.0,
            column: finding.region.start.1,
            end_line: finding.region.end.0,
            end_column: finding.region.end.1,
            field: (!found.field.is_empty()).then_some(found.field.as_str()),
            object: finding.object.as_deref(),
            kubernetes_versions: finding.releases.as_deref(),
            fixable: found.fix.is_some(),
            fix: found.fix.as_ref().map(|fix| fix.description.as_str()),
            help: help(finding),
        }
    }
}
