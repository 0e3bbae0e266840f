//! `startingDeadlineSeconds`, missed runs and suspension.

use jiff::Timestamp;

use crate::lint::{LintSubject, Violation};
use crate::rules::sensible_deadline;
use cronjob_controller::controller::{Arithmetic, Generation, LIMIT, Requeue, TooMany};
use cronjob_text::duration::in_units;
use kube_cron::Period;

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) fn starting_deadline_zero(subject: &LintSubject<'_>) -> Option<Violation> {
    let message = "with startingDeadlineSeconds: 0 nothing is ever started";
    let is_zero = subject.whole_number(DEADLINE) == Some(0);
    is_zero.then(|| subject.found(DEADLINE, message))
}

/// Whether times count from the last run.
fn is_every(subject: &LintSubject<'_>) -> bool {
    let timetable = subject.timetable();
    timetable.is_some_and(|timetable| timetable.zone().is_none())
}

pub(super) fn starting_deadline_under_every(subject: &LintSubject<'_>) -> Option<Violation> {
    let deadline = subject.whole_number(DEADLINE)?;
    let every = subject.period()?.shortest;
    let counts_from_deadline = is_every(subject) && subject.behavior().bounds_by_deadline;
    if deadline <= 0 || deadline >= every || !counts_from_deadline {
        return None;
    }
    let message = format!(
        "with startingDeadlineSeconds: {deadline} and an interval of {} nothing is ever started",
        in_units(every)
    );
    let help = format!(
        "Set startingDeadlineSeconds: {}, or remove it.",
        sensible_deadline(every, true)
    );
    Some(subject.found(DEADLINE, message).help(help))
}

pub(super) fn starting_deadline_under_10s(subject: &LintSubject<'_>) -> Option<Violation> {
    let deadline = subject.whole_number(DEADLINE);
    let deadline = deadline.filter(|deadline| (1..10).contains(deadline))?;
    let message = match subject.behavior().generation {
        Generation::V1 => format!(
            "Kubernetes {} syncs only every 10 seconds: about {} of 10 runs are seen too late and \
             missed",
            subject.context.release,
            10 - deadline
        ),
        _ => format!(
            "a run that cannot start within {} is missed without an event",
            in_units(deadline)
        ),
    };
    Some(subject.found(DEADLINE, message))
}

/// A run that is missed is not soon followed by another.
const RARE: i64 = 12 * 3_600;

/// Shorter than many an upgrade of a control plane.
const SHORT: i64 = 180;

pub(super) fn starting_deadline_for_rare_run(subject: &LintSubject<'_>) -> Option<Violation> {
    let deadline = subject.whole_number(DEADLINE);
    let deadline = deadline.filter(|deadline| (10..SHORT).contains(deadline))?;
    let period = subject.period().filter(|period| period.shortest >= RARE)?;
    if is_every(subject) {
        return None;
    }
    let message = format!(
        "a run that cannot start within {} is skipped, and the next one is due after {}",
        in_units(deadline),
        in_units(period.shortest)
    );
    Some(subject.found(DEADLINE, message))
}

pub(super) fn starting_deadline_over_100_periods(subject: &LintSubject<'_>) -> Option<Violation> {
    let deadline = subject.whole_number(DEADLINE)?;
    let period = subject.period()?;
    if deadline / LIMIT < period.shortest || deadline <= LIMIT * period.shortest {
        return None;
    }
    let refuses = subject.behavior().too_many == TooMany::Refuses;
    // This version counts scheduled times; others estimate them from the interval of two.
    if refuses && !has_so_many(subject, deadline) {
        return None;
    }
    let then = if refuses {
        "nothing starts again once they are missed"
    } else {
        "a start after that many is recorded with TooManyMissedTimes"
    };
    let message = format!(
        "{} covers more than 100 runs that are {} apart: {then}",
        in_units(deadline),
        in_units(period.shortest)
    );
    let help = format!(
        "Set it to as long as a late run is still useful, such as {} (half the time between two \
         runs).",
        sensible_deadline(period.shortest, is_every(subject))
    );
    Some(subject.found(DEADLINE, message).help(help))
}

/// Whether more than 100 scheduled times lie within the deadline, on the busiest of eight days.
fn has_so_many(subject: &LintSubject<'_>, deadline: i64) -> bool {
    const DAY: i64 = 86_400;
    let Some(timetable) = subject.timetable() else {
        return false;
    };
    let midnight = subject.context.now.as_second().div_euclid(DAY) * DAY;
    let second = |second: i64| Timestamp::from_second(second).ok();
    let windows = (0..8).filter_map(|day| {
        let first = timetable.next(second(midnight + day * DAY)?).ok()??;
        let from = second(first.as_second() - 1)?;
        Some((from, second(from.as_second().checked_add(deadline)?)?))
    });
    let mut counts = windows.filter_map(|(from, until)| timetable.count(from, until).ok());
    counts.any(|count| count.count > LIMIT.unsigned_abs())
}

/// The period of a schedule without a deadline, if more than 100 missed runs stop the controller, or if they do not.
fn period_without_deadline(subject: &LintSubject<'_>, stops: bool) -> Option<Period> {
    let refuses = subject.behavior().too_many == TooMany::Refuses;
    let is_unset = subject.get(DEADLINE).is_none();
    (refuses == stops && is_unset).then(|| subject.period())?
}

/// An outage over a weekend may go unnoticed.
const STOPS_WITHIN: i64 = 3 * 86_400;

pub(super) fn starting_deadline_unset_stops(subject: &LintSubject<'_>) -> Option<Violation> {
    let period = period_without_deadline(subject, true)?;
    let until = (LIMIT + 1).saturating_mul(period.typical);
    if until > STOPS_WITHIN {
        return None;
    }
    let message = format!(
        "after {} without a start, Kubernetes {} never starts it again",
        in_units(until),
        subject.context.release
    );
    let help = format!(
        "Set startingDeadlineSeconds, such as {}.",
        sensible_deadline(period.shortest, is_every(subject))
    );
    Some(subject.found("spec.schedule", message).help(help))
}

const WARNS_WITHIN: i64 = 4 * 3_600;

pub(super) fn starting_deadline_unset(subject: &LintSubject<'_>) -> Option<Violation> {
    let period = period_without_deadline(subject, false)?;
    let until = LIMIT.saturating_mul(period.shortest);
    if until > WARNS_WITHIN {
        return None;
    }
    let message = format!(
        "after {} without a start, the controller records TooManyMissedTimes with a late start",
        in_units(until)
    );
    let help = format!(
        "Set startingDeadlineSeconds: {}; the next run is never far away.",
        sensible_deadline(period.shortest, is_every(subject))
    );
    Some(subject.found("spec.schedule", message).help(help))
}

/// The period of a schedule with pauses that is otherwise frequent enough to miss two runs within an
/// hour or two. Schedules with daily runs, such as those of weekdays, would need an outage of days.
fn pauses(subject: &LintSubject<'_>) -> Option<Period> {
    const OFTEN: i64 = 3_600;
    let deadline = subject.whole_number(DEADLINE);
    let period = subject.period()?;
    let often = period.shortest <= OFTEN && period.has_pauses();
    // With such a short deadline at most one run counts, which is always found.
    let counts_two = deadline.is_none_or(|deadline| deadline > period.shortest);
    (often && counts_two).then_some(period)
}

pub(super) fn uneven_schedule_catch_up(subject: &LintSubject<'_>) -> Option<Violation> {
    let behavior = subject.behavior();
    if behavior.arithmetic != Arithmetic::Searched {
        return None;
    }
    let period = pauses(subject)?;
    let message = format!(
        "runs are {} to {} apart: those that are missed before a pause may never start",
        in_units(period.shortest),
        in_units(period.longest)
    );
    let found = subject.found("spec.schedule", message);
    Some(if behavior.requeue == Requeue::AfterMostRecent {
        found.note(format!(
            "Kubernetes {} then syncs again and again without a pause, until the next start.",
            subject.context.release
        ))
    } else {
        found
    })
}

pub(super) fn start_at_unscheduled_time(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.behavior().arithmetic != Arithmetic::Multiplied {
        return None;
    }
    let period = pauses(subject)?;
    let message = format!(
        "after two missed runs Kubernetes {} can start one during the pause of {}, at a time that \
         is not in the schedule",
        subject.context.release,
        in_units(period.longest)
    );
    let help = format!(
        "Set startingDeadlineSeconds to at most {}, so that only one run counts.",
        period.shortest
    );
    Some(subject.found("spec.schedule", message).help(help))
}

pub(super) fn suspended(subject: &LintSubject<'_>) -> Option<Violation> {
    if subject.boolean("spec.suspend") != Some(true) {
        return None;
    }
    // A schedule that never runs is only for manually created Jobs, so this is intended.
    let period = subject.period()?;
    let deadline = subject.whole_number(DEADLINE);
    let until = "starts nothing until it is resumed";
    if deadline.is_some_and(|deadline| deadline < period.shortest) {
        return Some(subject.found("spec.suspend", until));
    }
    let message = format!("{until}, and then immediately starts the latest missed run");
    let help =
        "Set startingDeadlineSeconds, so that resuming does not start a run that is long overdue.";
    Some(subject.found("spec.suspend", message).help(help))
}

pub(super) fn suspend_unset(subject: &LintSubject<'_>) -> Option<Violation> {
    let message = "suspend is not set, so that a manual suspension stays";
    let is_unset = subject.get("spec.suspend").is_none();
    is_unset.then(|| subject.found("spec", message))
}
