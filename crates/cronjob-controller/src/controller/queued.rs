//! The second generation of the controller (1.21 and later): woken by a queue.

use std::sync::Arc;

use cronjob_text::words::plural;
use kube_cron::{Endless, go_quote, load_location};

use super::Controller;
use super::behavior::{Cleanup, TooMany};
use super::clock::{ScheduleClock, names_zone};
use super::decision::{Outcome, Verdict};
use super::gotime::GoTime;
use super::names;
use super::start::{self, Started};
use super::sync::{SyncContext, SyncEnd};
use super::unmet::{MissedClass, SearchFailure, Unmet};
use super::{children, history, wake};
use kube_model::ConcurrencyPolicy;

/// One sync, from the Jobs to the next wake-up.
pub(super) fn sync(sync: &mut SyncContext<'_>, controller: &Controller) -> SyncEnd {
    if sync.behavior.cleanup == Cleanup::Before {
        history::clean_up(sync);
    }
    let end = steps(sync, controller);
    let well = end.error.is_none() && !matches!(end.outcome, Outcome::Hangs | Outcome::Panics);
    let cleans_now = match sync.behavior.cleanup {
        Cleanup::Before => false,
        Cleanup::After => true,
        Cleanup::AfterSuccess => well,
    };
    if cleans_now {
        history::clean_up(sync);
    }
    end
}

fn steps(sync: &mut SyncContext<'_>, controller: &Controller) -> SyncEnd {
    children::reconcile(sync);
    let clock = match ready(sync, controller) {
        Ok(clock) => clock,
        Err(outcome) => return SyncEnd::for_good(outcome),
    };
    let end = match scheduled_time(sync, &clock) {
        Ok(Ok(scheduled_time)) => run(sync, &clock, controller, scheduled_time),
        Ok(Err(end)) => Ok(end),
        Err(Endless) => Err(Endless),
    };
    end.unwrap_or_else(|Endless| sync.hangs())
}

/// The checks before anything about time: each ends the sync for good.
fn ready(
    sync: &mut SyncContext<'_>,
    controller: &Controller,
) -> Result<Arc<ScheduleClock>, Outcome> {
    let cron_job = sync.cron_job;
    let spec = &cron_job.spec;
    if sync.stops_for_deletion() {
        return Err(Outcome::Deleted);
    }
    if let (true, Some(zone)) = (sync.behavior.time_zone_field, &spec.time_zone) {
        if sync.clock.is_none()
            && let Err(error) = load_location(zone, &*controller.zones)
        {
            let message = format!("invalid timeZone: {}: {error}", go_quote(zone));
            sync.step("time zone", Verdict::Stop, message.clone());
            sync.warning("UnknownTimeZone", message);
            return Err(Outcome::UnknownTimeZone);
        }
        sync.step("time zone", Verdict::Pass, zone.as_str());
    }
    if sync.stops_for_suspension() {
        return Err(Outcome::Suspended);
    }
    let clock = sync.read_clock(controller);
    // It warns of it where the schedule cannot be read, too.
    let names_zone = match &clock {
        Ok(clock) => clock.names_zone,
        Err(_) => names_zone(&cron_job.spec.schedule),
    };
    if sync.behavior.warns_of_zone_prefix && names_zone {
        let message = format!(
            "CRON_TZ or TZ used in schedule {} is not officially supported, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
            go_quote(&spec.schedule)
        );
        sync.step(
            "TZ",
            Verdict::Note,
            "TZ in the schedule: spec.timeZone is ignored",
        );
        sync.warning("UnsupportedSchedule", message);
    }
    clock.map_err(|error| {
        sync.step("schedule", Verdict::Stop, error.to_string());
        if error.is_panic() {
            return Outcome::Panics;
        }
        let shown = if sync.behavior.wording.quotes_unparseable {
            go_quote(&spec.schedule)
        } else {
            spec.schedule.clone()
        };
        sync.warning(
            "UnparseableSchedule",
            format!("unparseable schedule: {shown} : {error}"),
        );
        Outcome::UnparseableSchedule
    })
}

/// The scheduled time that is due, if any.
fn scheduled_time(
    sync: &mut SyncContext<'_>,
    clock: &ScheduleClock,
) -> Result<Result<GoTime, SyncEnd>, Endless> {
    let Unmet {
        scheduled_time,
        estimate,
        class,
        failure,
        ..
    } = sync.find_unmet(clock)?;
    if failure == Some(SearchFailure::TooClose) {
        let wording = sync.behavior.wording;
        let schedule = &sync.cron_job.spec.schedule;
        let message = format!("{}: {schedule} : {}", wording.invalid, wording.too_close);
        sync.step("schedule", Verdict::Stop, "never runs");
        sync.warning("InvalidSchedule", message);
        return Ok(Err(SyncEnd::for_good(Outcome::InvalidSchedule)));
    }
    let Some(scheduled_time) = scheduled_time.filter(|scheduled_time| *scheduled_time <= sync.now)
    else {
        let (outcome, detail) = if class == MissedClass::None {
            (Outcome::Wait, "no run is due")
        } else {
            (
                Outcome::NoRunFound,
                "runs were missed, but the search finds none of them",
            )
        };
        sync.step("schedule", Verdict::Stop, detail);
        return Ok(Err(
            SyncEnd::for_good(outcome).with_requeue(requeue(sync, clock)?)
        ));
    };
    if class == MissedClass::Many {
        let number = match sync.behavior.too_many {
            TooMany::WarnsWithZero => ": 0".to_owned(),
            TooMany::WarnsWithNumber => format!(": {}", estimate.unwrap_or_default()),
            TooMany::Warns | TooMany::Refuses => String::new(),
        };
        let advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
        sync.step(
            "missed",
            Verdict::Note,
            "more than 100 missed start times: records TooManyMissedTimes, and still starts the latest one",
        );
        sync.warning(
            "TooManyMissedTimes",
            format!("too many missed start times{number}. {advice}"),
        );
    }
    Ok(Ok(scheduled_time))
}

fn requeue(sync: &SyncContext<'_>, clock: &ScheduleClock) -> Result<Option<i64>, Endless> {
    wake::requeue_after(sync.behavior, clock, sync.last(), sync.now, sync.unmet)
}

/// The checks of a scheduled time that is due, and the start of its Job.
fn run(
    sync: &mut SyncContext<'_>,
    clock: &ScheduleClock,
    controller: &Controller,
    scheduled_time: GoTime,
) -> Result<SyncEnd, Endless> {
    let cron_job = sync.cron_job;
    let name = names::job_name(&cron_job.name, scheduled_time, sync.behavior.generation);
    let ended = |sync: &SyncContext<'_>, outcome| {
        let requeue_after = requeue(sync, clock)?;
        Ok(SyncEnd::of_run(outcome, scheduled_time, &name).with_requeue(requeue_after))
    };
    sync.note_due(scheduled_time);
    if sync.stops_for_deadline(scheduled_time) {
        let time = names::rfc1123z(scheduled_time);
        sync.warning(
            "MissSchedule",
            format_args!("Missed scheduled time to start a job: {time}"),
        );
        return ended(sync, Outcome::DeadlineExceeded);
    }
    if let Some(deadline) = cron_job.spec.starting_deadline_seconds {
        sync.step(
            "deadline",
            Verdict::Pass,
            format_args!("within startingDeadlineSeconds: {deadline}"),
        );
    }
    let mut active = sync.active.iter();
    let listed = active.any(|job| job.name == name && job.namespace == cron_job.namespace);
    if listed || sync.last_schedule_time.map(GoTime::of) == Some(scheduled_time) {
        sync.step("processed", Verdict::Stop, "this run was already started");
        return ended(sync, Outcome::AlreadyProcessed);
    }
    let policy = &cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Forbid && !sync.active.is_empty() {
        if sync.in_detail {
            let running: Vec<&str> = sync.active.iter().map(|job| job.name.as_str()).collect();
            let verb = plural(running.len(), "is", "are");
            let detail = format!(
                "concurrencyPolicy: Forbid, and {} {verb} active",
                running.join(", ")
            );
            sync.step("concurrency", Verdict::Stop, detail);
        }
        let message =
            "Not starting job because prior execution is running and concurrency policy is Forbid";
        sync.normal("JobAlreadyActive", message.to_owned());
        return ended(sync, Outcome::Blocked);
    }
    let outcome = match start::start(sync, &name, scheduled_time) {
        Started::Created(outcome) => outcome,
        Started::Adopted => return ended(sync, Outcome::NameTaken),
        Started::LeftAlone => {
            return Ok(ended(sync, Outcome::NameTaken)?.with_requeue(None));
        }
        Started::Failed(outcome, error) => {
            let error = Some(error);
            let end = ended(sync, outcome)?.with_requeue(None);
            return Ok(SyncEnd { error, ..end });
        }
    };
    let end = ended(sync, outcome)?;
    let annotation = (sync.behavior.annotates_scheduled_time && sync.in_detail)
        .then(|| names::annotation(cron_job, controller, scheduled_time));
    Ok(SyncEnd {
        scheduled_timestamp: annotation.flatten(),
        ..end
    })
}
