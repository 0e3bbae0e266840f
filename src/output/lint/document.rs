//! The machine-readable document.

use serde::Serialize;

use super::help;
use crate::diagnose::Severity;
use crate::lint::{Finding, Object, Report};
use crate::output::API_VERSION;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    summary: Summary,
    findings: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    objects: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: &'a str,
    notes: &'a [String],
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    field: Option<&'a str>,
    object: Option<Named<'a>>,
    kubernetes_versions: Option<&'a str>,
    fixable: bool,
    fix: Option<&'a str>,
    help: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Named<'a> {
    api_version: Option<&'a str>,
    kind: Option<&'a str>,
    namespace: Option<&'a str>,
    name: Option<&'a str>,
}

/// The document.
pub fn document(report: &Report) -> impl Serialize + '_ {
    Document {
        api_version: API_VERSION,
        kind: "LintReport",
        summary: Summary {
            files: report.files,
            objects: report.objects,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            infos: report.count(Severity::Info),
        },
        findings: report.findings.iter().map(Item::from).collect(),
    }
}

impl<'a> From<&'a Finding> for Item<'a> {
    fn from(finding: &'a Finding) -> Self {
        let found = &finding.found;
        Item {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.as_str(),
            message: &found.message,
            notes: &found.notes,
            file: &finding.file,
            line: finding.region.start.0,
            column: finding.region.start.1,
            end_line: finding.region.end.0,
            end_column: finding.region.end.1,
            field: (!found.field.is_empty()).then_some(found.field.as_str()),
            object: finding.object.as_deref().map(Named::from),
            kubernetes_versions: finding.releases.as_deref(),
            fixable: found.fix.is_some(),
            fix: found.fix.as_ref().map(|fix| fix.what.as_str()),
            help: help(finding),
        }
    }
}

impl<'a> From<&'a Object> for Named<'a> {
    fn from(object: &'a Object) -> Self {
        Named {
            api_version: object.api_version.as_deref(),
            kind: object.kind.as_deref(),
            namespace: object.namespace.as_deref(),
            name: object.name.as_deref(),
        }
    }
}
