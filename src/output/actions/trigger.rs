//! What a Job leads to that is started manually, in sentences and in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{next_run, part};
use crate::change::{
    After, ChoiceReason, ContainerChoice, Meeting, NextRun, Overrides, TriggerPrediction,
};
use crate::controller::{Outcome, RecordedEvent};
use crate::diagnose::{Facts, local};
use crate::duration::human;
use crate::model::ConcurrencyPolicy;

/// A few sentences.
pub(crate) fn in_sentences(
    facts: &Facts<'_>,
    prospect: &TriggerPrediction,
    changed: Option<(&ContainerChoice, &Overrides)>,
) -> String {
    let mut sentences = vec![start(prospect)];
    sentences.extend(changed.map(|(choice, overrides)| otherwise(choice, overrides)));
    sentences.extend(beside(facts, prospect));
    sentences.extend(look(facts, prospect));
    sentences.extend(prospect.takes_slot.map(|slot| {
        let at = local(facts, slot);
        format!(
            "The controller calls the Job of the slot of {at} so, and will find the name taken."
        )
    }));
    sentences.extend(afterwards(facts, prospect));
    sentences.extend(
        prospect
            .next_run
            .as_ref()
            .map(|next| by_itself(facts, prospect, next)),
    );
    sentences.join(" ")
}

/// What is started, and what is odd about it.
fn start(prospect: &TriggerPrediction) -> String {
    let job = &prospect.job_name;
    if prospect.starts_no_pods {
        return format!(
            "Makes {job}, which starts no pods until somebody resumes it: \
             spec.jobTemplate.spec.suspend is true."
        );
    }
    if prospect.is_being_deleted {
        return format!("Starts {job}, which goes with the CronJob: that is being deleted.");
    }
    if prospect.is_suspended {
        return format!("Starts {job}, although the CronJob is suspended.");
    }
    format!("Starts {job}.")
}

/// What it does otherwise than the template says.
fn otherwise(choice: &ContainerChoice, overrides: &Overrides) -> String {
    let why = match choice.why {
        ChoiceReason::Named | ChoiceReason::Only => String::new(),
        ChoiceReason::Annotated => " (the default one)".to_owned(),
        ChoiceReason::First => format!(" (the first; beside {})", choice.others.join(", ")),
    };
    let mut changes = Vec::new();
    if let Some(image) = &overrides.image {
        changes.push(format!("the image {image}"));
    }
    if !overrides.command.is_empty() {
        changes.push(format!("the command {}", json!(overrides.command)));
    }
    for change in &overrides.env {
        changes.push(match &change.value {
            Some(value) => format!("{}={value}", change.name),
            None => format!("no {}", change.name),
        });
    }
    format!(
        "Its container {}{why} has {}.",
        choice.name,
        changes.join(", ")
    )
}

/// What runs, and goes on beside it.
fn beside(facts: &Facts<'_>, prospect: &TriggerPrediction) -> Option<String> {
    let (names, goes) = match prospect.running.as_slice() {
        [] => return None,
        [only] => (only.clone(), "goes"),
        many => (many.join(", "), "go"),
    };
    let why = match prospect.policy {
        ConcurrencyPolicy::Forbid => ": Forbid does not reach what is started by hand",
        ConcurrencyPolicy::Replace => ": Replace does not reach what is started by hand",
        _ => "",
    };
    let if_running = if facts.jobs_are_unknown() {
        ", if still running (Jobs were not read)"
    } else {
        ""
    };
    Some(format!("{names} {goes} on beside it{if_running}{why}."))
}

/// What the controller does when it sees it.
fn look(facts: &Facts<'_>, prospect: &TriggerPrediction) -> Vec<String> {
    let mut sentences = Vec::new();
    let wonders = |reason: &str| reason == "UnexpectedJob";
    if prospect
        .sync
        .events
        .iter()
        .any(|event| wonders(event.reason))
    {
        sentences.push(
            "The controller records a warning about it, UnexpectedJob, which is harmless."
                .to_owned(),
        );
    }
    let starts = prospect.sync.starts();
    let started = prospect
        .sync
        .scheduled_time
        .zip(prospect.sync.job_name.as_ref());
    if let Some((slot, job)) = started.filter(|_| starts) {
        let at = local(facts, slot);
        sentences.push(format!(
            "Seeing it makes the controller look, and start {job} for the slot of {at}, too."
        ));
    }
    sentences
}

/// What becomes of it, and of older Jobs.
fn afterwards(facts: &Facts<'_>, prospect: &TriggerPrediction) -> Vec<String> {
    let spec = &facts.cron_job.spec;
    let mut sentences = Vec::new();
    let succeeded = &prospect.after_success;
    let mut then = Vec::new();
    if succeeded.notes_success {
        then.push("it counts as the last success".to_owned());
    }
    then.extend(goes(
        succeeded,
        "successfulJobsHistoryLimit",
        spec.successful_jobs_history_limit,
    ));
    if !then.is_empty() {
        sentences.push(format!("Once it has succeeded, {}.", then.join(", and ")));
    }
    let limit = spec.failed_jobs_history_limit;
    let failed = goes(&prospect.after_failure, "failedJobsHistoryLimit", limit);
    sentences.extend(failed.map(|goes| format!("If it fails, {goes}.")));
    sentences
}

/// What is deleted, since the history has no room for it.
fn goes(after: &After, field: &str, limit: Option<i32>) -> Option<String> {
    let limit = limit.unwrap_or_default();
    if after.deletes_itself {
        return Some(format!(
            "it is deleted at once, with its logs ({field} is {limit})"
        ));
    }
    let (names, are) = match after.deleted.as_slice() {
        [] => return None,
        [only] => (only.clone(), "is"),
        many => (many.join(", "), "are"),
    };
    Some(format!("{names} {are} deleted ({field} is {limit})"))
}

/// The next run by the schedule.
fn by_itself(facts: &Facts<'_>, prospect: &TriggerPrediction, next: &NextRun) -> String {
    let (at, distance) = (local(facts, next.at), human(next.in_seconds));
    if !next.is_near {
        return next_run(facts, "by itself ", next.at, next.note.as_deref());
    }
    let usual = next.usual_seconds.map_or_else(String::new, |seconds| {
        format!(", and one usually takes {}", human(seconds))
    });
    let note = next.note.as_deref();
    let note = note.map_or_else(String::new, |note| format!(", {note}"));
    let meeting = match next.meeting {
        Meeting::Beside if prospect.policy == ConcurrencyPolicy::Allow => "the two run at once",
        Meeting::Beside => "the two run at once whatever the concurrencyPolicy says",
        Meeting::Blocked => "it waits until this one is over",
        Meeting::Replaced => "it replaces this one",
    };
    format!(
        "The next run is near: {at} (in {distance}){usual}{note}. If this one still runs then, {meeting}."
    )
}

/// The prediction in documents.
pub(crate) fn document(
    facts: &Facts<'_>,
    prospect: &TriggerPrediction,
    changed: Option<(&ContainerChoice, &Overrides)>,
) -> Value {
    let sync = &prospect.sync;
    let starts = sync.starts();
    part(&TriggeringDocument {
        job_name: &prospect.job_name,
        container: changed.map(|(choice, _)| choice.name.as_str()),
        starts_pods: !prospect.starts_no_pods,
        running: &prospect.running,
        look: LookDocument {
            outcome: sync.outcome,
            events: &sync.events,
            scheduled_time: sync.scheduled_time.filter(|_| starts),
            job_name: sync.job_name.as_deref().filter(|_| starts),
            deleted_jobs: &sync.deleted_jobs,
        },
        takes_name_of_scheduled_time: prospect.takes_slot,
        on_success: &prospect.after_success,
        on_failure: &prospect.after_failure,
        next_run: prospect.next_run.as_ref(),
        text: in_sentences(facts, prospect, changed),
    })
}

/// What triggering leads to, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TriggerPrediction")]
#[serde(rename_all = "camelCase")]
pub(super) struct TriggeringDocument<'a> {
    /// The name of the Job.
    job_name: &'a str,
    /// The container that is changed; null where none is.
    container: Option<&'a str>,
    /// Whether the Job starts pods at once; not where its template is suspended.
    starts_pods: bool,
    /// The Jobs that run already.
    running: &'a [String],
    /// What the controller does when it sees the Job.
    look: LookDocument<'a>,
    /// A scheduled time that the controller has not processed yet and whose Job would have the same name.
    takes_name_of_scheduled_time: Option<Timestamp>,
    /// What happens after it succeeded.
    on_success: &'a After,
    /// What happens after it failed.
    on_failure: &'a After,
    /// The next run by the schedule.
    next_run: Option<&'a NextRun>,
    /// All that in sentences.
    text: String,
}

/// What the controller does when it sees the Job.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Look")]
#[serde(rename_all = "camelCase")]
struct LookDocument<'a> {
    /// What it does.
    outcome: Outcome,
    /// The events that it records, in order.
    events: &'a [RecordedEvent],
    /// The slot that it starts.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job that it starts.
    job_name: Option<&'a str>,
    /// The running Jobs that it deletes first.
    deleted_jobs: &'a [String],
}
