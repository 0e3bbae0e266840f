//! A finding in documents.

use serde::Serialize;

use crate::diagnose::Finding;

/// A finding in documents.
#[derive(Serialize)]
pub(super) struct FindingDocument<'a> {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    detail: &'a str,
    remedy: Option<&'a str>,
    field: Option<&'static str>,
}

impl<'a> From<&'a Finding> for FindingDocument<'a> {
    fn from(finding: &'a Finding) -> Self {
        FindingDocument {
            code: finding.code,
            severity: finding.severity.as_str(),
            title: finding.title,
            detail: &finding.detail,
            remedy: finding.remedy.as_deref(),
            field: finding.field,
        }
    }
}
