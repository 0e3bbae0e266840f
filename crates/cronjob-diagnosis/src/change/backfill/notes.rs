//! The notes of a backfill plan, and what the history limits delete while it runs.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::BackfillRun;
use super::next_start::{self, NextStart};
use crate::diagnose::{DOWN, Facts, Input, local};
use cronjob_controller::controller::{Generation, NameTaken, decide};
use cronjob_text::duration::{exact, human, later};
use kube_model::{ConcurrencyPolicy, CronJob, Job, JobResult};

/// Something to know before missed runs are started.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillNote")]
pub struct BackfillNote {
    /// The note's fixed identifier.
    pub code: &'static str,
    /// The severity.
    #[schemars(with = "&'static str", extend("enum" = ["warning", "info"]))]
    #[serde(rename = "severity", serialize_with = "severity")]
    pub warning: bool,
    /// The note in sentences.
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

pub(super) fn notes(facts: &Facts<'_>, steps: &[BackfillRun]) -> Vec<BackfillNote> {
    if steps.is_empty() {
        return Vec::new();
    }
    let all = [
        may_have_run(steps),
        template_suspended(&facts.input),
        policy(facts),
        controller_is_down(facts),
        next_start(facts, steps),
        own_run(facts),
        removal(&facts.input, steps),
        ttl(&facts.input),
    ];
    all.into_iter().flatten().collect()
}

fn may_have_run(steps: &[BackfillRun]) -> Option<BackfillNote> {
    let doubtful = steps.iter().filter(|step| step.may_have_run).count();
    let which = match (doubtful, steps.len()) {
        (0, _) => return None,
        (1, 1) => "This run may".to_owned(),
        (some, all) if some == all => "All of these runs may".to_owned(),
        (some, _) => format!("{some} of these runs may"),
    };
    let text = format!("{which} have happened already; no evidence is left.");
    Some(BackfillNote::warning("mayHaveRun", text))
}

fn template_suspended(input: &Input<'_>) -> Option<BackfillNote> {
    let template = &input.cron_job.spec.job_template;
    let suspended = template.pointer("/spec/suspend")?.as_bool()?;
    suspended.then(|| {
        BackfillNote::warning(
            "templateSuspended",
            "The Job template has suspend: true: no Job starts pods until it is resumed.",
        )
    })
}

/// The policy applies only to Jobs that the controller created.
fn policy(facts: &Facts<'_>) -> Option<BackfillNote> {
    let unfinished = facts.runs.iter().filter(|run| run.ending().is_none());
    let active: Vec<&str> = unfinished.map(|run| run.job.name.as_str()).collect();
    let now = match active.as_slice() {
        [] => String::new(),
        [one] => format!(" {one} is running now."),
        some => format!(" {} are running now.", some.join(", ")),
    };
    let text = match facts.input.cron_job.spec.concurrency_policy {
        ConcurrencyPolicy::Forbid => {
            "These Jobs ignore concurrencyPolicy: Forbid: they and scheduled runs do not wait for each \
             other."
        }
        ConcurrencyPolicy::Replace => {
            "These Jobs ignore concurrencyPolicy: Replace: they and scheduled runs do not replace each \
             other."
        }
        _ => return None,
    };
    Some(BackfillNote {
        code: "policy",
        warning: !active.is_empty(),
        text: format!("{text}{now}"),
    })
}

fn controller_is_down(facts: &Facts<'_>) -> Option<BackfillNote> {
    facts.controller_is_down().then(|| {
        let text = format!(
            "{DOWN} starts nothing, and these Jobs get no pods, until it is running again."
        );
        BackfillNote::warning("controllerIsDown", text)
    })
}

/// What the controller does about the run that it would start next.
fn next_start(facts: &Facts<'_>, steps: &[BackfillRun]) -> Option<BackfillNote> {
    let (scheduled_time, way) = next_start::next_of(facts.prospect())?;
    let ours = way == NextStart::JobExists
        || steps
            .iter()
            .any(|step| step.scheduled_time == scheduled_time);
    let suspended = facts.input.is_suspended();
    if !suspended && facts.controller_is_down() {
        return None;
    }
    let run = format!("the run scheduled at {}", local(facts, scheduled_time));
    Some(match (suspended, ours) {
        (true, false) => BackfillNote::warning(
            "resumeStarts",
            format!(
                "If the CronJob is resumed before the next run is due, the controller starts {run} \
                 ({} late). To avoid that, use resume --catch-up=skip.",
                human(facts.input.ago(scheduled_time))
            ),
        ),
        (true, true) => {
            let is_adopted = facts.input.behavior().name_taken == NameTaken::Adopts;
            let way_out = if is_adopted {
                ""
            } else {
                " To avoid that, use resume --catch-up=skip."
            };
            let text = format!(
                "If the CronJob is resumed before the next run is due, the controller tries to start \
                 {run}. If its Job still exists, {}. If that Job has been deleted by then, the run \
                 starts a second time.{way_out}",
                next_start::in_its_way(facts)
            );
            BackfillNote {
                code: "resumeFindsJob",
                warning: !is_adopted,
                text,
            }
        }
        (false, false) => {
            let when = match way {
                NextStart::Waits => "when no other Job of the CronJob is running",
                // A new Job makes the controller sync its CronJob.
                _ if facts.input.behavior().generation == Generation::V2 => {
                    "at its next sync, which the first of these Jobs causes"
                }
                _ => "at its next sync",
            };
            let text = format!("The controller itself starts {run} {when}.");
            BackfillNote::warning("controllerStarts", text)
        }
        (false, true) => BackfillNote::warning(
            "controllerMayStart",
            format!(
                "The CronJob is not suspended, and at its next sync the controller tries to start \
                 {run}. If the controller is first, backfill skips that run; if not, {}.",
                next_start::in_its_way(facts)
            ),
        ),
    })
}

/// The next run by the schedule.
fn own_run(facts: &Facts<'_>) -> Option<BackfillNote> {
    if facts.input.is_suspended() {
        return None;
    }
    let next = facts.next_run()?;
    let distance = next.as_second() - facts.input.now.as_second();
    let condition = if facts.controller_is_down() {
        format!("if {DOWN} is running by then")
    } else {
        "whether or not these Jobs have finished by then".to_owned()
    };
    let text = format!(
        "Next scheduled run: {} (in {}), {condition}.",
        local(facts, next),
        human(distance)
    );
    Some(BackfillNote::info("nextRun", text))
}

fn removal(input: &Input<'_>, steps: &[BackfillRun]) -> Option<BackfillNote> {
    let Deleted { earlier, own } = deleted(input, steps);
    let before = match earlier.as_slice() {
        [] => None,
        [one] => Some(format!("the older Job {one}")),
        some => Some(format!("the older Jobs {}", some.join(", "))),
    };
    let these = match (own.len(), steps.len()) {
        (0, _) => None,
        (some, all) if some == all => Some("all of these Jobs".to_owned()),
        (1, _) => Some("the first of these Jobs".to_owned()),
        (some, _) => Some(format!("the first {some} of these Jobs")),
    };
    let warning = these.is_some();
    let what: Vec<String> = [before, these].into_iter().flatten().collect();
    if what.is_empty() {
        return None;
    }
    let spec = &input.cron_job.spec;
    let limit = |limit: Option<i32>| limit.map_or_else(|| "unset".to_owned(), |n| n.to_string());
    let text = format!(
        "The history limits apply to these Jobs (successfulJobsHistoryLimit: {}, \
         failedJobsHistoryLimit: {}). If all of them succeed, the controller deletes {} in the meantime.",
        limit(spec.successful_jobs_history_limit),
        limit(spec.failed_jobs_history_limit),
        what.join(" and ")
    );
    Some(BackfillNote {
        code: "historyLimits",
        warning,
        text,
    })
}

fn ttl(input: &Input<'_>) -> Option<BackfillNote> {
    let template = &input.cron_job.spec.job_template;
    let seconds = template.pointer("/spec/ttlSecondsAfterFinished")?;
    let seconds = seconds.as_i64()?;
    let text = format!(
        "Each Job is deleted {} after it finishes (ttlSecondsAfterFinished: {seconds}).",
        exact(seconds)
    );
    Some(BackfillNote::info("ttl", text))
}

/// What the controller deletes if every Job of a backfill succeeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    /// Jobs that exist already, in order.
    pub(super) earlier: Vec<String>,
    /// Jobs of the backfill itself, in order.
    pub(super) own: Vec<String>,
}

/// Syncs the `CronJob` whenever a Job has finished.
pub(super) fn deleted(input: &Input<'_>, steps: &[BackfillRun]) -> Deleted {
    // Suspended, so that the sync starts nothing.
    let mut cron_job = input.cron_job.clone().into_owned();
    cron_job.spec.suspend = Some(true);
    let mut jobs = input.jobs.to_vec();
    let mut deleted = Deleted::default();
    let mut now = input.now;
    for step in steps {
        now = later(now, SignedDuration::from_secs(1));
        jobs.push(done(&cron_job, step, now));
        let decision = decide(input.controller, &cron_job, &jobs, now);
        let goes: HashSet<&String> = decision.deleted_jobs.iter().collect();
        jobs.retain(|job| !goes.contains(&job.name));
        for name in decision.deleted_jobs {
            if input.job_named(&name).is_some() {
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
