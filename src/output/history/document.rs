//! A history as a document.

use jiff::Timestamp;
use serde::ser::Serializer;
use serde::{Serialize, ser::SerializeSeq as _};

use super::{Header, Item};
use crate::history::{Entry, Memory, OffSchedule, Remembers, Run, RunResult, Spread, Summary};
use crate::output::API_VERSION;
use crate::output::next_runs::ControllerDocument;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    controller: &'a ControllerDocument,
    now: Timestamp,
    items: Vec<ItemDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemDocument<'a> {
    namespace: &'a str,
    name: &'a str,
    schedule: &'a str,
    time_zone: Option<&'a str>,
    since: Timestamp,
    until: Timestamp,
    basis: &'static str,
    omitted_slots: Option<u64>,
    slots: Slots<'a>,
    summary: SummaryDocument,
    memory: MemoryDocument,
    off_schedule: Vec<StrayDocument<'a>>,
    manual: Vec<ManualDocument<'a>>,
    notes: &'a [String],
    error: Option<String>,
}

/// The slots one by one: there may be very many, and they need not all be in memory at once.
struct Slots<'a>(&'a Item<'a>);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SlotDocument<'a> {
    scheduled_time: Timestamp,
    local_time: String,
    status: &'static str,
    job_name: Option<&'a str>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    result: Option<&'static str>,
    delay_seconds: Option<i64>,
    duration_seconds: Option<i64>,
    cause: Option<&'static str>,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryDocument {
    slots: u64,
    on_time: u64,
    late: u64,
    running: u64,
    skipped: u64,
    unknown: u64,
    succeeded: u64,
    failed: u64,
    overlaps: u64,
    delay_seconds: SpreadDocument,
    duration_seconds: SpreadDocument,
}

/// How values are spread, in documents.
#[derive(Serialize)]
pub(in crate::output) struct SpreadDocument {
    p50: Option<i64>,
    p95: Option<i64>,
    max: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MemoryDocument {
    successful_jobs_history_limit: Option<i32>,
    failed_jobs_history_limit: Option<i32>,
    ttl_seconds_after_finished: Option<i64>,
    successes_since: Option<Timestamp>,
    failures_since: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StrayDocument<'a> {
    scheduled_time: Timestamp,
    local_time: String,
    job_name: &'a str,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    result: Option<&'static str>,
    delay_seconds: Option<i64>,
    duration_seconds: Option<i64>,
    cause: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManualDocument<'a> {
    job_name: &'a str,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    result: Option<&'static str>,
    duration_seconds: Option<i64>,
}

/// The document for all that a call is about.
pub fn document<'a>(header: &'a Header, items: &'a [Item<'a>]) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "History",
        controller: &header.controller,
        now: header.now,
        items: items.iter().map(item).collect(),
    }
}

fn item<'a>(item: &'a Item<'a>) -> ItemDocument<'a> {
    let cron_job = item.facts.cron_job;
    let history = &item.history;
    ItemDocument {
        namespace: &cron_job.namespace,
        name: &cron_job.name,
        schedule: &cron_job.spec.schedule,
        time_zone: cron_job.spec.time_zone.as_deref(),
        since: history.since,
        until: history.until,
        basis: history.basis.as_str(),
        omitted_slots: history.omitted,
        slots: Slots(item),
        summary: summary(history.summary),
        memory: memory(&history.memory, history.until),
        off_schedule: history
            .off_schedule
            .iter()
            .map(|found| stray(item, found))
            .collect(),
        manual: history.manual.iter().map(manual).collect(),
        notes: &history.notes,
        error: history.trouble.as_ref().map(ToString::to_string),
    }
}

impl Serialize for Slots<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut slots = serializer.serialize_seq(None)?;
        for (at, entry) in self.0.history.slots() {
            slots.serialize_element(&slot(self.0, at, entry))?;
        }
        slots.end()
    }
}

fn slot<'a>(item: &Item<'_>, at: Timestamp, entry: &'a Entry) -> SlotDocument<'a> {
    let run = entry.run.as_ref();
    let reason = entry.reason.as_ref();
    SlotDocument {
        scheduled_time: at,
        local_time: item.local_time(at),
        status: entry.status.as_str(),
        job_name: run.map(|run| run.job_name.as_str()),
        started_at: run.and_then(|run| run.started_at),
        finished_at: run.and_then(|run| run.finished_at),
        result: run.and_then(result),
        delay_seconds: run.and_then(|run| run.delay_seconds),
        duration_seconds: run.and_then(|run| run.duration_seconds),
        cause: reason.map(|reason| reason.code),
        reason: reason.map(|reason| reason.detail.as_str()),
    }
}

fn result(run: &Run) -> Option<&'static str> {
    run.result.map(RunResult::as_str)
}

impl From<Spread> for SpreadDocument {
    fn from(spread: Spread) -> Self {
        SpreadDocument {
            p50: spread.p50,
            p95: spread.p95,
            max: spread.max,
        }
    }
}

fn summary(summary: Summary) -> SummaryDocument {
    SummaryDocument {
        slots: summary.slots,
        on_time: summary.on_time,
        late: summary.late,
        running: summary.running,
        skipped: summary.skipped,
        unknown: summary.unknown,
        succeeded: summary.succeeded,
        failed: summary.failed,
        overlaps: summary.overlaps,
        delay_seconds: summary.delay.into(),
        duration_seconds: summary.duration.into(),
    }
}

fn memory(memory: &Memory, until: Timestamp) -> MemoryDocument {
    let since = |remembers: Remembers| match remembers {
        Remembers::All => None,
        Remembers::After(moment) => Some(moment),
        Remembers::Nothing => Some(until),
    };
    MemoryDocument {
        successful_jobs_history_limit: memory.successful_limit,
        failed_jobs_history_limit: memory.failed_limit,
        ttl_seconds_after_finished: memory.ttl_seconds,
        successes_since: since(memory.successes),
        failures_since: since(memory.failures),
    }
}

fn stray<'a>(item: &Item<'_>, stray: &'a OffSchedule) -> StrayDocument<'a> {
    let run = &stray.run;
    StrayDocument {
        scheduled_time: stray.scheduled_time,
        local_time: item.local_time(stray.scheduled_time),
        job_name: &run.job_name,
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: result(run),
        delay_seconds: run.delay_seconds,
        duration_seconds: run.duration_seconds,
        cause: stray.reason.code,
        reason: &stray.reason.detail,
    }
}

fn manual(run: &Run) -> ManualDocument<'_> {
    ManualDocument {
        job_name: &run.job_name,
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: result(run),
        duration_seconds: run.duration_seconds,
    }
}
