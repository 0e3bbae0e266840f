//! A simulation as a document, and as comma-separated values.

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};

use super::{Given, SimulatedCronJob, SimulationHeader, SimulationSubject, gist};
use crate::diagnose::MissedCause;
use crate::output::controller::ControllerDocument;
use crate::output::csv::record;
use crate::output::envelope::{DocumentBody, Envelope};
use crate::simulate::{
    EventCount, JobEnding, ReleaseDifference, SimulatedRun, SimulatedStatus, SimulationSummary,
    TimeSpan, release_differences,
};

/// What happens over time: `simulate -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Simulation")]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulationDocument<'a> {
    /// What was simulated.
    given: &'a Given,
    /// What happens to each `CronJob`.
    items: Vec<ItemDocument<'a>>,
}

impl DocumentBody for SimulationDocument<'_> {
    const KIND: &'static str = "Simulation";
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
    /// What happens at each scheduled time.
    #[schemars(with = "Vec<RunDocument<'a>>")]
    runs: RunDocuments<'a>,
    /// What they come to.
    summary: SimulationSummary,
    /// The same in a sentence.
    gist: String,
    /// How often which event is recorded.
    events: &'a [EventCount],
    /// When the controller looks again and again without a pause.
    hot_loops: &'a [TimeSpan],
    /// What comes of it with other releases.
    compared: Vec<ComparedDocument>,
    /// Where the releases differ.
    differences: Vec<ReleaseDifference>,
}

/// The runs one by one: there may be very many, and they need not all be in memory twice.
struct RunDocuments<'a>(&'a SimulationSubject<'a>, &'a [SimulatedRun]);

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedRun")]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    /// The scheduled time.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// What happens.
    status: SimulatedStatus,
    /// When its Job is created.
    started_at: Option<Timestamp>,
    /// When that is over.
    finished_at: Option<Timestamp>,
    /// How it ends.
    result: Option<JobEnding>,
    /// The name of the Job.
    job_name: Option<&'a str>,
    /// The Job that is deleted to make room for it.
    replaced_job: Option<&'a str>,
    /// How late it starts.
    delay_seconds: Option<i64>,
    /// Why it does not start in time, in a word that does not change.
    #[schemars(extend("enum" = MissedCause::in_simulations()))]
    cause: Option<MissedCause>,
    /// The same in a sentence.
    reason: Option<String>,
    /// The event that tells so; null where it happens silently.
    event: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedElsewhere")]
#[serde(rename_all = "camelCase")]
struct ComparedDocument {
    /// The release.
    kubernetes_version: String,
    /// What the runs come to.
    summary: SimulationSummary,
    /// The same in a sentence.
    gist: String,
}

/// The document for all that a call is about.
pub(crate) fn document<'a>(
    header: &'a SimulationHeader,
    items: &'a [SimulatedCronJob<'a>],
) -> Envelope<SimulationDocument<'a>> {
    SimulationDocument {
        given: &header.given,
        items: items.iter().filter_map(|one| item(header, one)).collect(),
    }
    .into()
}

fn item<'a>(
    header: &'a SimulationHeader,
    item: &'a SimulatedCronJob<'a>,
) -> Option<ItemDocument<'a>> {
    let ((_, simulation), others) = item.simulations.split_first()?;
    let cron_job = item.subject.cron_job;
    let named = |text: &'a str| item.subject.is_named.then_some(text);
    let compared = others.iter().map(|(release, other)| ComparedDocument {
        kubernetes_version: release.to_string(),
        summary: other.summary,
        gist: gist(other),
    });
    Some(ItemDocument {
        namespace: named(&cron_job.namespace),
        name: named(&cron_job.name),
        schedule: &cron_job.spec.schedule,
        time_zone: cron_job.spec.time_zone.as_deref(),
        controller: &header.controller,
        from: simulation.from,
        to: simulation.to,
        runs: RunDocuments(&item.subject, &simulation.runs),
        summary: simulation.summary,
        gist: gist(simulation),
        events: &simulation.events,
        hot_loops: &simulation.hot_loops,
        compared: compared.collect(),
        differences: release_differences(&item.simulations),
    })
}

impl Serialize for RunDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.1.len()))?;
        for one in self.1 {
            seq.serialize_element(&run(self.0, one))?;
        }
        seq.end()
    }
}

fn run<'a>(subject: &SimulationSubject<'_>, run: &'a SimulatedRun) -> RunDocument<'a> {
    let reason = run.reason.as_ref();
    RunDocument {
        scheduled_time: run.scheduled_time,
        local_time: subject.local_time(run.scheduled_time),
        status: run.status,
        started_at: run.started_at,
        finished_at: run.finished_at,
        result: run.result,
        job_name: run.job_name.as_deref(),
        replaced_job: run.replaced.as_deref(),
        delay_seconds: run.delay_seconds(),
        cause: reason.map(|reason| reason.cause),
        reason: SimulationSubject::reason(run),
        event: reason.and_then(|reason| reason.event),
    }
}

const HEADINGS: [&str; 14] = [
    "namespace",
    "name",
    "kubernetesVersion",
    "scheduledTime",
    "localTime",
    "status",
    "startedAt",
    "finishedAt",
    "result",
    "jobName",
    "replacedJob",
    "delaySeconds",
    "cause",
    "reason",
];

/// Writes all that a call is about.
pub(crate) fn csv(
    out: &mut dyn Write,
    items: &[SimulatedCronJob<'_>],
    with_headings: bool,
) -> io::Result<()> {
    if with_headings {
        record(out, HEADINGS)?;
    }
    for item in items {
        for (release, simulation) in &item.simulations {
            let release = release.to_string();
            for run in &simulation.runs {
                line(out, &item.subject, &release, run)?;
            }
        }
    }
    Ok(())
}

fn line(
    out: &mut dyn Write,
    subject: &SimulationSubject<'_>,
    release: &str,
    run: &SimulatedRun,
) -> io::Result<()> {
    let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
    let named = |text| if subject.is_named { text } else { "" };
    let delay = run.delay_seconds().map(|seconds| seconds.to_string());
    record(
        out,
        [
            named(subject.cron_job.namespace.as_str()),
            named(&subject.cron_job.name),
            release,
            &run.scheduled_time.to_string(),
            &subject.local_time(run.scheduled_time),
            run.status.as_str(),
            &time(run.started_at),
            &time(run.finished_at),
            run.result.map_or("", |ending| ending.as_str()),
            run.job_name.as_deref().unwrap_or_default(),
            run.replaced.as_deref().unwrap_or_default(),
            &delay.unwrap_or_default(),
            run.reason
                .as_ref()
                .map_or("", |reason| reason.cause.as_str()),
            &SimulationSubject::reason(run).unwrap_or_default(),
        ],
    )
}
