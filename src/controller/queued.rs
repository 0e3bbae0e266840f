//! The second generation of the controller (1.21 and later): woken by a queue.

use std::sync::Arc;

use super::Controller;
use super::behaviour::{Cleanup, TooMany};
use super::clock::{Clock, names_zone};
use super::decision::{Outcome, Verdict};
use super::gotime::{Moment, seconds};
use super::look::{End, Look};
use super::names;
use super::start::{self, Started};
use super::unmet::{Failure, MissedClass, Unmet};
use super::{children, history, wake};
use crate::model::ConcurrencyPolicy;
use crate::schedule::{Endless, go_quote, load_location};

/// One look, from the Jobs to the next wake-up.
pub(super) fn look(look: &mut Look<'_>, controller: &Controller<'_>) -> End {
    if look.behaviour.cleanup == Cleanup::Before {
        history::clean_up(look);
    }
    let end = steps(look, controller);
    let well = end.error.is_none() && !matches!(end.outcome, Outcome::Hangs | Outcome::Panics);
    let cleans_now = match look.behaviour.cleanup {
        Cleanup::Before => false,
        Cleanup::After => true,
        Cleanup::AfterSuccess => well,
    };
    if cleans_now {
        history::clean_up(look);
    }
    end
}

fn steps(look: &mut Look<'_>, controller: &Controller<'_>) -> End {
    children::reconcile(look);
    let clock = match ready(look, controller) {
        Ok(clock) => clock,
        Err(outcome) => return End::for_good(outcome),
    };
    match slot(look, &clock) {
        Ok(Ok(slot)) => match run(look, &clock, controller, slot) {
            Ok(end) => end,
            Err(Endless) => hangs(look),
        },
        Ok(Err(end)) => end,
        Err(Endless) => hangs(look),
    }
}

fn hangs(look: &mut Look<'_>) -> End {
    look.step("slot", Verdict::Stop, "the search for the slot never ends");
    End::for_good(Outcome::Hangs)
}

/// The checks before anything about time: each ends the look for good.
fn ready(look: &mut Look<'_>, controller: &Controller<'_>) -> Result<Arc<Clock>, Outcome> {
    let cron_job = look.cron_job;
    let spec = &cron_job.spec;
    if look.stops_for_deletion() {
        return Err(Outcome::Deleted);
    }
    if let (true, Some(zone)) = (look.behaviour.time_zone_field, &spec.time_zone) {
        if look.clock.is_none()
            && let Err(error) = load_location(zone, controller.zones)
        {
            let message = format!("invalid timeZone: {}: {error}", go_quote(zone));
            look.step("time zone", Verdict::Stop, message.clone());
            look.warning("UnknownTimeZone", message);
            return Err(Outcome::UnknownTimeZone);
        }
        look.step("time zone", Verdict::Pass, zone.as_str());
    }
    if look.stops_for_suspension() {
        return Err(Outcome::Suspended);
    }
    let clock = look.read_clock(controller);
    // It warns of it where the schedule cannot be read, too.
    let names_zone = match &clock {
        Ok(clock) => clock.names_zone,
        Err(_) => names_zone(&cron_job.spec.schedule),
    };
    if look.behaviour.warns_of_zone_prefix && names_zone {
        let message = format!(
            "CRON_TZ or TZ used in schedule {} is not officially supported, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
            go_quote(&spec.schedule)
        );
        look.step(
            "TZ",
            Verdict::Note,
            "TZ in the schedule: spec.timeZone is ignored",
        );
        look.warning("UnsupportedSchedule", message);
    }
    clock.map_err(|error| {
        look.step("schedule", Verdict::Stop, error.to_string());
        if error.is_panic() {
            return Outcome::Panics;
        }
        let shown = if look.behaviour.wording.quotes_unparseable {
            go_quote(&spec.schedule)
        } else {
            spec.schedule.clone()
        };
        look.warning(
            "UnparseableSchedule",
            format!("unparseable schedule: {shown} : {error}"),
        );
        Outcome::UnparseableSchedule
    })
}

/// The slot that is due, if any.
fn slot(look: &mut Look<'_>, clock: &Clock) -> Result<Result<Moment, End>, Endless> {
    let Unmet {
        slot,
        estimate,
        class,
        failure,
        ..
    } = look.find_unmet(clock)?;
    if failure == Some(Failure::TooClose) {
        let wording = look.behaviour.wording;
        let schedule = &look.cron_job.spec.schedule;
        let message = format!("{}: {schedule} : {}", wording.invalid, wording.too_close);
        look.step("slot", Verdict::Stop, "the schedule never runs");
        look.warning("InvalidSchedule", message);
        return Ok(Err(End::for_good(Outcome::InvalidSchedule)));
    }
    let Some(slot) = slot.filter(|slot| *slot <= look.now) else {
        let (outcome, detail) = if class == MissedClass::None {
            (Outcome::Wait, "no slot is due")
        } else {
            (
                Outcome::NoSlotFound,
                "slots were missed, and none of them is found",
            )
        };
        look.step("slot", Verdict::Stop, detail);
        return Ok(Err(
            End::for_good(outcome).with_requeue(requeue(look, clock)?)
        ));
    };
    if class == MissedClass::Many {
        let number = match look.behaviour.too_many {
            TooMany::WarnsWithZero => ": 0".to_owned(),
            TooMany::WarnsWithNumber => format!(": {}", estimate.unwrap_or_default()),
            TooMany::Warns | TooMany::Refuses => String::new(),
        };
        let advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
        look.step(
            "missed",
            Verdict::Note,
            "more than 100 starts were missed; it starts one all the same",
        );
        look.warning(
            "TooManyMissedTimes",
            format!("too many missed start times{number}. {advice}"),
        );
    }
    Ok(Ok(slot))
}

fn requeue(look: &Look<'_>, clock: &Clock) -> Result<Option<i64>, Endless> {
    wake::requeue_after(look.behaviour, clock, look.last(), look.now, look.unmet)
}

/// The checks of a slot that is due, and the start of its Job.
fn run(
    look: &mut Look<'_>,
    clock: &Clock,
    controller: &Controller<'_>,
    slot: Moment,
) -> Result<End, Endless> {
    let cron_job = look.cron_job;
    let name = names::job_name(&cron_job.name, slot, look.behaviour.generation);
    let ended = |look: &Look<'_>, outcome| {
        let requeue_after = requeue(look, clock)?;
        Ok(End::of_slot(outcome, slot, &name).with_requeue(requeue_after))
    };
    look.note_due(slot);
    if let Some(deadline) = cron_job.spec.starting_deadline_seconds {
        if slot.add(seconds(deadline)) < look.now {
            let message = format!(
                "Missed scheduled time to start a job: {}",
                names::rfc1123z(slot)
            );
            look.step(
                "deadline",
                Verdict::Stop,
                "the slot is older than startingDeadlineSeconds",
            );
            look.warning("MissSchedule", message);
            return ended(look, Outcome::DeadlineExceeded);
        }
        look.step(
            "deadline",
            Verdict::Pass,
            format_args!("{deadline} s are not over"),
        );
    }
    let listed = look
        .active
        .iter()
        .any(|job| job.name == name && job.namespace == cron_job.namespace);
    if listed || look.last_schedule_time.map(Moment::of) == Some(slot) {
        look.step("processed", Verdict::Stop, "this slot was started before");
        return ended(look, Outcome::AlreadyProcessed);
    }
    let policy = &cron_job.spec.concurrency_policy;
    if *policy == ConcurrencyPolicy::Forbid && !look.active.is_empty() {
        if look.in_detail {
            let running: Vec<&str> = look.active.iter().map(|job| job.name.as_str()).collect();
            let detail = format!("Forbid, and {} counts as running", running.join(", "));
            look.step("concurrency", Verdict::Stop, detail);
        }
        let message =
            "Not starting job because prior execution is running and concurrency policy is Forbid";
        look.normal("JobAlreadyActive", message.to_owned());
        return ended(look, Outcome::Blocked);
    }
    let outcome = match start::start(look, &name, slot) {
        Started::Created(outcome) => outcome,
        Started::Adopted => return ended(look, Outcome::NameTaken),
        Started::LeftAlone => {
            return Ok(End {
                requeue_after: None,
                ..ended(look, Outcome::NameTaken)?
            });
        }
        Started::Failed(outcome, error) => {
            let end = ended(look, outcome)?;
            return Ok(End {
                requeue_after: None,
                error: Some(error),
                ..end
            });
        }
    };
    let end = ended(look, outcome)?;
    let annotation = (look.behaviour.annotates_slot && look.in_detail)
        .then(|| names::annotation(cron_job, controller, slot));
    Ok(End {
        scheduled_timestamp: annotation.flatten(),
        ..end
    })
}
