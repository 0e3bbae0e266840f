//! What the controller does because of a change.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnose::{DOWN, Facts, for_run, local, no_time_to_start};
use cronjob_controller::controller::{Decision, EditEffect, ON_TIME, Outcome, edit_effect};
use cronjob_text::duration::whole_second;
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural, some_of};
use kube_model::{ConcurrencyPolicy, CronJob};

string_enum! {
    /// What kind of effect a change has. The first is the most severe.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EffectKind {
        /// A run that was scheduled before the change starts because of it.
        StartsNow = "startsNow",
        /// Running Jobs are deleted.
        RemovesRunning = "removesRunning",
        /// Runs that would have started do not start.
        SkipsRuns = "skipsRuns",
        /// No run will ever start.
        NeverRuns = "neverRuns",
        /// Another `CronJob` with the same template stays beside it.
        RunsTwice = "runsTwice",
        /// The `CronJob` is deleted and created again.
        Recreates = "recreates",
        /// Running Jobs have a bearing on the next run that they did not have before.
        MeetsRunning = "meetsRunning",
        /// Finished Jobs are deleted.
        RemovesFinished = "removesFinished",
        /// Running Jobs keep the template that they were created from.
        KeepsTemplate = "keepsTemplate",
        /// The controller syncs at a time that is not that of the next run.
        NextSync = "nextSync",
        /// The `CronJob` is no longer suspended.
        Resumes = "resumes",
        /// The `CronJob` is suspended before and after the change, or created suspended.
        StaysSuspended = "staysSuspended",
        /// Argo CD shows its health as if it worked.
        LooksHealthy = "looksHealthy",
    }
}

/// What happens because of a change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "ChangeEffect")]
#[serde(rename_all = "camelCase")]
pub struct PlanEffect {
    /// What kind of effect it is.
    pub kind: EffectKind,
    /// When the controller does it; null where it does not depend on a sync.
    pub at: Option<Timestamp>,
    /// The scheduled time of the run in question.
    pub scheduled_time: Option<Timestamp>,
    /// The Jobs in question.
    pub jobs: Vec<String>,
    /// The effect in a sentence.
    pub message: Text,
}

impl PlanEffect {
    pub(super) fn new(kind: EffectKind, message: impl Into<Text>) -> Self {
        PlanEffect {
            kind,
            at: None,
            scheduled_time: None,
            jobs: Vec::new(),
            message: message.into(),
        }
    }

    /// The effect on the run of a scheduled time.
    fn on_run(kind: EffectKind, scheduled_time: Timestamp, message: Text) -> Self {
        PlanEffect {
            scheduled_time: Some(scheduled_time),
            ..PlanEffect::new(kind, message)
        }
    }

    /// The effect on Jobs, if there are any. `sentence` is about their number and names.
    fn on_jobs(
        kind: EffectKind,
        jobs: Vec<String>,
        sentence: impl FnOnce(usize, String) -> String,
    ) -> Option<Self> {
        let message = sentence(jobs.len(), listed(&jobs));
        (!jobs.is_empty()).then(|| PlanEffect {
            jobs,
            ..PlanEffect::new(kind, message)
        })
    }
}

/// That a `CronJob` which is suspended, whatever else changes, starts nothing.
pub(super) fn stays_suspended(new: &Facts<'_>, verb: &str) -> Option<PlanEffect> {
    let kind = EffectKind::StaysSuspended;
    if !new.input.is_suspended() {
        return None;
    }
    let text = format!("{verb} suspended: nothing starts until it is resumed.");
    let Some(next) = new.next_run().filter(|_| new.input.has_time_to_start()) else {
        return Some(PlanEffect::new(kind, text));
    };
    let at = local(new, next);
    let message = text!("{} Its next scheduled time is {}.", text, at);
    Some(PlanEffect::on_run(kind, next, message))
}

/// What Argo CD shows of a new `CronJob`.
pub(super) fn looks_healthy() -> PlanEffect {
    let message =
        "Argo CD (3.2 or later) shows it as Healthy until its first success, even if no run works.";
    PlanEffect::new(EffectKind::LooksHealthy, message)
}

/// A few names in a sentence.
fn listed(names: &[String]) -> String {
    some_of(names, if names.len() > 3 { 2 } else { 3 })
}

pub(super) fn running(facts: &Facts<'_>) -> Vec<String> {
    let runs = facts.runs.iter().filter(|run| run.ending().is_none());
    let read: Vec<String> = runs.map(|run| run.job.name.clone()).collect();
    if read.is_empty() && facts.input.jobs_are_unknown() {
        let active = facts.input.cron_job.status.active.iter();
        return active.map(|job| job.name.clone()).collect();
    }
    read
}

/// What the deletion of a `CronJob` leads to.
pub(super) fn of_removal(facts: &Facts<'_>) -> Vec<PlanEffect> {
    let mut effects = of_deletion(facts);
    if !facts.input.is_suspended()
        && let Some(next) = facts.next_run()
    {
        let at = local(facts, next);
        let message = text!(
            "The run scheduled at {} and all later runs do not start.",
            at
        );
        effects.push(PlanEffect::on_run(EffectKind::SkipsRuns, next, message));
    }
    effects
}

/// What happens where a `CronJob` is deleted and another one is created in its place.
pub(super) fn of_replacement(before: &Facts<'_>, after: &Facts<'_>) -> Vec<PlanEffect> {
    let mut effects = of_deletion(before);
    // The new one counts missed runs from its creation.
    effects.extend(due(before).map(|due| lost(before, due)));
    effects.extend(of_creation(after));
    effects
}

/// The Jobs that the garbage collector deletes with the `CronJob`.
fn of_deletion(facts: &Facts<'_>) -> Vec<PlanEffect> {
    let running = PlanEffect::on_jobs(
        EffectKind::RemovesRunning,
        running(facts),
        |count, names| format!("Deletes {} while running: {names}.", counted(count, "Job")),
    );
    let finished = facts.runs.iter().filter(|run| run.ending().is_some());
    let finished = finished.map(|run| run.job.name.clone()).collect();
    let finished = PlanEffect::on_jobs(EffectKind::RemovesFinished, finished, |count, names| {
        let jobs = counted(count, "finished Job");
        format!("Deletes {jobs}, with pods and logs: {names}.")
    });
    running.into_iter().chain(finished).collect()
}

/// What a new `CronJob` does that someone who applies it may not expect.
pub(super) fn of_creation(new: &Facts<'_>) -> Vec<PlanEffect> {
    let suspended = || stays_suspended(new, "Is created");
    Vec::from_iter(never_runs(new).or_else(suspended))
}

fn never_runs(new: &Facts<'_>) -> Option<PlanEffect> {
    let why = if !new.input.has_time_to_start() {
        no_time_to_start(&new.input)
    } else if let Err(problem) = &new.schedule {
        format!("the controller rejects the schedule ({problem})")
    } else if new.next_run().is_none() {
        "the schedule has no future run".to_owned()
    } else {
        return None;
    };
    Some(PlanEffect::new(
        EffectKind::NeverRuns,
        format!("Never runs: {why}."),
    ))
}

/// The scheduled time of a run that the controller starts now, or as soon as a running Job has finished.
fn due(facts: &Facts<'_>) -> Option<Timestamp> {
    let decision = &facts.decision;
    let waits = decision.starts() || decision.outcome == Outcome::Blocked;
    decision.scheduled_time.filter(|_| waits)
}

fn lost(facts: &Facts<'_>, due: Timestamp) -> PlanEffect {
    let at = local(facts, due);
    let message = text!("The run scheduled at {}, which is due, does not start.", at);
    PlanEffect::on_run(EffectKind::SkipsRuns, due, message)
}

/// What the change of a `CronJob` leads to. `changes_template` says whether its Jobs will be others.
pub(super) fn of_change(old: &Facts<'_>, new: &CronJob, changes_template: bool) -> Vec<PlanEffect> {
    let jobs = &old.controller_jobs;
    let edit = edit_effect(
        old.input.controller,
        &old.input.cron_job,
        new,
        jobs,
        old.input.now,
    );
    let edit = EditEffect {
        syncs_at: edit.syncs_at.map(whole_second),
        ..edit
    };
    let changed = old.changed(new);
    let then = edit.decision_then.as_ref();
    let mut effects = Vec::new();
    // A run that starts now in any case is not an effect.
    let pending = old.decision.scheduled_time;
    let pending = pending.filter(|_| old.decision.starts());
    let start = then.filter(|then| edit.retroactive && then.scheduled_time != pending);
    if let Some((decision, at)) = start.zip(edit.syncs_at) {
        effects.push(starts(&changed, decision, at));
    }
    if changed.input.is_suspended() && !old.input.is_suspended() {
        effects.extend(suspends(old));
    } else if let Some(due) = due(old)
        && due_after(&changed, then) != Some(due)
    {
        effects.push(lost(old, due));
    }
    match (old.input.is_suspended(), changed.input.is_suspended()) {
        (true, false) => effects.extend(resumes(&changed)),
        (true, true) => effects.extend(stays_suspended(&changed, "Stays")),
        (false, _) => {}
    }
    effects.extend(deleted(old, &edit));
    effects.extend(never_runs(&changed).filter(|_| never_runs(old).is_none()));
    if changes_template {
        effects.extend(keeps_template(old));
    }
    if start.is_none() {
        effects.extend(meets_running(old, &changed));
        effects.extend(next_sync(old, &changed, &edit));
    }
    effects
}

/// The scheduled time of the run that starts at the first sync after a change, or that waits then.
fn due_after(changed: &Facts<'_>, then: Option<&Decision>) -> Option<Timestamp> {
    let now_due = due(changed);
    let then = then.filter(|then| then.starts() || then.outcome == Outcome::Blocked);
    then.and_then(|then| then.scheduled_time).or(now_due)
}

fn starts(changed: &Facts<'_>, decision: &Decision, at: Timestamp) -> PlanEffect {
    let job = decision.job_name.as_deref().unwrap_or_default();
    let scheduled = decision.scheduled_time.unwrap_or(at);
    let is_soon = at.as_second() - changed.input.now.as_second() <= ON_TIME;
    let (when, note) = if changed.controller_is_down() {
        (text!("when {} is running again,", DOWN), "")
    } else if is_soon {
        (Text::from("immediately"), "")
    } else {
        let note = " Note the time: it follows from the old schedule, which the cluster no longer shows after the change.";
        (text!("at {}", local(changed, at)), note)
    };
    let replaced = if decision.outcome == Outcome::Replace {
        ", replacing the running Job,"
    } else {
        ""
    };
    let run = for_run(changed, scheduled, at);
    let message = text!("Starts {}{} {} {}.{}", job, replaced, when, run, note);
    PlanEffect {
        at: Some(at),
        jobs: vec![job.to_owned()],
        ..PlanEffect::on_run(EffectKind::StartsNow, scheduled, message)
    }
}

fn suspends(old: &Facts<'_>) -> Option<PlanEffect> {
    let next = due(old).or_else(|| old.next_run())?;
    let running = running(old);
    let finish = match running.as_slice() {
        [] => String::new(),
        running => format!(" {} will finish.", listed(running)),
    };
    let message = text!(
        "Suspends the CronJob: the run scheduled at {} and all later runs do not start until it is \
         resumed.{}",
        local(old, next),
        finish
    );
    Some(PlanEffect::on_run(EffectKind::SkipsRuns, next, message))
}

fn resumes(changed: &Facts<'_>) -> Option<PlanEffect> {
    let next = changed.next_run()?;
    let at = local(changed, next);
    let message = text!("Resumes the CronJob: the next scheduled run is at {}.", at);
    Some(PlanEffect::on_run(EffectKind::Resumes, next, message))
}

/// The finished or replaced Jobs that are deleted because of the change.
fn deleted(old: &Facts<'_>, edit: &EditEffect) -> Vec<PlanEffect> {
    let Some(then) = &edit.decision_then else {
        return Vec::new();
    };
    let before = &old.decision.deleted_jobs;
    let names = then.deleted_jobs.iter();
    let names = names.filter(|name| !before.contains(name)).cloned();
    let running = running(old);
    let (replaced, finished): (Vec<String>, Vec<String>) =
        names.partition(|name| running.contains(name));
    // A run that is on time replaces a Job also without the change.
    let replaced = Some(replaced).filter(|_| edit.retroactive);
    let replaced = replaced.unwrap_or_default();
    let replaced = PlanEffect::on_jobs(EffectKind::RemovesRunning, replaced, |count, names| {
        let jobs = counted(count, "Job");
        format!("Deletes {jobs} while running: {names} (concurrencyPolicy: Replace).")
    });
    let finished = PlanEffect::on_jobs(EffectKind::RemovesFinished, finished, |count, names| {
        let jobs = counted(count, "finished Job");
        format!("Deletes {jobs} beyond the new history limits: {names}.")
    });
    let at = edit.syncs_at;
    let effects = replaced.into_iter().chain(finished);
    effects.map(|effect| PlanEffect { at, ..effect }).collect()
}

/// What another concurrency policy means for the Jobs that are running.
fn meets_running(old: &Facts<'_>, changed: &Facts<'_>) -> Option<PlanEffect> {
    let policy = &changed.input.cron_job.spec.concurrency_policy;
    let running = running(old);
    let is_same = *policy == old.input.cron_job.spec.concurrency_policy;
    if is_same || running.is_empty() || changed.input.is_suspended() {
        return None;
    }
    let next = due(changed).or_else(|| changed.next_run())?;
    let (names, at) = (listed(&running), local(changed, next));
    let (is, has) = plural(running.len(), ("is", "has"), ("are", "have"));
    let message = match policy {
        ConcurrencyPolicy::Allow => {
            text!(
                "The run scheduled at {} starts also if {} {} still running.",
                at,
                names,
                is
            )
        }
        ConcurrencyPolicy::Forbid => {
            text!(
                "The run scheduled at {} does not start before {} {} finished.",
                at,
                names,
                has
            )
        }
        ConcurrencyPolicy::Replace => {
            text!(
                "The run scheduled at {} deletes {} if still running.",
                at,
                names
            )
        }
        ConcurrencyPolicy::Other(_) => return None,
    };
    Some(PlanEffect {
        jobs: running,
        ..PlanEffect::on_run(EffectKind::MeetsRunning, next, message)
    })
}

fn keeps_template(old: &Facts<'_>) -> Option<PlanEffect> {
    PlanEffect::on_jobs(EffectKind::KeepsTemplate, running(old), |count, names| {
        let keep = plural(count, "keeps", "keep");
        format!("{names} {keep} running with the old template.")
    })
}

/// When the controller syncs after an edit of the schedule, if that is not at the next run.
fn next_sync(old: &Facts<'_>, changed: &Facts<'_>, edit: &EditEffect) -> Option<PlanEffect> {
    let is_moved = old.input.cron_job.spec.schedule != changed.input.cron_job.spec.schedule
        || old.input.cron_job.spec.time_zone != changed.input.cron_job.spec.time_zone;
    if !is_moved || changed.input.is_suspended() {
        return None;
    }
    let at = edit.syncs_at?;
    let is_soon = at.as_second() - old.input.now.as_second() <= ON_TIME;
    // The controller wakes up a little after the scheduled time.
    let is_next_run = changed
        .next_run()
        .is_some_and(|next| (at.as_second() - next.as_second()).abs() <= ON_TIME);
    let starts = edit.decision_then.as_ref().is_some_and(Decision::starts);
    if is_soon || is_next_run || starts || edit.old_wake.is_none() {
        return None;
    }
    let message = text!(
        "The controller syncs at {} as planned for the old schedule, and starts nothing then.",
        local(changed, at)
    );
    Some(PlanEffect {
        at: Some(at),
        ..PlanEffect::new(EffectKind::NextSync, message)
    })
}

pub(super) fn of_twin(previous: &str) -> PlanEffect {
    PlanEffect::new(
        EffectKind::RunsTwice,
        format!(
            "{previous} has the same template and is not deleted: the cluster has both. If this is a \
             rename, delete the old one."
        ),
    )
}
