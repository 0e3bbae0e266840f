//! What becomes of a `CronJob` that is suspended.

use jiff::{SignedDuration, Timestamp};

use super::first_start::{FirstStart, freed};
use super::next_run;
use super::resume::{CatchUp, Resumption};
use crate::controller::TooMany;
use crate::diagnose::Facts;
use crate::model::CronJob;

/// What becomes of a `CronJob` that is suspended.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspension {
    /// The Jobs that go on.
    pub running: Vec<String>,
    /// A run that is due already, and may start before the controller hears of it.
    pub due: Option<Timestamp>,
    /// A run that was due before and waits, for the running Job or for the next attempt.
    pub pending: Option<Timestamp>,
    /// The first scheduled time after now whose run is missed; `None` if none would start.
    pub next_run: Option<Timestamp>,
    /// The slots that get no Job until the end, where one is given.
    pub lost: Option<Lost>,
    /// The slot with which more than 100 will have been missed.
    pub crosses_limit_at: Option<Timestamp>,
    /// Whether this release then starts nothing any more.
    pub gives_up: bool,
    /// When it is taken to be resumed: at the given end, or right before the second slot.
    pub resumed_at: Option<Timestamp>,
    /// What the controller then does, if what runs now has ended.
    pub then: Option<Resumption>,
    /// A deadline that would keep it from starting what is long past.
    pub deadline: Option<i64>,
}

/// Slots that get no Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// How many.
    pub count: u64,
    /// The first.
    pub first: Option<Timestamp>,
    /// The last.
    pub last: Option<Timestamp>,
}

/// A run that is later than this is a surprise.
const LATE: i64 = 60;

impl Suspension {
    /// Asks the controller about a `CronJob` that is not suspended.
    pub fn of(facts: &Facts<'_>, until: Option<Timestamp>) -> Self {
        let decision = &facts.decision;
        let starts = decision.starts();
        let active = facts.cron_job.status.active.iter();
        let running: Vec<String> = active.map(|job| job.name.clone()).collect();
        let forecast = facts.forecast(2);
        let next_run = next_run(facts, &forecast);
        let pending = forecast.next_start().and_then(|sync| sync.scheduled_time);
        let resumed_at = until.or_else(|| before_second(facts, next_run?));
        let then = resumed_at.map(|at| resumed(facts, &running, at));
        let surprises = then.as_ref().is_some_and(|then| {
            let late = resumed_at.and_then(|at| then.late_by(at));
            late.is_some_and(|late| late > LATE)
        });
        let has_deadline = facts.cron_job.spec.starting_deadline_seconds.is_some();
        Suspension {
            due: decision.scheduled_time.filter(|_| starts),
            lost: until.and_then(|until| lost(facts, until)),
            crosses_limit_at: facts.missed.and_then(|missed| missed.crosses_limit_at),
            gives_up: facts.behavior().too_many == TooMany::Refuses,
            deadline: (surprises && !has_deadline).then(|| facts.sensible_deadline()),
            pending: pending.filter(|slot| *slot <= facts.now && !starts),
            running,
            next_run,
            resumed_at,
            then,
        }
    }

    /// Whether the controller starts a run late when it is resumed.
    pub fn late(&self) -> Option<&FirstStart> {
        let first_start = &self.then.as_ref()?.first_start;
        first_start.late_slot().map(|_| first_start)
    }
}

/// Right before the slot after the first one that is lost.
fn before_second(facts: &Facts<'_>, first: Timestamp) -> Option<Timestamp> {
    let second = facts.timetable.as_ref()?.next(first).ok()??;
    second.checked_sub(SignedDuration::from_secs(1)).ok()
}

/// The slot at the very end is not lost: it starts when the `CronJob` is resumed.
fn lost(facts: &Facts<'_>, until: Timestamp) -> Option<Lost> {
    let until = until.checked_sub(SignedDuration::from_secs(1)).ok()?;
    let counted = facts.timetable.as_ref()?.count(facts.now, until).ok()?;
    Some(Lost {
        count: counted.count,
        first: counted.first,
        last: counted.last,
    })
}

/// What being resumed at a moment leads to, if what runs now has ended by then.
fn resumed(facts: &Facts<'_>, running: &[String], at: Timestamp) -> Resumption {
    let (mut suspended, jobs): (CronJob, _) =
        freed(facts.cron_job, &facts.controller_jobs, running);
    suspended.spec.suspend = Some(true);
    let then = Facts::gather(facts.controller, &suspended, &jobs, &[], at);
    Resumption::of(&then, CatchUp::Run)
}
