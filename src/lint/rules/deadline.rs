//! `startingDeadlineSeconds`, missed runs and suspension.

use jiff::Timestamp;

use crate::controller::{Arithmetic, Generation, LIMIT, Requeue, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::{LintSubject, Violation};
use crate::schedule::Period;

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) fn starting_deadline_zero(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.whole_number(DEADLINE) != Some(0) {
        return Vec::new();
    }
    vec![subject.found(
        DEADLINE,
        "with startingDeadlineSeconds: 0 nothing is ever started",
    )]
}

pub(super) fn starting_deadline_under_10s(subject: &LintSubject<'_>) -> Vec<Violation> {
    let deadline = subject.whole_number(DEADLINE);
    let Some(deadline) = deadline.filter(|deadline| (1..10).contains(deadline)) else {
        return Vec::new();
    };
    let message = match subject.behavior().generation {
        Generation::V1 => format!(
            "Kubernetes {} syncs only every 10 seconds: about {} of 10 runs are seen too late and \
             missed",
            subject.context.release,
            10 - deadline
        ),
        _ => format!(
            "a run that cannot start within {} is missed without an event",
            exact(deadline)
        ),
    };
    vec![subject.found(DEADLINE, message)]
}

pub(super) fn starting_deadline_over_100_periods(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(deadline) = subject.whole_number(DEADLINE) else {
        return Vec::new();
    };
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    if deadline / LIMIT < period.shortest || deadline <= LIMIT * period.shortest {
        return Vec::new();
    }
    let refuses = subject.behavior().too_many == TooMany::Refuses;
    // This version counts scheduled times; others estimate them from the interval of two.
    if refuses && !has_so_many(subject, deadline) {
        return Vec::new();
    }
    let then = if refuses {
        "nothing starts again once they are missed"
    } else {
        "each sync records TooManyMissedTimes once they are missed"
    };
    let message = format!(
        "{} covers more than 100 runs that are {} apart: {then}",
        exact(deadline),
        exact(period.shortest)
    );
    let help = format!(
        "Set it to as long as a late run is still useful, such as {} (half the time between two \
         runs).",
        sensible_deadline(period.shortest)
    );
    vec![subject.found(DEADLINE, message).help(help)]
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

/// An outage over a weekend may go unnoticed.
const STOPS_WITHIN: i64 = 3 * 86_400;

pub(super) fn starting_deadline_unset_stops(subject: &LintSubject<'_>) -> Vec<Violation> {
    let refuses = subject.behavior().too_many == TooMany::Refuses;
    if !refuses || subject.get("spec.startingDeadlineSeconds").is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let until = (LIMIT + 1).saturating_mul(period.typical);
    if until > STOPS_WITHIN {
        return Vec::new();
    }
    let message = format!(
        "after {} without a start, Kubernetes {} never starts it again",
        exact(until),
        subject.context.release
    );
    let help = format!(
        "Set startingDeadlineSeconds, such as {}.",
        sensible_deadline(period.shortest)
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

const WARNS_WITHIN: i64 = 4 * 3_600;

pub(super) fn starting_deadline_unset(subject: &LintSubject<'_>) -> Vec<Violation> {
    let refuses = subject.behavior().too_many == TooMany::Refuses;
    if refuses || subject.get("spec.startingDeadlineSeconds").is_some() {
        return Vec::new();
    }
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let until = LIMIT.saturating_mul(period.shortest);
    if until > WARNS_WITHIN {
        return Vec::new();
    }
    let message = format!(
        "after {} without a start, the controller records TooManyMissedTimes, but still starts the \
         latest run",
        exact(until)
    );
    let help = format!(
        "Set startingDeadlineSeconds: {}; the next run is never far away.",
        sensible_deadline(period.shortest)
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

/// The period of a schedule with pauses that is otherwise frequent enough to miss two runs within an
/// hour or two. Schedules with daily runs, such as those of weekdays, would need an outage of days.
fn pauses(subject: &LintSubject<'_>) -> Option<Period> {
    const OFTEN: i64 = 3_600;
    let deadline = subject.whole_number("spec.startingDeadlineSeconds");
    let period = subject.period()?;
    let often = period.shortest <= OFTEN && period.has_pauses();
    // With such a short deadline at most one run counts, which is always found.
    let counts_two = deadline.is_none_or(|deadline| deadline > period.shortest);
    (often && counts_two).then_some(period)
}

pub(super) fn uneven_schedule_catch_up(subject: &LintSubject<'_>) -> Vec<Violation> {
    let behavior = subject.behavior();
    if behavior.arithmetic != Arithmetic::Searched {
        return Vec::new();
    }
    let Some(period) = pauses(subject) else {
        return Vec::new();
    };
    let message = format!(
        "runs are {} to {} apart: those that are missed before a pause may never start",
        exact(period.shortest),
        exact(period.longest)
    );
    let found = subject.found("spec.schedule", message);
    vec![if behavior.requeue == Requeue::AfterMostRecent {
        found.note(format!(
            "Kubernetes {} then syncs again and again without a pause, until the next start.",
            subject.context.release
        ))
    } else {
        found
    }]
}

pub(super) fn start_at_unscheduled_time(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.behavior().arithmetic != Arithmetic::Multiplied {
        return Vec::new();
    }
    let Some(period) = pauses(subject) else {
        return Vec::new();
    };
    let message = format!(
        "after two missed runs Kubernetes {} can start one during the pause of {}, at a time that \
         is not in the schedule",
        subject.context.release,
        exact(period.longest)
    );
    let help = format!(
        "Set startingDeadlineSeconds to at most {}, so that only one run counts.",
        period.shortest
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

pub(super) fn suspended(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.boolean("spec.suspend") != Some(true) {
        return Vec::new();
    }
    // A schedule that never runs is only for manually created Jobs, so this is intended.
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    let deadline = subject.whole_number("spec.startingDeadlineSeconds");
    let until = "starts nothing until it is resumed";
    if deadline.is_some_and(|deadline| deadline < period.shortest) {
        return vec![subject.found("spec.suspend", until)];
    }
    let message = format!("{until}, and then immediately starts the latest missed run");
    let help =
        "Set startingDeadlineSeconds, so that resuming does not start a run that is long overdue.";
    vec![subject.found("spec.suspend", message).help(help)]
}

pub(super) fn suspend_unset(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.get("spec.suspend").is_some() {
        return Vec::new();
    }
    vec![subject.found(
        "spec",
        "suspend is not set, so that a manual suspension stays",
    )]
}

#[cfg(test)]
mod tests {
    #[test]
    fn deadline_decides_what_happens_to_missed_runs() {
        crate::lint::testing::check(
            r"
[starting-deadline-under-10s] schedule: 0 9 * * *
@1.20 startingDeadlineSeconds: 7
  8:28 Kubernetes 1.20 syncs only every 10 seconds: about 3 of 10 runs are seen too late and missed
startingDeadlineSeconds: 7
  8:28 a run that cannot start within 7s is missed without an event
startingDeadlineSeconds: 0
startingDeadlineSeconds: 10
startingDeadlineSeconds: -1
startingDeadlineSeconds: ten

[suspend-unset] schedule: 0 9 * * *
.
  6:1 suspend is not set, so that a manual suspension stays
suspend: null
  6:1 suspend is not set, so that a manual suspension stays
suspend: false
suspend: true
suspend: 'no'

[starting-deadline-over-100-periods]
schedule: '* * * * *' | startingDeadlineSeconds: 6001
  8:28 1h40m1s covers more than 100 runs that are 60s apart: each sync records TooManyMissedTimes once they are missed
@1.20 schedule: '*/5 * * * *' | startingDeadlineSeconds: 86400
  8:28 24h covers more than 100 runs that are 5m apart: nothing starts again once they are missed
# Exactly a hundred are few; and the largest number is just large.
schedule: '* * * * *' | startingDeadlineSeconds: 6000
schedule: '0 6 * * *' | startingDeadlineSeconds: 9223372036854775807
  8:28 106751991167300d15h30m7s covers more than 100 runs that are 24h apart: each sync records TooManyMissedTimes once they are missed
schedule: '0 6 * * *' | startingDeadlineSeconds: 86400
# Two runs a day, a minute apart: 1440 minutes have room for more than 100 minutes.
schedule: '0,1 0 * * *' | startingDeadlineSeconds: 86400
  8:28 24h covers more than 100 runs that are 60s apart: each sync records TooManyMissedTimes once they are missed
@1.20 schedule: '0,1 0 * * *' | startingDeadlineSeconds: 86400
# 108 runs on a working day.
@1.20 schedule: '*/5 9-17 * * 1-5' | startingDeadlineSeconds: 43200
  8:28 12h covers more than 100 runs that are 5m apart: nothing starts again once they are missed

[starting-deadline-unset-stops]
@1.19-1.22 schedule: '*/10 * * * *'
  7:13 after 16h50m without a start, Kubernetes 1.20 never starts it again (1.19 to 1.20)
@1.20 schedule: 0 * * * *
@1.20 schedule: '*/10 * * * *' | startingDeadlineSeconds: 300

[starting-deadline-unset]
@1.20-1.22 schedule: '* * * * *'
  7:13 after 100m without a start, the controller records TooManyMissedTimes, but still starts the latest run (1.21 to 1.22)
schedule: '*/5 * * * *'
schedule: '* * * * *' | startingDeadlineSeconds: 60

[uneven-schedule-catch-up]
@1.26.3-1.28 schedule: 0 8-18 * * *
  7:13 runs are 60m to 14h apart: those that are missed before a pause may never start (1.27 to 1.28)
@1.27.2-1.28 schedule: 0 8-18 * * *
  7:13 runs are 60m to 14h apart: those that are missed before a pause may never start (1.28)
schedule: 0 8-18 * * * | startingDeadlineSeconds: 3601
  7:13 runs are 60m to 14h apart: those that are missed before a pause may never start
# What is always made up for.
schedule: 0 8-18 * * * | startingDeadlineSeconds: 3600
schedule: 0 9 * * 1-5
schedule: '*/7 * * * *'
schedule: 0 * * * *

[start-at-unscheduled-time]
@1.20-1.27.3 schedule: 0 8-18 * * *
  7:13 after two missed runs Kubernetes 1.27.3 can start one during the pause of 14h, at a time that is not in the schedule (1.21 to 1.24, 1.27.3)
@1.25.3 schedule: 0 8-18 * * * | startingDeadlineSeconds: 3600

[suspended]
schedule: 0 6 * * * | suspend: true
  8:12 starts nothing until it is resumed, and then immediately starts the latest missed run
schedule: 0 6 * * * | suspend: true | startingDeadlineSeconds: 600
  8:12 starts nothing until it is resumed
schedule: 0 6 * * * | suspend: false
# Never runs: somebody triggers it.
schedule: 0 0 30 2 * | suspend: true
",
        );
    }
}
