//! The machine-readable document.

use jiff::Timestamp;
use serde::Serialize;

use super::Scan;
use crate::diagnose::Finding;
use crate::output::API_VERSION;
use crate::output::next_runs::ControllerDocument;
use crate::survey::{Row, Summary};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    now: Timestamp,
    controller: &'a ControllerDocument,
    summary: SummaryDocument,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct SummaryDocument {
    total: usize,
    ok: usize,
    info: usize,
    warning: usize,
    error: usize,
    suspended: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    api_version: &'a str,
    namespace: &'a str,
    name: &'a str,
    schedule: &'a str,
    time_zone: Option<&'a str>,
    description: Option<&'a str>,
    suspended: bool,
    next_run: Option<Timestamp>,
    last_schedule_time: Option<Timestamp>,
    last_successful_time: Option<Timestamp>,
    active: usize,
    missed: Option<u64>,
    health: &'static str,
    verdict: &'a str,
    findings: Vec<FindingDocument<'a>>,
}

#[derive(Serialize)]
struct FindingDocument<'a> {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    detail: &'a str,
    remedy: Option<&'a str>,
    field: Option<&'static str>,
}

/// The document.
pub fn document<'a>(scan: &'a Scan<'a>) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "ScanReport",
        now: scan.now,
        controller: &scan.controller,
        summary: SummaryDocument::from(scan.report.summary),
        items: scan.report.rows.iter().map(Item::from).collect(),
    }
}

impl From<Summary> for SummaryDocument {
    fn from(summary: Summary) -> Self {
        SummaryDocument {
            total: summary.total,
            ok: summary.ok,
            info: summary.info,
            warning: summary.warning,
            error: summary.error,
            suspended: summary.suspended,
        }
    }
}

impl<'a> From<&'a Row> for Item<'a> {
    fn from(row: &'a Row) -> Self {
        Item {
            api_version: &row.api_version,
            namespace: &row.namespace,
            name: &row.name,
            schedule: &row.schedule,
            time_zone: row.time_zone.as_deref(),
            description: row.description.as_deref(),
            suspended: row.suspended,
            next_run: row.next_run,
            last_schedule_time: row.last_schedule_time,
            last_successful_time: row.last_successful_time,
            active: row.active,
            missed: row.missed,
            health: row.health.as_str(),
            verdict: &row.verdict,
            findings: row.findings.iter().map(FindingDocument::from).collect(),
        }
    }
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
