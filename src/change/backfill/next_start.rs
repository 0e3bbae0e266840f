//! The slot that the controller would start next, and what it does if its Job is there already.

use jiff::Timestamp;

use crate::controller::{Decision, NameTaken, Outcome};
use crate::diagnose::Facts;
use crate::duration::exact;
use crate::model::Job;

/// How the controller comes to the slot that it would start next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStart {
    /// It starts it as soon as it looks.
    Starts,
    /// It starts it as soon as no other Job of it runs.
    Waits,
    /// Its Job exists already.
    JobExists,
}

/// The slot that the controller comes to in a look.
pub(super) fn next_of(decision: &Decision) -> Option<(Timestamp, NextStart)> {
    let way = match decision.outcome {
        Outcome::Start | Outcome::Replace => NextStart::Starts,
        Outcome::Blocked => NextStart::Waits,
        Outcome::NameTaken => NextStart::JobExists,
        _ => return None,
    };
    Some((decision.scheduled_time?, way))
}

/// Why a slot is left to the controller.
pub(super) fn controller_starts(facts: &Facts<'_>) -> String {
    match next_of(&facts.decision) {
        Some((_, NextStart::Waits)) => {
            let running = facts.decision.status_after.active.join(", ");
            format!("the controller starts it when {running} ends, unless a later slot has come")
        }
        _ => "the controller starts it when it looks next".to_owned(),
    }
}

/// Whose Job has the name that is to be given.
pub(super) fn whose(facts: &Facts<'_>, job: &Job) -> String {
    let mut owners = job.owner_references.iter();
    let owner = owners.find(|owner| owner.controller == Some(true));
    let deleted = job.deletion_timestamp.is_some();
    let being_deleted = if deleted {
        ", and is being deleted"
    } else {
        ""
    };
    match owner {
        Some(owner) if owner.kind == "CronJob" && owner.uid == facts.cron_job.uid => {
            format!("its Job exists already{being_deleted}")
        }
        Some(owner) => format!(
            "a Job of that name exists already; it belongs to {} {}{being_deleted}",
            owner.kind, owner.name
        ),
        None => format!("a Job of that name exists already; it belongs to nothing{being_deleted}"),
    }
}

/// The controller waits no longer than that before it tries again.
const LONGEST_BACKOFF: i64 = 1_000;

/// What the controller makes of a Job of ours that has the name of the slot it means to start.
pub(super) fn in_its_way(facts: &Facts<'_>) -> String {
    let next = facts.next_run();
    let until = next.map_or_else(
        || "a next slot comes".to_owned(),
        |next| format!("the next slot, {next}, has come"),
    );
    // Each pause is as long as all before it, so that the last one ends no later than this.
    let wait = next.map(|next| next.as_second() - facts.now.as_second());
    let late = exact(wait.map_or(LONGEST_BACKOFF, |wait| wait.clamp(1, LONGEST_BACKOFF)));
    match facts.behavior().name_taken {
        NameTaken::RecordsFailure => format!(
            "it cannot create a Job of that name, and records the warning FailedCreate with each \
             look, every ten seconds, until {until}"
        ),
        NameTaken::Retries => format!(
            "it cannot create a Job of that name, records nothing, and tries again, later and \
             later, until {until}; that one may start up to {late} late"
        ),
        NameTaken::MeansToAdopt => format!(
            "it cannot create a Job of that name, fails to look up the one that is there, records \
             nothing, and tries again, later and later, until {until}; that one may start up to \
             {late} late"
        ),
        NameTaken::Adopts => {
            "it takes the Job that is there for that slot's, and starts none".to_owned()
        }
    }
}
