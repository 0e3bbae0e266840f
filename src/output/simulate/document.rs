//! A simulation as a document.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::{Given, Header, Item, Subject, gist};
use crate::controller::Release;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{Body, Envelope};
use crate::simulate::{Cause, Ending, Parting, Run, Simulation, Status, Summary, partings};

/// What happens over time: `simulate -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Simulation")]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// What was simulated.
    given: GivenDocument<'a>,
    /// What happens to each `CronJob`.
    items: Vec<ItemDocument<'a>>,
}

impl Body for Document<'_> {
    const KIND: &'static str = "Simulation";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Given")]
#[serde(rename_all = "camelCase")]
struct GivenDocument<'a> {
    /// When the controller is down.
    outages: Vec<SpanDocument>,
    /// When `spec.suspend` is set.
    suspended: Vec<SpanDocument>,
    /// Changes, and when they are made.
    edits: Vec<EditDocument<'a>>,
    /// Changes that hold from the beginning.
    changes: &'a [String],
    /// How long Jobs take, as it was given.
    job_duration: &'a str,
    /// Which part of the Jobs fails, from 0 to 1.
    fail_rate: f64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TimeSpan")]
struct SpanDocument {
    /// Where it begins.
    from: Timestamp,
    /// Where it ends; the moment itself is not part of it.
    to: Timestamp,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Edit")]
struct EditDocument<'a> {
    /// When.
    at: Timestamp,
    /// What, as it was given.
    changes: &'a [String],
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedCronJob")]
#[serde(rename_all = "camelCase")]
struct ItemDocument<'a> {
    /// The namespace of the `CronJob`; null for a schedule without one.
    namespace: Option<&'a str>,
    /// Its name; null for a schedule without one.
    name: Option<&'a str>,
    /// `spec.schedule`
    schedule: &'a str,
    /// `spec.timeZone`
    time_zone: Option<&'a str>,
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// Where the simulation begins.
    from: Timestamp,
    /// Where it ends.
    to: Timestamp,
    /// What becomes of each slot.
    #[schemars(with = "Vec<RunDocument<'a>>")]
    runs: Runs<'a>,
    /// What they come to.
    summary: SummaryDocument,
    /// The same in a sentence.
    gist: String,
    /// How often which event is recorded.
    events: Vec<EventDocument>,
    /// When the controller looks again and again without a pause.
    hot_loops: Vec<SpanDocument>,
    /// What comes of it with other releases.
    compared: Vec<ComparedDocument>,
    /// Where the releases differ.
    differences: Vec<DifferenceDocument>,
}

/// The runs one by one: there may be very many, and they need not all be in memory twice.
struct Runs<'a>(&'a Subject<'a>, &'a [Run]);

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedSlot")]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    /// The slot.
    slot: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// What becomes of it.
    status: Status,
    /// When its Job is created.
    started_at: Option<Timestamp>,
    /// When that is over.
    finished_at: Option<Timestamp>,
    /// How it ends.
    result: Option<Ending>,
    /// The name of the Job.
    job_name: Option<&'a str>,
    /// The Job that is deleted to make room for it.
    replaced_job: Option<&'a str>,
    /// How late it starts.
    delay_seconds: Option<i64>,
    /// Why it does not start in time, in a word that does not change.
    cause: Option<&'a Cause>,
    /// The same in a sentence.
    reason: Option<String>,
    /// The event that tells so; null where it happens silently.
    event: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedSummary")]
#[serde(rename_all = "camelCase")]
struct SummaryDocument {
    /// How many slots there are whose fate is known.
    slots: u64,
    /// How many start in time.
    started: u64,
    /// How many start later.
    late: u64,
    /// How many do not start.
    lost: u64,
    /// How many do not start because another one runs and the policy is Forbid.
    blocked: u64,
    /// How many starts are for times that the schedule does not contain.
    phantom: u64,
    /// How many Jobs are deleted to make room for the next one.
    replaced: u64,
    /// How many Jobs fail.
    failed: u64,
    /// Of how many of those lost and blocked no event tells.
    silent: u64,
    /// How many slots the controller has not looked at when the simulation ends.
    pending: u64,
    /// How late the latest start is.
    max_delay_seconds: Option<i64>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "EventCount")]
struct EventDocument {
    /// How serious it is.
    #[schemars(extend("enum" = ["Normal", "Warning"]))]
    r#type: &'static str,
    /// The reason, in one word.
    reason: &'static str,
    /// How often it is recorded.
    count: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedElsewhere")]
#[serde(rename_all = "camelCase")]
struct ComparedDocument {
    /// The release.
    kubernetes_version: String,
    /// What the slots come to.
    summary: SummaryDocument,
    /// The same in a sentence.
    gist: String,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Difference")]
#[serde(rename_all = "camelCase")]
struct DifferenceDocument {
    /// The first of the slots.
    first_slot: Timestamp,
    /// The last of them.
    last_slot: Timestamp,
    /// How many there are.
    count: u64,
    /// What becomes of them, by release; null where that release has no such slot.
    #[schemars(with = "BTreeMap<String, Option<Status>>")]
    statuses: Statuses,
}

/// What each release makes of it, by release.
struct Statuses(Vec<(String, Option<Status>)>);

/// The document for all that a call is about.
pub fn document<'a>(header: &'a Header, items: &'a [Item<'a>]) -> Envelope<Document<'a>> {
    Document {
        given: given(&header.given),
        items: items.iter().filter_map(|one| item(header, one)).collect(),
    }
    .into()
}

fn given(given: &Given) -> GivenDocument<'_> {
    let spans = |spans: &crate::simulate::Spans| spans.iter().map(span).collect();
    let edits = given.edits.iter();
    GivenDocument {
        outages: spans(&given.outages),
        suspended: spans(&given.suspended),
        edits: edits
            .map(|(at, changes)| EditDocument { at: *at, changes })
            .collect(),
        changes: &given.changes,
        job_duration: &given.durations,
        fail_rate: f64::from(given.failures_per_million) / 1e6,
    }
}

fn span((from, to): (Timestamp, Timestamp)) -> SpanDocument {
    SpanDocument { from, to }
}

fn item<'a>(header: &'a Header, item: &'a Item<'a>) -> Option<ItemDocument<'a>> {
    let ((_, simulation), others) = item.simulations.split_first()?;
    let cron_job = item.subject.cron_job;
    let named = |text: &'a str| item.subject.is_named.then_some(text);
    let runs: Vec<&[Run]> = item
        .simulations
        .iter()
        .map(|(_, simulation)| simulation.runs.as_slice())
        .collect();
    let releases: Vec<String> = item
        .simulations
        .iter()
        .map(|(release, _)| release.to_string())
        .collect();
    let differences = partings(&runs).into_iter();
    Some(ItemDocument {
        namespace: named(&cron_job.namespace),
        name: named(&cron_job.name),
        schedule: &cron_job.spec.schedule,
        time_zone: cron_job.spec.time_zone.as_deref(),
        controller: &header.controller,
        from: simulation.from,
        to: simulation.to,
        runs: Runs(&item.subject, &simulation.runs),
        summary: summary(simulation),
        gist: gist(simulation),
        events: simulation.events.iter().map(event).collect(),
        hot_loops: simulation.spins.iter().copied().map(span).collect(),
        compared: others.iter().map(compared).collect(),
        differences: differences
            .map(|parting| difference(&releases, parting))
            .collect(),
    })
}

fn summary(simulation: &Simulation) -> SummaryDocument {
    let Summary {
        slots,
        started,
        late,
        lost,
        blocked,
        phantom,
        replaced,
        failed,
        silent,
        max_delay_seconds,
    } = simulation.summary;
    SummaryDocument {
        slots,
        started,
        late,
        lost,
        blocked,
        phantom,
        replaced,
        failed,
        silent,
        pending: simulation.pending,
        max_delay_seconds,
    }
}

fn event(((r#type, reason), count): (&(&'static str, &'static str), &u64)) -> EventDocument {
    EventDocument {
        r#type,
        reason,
        count: *count,
    }
}

fn compared((release, simulation): &(Release, Simulation)) -> ComparedDocument {
    ComparedDocument {
        kubernetes_version: release.to_string(),
        summary: summary(simulation),
        gist: gist(simulation),
    }
}

fn difference(releases: &[String], parting: Parting) -> DifferenceDocument {
    let releases = releases.iter().cloned();
    DifferenceDocument {
        first_slot: parting.first,
        last_slot: parting.last,
        count: parting.count,
        statuses: Statuses(releases.zip(parting.statuses).collect()),
    }
}

impl Serialize for Statuses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (release, status) in &self.0 {
            map.serialize_entry(release, status)?;
        }
        map.end()
    }
}

impl Serialize for Runs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.1.len()))?;
        for one in self.1 {
            seq.serialize_element(&run(self.0, one))?;
        }
        seq.end()
    }
}

fn run<'a>(subject: &Subject<'_>, run: &'a Run) -> RunDocument<'a> {
    let why = run.why.as_ref();
    RunDocument {
        slot: run.slot,
        local_time: subject.local_time(run.slot),
        status: run.status,
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: run.result,
        job_name: run.job_name.as_deref(),
        replaced_job: run.replaced.as_deref(),
        delay_seconds: run.delay_seconds(),
        cause: why.map(|why| &why.cause),
        reason: Subject::reason(run),
        event: why.and_then(|why| why.told),
    }
}
