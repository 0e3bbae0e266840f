//! Predicts what a manually created Job would lead to.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::container_choice::ChoiceReason;
use super::job::is_suspended;
use super::wanted_job::{JobDraft, RetriedRun, WantedJob};
use super::words::{self, keep_running, unless_finished};
use crate::diagnose::{DOWN, Facts, Input, local};
use cronjob_controller::controller::{Decision, Outcome, RecordedEvent, decide};
use cronjob_controller::forecast::{Sync, SyncReason};
use cronjob_text::duration::{exact, human, later};
use cronjob_text::text::Text;
use cronjob_text::words::plural;
use kube_model::{ConcurrencyPolicy, CronJob, Job, JobResult, time_in_name};

/// A run within this many seconds is near, unless runs are so frequent that the next one always is.
const NEAR: i64 = 600;
/// How long after a scheduled time the controller syncs.
const SYNC_DELAY: SignedDuration = SignedDuration::from_millis(100);

/// The prediction for a manually created Job.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerPrediction {
    /// The name of the Job.
    pub job_name: String,
    /// The container with overrides; null if nothing is overridden.
    pub(crate) container: Option<String>,
    /// Whether the Job starts pods immediately; false if the Job template is suspended.
    pub(crate) starts_pods: bool,
    /// The Jobs that are running already.
    pub running: Vec<String>,
    /// The sync that the new Job causes.
    pub sync: TriggeredSync,
    /// A scheduled time that the controller has not processed yet and whose Job would have the same name.
    #[serde(rename = "takesNameOfScheduledTime")]
    pub takes_name_of: Option<Timestamp>,
    /// What happens when it succeeds.
    pub on_success: JobConsequences,
    /// What happens when it fails.
    pub on_failure: JobConsequences,
    /// The next run by the schedule.
    pub next_run: Option<NextRun>,
    /// The Job that `trigger --job` runs again; null without `--job`.
    pub(crate) retried_job: Option<String>,
    /// The prediction in sentences.
    pub text: Text,
    /// The policy, which does not apply to the Job.
    #[serde(skip)]
    pub policy: ConcurrencyPolicy,
    /// The command that saves the logs of the Jobs that are deleted if it fails.
    #[serde(skip)]
    pub(crate) save_logs: Option<String>,
    /// The Job of a run that is due, and when the controller starts it without the new Job.
    #[serde(skip)]
    pub due: Option<Text>,
}

/// The sync that the new Job causes.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggeredSync {
    /// The outcome of the sync.
    pub outcome: Outcome,
    /// The events that the controller records, in order.
    pub events: Vec<RecordedEvent>,
    /// The scheduled time of the run that it starts; null if none.
    pub scheduled_time: Option<Timestamp>,
    /// The name of the Job that it starts.
    pub job_name: Option<String>,
    /// The running Jobs that it deletes first.
    pub deleted_jobs: Vec<String>,
}

/// The next run by the schedule.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "NextAfterTrigger")]
#[serde(rename_all = "camelCase")]
pub struct NextRun {
    /// Its scheduled time.
    #[serde(rename = "scheduledTime")]
    pub at: Timestamp,
    /// The time until then, in seconds.
    pub in_seconds: i64,
    /// How long a run usually takes; null if unknown.
    #[serde(rename = "usualDurationSeconds")]
    pub usual_seconds: Option<i64>,
    /// Whether the Job may still be running then.
    #[serde(rename = "near")]
    pub is_near: bool,
    /// What happens if it is: both run (`beside`), the scheduled run `waits`, or it `replaces` the Job.
    #[serde(rename = "ifStillRunning")]
    pub overlap: Overlap,
    /// What the run depends on.
    #[serde(rename = "condition")]
    pub note: Option<Text>,
}

string_enum! {
    /// What happens at a scheduled time while a manually created Job is running.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Overlap {
        /// The controller starts its Job, and both run.
        Both = "beside",
        /// The controller starts nothing until the Job finishes.
        Blocked = "waits",
        Replaced = "replaces",
    }
}

/// What happens when a manually created Job finishes.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobConsequences {
    /// The older Jobs that are deleted because of it.
    #[serde(rename = "deletedJobs")]
    pub deleted: Vec<String>,
    /// Whether the Job itself is deleted.
    pub deletes_itself: bool,
    /// Whether `status.lastSuccessfulTime` is updated.
    pub notes_success: bool,
}

/// Why a Job is created only with `--force`: `concurrencyPolicy: Forbid`, and a Job runs or is about to be
/// started.
pub fn trigger_refusal(prediction: &TriggerPrediction) -> Option<Text> {
    let TriggerPrediction { running, due, .. } = prediction;
    let running = match running.as_slice() {
        [] => None,
        [only] => Some(text!("{} has not finished", only)),
        many => Some(text!("{} have not finished", many.join(", "))),
    };
    let in_the_way: Vec<Text> = running.into_iter().chain(due.clone()).collect();
    let is_refused = prediction.policy == ConcurrencyPolicy::Forbid && !in_the_way.is_empty();
    is_refused.then(|| {
        text!("{}, and concurrencyPolicy: Forbid does not apply to manually created Jobs; use --force to \
             create the Job anyway", Text::join(&in_the_way, ", "))
    })
}

fn due(facts: &Facts<'_>, sync: &Decision) -> Option<Text> {
    let job = sync.job_name.as_deref().filter(|_| sync.starts())?;
    if facts.controller_is_down() {
        return Some(text!(
            "{} is due, and starts when {} is running again",
            job,
            DOWN
        ));
    }
    let outlook = facts.outlook();
    let start = outlook.next_start();
    let start = start.filter(|start| start.scheduled_time == sync.scheduled_time);
    // After an edit of the schedule, the next wake-up can be far away.
    let is_edited = |start: &Sync| matches!(start.because, Some(SyncReason::Edited(_)));
    let when = start.filter(|start| is_edited(start)).and_then(|_| {
        let when = outlook.pending_when(sync.scheduled_time?, facts.input.now)?;
        Some(text!("{}, or as soon as another Job is created", when))
    });
    let when = when.unwrap_or_else(|| "is about to be started by the controller".into());
    Some(text!("{} {}", job, when))
}

/// The Job as the controller will see it.
fn unborn(cron_job: &CronJob, name: &str, now: Timestamp) -> Job {
    // No other object has it.
    let uid = format!("of {name}, to come");
    Job {
        creation_timestamp: Some(now),
        ..cron_job.job_named(name.to_owned(), uid)
    }
}

fn sync_beside(facts: &Facts<'_>, job: Job) -> Decision {
    let mut jobs = facts.controller_jobs.to_vec();
    jobs.push(job);
    decide(
        facts.input.controller,
        &facts.input.cron_job,
        &jobs,
        facts.input.now,
    )
}

/// The Jobs that are running; where no Jobs were read, those in the status.
fn running(facts: &Facts<'_>) -> Vec<String> {
    let unfinished = facts.runs.iter().filter(|run| run.ending().is_none());
    let mut names: Vec<String> = unfinished.map(|run| run.job.name.clone()).collect();
    let active: Box<dyn Iterator<Item = &String>> = if facts.input.coverage.jobs_read {
        let decision = &facts.decision;
        // The one that it is about to start does not run yet.
        let starts = decision.job_name.as_ref().filter(|_| decision.starts());
        let active = decision.status_after.active.iter();
        Box::new(active.filter(move |job| Some(*job) != starts))
    } else {
        let listed = facts.input.cron_job.status.active.iter();
        Box::new(listed.map(|active| &active.name))
    };
    let known: HashSet<String> = names.iter().cloned().collect();
    names.extend(active.filter(|name| !known.contains(*name)).cloned());
    names
}

fn next_run(facts: &Facts<'_>, job: &Job) -> Option<NextRun> {
    let given_up = matches!(
        facts.decision.outcome,
        Outcome::Deleted
            | Outcome::InvalidSchedule
            | Outcome::UnparseableSchedule
            | Outcome::UnknownTimeZone
            | Outcome::Hangs
            | Outcome::Panics
    );
    if facts.input.is_suspended() || given_up {
        return None;
    }
    let forecast = facts.forecast_with_sync(2);
    let at = super::next_run(facts, &forecast)?;
    let in_seconds = at.as_second() - facts.input.now.as_second();
    let often = facts
        .intervals()
        .map_or(NEAR, |intervals| intervals.shortest / 4);
    let usual_seconds = facts.durations().p50();
    let near = NEAR.min(often).max(usual_seconds.unwrap_or(0));
    Some(NextRun {
        at,
        in_seconds,
        usual_seconds,
        is_near: in_seconds <= near,
        overlap: overlap(&facts.input, job, at),
        note: forecast.note(at),
    })
}

/// What the controller does at a scheduled time while this Job, and no other, is running.
fn overlap(input: &Input<'_>, job: &Job, scheduled_time: Timestamp) -> Overlap {
    let mut cron_job = input.cron_job.clone().into_owned();
    cron_job.status.active.clear();
    // As if all earlier runs had been started.
    cron_job.status.last_schedule_time = Some(input.now);
    let at = later(scheduled_time, SYNC_DELAY);
    let jobs = std::slice::from_ref(job);
    let decision = decide(input.controller, &cron_job, jobs, at);
    if decision.outcome == Outcome::Blocked {
        Overlap::Blocked
    } else if decision.deleted_jobs.contains(&job.name) {
        Overlap::Replaced
    } else {
        Overlap::Both
    }
}

/// What the controller does when the Job ends with a result, in addition to what it does anyway.
fn consequences(
    facts: &Facts<'_>,
    job: &Job,
    sync: &Decision,
    result: JobResult,
) -> JobConsequences {
    let ended_at = later(facts.input.now, SignedDuration::from_secs(1));
    let mut over = Job {
        start_time: Some(facts.input.now),
        ..job.clone()
    };
    over.finish(result, ended_at);
    let completed = over.completion_time;
    let decision = sync_beside(facts, over);
    let mut deleted = decision.deleted_jobs;
    let anyway: HashSet<&String> = sync.deleted_jobs.iter().collect();
    deleted.retain(|name| !anyway.contains(name));
    JobConsequences {
        deletes_itself: deleted.contains(&job.name),
        notes_success: completed.is_some()
            && decision.status_after.last_successful_time == completed,
        deleted: {
            deleted.retain(|name| *name != job.name);
            deleted
        },
    }
}

impl TriggerPrediction {
    /// What creating a Job leads to.
    pub fn of(facts: &Facts<'_>, wanted: &WantedJob, draft: &JobDraft) -> Self {
        let cron_job = &*facts.input.cron_job;
        let job_name = draft.name();
        let starts_no_pods = is_suspended(&draft.job);
        let job = Job {
            suspend: Some(starts_no_pods),
            ..unborn(cron_job, job_name, facts.input.now)
        };
        let sync = sync_beside(facts, job.clone());
        let last = cron_job.status.last_schedule_time;
        let starts = sync.starts();
        let mut prediction = TriggerPrediction {
            job_name: job_name.to_owned(),
            container: draft.container.as_ref().map(|choice| choice.name.clone()),
            starts_pods: !starts_no_pods,
            running: running(facts),
            takes_name_of: time_in_name(&cron_job.name, job_name)
                .filter(|time| last.is_none_or(|last| *time > last)),
            on_success: consequences(facts, &job, &sync, JobResult::Succeeded),
            on_failure: consequences(facts, &job, &sync, JobResult::Failed),
            next_run: next_run(facts, &job),
            retried_job: wanted.retried.as_ref().map(|run| run.job_name.clone()),
            text: Text::default(),
            policy: cron_job.spec.concurrency_policy.clone(),
            save_logs: None,
            due: due(facts, &sync),
            sync: TriggeredSync {
                outcome: sync.outcome,
                events: sync.events,
                scheduled_time: sync.scheduled_time.filter(|_| starts),
                job_name: sync.job_name.filter(|_| starts),
                deleted_jobs: sync.deleted_jobs,
            },
        };
        let deleted = prediction.on_failure.deleted.first();
        prediction.save_logs = deleted.map(|job| facts.input.save_logs(job).to_string());
        prediction.text = prediction.in_sentences(facts, wanted, draft);
        prediction
    }

    fn in_sentences(&self, facts: &Facts<'_>, wanted: &WantedJob, draft: &JobDraft) -> Text {
        let mut sentences = vec![start(&facts.input, self)];
        let retried = wanted.retried.as_ref();
        sentences.extend(retried.map(|run| retry(facts, run, &draft.differences)));
        sentences.extend(overridden(wanted, draft).map(Text::from));
        sentences.extend(wanted.ttl.map(|ttl| {
            let after = exact(i64::from(ttl));
            text!(
                "The Job is deleted {} after it has finished (ttlSecondsAfterFinished: {}).",
                after,
                ttl
            )
        }));
        sentences.extend(keeps_running(facts, self).map(Text::from));
        sentences.extend(sync(facts, self));
        sentences.extend(self.takes_name_of.map(|time| {
            let at = local(facts, time);
            text!(
                "The controller uses this Job name {}, and will not be able \
                 to create that Job.",
                Text::for_run(at)
            )
        }));
        sentences.extend(afterwards(&facts.input, self).into_iter().map(Text::from));
        sentences.extend(
            self.next_run
                .as_ref()
                .map(|next| by_itself(facts, self, next)),
        );
        Text::join(sentences, " ")
    }
}

/// The Job, and what is unusual about it.
fn start(input: &Input<'_>, prediction: &TriggerPrediction) -> Text {
    let job = &prediction.job_name;
    if !prediction.starts_pods {
        let labels = input.cron_job.spec.job_template.pointer("/metadata/labels");
        let queue = labels.and_then(|labels| labels.get("kueue.x-k8s.io/queue-name"));
        let until = match queue {
            Some(_) => "Kueue admits it",
            None => "the Job is resumed (spec.jobTemplate.spec.suspend: true)",
        };
        return text!(
            "Creates the Job {}, which starts no pods until {}.",
            job,
            until
        );
    }
    if input.cron_job.deletion_timestamp.is_some() {
        return text!(
            "Creates the Job {}, which will be deleted with the CronJob: the CronJob is being \
             deleted.",
            job
        );
    }
    if input.is_suspended() {
        return text!("Creates the Job {} although the CronJob is suspended.", job);
    }
    text!("Creates the Job {}.", job)
}

/// Which Job is retried, and with which template.
fn retry(facts: &Facts<'_>, run: &RetriedRun, differences: &[String]) -> Text {
    let job = &run.job_name;
    let when = run.scheduled_time.map_or_else(
        || " (created manually)".into(),
        |at| text!(" (scheduled at {})", local(facts, at)),
    );
    let ended = match run.result {
        JobResult::Succeeded => "succeeded".into(),
        JobResult::Failed if run.reason.is_empty() => "failed".into(),
        JobResult::Failed => text!("failed: {}", run.reason),
    };
    let template = match differences {
        [] => Text::default(),
        differences => text!(
            " It uses the template of then: {}. To use the current one, run `{}`.",
            differences.join("; "),
            facts.input.doctor("trigger")
        ),
    };
    text!("It retries {}{}, which {}.{}", job, when, ended, template)
}

/// How a container differs from the template.
fn overridden(wanted: &WantedJob, draft: &JobDraft) -> Option<String> {
    let choice = draft.container.as_ref()?;
    let why = match choice.why {
        ChoiceReason::Named | ChoiceReason::Only => String::new(),
        ChoiceReason::Annotated => " (the default container)".to_owned(),
        ChoiceReason::First => {
            format!(" (the first; others: {})", choice.others.join(", "))
        }
    };
    let mut changes = Vec::new();
    if let Some(image) = &wanted.image {
        changes.push(format!("image {image}"));
    }
    if !wanted.command.is_empty() {
        let what = if wanted.keeps_command {
            "args"
        } else {
            "command"
        };
        let dropped = match &draft.dropped_args {
            Some(args) => format!(" (without its args {args}; to change only these, use --args)"),
            None => String::new(),
        };
        changes.push(format!("{what} {}{dropped}", json!(wanted.command)));
    }
    for change in &wanted.env {
        changes.push(match &change.value {
            Some(value) => format!("env {}={value}", change.name),
            None => format!("env {} removed", change.name),
        });
    }
    Some(format!(
        "Overrides in container {}{why}: {}.",
        choice.name,
        changes.join(", ")
    ))
}

fn keeps_running(
    facts: &Facts<'_>,
    prediction: &TriggerPrediction,
) -> impl Iterator<Item = String> {
    let why = match &prediction.policy {
        policy @ (ConcurrencyPolicy::Forbid | ConcurrencyPolicy::Replace) => format!(
            " (concurrencyPolicy: {} does not apply to manually created Jobs)",
            policy.as_str()
        ),
        _ => String::new(),
    };
    let unless_finished = unless_finished(&facts.input);
    let running = keep_running(facts, &prediction.running).into_iter();
    running.map(move |keep| format!("{keep}{why}{unless_finished}."))
}

/// What the controller does when it sees the Job.
fn sync(facts: &Facts<'_>, prediction: &TriggerPrediction) -> Option<Text> {
    if facts.controller_is_down() {
        return Some(text!(
            "The Job gets no pod until {} is running again.",
            DOWN
        ));
    }
    let TriggeredSync {
        scheduled_time,
        job_name,
        ..
    } = &prediction.sync;
    let (scheduled_time, job) = scheduled_time.zip(job_name.as_ref())?;
    let at = local(facts, scheduled_time);
    Some(text!(
        "The controller then also starts {} {}.",
        job,
        Text::for_run(at)
    ))
}

/// What happens to it and to older Jobs when it finishes.
fn afterwards(input: &Input<'_>, prediction: &TriggerPrediction) -> Vec<String> {
    let spec = &input.cron_job.spec;
    let mut sentences = Vec::new();
    let succeeded = &prediction.on_success;
    let limit = spec.successful_jobs_history_limit;
    let deletes = deleted(succeeded, "successfulJobsHistoryLimit", limit);
    sentences.extend(deletes.map(|deleted| format!("If it succeeds, {deleted}.")));
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
    Some(format!(
        "{names} {are} deleted with {} logs ({field}: {limit})",
        plural(after.deleted.len(), "its", "their")
    ))
}

fn by_itself(facts: &Facts<'_>, prediction: &TriggerPrediction, next: &NextRun) -> Text {
    let (at, distance) = (local(facts, next.at), human(next.in_seconds));
    if !next.is_near {
        return words::next_run(facts, "Next scheduled run", next.at, next.note.as_ref());
    }
    let usual = next.usual_seconds.map_or_else(Text::default, |seconds| {
        text!(" Runs usually take {}.", human(seconds))
    });
    let note = next.note.as_ref();
    let note = note.map_or_else(Text::default, |note| text!(", {}", note));
    let overlap = match next.overlap {
        Overlap::Both if prediction.policy == ConcurrencyPolicy::Allow => {
            "both run at the same time"
        }
        Overlap::Both => "both run at the same time, regardless of concurrencyPolicy",
        Overlap::Blocked => "the scheduled run waits until it finishes",
        Overlap::Replaced => "the scheduled run replaces it",
    };
    text!(
        "The next scheduled run is soon: {} (in {}){}.{} If the new Job is still \
         running then, {}.",
        at,
        distance,
        note,
        usual,
        overlap
    )
}
