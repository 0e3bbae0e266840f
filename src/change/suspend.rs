//! Predicts what happens when a `CronJob` is suspended.

use jiff::{SignedDuration, Timestamp};

use super::first_start::{FirstStart, freed};
use super::next_run;
use super::resume::{CatchUp, Resumption};
use crate::controller::TooMany;
use crate::diagnose::Facts;
use crate::model::CronJob;

/// The prediction for a suspended `CronJob`.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspension {
    pub running: Vec<String>,
    /// A run that is due and may start before the controller sees the change.
    pub due: Option<Timestamp>,
    /// A run that was due before and waits for the running Job or for a retry.
    pub pending: Option<Timestamp>,
    /// The first scheduled time after now whose run is missed; `None` if none would start.
    pub next_run: Option<Timestamp>,
    /// The runs that are missed until the end, if one is given.
    pub missed: Option<MissedUntilEnd>,
    /// The scheduled time from which on more than 100 runs have been missed.
    pub crosses_limit_at: Option<Timestamp>,
    /// Whether this release then never starts a run again.
    pub gives_up: bool,
    /// When it is assumed to be resumed: at the given end, or right before the second missed run.
    pub resumed_at: Option<Timestamp>,
    /// What the controller then does, if the Jobs that run now have finished.
    pub then: Option<Resumption>,
    /// A deadline that would prevent very late runs.
    pub deadline: Option<i64>,
}

/// The runs that are missed until the end of a suspension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedUntilEnd {
    pub count: u64,
    /// The scheduled time of the first.
    pub first: Option<Timestamp>,
    /// The scheduled time of the last.
    pub last: Option<Timestamp>,
}

/// A run that is later than this, in seconds, is a surprise.
const SURPRISINGLY_LATE: i64 = 60;

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
            late.is_some_and(|late| late > SURPRISINGLY_LATE)
        });
        let has_deadline = facts.cron_job.spec.starting_deadline_seconds.is_some();
        Suspension {
            due: decision.scheduled_time.filter(|_| starts),
            missed: until.and_then(|until| missed_until(facts, until)),
            crosses_limit_at: facts.missed.and_then(|missed| missed.crosses_limit_at),
            gives_up: facts.behavior().too_many == TooMany::Refuses,
            deadline: (surprises && !has_deadline).then(|| facts.sensible_deadline()),
            pending: pending.filter(|scheduled_time| *scheduled_time <= facts.now && !starts),
            running,
            next_run,
            resumed_at,
            then,
        }
    }

    /// Whether the controller starts a run late when it is resumed.
    pub fn late(&self) -> Option<&FirstStart> {
        let first_start = &self.then.as_ref()?.first_start;
        first_start.late_time().map(|_| first_start)
    }
}

/// Right before the second missed run.
fn before_second(facts: &Facts<'_>, first: Timestamp) -> Option<Timestamp> {
    let second = facts.timetable.as_ref()?.next(first).ok()??;
    second.checked_sub(SignedDuration::from_secs(1)).ok()
}

/// A run scheduled exactly at the end is not missed: it starts when the `CronJob` is resumed.
fn missed_until(facts: &Facts<'_>, until: Timestamp) -> Option<MissedUntilEnd> {
    let until = until.checked_sub(SignedDuration::from_secs(1)).ok()?;
    let counted = facts.timetable.as_ref()?.count(facts.now, until).ok()?;
    Some(MissedUntilEnd {
        count: counted.count,
        first: counted.first,
        last: counted.last,
    })
}

/// The prediction for being resumed at a time, if the Jobs that run now have finished by then.
fn resumed(facts: &Facts<'_>, running: &[String], at: Timestamp) -> Resumption {
    let (mut suspended, jobs): (CronJob, _) =
        freed(&facts.cron_job, &facts.controller_jobs, running);
    suspended.spec.suspend = Some(true);
    let then = Facts::gather(facts.controller, &suspended, &jobs, &[], at);
    Resumption::of(&then, CatchUp::Run)
}
