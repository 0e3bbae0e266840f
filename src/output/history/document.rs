//! A history as a document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::ser::Serializer;
use serde::{Serialize, ser::SerializeSeq as _};

use super::{Header, Item};
use crate::history::{
    Basis, Entry, Memory, OffSchedule, Remembers, Run, RunResult, Spread, Status, Summary,
};
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{Body, Envelope};

/// What became of past runs: `history -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "History")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// The moment that is taken for now.
    now: Timestamp,
    /// The past of each `CronJob`.
    items: Vec<ItemDocument<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "History";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Past")]
#[serde(rename_all = "camelCase")]
struct ItemDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.schedule`
    schedule: &'a str,
    /// `spec.timeZone`
    time_zone: Option<&'a str>,
    /// Where the window begins.
    since: Timestamp,
    /// Where it ends.
    until: Timestamp,
    /// Why it begins there.
    basis: Basis,
    /// How many slots lie before the window and were left out for being too many; null if they were
    /// not even counted.
    omitted_slots: Option<u64>,
    /// What became of each slot, oldest first.
    #[schemars(with = "Vec<SlotDocument<'a>>")]
    slots: Slots<'a>,
    /// What they come to.
    summary: SummaryDocument,
    /// How far back the cluster remembers.
    memory: MemoryDocument,
    /// Starts for times that are no slots of the schedule.
    off_schedule: Vec<StrayDocument<'a>>,
    /// Runs that were started by hand.
    manual: Vec<ManualDocument<'a>>,
    /// What is worth knowing about the evidence.
    notes: &'a [String],
    /// Why nothing can be said about slots.
    error: Option<String>,
}

/// The slots one by one: there may be very many, and they need not all be in memory at once.
struct Slots<'a>(&'a Item<'a>);

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PastSlot")]
#[serde(rename_all = "camelCase")]
struct SlotDocument<'a> {
    /// The slot.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// What became of it.
    status: Status,
    /// The Job that ran it.
    job_name: Option<&'a str>,
    /// When that was created.
    started_at: Option<Timestamp>,
    /// When it was over.
    finished_at: Option<Timestamp>,
    /// How it ended; null where that is not known.
    result: Option<RunResult>,
    /// How late it started.
    delay_seconds: Option<i64>,
    /// How long it took, or runs already.
    duration_seconds: Option<i64>,
    /// Why it is so, in a word that does not change.
    cause: Option<&'static str>,
    /// The same in a sentence, with what shows it.
    reason: Option<&'a str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PastSummary")]
#[serde(rename_all = "camelCase")]
struct SummaryDocument {
    /// How many slots the window has.
    slots: u64,
    /// How many started within ten seconds.
    on_time: u64,
    /// How many started later.
    late: u64,
    /// How many were run later by somebody else than the controller, as `backfill` does.
    backfilled: u64,
    /// How many run still.
    running: u64,
    /// How many did not start.
    skipped: u64,
    /// Of how many the evidence does not tell.
    unknown: u64,
    /// How many succeeded.
    succeeded: u64,
    /// How many failed.
    failed: u64,
    /// How many began while another one ran.
    overlaps: u64,
    /// How late they started.
    delay_seconds: SpreadDocument,
    /// How long they took.
    duration_seconds: SpreadDocument,
}

/// How values are spread, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Spread")]
pub(in crate::output) struct SpreadDocument {
    /// Half of them are not above this.
    p50: Option<i64>,
    /// Nineteen of twenty are not above this.
    p95: Option<i64>,
    /// None is above this.
    max: Option<i64>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Memory")]
#[serde(rename_all = "camelCase")]
struct MemoryDocument {
    /// `spec.successfulJobsHistoryLimit`, or what it is if it is not given.
    successful_jobs_history_limit: Option<i32>,
    /// `spec.failedJobsHistoryLimit`, or what it is if it is not given.
    failed_jobs_history_limit: Option<i32>,
    /// `ttlSecondsAfterFinished`: Jobs go so long after their end.
    ttl_seconds_after_finished: Option<i64>,
    /// The history limit may have removed successful Jobs that were started up to this moment; null
    /// where it has removed none.
    successes_since: Option<Timestamp>,
    /// The same of failed Jobs.
    failures_since: Option<Timestamp>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "OffSchedule")]
#[serde(rename_all = "camelCase")]
struct StrayDocument<'a> {
    /// The time that the start was for.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// The Job.
    job_name: &'a str,
    /// When it was created.
    started_at: Option<Timestamp>,
    /// When it was over.
    finished_at: Option<Timestamp>,
    /// How it ended; null where that is not known.
    result: Option<RunResult>,
    /// How late it started.
    delay_seconds: Option<i64>,
    /// How long it took, or runs already.
    duration_seconds: Option<i64>,
    /// Why it was started, in a word that does not change.
    cause: &'static str,
    /// The same in a sentence.
    reason: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ManualRun")]
#[serde(rename_all = "camelCase")]
struct ManualDocument<'a> {
    /// The Job.
    job_name: &'a str,
    /// When it was created.
    started_at: Option<Timestamp>,
    /// When it was over.
    finished_at: Option<Timestamp>,
    /// How it ended; null where that is not known.
    result: Option<RunResult>,
    /// How long it took, or runs already.
    duration_seconds: Option<i64>,
}

/// The document for all that a call is about.
pub fn document<'a>(header: &'a Header, items: &'a [Item<'a>]) -> Envelope<Document<'a>> {
    Document {
        controller: &header.controller,
        now: header.now,
        items: items.iter().map(item).collect(),
    }
    .into()
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
        basis: history.basis,
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
        status: entry.status,
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

fn result(run: &Run) -> Option<RunResult> {
    run.result
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
        backfilled: summary.backfilled,
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
