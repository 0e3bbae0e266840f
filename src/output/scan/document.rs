//! The machine-readable document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Lacking, Scan};
use crate::forecast::NextState;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{Body, Envelope};
use crate::output::finding::FindingDocument;
use crate::output::words::Word;
use crate::survey::{Row, Summary};

/// The health of many `CronJob`s: `scan -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScanReport")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The moment that is taken for now.
    now: Timestamp,
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// What could not be read, so that the report goes without.
    lacks: &'a [Lacking],
    /// How many of them are how.
    summary: SummaryDocument,
    /// The `CronJob`s, in the order that was asked for.
    items: Vec<Item<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "ScanReport";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScanSummary")]
struct SummaryDocument {
    /// How many `CronJob`s there are.
    total: usize,
    /// Of how many nothing was found.
    ok: usize,
    /// Of how many something is worth knowing.
    info: usize,
    /// Of how many something is lost, or will be.
    warning: usize,
    /// How many do not work.
    error: usize,
    /// How many are suspended; they are counted above, too.
    suspended: usize,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Health")]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    /// The API version that it was read as.
    api_version: &'a str,
    /// Its namespace.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.schedule`
    schedule: &'a str,
    /// `spec.timeZone`
    time_zone: Option<&'a str>,
    /// What the schedule means, in words.
    description: Option<&'a str>,
    /// Whether it is in a cluster; a manifest that never was counts as created now.
    in_cluster: bool,
    /// Whether it is suspended.
    suspended: bool,
    /// Why, if whoever suspended it said so.
    suspend_reason: Option<&'a str>,
    /// When the next run is due, or the next attempt; null where that is not known, or where nothing
    /// will start until something changes.
    next_run: Option<Timestamp>,
    /// What to expect of it; null where nothing will start until something changes.
    next_state: Option<Word<NextState>>,
    /// `status.lastScheduleTime`
    last_schedule_time: Option<Timestamp>,
    /// `status.lastSuccessfulTime`
    last_successful_time: Option<Timestamp>,
    /// How many Jobs count as running.
    active: usize,
    /// How many slots were missed and not backfilled since, exactly; null where the schedule cannot
    /// be read.
    missed: Option<u64>,
    /// How it is: the worst of its findings.
    health: Word<crate::survey::Health>,
    /// What is the case, in a sentence.
    verdict: &'a str,
    /// What is wrong or risky.
    findings: Vec<FindingDocument<'a>>,
}

/// The document.
pub fn document<'a>(scan: &'a Scan<'a>) -> Envelope<Document<'a>> {
    Document {
        now: scan.now,
        controller: &scan.controller,
        lacks: &scan.lacks,
        summary: SummaryDocument::from(scan.report.summary),
        items: scan.report.rows.iter().map(Item::from).collect(),
    }
    .into()
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
            in_cluster: row.in_cluster,
            suspended: row.suspended,
            suspend_reason: row.suspend_reason.as_deref(),
            next_run: row.next_run,
            next_state: row.next_state.map(Into::into),
            last_schedule_time: row.last_schedule_time,
            last_successful_time: row.last_successful_time,
            active: row.active,
            missed: row.missed,
            health: row.health.into(),
            verdict: &row.verdict,
            findings: row.findings.iter().map(FindingDocument::from).collect(),
        }
    }
}
