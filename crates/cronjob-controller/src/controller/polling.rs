//! The first generation of the controller (up to 1.20): it lists everything every ten seconds.

use super::Controller;
use super::decision::{Outcome, Verdict};
use super::gotime::GoTime;
use super::names;
use super::start::{self, Started};
use super::sync::{SyncContext, SyncEnd};
use super::unmet::SearchFailure;
use super::{children, history};
use kube_model::ConcurrencyPolicy;

pub(super) fn sync(sync: &mut SyncContext<'_>, controller: &Controller) -> SyncEnd {
    children::reconcile(sync);
    // The status is written with each pass, changed or not.
    sync.updates_status = true;
    let end = steps(sync, controller);
    history::clean_up(sync);
    end
}

fn steps(sync: &mut SyncContext<'_>, controller: &Controller) -> SyncEnd {
    let cron_job = sync.cron_job;
    let spec = &cron_job.spec;
    if sync.stops_for_deletion() {
        return SyncEnd::for_good(Outcome::Deleted);
    }
    if sync.stops_for_suspension() {
        return SyncEnd::for_good(Outcome::Suspended);
    }
    let clock = match sync.read_clock(controller) {
        Ok(clock) => clock,
        Err(error) => {
            let why = sync.behavior.wording.unparseable_listed;
            sync.step("schedule", Verdict::Stop, error.to_string());
            needs_start_failed(sync, &format!("{why}: {} : {error}", spec.schedule));
            return SyncEnd::for_good(Outcome::UnparseableSchedule);
        }
    };
    let Ok(unmet) = sync.find_unmet(&clock) else {
        return sync.hangs();
    };
    if unmet.failure == Some(SearchFailure::TooMany) {
        sync.step(
            "missed",
            Verdict::Stop,
            "more than 100 missed start times: starts none of them",
        );
        needs_start_failed(sync, sync.behavior.wording.too_many_listed);
        return SyncEnd::for_good(Outcome::TooManyMissed);
    }
    let Some(scheduled_time) = unmet.scheduled_time else {
        sync.step("schedule", Verdict::Stop, "no run is due");
        return SyncEnd::for_good(Outcome::Wait);
    };
    run(sync, scheduled_time)
}

/// Releases without words for it leave a line in a log.
fn needs_start_failed(sync: &mut SyncContext<'_>, why: &str) {
    if sync.behavior.wording.too_many_listed.is_empty() {
        return;
    }
    sync.warning(
        "FailedNeedsStart",
        format!("Cannot determine if job needs to be started: {why}"),
    );
}

fn run(sync: &mut SyncContext<'_>, scheduled_time: GoTime) -> SyncEnd {
    let cron_job = sync.cron_job;
    let name = names::job_name(&cron_job.name, scheduled_time, sync.behavior.generation);
    let ended = |outcome| SyncEnd::of_run(outcome, scheduled_time, &name);
    sync.note_due(scheduled_time);
    if sync.stops_for_deadline(scheduled_time) {
        // No event: the releases that could come here had none.
        return ended(Outcome::DeadlineExceeded);
    }
    let policy = &cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Forbid && !sync.active.is_empty() {
        // No event: this generation only logs it.
        sync.step(
            "concurrency",
            Verdict::Stop,
            "concurrencyPolicy: Forbid, and a Job is active",
        );
        return ended(Outcome::Blocked);
    }
    match start::start(sync, &name, scheduled_time) {
        Started::Created(outcome) => ended(outcome),
        Started::Adopted | Started::LeftAlone => ended(Outcome::NameTaken),
        Started::Failed(outcome, error) => SyncEnd {
            error: Some(error),
            ..ended(outcome)
        },
    }
}
