//! The run that the controller would start next, and what it does if its Job already exists.

use jiff::Timestamp;

use crate::diagnose::{Facts, Input, local};
use cronjob_controller::controller::{Decision, NameTaken, Outcome};
use cronjob_text::duration::exact;
use kube_model::Job;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStart {
    Starts,
    /// As soon as no other Job of the `CronJob` is running.
    Waits,
    JobExists,
}

/// The scheduled time of the run that a sync would start.
pub(super) fn next_of(decision: &Decision) -> Option<(Timestamp, NextStart)> {
    let way = match decision.outcome {
        Outcome::Start | Outcome::Replace => NextStart::Starts,
        Outcome::Blocked => NextStart::Waits,
        Outcome::NameTaken => NextStart::JobExists,
        _ => return None,
    };
    Some((decision.scheduled_time?, way))
}

pub(super) fn controller_starts(facts: &Facts<'_>) -> String {
    match next_of(&facts.decision) {
        Some((_, NextStart::Waits)) => {
            let running = facts.decision.status_after.active.join(", ");
            format!(
                "the controller starts it when {running} finishes, unless a later run is due by then"
            )
        }
        _ => "the controller starts it at its next sync".to_owned(),
    }
}

/// Which Job already has the name.
pub(super) fn whose(input: &Input<'_>, job: &Job) -> String {
    let owner = job.controller();
    let deleted = job.deletion_timestamp.is_some();
    let being_deleted = if deleted { " and is being deleted" } else { "" };
    match owner {
        Some(owner) if owner.kind == "CronJob" && owner.uid == input.cron_job.uid => {
            format!("its Job already exists{being_deleted}")
        }
        Some(owner) => format!(
            "a Job with that name already exists; it belongs to {} {}{being_deleted}",
            owner.kind, owner.name
        ),
        None => format!("a Job with that name already exists; it has no owner{being_deleted}"),
    }
}

/// The longest back-off of the controller, in seconds.
const LONGEST_BACKOFF: i64 = 1_000;

/// What the controller does if a Job of the backfill has the name of the run that it means to start.
pub(super) fn in_its_way(facts: &Facts<'_>) -> String {
    let next = facts.next_run();
    let until = next.map_or_else(
        || "the next run is due".to_owned(),
        |next| format!("the next run is due at {}", local(facts, next)),
    );
    // Each pause is as long as all before it, so that the last one ends no later than this.
    let wait = next.map(|next| next.as_second() - facts.input.now.as_second());
    let late = exact(wait.map_or(LONGEST_BACKOFF, |wait| wait.clamp(1, LONGEST_BACKOFF)));
    match facts.input.behavior().name_taken {
        NameTaken::RecordsFailure => format!(
            "the controller cannot create a Job with that name, and records a FailedCreate event every \
             ten seconds until {until}"
        ),
        NameTaken::Retries => format!(
            "the controller cannot create a Job with that name, records no event, and retries with \
             increasing delays until {until} (which may then start up to {late} late)"
        ),
        NameTaken::MeansToAdopt => format!(
            "the controller cannot create a Job with that name, fails to look up the existing one, \
             records no event, and retries with increasing delays until {until} (which may then start \
             up to {late} late)"
        ),
        NameTaken::Adopts => {
            "the controller adopts that Job and does not create another one".to_owned()
        }
    }
}
