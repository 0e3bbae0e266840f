//! The machine-readable document.

use schemars::JsonSchema;
use serde::Serialize;

use super::help;
use crate::diagnose::Severity;
use crate::lint::{LintFinding, LintReport, ObjectIdentity};
use crate::output::envelope::{DocumentBody, Envelope};

/// What is wrong with manifests: `lint -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintReport")]
#[serde(rename_all = "camelCase")]
pub(crate) struct LintDocument<'a> {
    /// What it comes to.
    summary: Summary,
    /// What was found, by file and line.
    findings: Vec<FindingDocument<'a>>,
}

impl DocumentBody for LintDocument<'_> {
    const KIND: &'static str = "LintReport";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintSummary")]
struct Summary {
    /// How many files were read.
    files: usize,
    /// How many objects were checked.
    objects: usize,
    /// How many errors were found.
    errors: usize,
    /// How many warnings.
    warnings: usize,
    /// How many things worth knowing.
    infos: usize,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LintFinding")]
#[serde(rename_all = "camelCase")]
struct FindingDocument<'a> {
    /// The code of the rule.
    code: &'static str,
    /// Its name.
    name: &'static str,
    /// How bad it is.
    severity: Severity,
    /// What is wrong; where the API server would refuse it, in its own words.
    message: &'a str,
    /// What else is worth knowing about it.
    notes: &'a [String],
    /// The file; `-` is the standard input.
    file: &'a str,
    /// Where it begins: the line, from 1.
    line: u32,
    /// The column, from 1.
    column: u32,
    /// Where it ends: the line.
    end_line: u32,
    /// The column after its last character.
    end_column: u32,
    /// The field, as the API server names it.
    field: Option<&'a str>,
    /// The object; null where it is about a file.
    object: Option<&'a ObjectIdentity>,
    /// The releases that it holds for; null where it holds for all that were asked for.
    kubernetes_versions: Option<&'a str>,
    /// Whether `--fix` mends it.
    fixable: bool,
    /// What `--fix` would do.
    fix: Option<&'a str>,
    /// How to mend it.
    help: &'a str,
}

/// The document.
pub(crate) fn document(report: &LintReport) -> Envelope<LintDocument<'_>> {
    LintDocument {
        summary: Summary {
            files: report.files,
            objects: report.objects,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            infos: report.count(Severity::Info),
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
            fix: found.fix.as_ref().map(|fix| fix.what.as_str()),
            help: help(finding),
        }
    }
}
