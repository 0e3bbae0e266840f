//! What the controller does because of a change.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::controller::{Decision, Outcome, edit_effect};
use crate::diagnose::{Facts, ON_TIME, local};
use crate::duration::human;
use crate::model::CronJob;

string_enum! {
    /// What kind of effect a change has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum EffectKind {
        /// A run that was scheduled before the change starts because of it.
        StartsNow = "startsNow",
        /// Runs that would have started do not start.
        SkipsRuns = "skipsRuns",
        /// Running Jobs are deleted.
        RemovesRunning = "removesRunning",
        /// Finished Jobs are deleted.
        RemovesFinished = "removesFinished",
        /// Another `CronJob` with the same template stays, and both run.
        RunsTwice = "runsTwice",
        /// Nothing will ever start.
        NeverRuns = "neverRuns",
        /// Running Jobs keep the template that they were created from.
        KeepsTemplate = "keepsTemplate",
        /// The controller syncs at a time that is not that of the next run.
        NextSync = "nextSync",
    }
}

/// What the controller does because of a change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Effect {
    /// What kind of effect it is.
    pub kind: EffectKind,
    /// When the controller does it; null where that is not known.
    pub at: Option<Timestamp>,
    /// The scheduled time of the run in question.
    pub scheduled_time: Option<Timestamp>,
    /// The Jobs in question.
    pub jobs: Vec<String>,
    /// The effect in a sentence.
    pub message: String,
}

impl Effect {
    fn new(kind: EffectKind, message: String) -> Self {
        Effect {
            kind,
            at: None,
            scheduled_time: None,
            jobs: Vec::new(),
            message,
        }
    }
}

/// A few names in a sentence.
fn listed(names: &[String]) -> String {
    const MOST: usize = 3;
    match names {
        [] => String::new(),
        [only] => only.clone(),
        _ if names.len() <= MOST => names.join(", "),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
    }
}

fn plural(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {one}{s}")
}

/// The unfinished Jobs that the garbage collector deletes with the `CronJob`.
pub(super) fn running(facts: &Facts<'_>) -> Vec<String> {
    let runs = facts.runs.iter().filter(|run| run.ending().is_none());
    let read: Vec<String> = runs.map(|run| run.job.name.clone()).collect();
    if read.is_empty() && facts.jobs_are_unknown() {
        let active = facts.cron_job.status.active.iter();
        return active.map(|job| job.name.clone()).collect();
    }
    read
}

/// What the deletion of a `CronJob` leads to.
pub(super) fn of_removal(facts: &Facts<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let running = running(facts);
    if !running.is_empty() {
        effects.push(Effect {
            jobs: running.clone(),
            ..Effect::new(
                EffectKind::RemovesRunning,
                format!(
                    "Deletes {} while running: {}.",
                    plural(running.len(), "Job"),
                    listed(&running)
                ),
            )
        });
    }
    let finished = facts.runs.iter().filter(|run| run.ending().is_some());
    let finished: Vec<String> = finished.map(|run| run.job.name.clone()).collect();
    if !finished.is_empty() {
        effects.push(Effect {
            jobs: finished.clone(),
            ..Effect::new(
                EffectKind::RemovesFinished,
                format!(
                    "Deletes {} with their pods and logs.",
                    plural(finished.len(), "finished Job")
                ),
            )
        });
    }
    if !facts.is_suspended()
        && let Some(next) = facts.next_run()
    {
        effects.push(Effect {
            scheduled_time: Some(next),
            ..Effect::new(
                EffectKind::SkipsRuns,
                format!(
                    "The run scheduled at {} and all later runs do not start.",
                    local(facts, next)
                ),
            )
        });
    }
    effects
}

/// What a new `CronJob` does that someone who applies it may not expect.
pub(super) fn of_creation(new: &Facts<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    effects.extend(never_runs(new));
    effects
}

fn never_runs(new: &Facts<'_>) -> Option<Effect> {
    let why = if !new.has_time_to_start() {
        "startingDeadlineSeconds: 0 prevents every run".to_owned()
    } else if let Err(problem) = &new.schedule {
        format!("the controller rejects the schedule ({problem})")
    } else if new.next_run().is_none() {
        "the schedule has no future run".to_owned()
    } else {
        return None;
    };
    Some(Effect::new(
        EffectKind::NeverRuns,
        format!("Never runs: {why}."),
    ))
}

/// What the change of a `CronJob` leads to. `changes_template` says whether its Jobs will be others.
pub(super) fn of_change(old: &Facts<'_>, new: &CronJob, changes_template: bool) -> Vec<Effect> {
    let mut effects = Vec::new();
    let jobs = &old.controller_jobs;
    let edit = edit_effect(old.controller, old.cron_job, new, jobs, old.now);
    let changed = old.changed(new);
    let pending = pending_start(old);
    let start = edit.decision_then.as_ref().filter(|_| edit.retroactive);
    if let Some((decision, at)) = start.zip(edit.looks_at) {
        let same = pending == decision.scheduled_time && pending.is_some();
        if !same {
            effects.push(starts(&changed, decision, at));
        }
    }
    effects.extend(skips(old, &changed, pending, start));
    effects.extend(deleted(old, edit.decision_then.as_ref()));
    effects.extend(never_runs(&changed).filter(|_| never_runs(old).is_none()));
    let running = running(old);
    if changes_template && !running.is_empty() {
        effects.push(Effect {
            jobs: running.clone(),
            ..Effect::new(
                EffectKind::KeepsTemplate,
                format!(
                    "{} already running with the old template: {}.",
                    match running.len() {
                        1 => "1 Job is".to_owned(),
                        more => format!("{more} Jobs are"),
                    },
                    listed(&running)
                ),
            )
        });
    }
    effects
}

/// The scheduled time of the run that the controller would start now, also without the change.
fn pending_start(old: &Facts<'_>) -> Option<Timestamp> {
    let decision = &old.decision;
    decision.scheduled_time.filter(|_| decision.starts())
}

fn starts(changed: &Facts<'_>, decision: &Decision, at: Timestamp) -> Effect {
    let job = decision.job_name.as_deref().unwrap_or_default();
    let scheduled = decision.scheduled_time.unwrap_or(at);
    let late = at.as_second() - scheduled.as_second();
    let when = if at.as_second() - changed.now.as_second() <= ON_TIME {
        "immediately".to_owned()
    } else {
        format!("at {}", local(changed, at))
    };
    let replaced = if decision.outcome == Outcome::Replace {
        ", replacing the running Job,"
    } else {
        ""
    };
    Effect {
        at: Some(at),
        scheduled_time: Some(scheduled),
        jobs: vec![job.to_owned()],
        ..Effect::new(
            EffectKind::StartsNow,
            format!(
                "Starts {job}{replaced} {when} for the run scheduled at {} ({} late).",
                local(changed, scheduled),
                human(late)
            ),
        )
    }
}

fn skips(
    old: &Facts<'_>,
    changed: &Facts<'_>,
    pending: Option<Timestamp>,
    start: Option<&Decision>,
) -> Option<Effect> {
    if changed.is_suspended() && !old.is_suspended() {
        let next = pending.or_else(|| old.next_run())?;
        return Some(Effect {
            scheduled_time: Some(next),
            ..Effect::new(
                EffectKind::SkipsRuns,
                format!(
                    "Suspends the CronJob: the run scheduled at {} and all later runs do not start \
                     until it is resumed.",
                    local(old, next)
                ),
            )
        });
    }
    let lost =
        pending.filter(|pending| start.and_then(|start| start.scheduled_time) != Some(*pending))?;
    Some(Effect {
        scheduled_time: Some(lost),
        ..Effect::new(
            EffectKind::SkipsRuns,
            format!(
                "The run scheduled at {}, which is due, does not start.",
                local(old, lost)
            ),
        )
    })
}

/// The finished or replaced Jobs that are deleted because of the change.
fn deleted(old: &Facts<'_>, then: Option<&Decision>) -> Option<Effect> {
    let then = then?;
    let before = &old.decision.deleted_jobs;
    let names = then
        .deleted_jobs
        .iter()
        .filter(|name| !before.contains(name));
    let names: Vec<String> = names.cloned().collect();
    if names.is_empty() {
        return None;
    }
    let replaces = then.outcome == Outcome::Replace;
    let running = running(old);
    let is_running = replaces && names.iter().any(|name| running.contains(name));
    let (kind, what) = if is_running {
        (EffectKind::RemovesRunning, "running Job")
    } else {
        (EffectKind::RemovesFinished, "finished Job")
    };
    let message = format!("Deletes {}: {}.", plural(names.len(), what), listed(&names));
    Some(Effect {
        jobs: names,
        ..Effect::new(kind, message)
    })
}

/// That the `CronJob` under the earlier name is not deleted.
pub(super) fn of_twin(previous: &str) -> Effect {
    Effect::new(
        EffectKind::RunsTwice,
        format!(
            "{previous} has the same template and is not deleted: both run. If this is a rename, delete \
             the old one."
        ),
    )
}
