//! A finding in documents.

use schemars::JsonSchema;
use serde::Serialize;

use super::words::Word;
use crate::diagnose::{Finding, Severity};

/// A finding in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Finding")]
pub(super) struct FindingDocument<'a> {
    /// Which finding: a word that does not change.
    code: &'static str,
    /// How bad it is.
    severity: Word<Severity>,
    /// What is wrong, in a few words.
    title: &'static str,
    /// What is the case here, with the numbers and names that show it.
    detail: &'a str,
    /// What to do about it.
    remedy: Option<&'a str>,
    /// The field of the `CronJob` that it is about.
    field: Option<&'static str>,
}

impl<'a> From<&'a Finding> for FindingDocument<'a> {
    fn from(finding: &'a Finding) -> Self {
        FindingDocument {
            code: finding.code,
            severity: finding.severity.into(),
            title: finding.title,
            detail: &finding.detail,
            remedy: finding.remedy.as_deref(),
            field: finding.field,
        }
    }
}
