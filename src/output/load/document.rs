//! A load as a document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::{Value, json};

use super::ShownLoad;
use crate::change::{Application, ExtraKind, ExtraRun};
use crate::load::{Load, LoadSummary, Peak, ProposalEffect, ScheduleSuggestion, Throughput};
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{DocumentBody, Envelope};
use crate::upcoming::ScheduleProblem;

/// What starts at the same time, and how to spread it: `load -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Load")]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadDocument<'a> {
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// Where the window begins.
    from: Timestamp,
    /// Where it ends.
    to: Timestamp,
    /// How long a bucket is.
    bucket_seconds: i64,
    /// What it comes to.
    summary: LoadSummary,
    /// How fast the controller is.
    work: Throughput,
    /// How many start in each bucket.
    #[schemars(with = "Vec<Bucket>")]
    #[serde(serialize_with = "buckets")]
    buckets: &'a Load,
    /// Where most start at once.
    peaks: &'a [Peak],
    /// Schedules that would spread the starts.
    suggestions: Vec<SuggestionDocument<'a>>,
    /// What it leads to to apply all of them now; null where they are about manifests alone.
    applying: Option<ApplyingDocument>,
    /// The worst of the window, as it is and with all suggestions followed.
    effect: ProposalEffect,
    /// The `CronJob`s whose starts cannot be computed, and why.
    errors: Vec<ErrorDocument<'a>>,
}

impl DocumentBody for LoadDocument<'_> {
    const KIND: &'static str = "Load";
}

#[derive(JsonSchema, Serialize)]
struct Bucket {
    /// Where it begins.
    start: Timestamp,
    /// How many start in it.
    count: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Suggestion")]
#[serde(rename_all = "camelCase")]
struct SuggestionDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.timeZone`
    time_zone: Option<&'a str>,
    /// `spec.schedule` as it is.
    schedule: &'a str,
    /// As it might be.
    new_schedule: &'a str,
    /// How much later each run would start.
    later_seconds: u32,
    /// The change, as a merge patch.
    patch: Value,
    /// The command that makes it.
    command: String,
    /// The run that is started beside those of the schedule if it is made now; null where there is
    /// none.
    extra_run: Option<&'a ExtraRun>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Applying")]
#[serde(rename_all = "camelCase")]
struct ApplyingDocument {
    /// How many `CronJob`s run a second time, at the new time after the old one.
    repeated: usize,
    /// How many start a run late, for the new time that is past.
    retroactive: usize,
    /// A time in the next 24 hours at which none does, if runs start on time and end before the
    /// next; null where none was found, and where none does now.
    quiet_at: Option<Timestamp>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Uncounted")]
struct ErrorDocument<'a> {
    /// Its namespace.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// `spec.schedule`
    schedule: &'a str,
    /// Why it cannot be counted.
    error: String,
}

/// The document.
pub(crate) fn document<'a>(shown: &'a ShownLoad<'a>) -> Envelope<LoadDocument<'a>> {
    let load = shown.load;
    let suggestions = load.proposal.suggestions.iter().enumerate();
    let problems = load.problems.iter();
    LoadDocument {
        controller: &shown.controller,
        from: load.window.from(),
        to: load.window.to(),
        bucket_seconds: load.window.bucket_seconds(),
        summary: load.summary,
        work: load.work,
        buckets: load,
        peaks: &load.peaks,
        suggestions: suggestions
            .filter_map(|(place, one)| suggestion(shown, place, one))
            .collect(),
        applying: applying(shown.application),
        effect: load.proposal.effect,
        errors: problems.filter_map(|one| error(shown, one)).collect(),
    }
    .into()
}

/// One by one: a year has half a million minutes.
fn buckets<S: Serializer>(load: &Load, serializer: S) -> Result<S::Ok, S::Error> {
    let buckets = load.buckets.iter().enumerate();
    serializer.collect_seq(buckets.map(|(bucket, count)| Bucket {
        start: load.window.start_of(bucket),
        count: *count,
    }))
}

fn suggestion<'a>(
    shown: &'a ShownLoad<'a>,
    place: usize,
    suggestion: &'a ScheduleSuggestion,
) -> Option<SuggestionDocument<'a>> {
    let member = shown.members.get(suggestion.member)?;
    let (namespace, name) = member.name();
    Some(SuggestionDocument {
        namespace,
        name,
        time_zone: member.subject.time_zone.as_deref(),
        schedule: &member.subject.schedule,
        new_schedule: &suggestion.schedule,
        later_seconds: suggestion.minutes_later * 60,
        patch: json!({ "spec": { "schedule": suggestion.schedule } }),
        command: shown.command(suggestion),
        extra_run: shown.application.extra_runs.get(&place),
    })
}

fn applying(application: &Application) -> Option<ApplyingDocument> {
    (application.in_cluster > 0).then(|| ApplyingDocument {
        repeated: application.count(ExtraKind::Repeated),
        retroactive: application.count(ExtraKind::Retroactive),
        quiet_at: application.quiet_at,
    })
}

fn error<'a>(
    shown: &'a ShownLoad<'a>,
    (member, problem): &(usize, ScheduleProblem),
) -> Option<ErrorDocument<'a>> {
    let member = shown.members.get(*member)?;
    let (namespace, name) = member.name();
    Some(ErrorDocument {
        namespace,
        name,
        schedule: &member.subject.schedule,
        error: problem.to_string(),
    })
}
