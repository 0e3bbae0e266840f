//! A load as a document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::ShownLoad;
use crate::output::controller::ControllerDocument;
use crate::output::each::Each;
use crate::output::envelope::{DocumentBody, Envelope};
use cronjob_controller::upcoming::ScheduleProblem;
use cronjob_diagnosis::change::{ExtraKind, ExtraRun};
use cronjob_diagnosis::load::{LoadSummary, Peak, ProposalEffect, ScheduleSuggestion, Throughput};

/// How many Jobs start at the same time, and how to spread them: `load -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Load")]
#[serde(rename_all = "camelCase")]
pub struct LoadDocument<'a> {
    /// The simulated controller.
    controller: &'a ControllerDocument,
    /// The beginning of the period.
    from: Timestamp,
    /// The end of the period.
    to: Timestamp,
    /// The length of a bucket.
    bucket_seconds: i64,
    /// The totals.
    summary: LoadSummary,
    /// How fast the controller starts Jobs.
    work: Throughput,
    /// The number of starts in each bucket.
    buckets: Each<'a, Bucket>,
    /// The buckets with the most starts.
    peaks: &'a [Peak],
    /// Schedules that would spread the starts.
    suggestions: Each<'a, SuggestionDocument<'a>>,
    /// The effect of applying all suggestions now; null if they are only about manifests.
    applying: Option<ApplyingDocument>,
    /// The busiest minute, now and with all suggestions applied.
    effect: ProposalEffect,
    /// The `CronJob`s whose starts cannot be computed, and why.
    errors: Vec<ErrorDocument<'a>>,
}

impl DocumentBody for LoadDocument<'_> {}

#[derive(JsonSchema, Serialize)]
pub(super) struct Bucket {
    /// The beginning of the bucket.
    pub(super) start: Timestamp,
    /// The number of starts.
    pub(super) count: u64,
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
    /// The current `spec.schedule`.
    schedule: &'a str,
    /// The suggested `spec.schedule`.
    new_schedule: &'a str,
    /// How much later each run would start.
    later_seconds: u32,
    /// The change as a merge patch.
    patch: Value,
    /// The command that makes the change.
    command: String,
    /// The extra run that is started if the change is made now; null if there is none.
    extra_run: Option<&'a ExtraRun>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Applying")]
#[serde(rename_all = "camelCase")]
struct ApplyingDocument {
    /// The number of `CronJob`s that run a second time, at the new time after the old one.
    repeated: usize,
    /// The number of `CronJob`s that start a run late because the new time is already past.
    retroactive: usize,
    /// A time in the next 24 hours without extra runs; null if none was found or now is such a time.
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

pub(crate) fn document<'a>(shown: &'a ShownLoad<'a>) -> Envelope<LoadDocument<'a>> {
    let (load, application) = (shown.load, shown.application);
    let problems = load.problems.iter();
    LoadDocument {
        controller: &shown.controller,
        from: load.window.from(),
        to: load.window.to(),
        bucket_seconds: load.window.bucket_seconds(),
        summary: load.summary,
        work: load.work,
        buckets: Each::of(|| {
            let buckets = load.buckets.iter().enumerate();
            buckets.map(|(bucket, count)| Bucket {
                start: load.window.start_of(bucket),
                count: *count,
            })
        }),
        peaks: &load.peaks,
        suggestions: Each::of(|| {
            let suggestions = load.proposal.suggestions.iter().enumerate();
            suggestions.filter_map(|(place, one)| suggestion(shown, place, one))
        }),
        applying: (application.in_cluster > 0).then(|| ApplyingDocument {
            repeated: application.count(ExtraKind::Repeated),
            retroactive: application.count(ExtraKind::Retroactive),
            quiet_at: application.quiet_at,
        }),
        effect: load.proposal.effect,
        errors: problems.filter_map(|one| error(shown, one)).collect(),
    }
    .into()
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
        command: shown.command(suggestion).to_string(),
        extra_run: shown.application.extra_runs.get(&place),
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
