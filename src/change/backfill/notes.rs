//! What to know before missed runs are started, and what the history limits delete in the meantime.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::BackfillRun;
use super::next_start::{self, NextStart};
use crate::controller::{Generation, NameTaken, Success, decide};
use crate::diagnose::Facts;
use crate::duration::{exact, human};
use crate::model::{ConcurrencyPolicy, CronJob, Job, JobResult};

/// Something to know before missed runs are started.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillNote")]
pub struct BackfillNote {
    /// Which note: a word that does not change.
    pub code: &'static str,
    /// How much it matters.
    #[schemars(with = "&'static str", extend("enum" = ["warning", "info"]))]
    #[serde(rename = "severity", serialize_with = "severity")]
    pub warning: bool,
    /// The note.
    pub text: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn severity<S: Serializer>(warning: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *warning { "warning" } else { "info" })
}

impl BackfillNote {
    fn info(code: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        BackfillNote {
            code,
            warning: false,
            text,
        }
    }

    fn warning(code: &'static str, text: impl Into<String>) -> Self {
        BackfillNote {
            warning: true,
            ..BackfillNote::info(code, text)
        }
    }
}

/// What comes of running these slots.
pub(super) fn notes(facts: &Facts<'_>, steps: &[BackfillRun]) -> Vec<BackfillNote> {
    if steps.is_empty() {
        return Vec::new();
    }
    let all = [
        may_have_run(steps),
        template_suspended(facts),
        policy(facts),
        next_start(facts, steps),
        own_run(facts),
        removal(facts, steps),
        ttl(facts),
        Some(BackfillNote::info(
            "unexpectedJob",
            "While each of these Jobs runs, the controller records the warning UnexpectedJob about \
             it: it did not create it. That is harmless.",
        )),
        status(facts, steps),
    ];
    all.into_iter().flatten().collect()
}

fn may_have_run(steps: &[BackfillRun]) -> Option<BackfillNote> {
    let doubtful = steps.iter().filter(|step| step.may_have_run).count();
    let which = match (doubtful, steps.len()) {
        (0, _) => return None,
        (1, 1) => "This slot may".to_owned(),
        (some, all) if some == all => "All of these slots may".to_owned(),
        (some, _) => format!("{some} of these slots may"),
    };
    let text = format!("{which} have run before; nothing that is left tells.");
    Some(BackfillNote::warning("mayHaveRun", text))
}

fn template_suspended(facts: &Facts<'_>) -> Option<BackfillNote> {
    let template = &facts.cron_job.spec.job_template;
    let suspended = template.pointer("/spec/suspend")?.as_bool()?;
    suspended.then(|| {
        BackfillNote::warning(
            "templateSuspended",
            "The Job template says suspend: true, so that each Job waits until somebody resumes it.",
        )
    })
}

/// The policy is about Jobs that the controller started itself, and about nothing else.
fn policy(facts: &Facts<'_>) -> Option<BackfillNote> {
    let unfinished = facts.runs.iter().filter(|run| run.ending().is_none());
    let active: Vec<&str> = unfinished.map(|run| run.job.name.as_str()).collect();
    let now = match active.as_slice() {
        [] => String::new(),
        [one] => format!(" {one} runs now."),
        some => format!(" {} run now.", some.join(", ")),
    };
    let text = match facts.cron_job.spec.concurrency_policy {
        ConcurrencyPolicy::Forbid => {
            "The policy is Forbid, but these Jobs wait for no other one, and no run of the \
             controller waits for them."
        }
        ConcurrencyPolicy::Replace => {
            "The policy is Replace, but these Jobs replace no other one, and no run of the \
             controller replaces them."
        }
        _ => return None,
    };
    let text = format!("{text}{now}");
    Some(if active.is_empty() {
        BackfillNote::info("policy", text)
    } else {
        BackfillNote::warning("policy", text)
    })
}

/// What the controller does about the slot that it would start next.
fn next_start(facts: &Facts<'_>, steps: &[BackfillRun]) -> Option<BackfillNote> {
    let (slot, way) = next_start::next_of(facts.prospect())?;
    let ours = way == NextStart::JobExists || steps.iter().any(|step| step.slot == slot);
    let suspended = facts.is_suspended();
    Some(match (suspended, ours) {
        (true, false) => BackfillNote::warning(
            "resumeStarts",
            format!(
                "If it is resumed before another slot comes, the controller starts {slot} itself, \
                 {} late; resume --catch-up=skip keeps it from that.",
                late(facts, slot)
            ),
        ),
        (true, true) => {
            let way_out = if is_adopted(facts) {
                ""
            } else {
                " Resume it with resume --catch-up=skip."
            };
            let text = format!(
                "If it is resumed before another slot comes, the controller means to start {slot} \
                 itself. If its Job is still there, {}; if that Job is gone by then, the slot runs \
                 a second time.{way_out}",
                next_start::in_its_way(facts)
            );
            if is_adopted(facts) {
                BackfillNote::info("resumeFindsJob", text)
            } else {
                BackfillNote::warning("resumeFindsJob", text)
            }
        }
        (false, false) => {
            let when = match way {
                NextStart::Waits => "when no other Job of it runs",
                _ if looks_at_new_jobs(facts) => {
                    "when it looks next, which it does as soon as the first of these Jobs is there"
                }
                _ => "when it looks next",
            };
            let text = format!("The controller starts {slot} itself {when}.");
            BackfillNote::warning("controllerStarts", text)
        }
        (false, true) => BackfillNote::warning(
            "controllerMayStart",
            format!(
                "It is not suspended, and the controller means to start {slot} itself when it looks \
                 next. If it looks first, that slot is left to it; if not, {}.",
                next_start::in_its_way(facts)
            ),
        ),
    })
}

fn is_adopted(facts: &Facts<'_>) -> bool {
    facts.behavior().name_taken == NameTaken::Adopts
}

/// Since the second generation a Job that comes makes the controller look at its `CronJob`.
fn looks_at_new_jobs(facts: &Facts<'_>) -> bool {
    facts.behavior().generation == Generation::V2
}

fn late(facts: &Facts<'_>, slot: Timestamp) -> String {
    human(facts.ago(slot))
}

/// When it runs next by itself.
fn own_run(facts: &Facts<'_>) -> Option<BackfillNote> {
    if facts.is_suspended() {
        return None;
    }
    let next = facts.next_run()?;
    let distance = next.as_second() - facts.now.as_second();
    let text = format!(
        "Its own next run is at {next} (in {}), whether these Jobs are done then or not.",
        human(distance)
    );
    Some(BackfillNote::info("nextRun", text))
}

fn removal(facts: &Facts<'_>, steps: &[BackfillRun]) -> Option<BackfillNote> {
    let Deleted { earlier, own } = deleted(facts, steps);
    let before = match earlier.as_slice() {
        [] => None,
        [one] => Some(format!("{one}, which ran before")),
        some => Some(format!("{}, which ran before", some.join(", "))),
    };
    let these = match (own.len(), steps.len()) {
        (0, _) => None,
        (some, all) if some == all => Some("all of these".to_owned()),
        (1, _) => Some("the first of these".to_owned()),
        (some, _) => Some(format!("the first {some} of these")),
    };
    let warning = these.is_some();
    let what: Vec<String> = [before, these].into_iter().flatten().collect();
    if what.is_empty() {
        return None;
    }
    let spec = &facts.cron_job.spec;
    let limit = |limit: Option<i32>| limit.map_or_else(|| "all".to_owned(), |n| n.to_string());
    let text = format!(
        "These Jobs count for the history limits (they keep {} that succeeded and {} that failed). \
         If all succeed, the controller deletes meanwhile: {}.",
        limit(spec.successful_jobs_history_limit),
        limit(spec.failed_jobs_history_limit),
        what.join("; ")
    );
    Some(BackfillNote {
        code: "historyLimits",
        warning,
        text,
    })
}

fn ttl(facts: &Facts<'_>) -> Option<BackfillNote> {
    let seconds = ttl_seconds(&facts.cron_job.spec.job_template)?;
    let text = format!(
        "Each Job is deleted {} after its end (ttlSecondsAfterFinished).",
        exact(seconds)
    );
    Some(BackfillNote::info("ttl", text))
}

/// Only the controller writes the status, and only of what it starts itself.
fn status(facts: &Facts<'_>, steps: &[BackfillRun]) -> Option<BackfillNote> {
    let since = facts.missed?.since;
    let counted = steps.iter().filter(|step| step.slot > since).count();
    if counted == 0 {
        return None;
    }
    let succeeded = match facts.behavior().success {
        Success::Never => "",
        _ => ", although status.lastSuccessfulTime moves",
    };
    let text = format!(
        "status.lastScheduleTime stays as it is{succeeded}: these slots go on counting as missed \
         until the controller starts a run itself."
    );
    Some(BackfillNote::info("status", text))
}

/// What the controller deletes if every Job of a backfill succeeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    /// Jobs that are there already, in order.
    pub(super) earlier: Vec<String>,
    /// Jobs of the backfill itself, in order.
    pub(super) own: Vec<String>,
}

/// Lets the controller look each time when a Job is done.
pub(super) fn deleted(facts: &Facts<'_>, steps: &[BackfillRun]) -> Deleted {
    // What it would start itself is not asked here.
    let mut cron_job = facts.cron_job.clone();
    cron_job.spec.suspend = Some(true);
    let mut jobs = facts.jobs.to_vec();
    let mut deleted = Deleted::default();
    let mut now = facts.now;
    for step in steps {
        now = now
            .checked_add(SignedDuration::from_secs(1))
            .unwrap_or(Timestamp::MAX);
        jobs.push(done(&cron_job, step, now));
        let decision = decide(facts.controller, &cron_job, &jobs, now);
        let goes: HashSet<&String> = decision.deleted_jobs.iter().collect();
        jobs.retain(|job| !goes.contains(&job.name));
        for name in decision.deleted_jobs {
            if facts.job_named(&name).is_some() {
                deleted.earlier.push(name);
            } else {
                deleted.own.push(name);
            }
        }
    }
    deleted
}

/// The Job of a step as it is when it has succeeded.
fn done(cron_job: &CronJob, step: &BackfillRun, at: Timestamp) -> Job {
    let mut job = Job {
        creation_timestamp: Some(at),
        start_time: Some(at),
        ..cron_job.job_named(step.job_name.clone(), step.job_name.clone())
    };
    job.finish(JobResult::Succeeded, at);
    job
}

/// `ttlSecondsAfterFinished` of the template.
pub(super) fn ttl_seconds(template: &Arc<serde_json::Value>) -> Option<i64> {
    template
        .pointer("/spec/ttlSecondsAfterFinished")
        .and_then(serde_json::Value::as_i64)
}
