//! A simulation as a document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Assumptions, SimulatedCronJob, SimulationHeader, SimulationSubject, summary_line};
use crate::output::comparison::Comparison;
use crate::output::controller::ControllerDocument;
use crate::output::each::Each;
use crate::output::envelope::{DocumentBody, Envelope};
use cronjob_controller::controller::MissedCause;
use cronjob_controller::simulate::{
    EventCount, JobEnding, ReleaseDifference, SimulatedRun, SimulatedStatus, SimulationSummary,
    TimeSpan,
};
use cronjob_manifest::validation::WriteChange;

/// The simulated runs of CronJobs: `simulate -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Simulation")]
#[serde(rename_all = "camelCase")]
pub struct SimulationDocument<'a> {
    /// The conditions of the simulation.
    given: &'a Assumptions,
    /// How many `CronJob`s behave the same in all versions; null without other versions.
    comparison: Option<Comparison>,
    /// The simulated `CronJob`s.
    items: Vec<ItemDocument<'a>>,
}

impl DocumentBody for SimulationDocument<'_> {}

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
    /// The simulated controller.
    controller: &'a ControllerDocument,
    /// The beginning of the simulation.
    from: Timestamp,
    /// The end of the simulation.
    to: Timestamp,
    /// The runs, in order.
    runs: Each<'a, RunDocument<'a>>,
    /// The numbers of runs.
    summary: SimulationSummary,
    /// The result in a sentence.
    gist: String,
    /// How often each event is recorded.
    events: &'a [EventCount],
    /// When the controller syncs in a loop without a pause.
    hot_loops: &'a [TimeSpan],
    /// The results for the other Kubernetes versions.
    compared: Vec<ComparedDocument>,
    /// Where the versions differ.
    differences: &'a [ReleaseDifference],
    /// Whether anything differs: the runs, when they start, or whether the controller syncs in a loop; null without
    /// other versions.
    differs: Option<bool>,
    /// What the API servers of the newer versions answer differently when the `CronJob` is written. The Job template
    /// is only checked if it is from a file.
    writes: &'a [WriteChange],
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedRun")]
#[serde(rename_all = "camelCase")]
struct RunDocument<'a> {
    /// The scheduled time.
    scheduled_time: Timestamp,
    /// The scheduled time in the time zone of the schedule.
    local_time: String,
    /// The outcome; `lost`: missed, `phantom`: a start at an unscheduled time.
    status: SimulatedStatus,
    /// When its Job is created.
    started_at: Option<Timestamp>,
    /// When its Job finishes.
    finished_at: Option<Timestamp>,
    /// How its Job finishes.
    result: Option<JobEnding>,
    /// The name of its Job.
    job_name: Option<&'a str>,
    /// The Job that it replaces.
    replaced_job: Option<&'a str>,
    /// How late it starts.
    delay_seconds: Option<i64>,
    /// Why it does not start on time, as a fixed identifier.
    #[schemars(extend("enum" = MissedCause::in_simulations()))]
    cause: Option<MissedCause>,
    /// Why it does not start on time, in a sentence.
    reason: Option<String>,
    /// The event that reports it; null if there is none.
    event: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SimulatedElsewhere")]
#[serde(rename_all = "camelCase")]
struct ComparedDocument {
    /// The Kubernetes version.
    kubernetes_version: String,
    /// The numbers of runs.
    summary: SimulationSummary,
    /// The result in a sentence.
    gist: String,
}

pub(super) fn document<'a>(
    header: &'a SimulationHeader,
    items: &'a [SimulatedCronJob],
) -> Envelope<SimulationDocument<'a>> {
    let different = items.iter().filter(|item| !item.differences.is_empty());
    let different = different.count();
    let is_compared = !header.compared.is_empty();
    let comparison = is_compared.then(|| Comparison::of(items.len(), different));
    SimulationDocument {
        given: &header.given,
        comparison,
        items: items.iter().filter_map(|one| item(header, one)).collect(),
    }
    .into()
}

fn item<'a>(header: &'a SimulationHeader, item: &'a SimulatedCronJob) -> Option<ItemDocument<'a>> {
    let ((_, simulation), others) = item.simulations.split_first()?;
    let cron_job = &item.subject.cron_job;
    let named = |text: &'a str| item.subject.is_named.then_some(text);
    let compared = others.iter().map(|(release, other)| ComparedDocument {
        kubernetes_version: release.to_string(),
        summary: other.summary,
        gist: summary_line(other),
    });
    Some(ItemDocument {
        namespace: named(&cron_job.namespace),
        name: named(&cron_job.name),
        schedule: &cron_job.spec.schedule,
        time_zone: cron_job.spec.time_zone.as_deref(),
        controller: &header.controller,
        from: simulation.from,
        to: simulation.to,
        runs: Each::of(|| simulation.runs.iter().map(|one| run(&item.subject, one))),
        summary: simulation.summary,
        gist: summary_line(simulation),
        events: &simulation.events,
        hot_loops: &simulation.hot_loops,
        compared: compared.collect(),
        differences: &item.differences.runs,
        writes: &item.writes,
        differs: (!others.is_empty()).then(|| !item.differences.is_empty()),
    })
}

fn run<'a>(subject: &SimulationSubject, run: &'a SimulatedRun) -> RunDocument<'a> {
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
