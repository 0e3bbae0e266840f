//! A simulation as a document.

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::{Given, Header, Item, Subject, gist};
use crate::controller::Release;
use crate::output::API_VERSION;
use crate::output::next_runs::ControllerDocument;
use crate::simulate::{Ending, Parting, Run, Simulation, Status, Summary, partings};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    given: GivenDocument<'a>,
    items: Vec<ItemDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GivenDocument<'a> {
    outages: Vec<SpanDocument>,
    suspended: Vec<SpanDocument>,
    edits: Vec<EditDocument<'a>>,
    changes: &'a [String],
    job_duration: &'a str,
    fail_rate: f64,
}

#[derive(Serialize)]
struct SpanDocument {
    from: Timestamp,
    to: Timestamp,
}

#[derive(Serialize)]
struct EditDocument<'a> {
    at: Timestamp,
    changes: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemDocument<'a> {
    namespace: Option<&'a str>,
    name: Option<&'a str>,
    schedule: &'a str,
    time_zone: Option<&'a str>,
    controller: &'a ControllerDocument,
    from: Timestamp,
    to: Timestamp,
    runs: Runs<'a>,
    summary: SummaryDocument,
    gist: String,
    events: Vec<EventDocument>,
    hot_loops: Vec<SpanDocument>,
    compared: Vec<ComparedDocument>,
    differences: Vec<DifferenceDocument>,
}

/// The runs one by one: there may be very many, and they need not all be in memory twice.
struct Runs<'a>(&'a Subject<'a>, &'a [Run]);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    slot: Timestamp,
    local_time: String,
    status: &'static str,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    result: Option<&'static str>,
    job_name: Option<&'a str>,
    replaced_job: Option<&'a str>,
    delay_seconds: Option<i64>,
    cause: Option<&'static str>,
    reason: Option<String>,
    event: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryDocument {
    slots: u64,
    started: u64,
    late: u64,
    lost: u64,
    blocked: u64,
    phantom: u64,
    replaced: u64,
    failed: u64,
    silent: u64,
    pending: u64,
    max_delay_seconds: Option<i64>,
}

#[derive(Serialize)]
struct EventDocument {
    r#type: &'static str,
    reason: &'static str,
    count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ComparedDocument {
    kubernetes_version: String,
    summary: SummaryDocument,
    gist: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DifferenceDocument {
    first_slot: Timestamp,
    last_slot: Timestamp,
    count: u64,
    statuses: Statuses,
}

/// What each release makes of it, by release.
struct Statuses(Vec<(String, Option<Status>)>);

/// The document for all that a call is about.
pub fn document<'a>(header: &'a Header, items: &'a [Item<'a>]) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "Simulation",
        given: given(&header.given),
        items: items.iter().filter_map(|one| item(header, one)).collect(),
    }
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
            map.serialize_entry(release, &status.map(Status::as_str))?;
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
        status: run.status.as_str(),
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: run.result.map(Ending::as_str),
        job_name: run.job_name.as_deref(),
        replaced_job: run.replaced.as_deref(),
        delay_seconds: run.delay_seconds(),
        cause: why.map(|why| why.cause.as_str()),
        reason: Subject::reason(run),
        event: why.and_then(|why| why.told),
    }
}
