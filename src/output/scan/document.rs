//! The machine-readable document.

use jiff::Timestamp;
use serde::Serialize;

use super::{Lacking, Scan};
use crate::output::API_VERSION;
use crate::output::finding::FindingDocument;
use crate::output::next_runs::ControllerDocument;
use crate::survey::{Row, Summary};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    now: Timestamp,
    controller: &'a ControllerDocument,
    lacks: &'a [Lacking],
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
    suspend_reason: Option<&'a str>,
    next_run: Option<Timestamp>,
    last_schedule_time: Option<Timestamp>,
    last_successful_time: Option<Timestamp>,
    active: usize,
    missed: Option<u64>,
    health: &'static str,
    verdict: &'a str,
    findings: Vec<FindingDocument<'a>>,
}

/// The document.
pub fn document<'a>(scan: &'a Scan<'a>) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "ScanReport",
        now: scan.now,
        controller: &scan.controller,
        lacks: &scan.lacks,
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
            suspend_reason: row.suspend_reason.as_deref(),
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
