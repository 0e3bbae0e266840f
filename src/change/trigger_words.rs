//! The prediction for a manually created Job, in sentences.

use serde_json::json;

use super::overrides::{ChoiceReason, Overridden, Overrides};
use super::trigger::{
    JobConsequences, JobDifferences, NextRun, Overlap, RetriedRun, TriggerPrediction, TriggeredSync,
};
use super::words::{keep_running, next_run, unless_finished};
use crate::diagnose::{Facts, local};
use crate::duration::{exact, human};
use crate::model::{ConcurrencyPolicy, JobResult};

impl TriggerPrediction {
    pub(super) fn in_sentences(
        &self,
        facts: &Facts<'_>,
        differences: JobDifferences<'_>,
    ) -> String {
        let mut sentences = vec![start(facts, self)];
        let JobDifferences {
            overridden: changed,
            ttl,
            retried,
        } = differences;
        sentences.extend(retried.map(|run| retry(facts, run)));
        sentences.extend(changed.map(|(choice, overrides)| overridden(choice, overrides)));
        sentences.extend(ttl.map(|ttl| {
            let after = exact(i64::from(ttl));
            format!(
                "The Job is deleted {after} after it has finished (ttlSecondsAfterFinished: {ttl})."
            )
        }));
        sentences.extend(running(facts, self));
        sentences.extend(sync(facts, self));
        sentences.extend(self.takes_name_of.map(|time| {
            let at = local(facts, time);
            format!(
                "The controller uses this Job name for the run scheduled at {at}, and will not be able \
                 to create that Job."
            )
        }));
        sentences.extend(afterwards(facts, self));
        sentences.extend(
            self.next_run
                .as_ref()
                .map(|next| by_itself(facts, self, next)),
        );
        sentences.join(" ")
    }
}

/// The Job, and what is unusual about it.
fn start(facts: &Facts<'_>, prediction: &TriggerPrediction) -> String {
    let job = &prediction.job_name;
    if !prediction.starts_pods {
        let labels = facts.cron_job.spec.job_template.pointer("/metadata/labels");
        let queue = labels.and_then(|labels| labels.get("kueue.x-k8s.io/queue-name"));
        let until = match queue {
            Some(_) => "Kueue admits it",
            None => "the Job is resumed (spec.jobTemplate.spec.suspend: true)",
        };
        return format!("Creates the Job {job}, which starts no pods until {until}.");
    }
    if facts.cron_job.deletion_timestamp.is_some() {
        return format!(
            "Creates the Job {job}, which will be deleted with the CronJob: the CronJob is being \
             deleted."
        );
    }
    if facts.is_suspended() {
        return format!("Creates the Job {job} although the CronJob is suspended.");
    }
    format!("Creates the Job {job}.")
}

/// Which Job is retried, and with which template.
fn retry(facts: &Facts<'_>, run: &RetriedRun) -> String {
    let job = &run.job_name;
    let when = run.scheduled_time.map_or_else(
        || " (created manually)".to_owned(),
        |at| format!(" (scheduled at {})", local(facts, at)),
    );
    let ended = match run.result {
        JobResult::Succeeded => "succeeded".to_owned(),
        JobResult::Failed if run.reason.is_empty() => "failed".to_owned(),
        JobResult::Failed => format!("failed: {}", run.reason),
    };
    let template = if run.has_old_template {
        "It uses the pod template of that Job; the CronJob has a different one now, which trigger uses."
    } else {
        "It uses the pod template of that Job, which is still that of the CronJob."
    };
    format!("It retries {job}{when}, which {ended}. {template}")
}

fn overridden(overridden: &Overridden, overrides: &Overrides) -> String {
    let choice = &overridden.choice;
    let why = match choice.why {
        ChoiceReason::Named | ChoiceReason::Only => String::new(),
        ChoiceReason::Annotated => " (the default container)".to_owned(),
        ChoiceReason::First => {
            format!(" (the first; others: {})", choice.others.join(", "))
        }
    };
    let mut changes = Vec::new();
    if let Some(image) = &overrides.image {
        changes.push(format!("image {image}"));
    }
    if !overrides.command.is_empty() {
        let what = if overrides.keeps_command {
            "args"
        } else {
            "command"
        };
        let dropped = match &overridden.dropped_args {
            Some(args) => format!(" (without its args {args}; to change only these, use --args)"),
            None => String::new(),
        };
        changes.push(format!("{what} {}{dropped}", json!(overrides.command)));
    }
    for change in &overrides.env {
        changes.push(match &change.value {
            Some(value) => format!("env {}={value}", change.name),
            None => format!("env {} removed", change.name),
        });
    }
    format!(
        "Overrides in container {}{why}: {}.",
        choice.name,
        changes.join(", ")
    )
}

fn running(facts: &Facts<'_>, prediction: &TriggerPrediction) -> impl Iterator<Item = String> {
    let why = match &prediction.policy {
        policy @ (ConcurrencyPolicy::Forbid | ConcurrencyPolicy::Replace) => format!(
            " (concurrencyPolicy: {} does not apply to manually created Jobs)",
            policy.as_str()
        ),
        _ => String::new(),
    };
    let unless_finished = unless_finished(facts);
    let running = keep_running(facts, &prediction.running).into_iter();
    running.map(move |keep| format!("{keep}{why}{unless_finished}."))
}

/// What the controller does when it sees the Job.
fn sync(facts: &Facts<'_>, prediction: &TriggerPrediction) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut events = prediction.sync.events.iter();
    if events.any(|event| event.reason == "UnexpectedJob") {
        sentences
            .push("The controller records an UnexpectedJob event, which is harmless.".to_owned());
    }
    let TriggeredSync {
        scheduled_time,
        job_name,
        ..
    } = &prediction.sync;
    if let Some((scheduled_time, job)) = scheduled_time.zip(job_name.as_ref()) {
        let at = local(facts, scheduled_time);
        sentences.push(format!(
            "The new Job makes the controller sync the CronJob and also start {job} for the run \
             scheduled at {at}."
        ));
    }
    sentences
}

/// What happens to it and to older Jobs when it finishes.
fn afterwards(facts: &Facts<'_>, prediction: &TriggerPrediction) -> Vec<String> {
    let spec = &facts.cron_job.spec;
    let mut sentences = Vec::new();
    let succeeded = &prediction.on_success;
    let mut then = Vec::new();
    if succeeded.notes_success {
        then.push("it counts as the last successful run".to_owned());
    }
    then.extend(deleted(
        succeeded,
        "successfulJobsHistoryLimit",
        spec.successful_jobs_history_limit,
    ));
    if !then.is_empty() {
        sentences.push(format!("If it succeeds, {}.", then.join(", and ")));
    }
    let limit = spec.failed_jobs_history_limit;
    let failed = deleted(&prediction.on_failure, "failedJobsHistoryLimit", limit);
    sentences.extend(failed.map(|deleted| format!("If it fails, {deleted}.")));
    sentences
}

/// The Jobs that exceed the history limit.
fn deleted(after: &JobConsequences, field: &str, limit: Option<i32>) -> Option<String> {
    let limit = limit.unwrap_or_default();
    if after.deletes_itself {
        return Some(format!(
            "it is deleted immediately, with its logs ({field}: {limit})"
        ));
    }
    let (names, are) = match after.deleted.as_slice() {
        [] => return None,
        [only] => (only.clone(), "is"),
        many => (many.join(", "), "are"),
    };
    Some(format!("{names} {are} deleted ({field}: {limit})"))
}

fn by_itself(facts: &Facts<'_>, prediction: &TriggerPrediction, next: &NextRun) -> String {
    let (at, distance) = (local(facts, next.at), human(next.in_seconds));
    if !next.is_near {
        return next_run(facts, "Next scheduled run", next.at, next.note.as_deref());
    }
    let usual = next.usual_seconds.map_or_else(String::new, |seconds| {
        format!(" Runs usually take {}.", human(seconds))
    });
    let note = next.note.as_deref();
    let note = note.map_or_else(String::new, |note| format!(", {note}"));
    let overlap = match next.overlap {
        Overlap::Both if prediction.policy == ConcurrencyPolicy::Allow => {
            "both run at the same time"
        }
        Overlap::Both => "both run at the same time, regardless of concurrencyPolicy",
        Overlap::Blocked => "the scheduled run waits until it finishes",
        Overlap::Replaced => "the scheduled run replaces it",
    };
    format!(
        "The next scheduled run is soon: {at} (in {distance}){note}.{usual} If the new Job is still \
         running then, {overlap}."
    )
}
