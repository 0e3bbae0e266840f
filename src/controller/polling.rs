//! The first generation of the controller (up to 1.20): it lists everything every ten seconds.

use super::Controller;
use super::decision::{Outcome, Verdict};
use super::gotime::{Moment, seconds};
use super::look::{End, Look};
use super::names;
use super::start::{self, Started};
use super::unmet::Failure;
use super::{children, history};
use crate::model::ConcurrencyPolicy;

/// One look of a pass.
pub(super) fn look(look: &mut Look<'_>, controller: &Controller<'_>) -> End {
    children::reconcile(look);
    // The status is written with each pass, changed or not.
    look.updates_status = true;
    let end = steps(look, controller);
    history::clean_up(look);
    end
}

fn steps(look: &mut Look<'_>, controller: &Controller<'_>) -> End {
    let cron_job = look.cron_job;
    let spec = &cron_job.spec;
    if look.stops_for_deletion() {
        return End::for_good(Outcome::Deleted);
    }
    if look.stops_for_suspension() {
        return End::for_good(Outcome::Suspended);
    }
    let clock = match look.read_clock(controller) {
        Ok(clock) => clock,
        Err(error) => {
            let why = look.behaviour.wording.unparseable_listed;
            look.step("schedule", Verdict::Stop, error.to_string());
            needs_start_failed(look, &format!("{why}: {} : {error}", spec.schedule));
            return End::for_good(Outcome::UnparseableSchedule);
        }
    };
    let Ok(unmet) = look.find_unmet(&clock) else {
        look.step("slot", Verdict::Stop, "the search for the slot never ends");
        return End::for_good(Outcome::Hangs);
    };
    if unmet.failure == Some(Failure::TooMany) {
        look.step(
            "missed",
            Verdict::Stop,
            "more than 100 starts were missed: it starts none",
        );
        needs_start_failed(look, look.behaviour.wording.too_many_listed);
        return End::for_good(Outcome::TooManyMissed);
    }
    let Some(slot) = unmet.slot else {
        look.step("slot", Verdict::Stop, "no slot is due");
        return End::for_good(Outcome::Wait);
    };
    run(look, slot)
}

/// Releases without words for it leave a line in a log.
fn needs_start_failed(look: &mut Look<'_>, why: &str) {
    if look.behaviour.wording.too_many_listed.is_empty() {
        return;
    }
    look.warning(
        "FailedNeedsStart",
        format!("Cannot determine if job needs to be started: {why}"),
    );
}

fn run(look: &mut Look<'_>, slot: Moment) -> End {
    let cron_job = look.cron_job;
    let name = names::job_name(&cron_job.name, slot, look.behaviour.generation);
    let ended = |outcome| End::of_slot(outcome, slot, &name);
    look.note_due(slot);
    let deadline = cron_job.spec.starting_deadline_seconds;
    if deadline.is_some_and(|deadline| slot.add(seconds(deadline)) < look.now) {
        look.step(
            "deadline",
            Verdict::Stop,
            "the slot is older than startingDeadlineSeconds",
        );
        // No event: the releases that could come here had none.
        return ended(Outcome::DeadlineExceeded);
    }
    let policy = &cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Forbid && !look.active.is_empty() {
        // No event: this generation only logs it.
        look.step(
            "concurrency",
            Verdict::Stop,
            "Forbid, and a Job counts as running",
        );
        return ended(Outcome::Blocked);
    }
    match start::start(look, &name, slot) {
        Started::Created(outcome) => ended(outcome),
        Started::Adopted | Started::LeftAlone => ended(Outcome::NameTaken),
        Started::Failed(outcome, error) => End {
            error: Some(error),
            ..ended(outcome)
        },
    }
}
