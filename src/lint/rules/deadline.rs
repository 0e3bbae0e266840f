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
    if behavior.arithmetic != Arithmetic::Looked {
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
    use crate::lint::testing::{found, spec};

    #[test]
    fn starting_deadline_under_10s_what_it_means_depends_on_the_controller() {
        let text = spec("schedule: 0 9 * * *\nstartingDeadlineSeconds: 7");
        assert_eq!(
            found("CJD402", "1.20", &text),
            [
                "8:28 Kubernetes 1.20 syncs only every 10 seconds: about 3 of 10 runs are seen too late and missed"
            ]
        );
        assert_eq!(
            found("CJD402", "1.36", &text),
            ["8:28 a run that cannot start within 7s is missed without an event"]
        );
        for sound in ["0", "10", "-1", "ten"] {
            let text = spec(&format!(
                "schedule: 0 9 * * *\nstartingDeadlineSeconds: {sound}"
            ));
            assert!(found("CJD402", "1.36", &text).is_empty(), "{sound}");
        }
    }

    #[test]
    fn suspend_unset_null_counts_as_unset_and_a_wrong_type_does_not() {
        for (suspend, count) in [("null", 1), ("false", 0), ("true", 0), ("'no'", 0)] {
            let text = spec(&format!("schedule: 0 9 * * *\nsuspend: {suspend}"));
            assert_eq!(found("CJD413", "1.36", &text).len(), count, "{suspend}");
        }
        let unset = spec("schedule: 0 9 * * *");
        assert_eq!(found("CJD413", "1.36", &unset).len(), 1);
    }

    fn starting_deadline_over_100_periods_in_release(
        release: &str,
        schedule: &str,
        deadline: i64,
    ) -> Vec<String> {
        let text = spec(&format!(
            "schedule: '{schedule}'\nstartingDeadlineSeconds: {deadline}"
        ));
        found("CJD403", release, &text)
    }

    #[test]
    fn starting_deadline_over_100_periods_more_than_a_hundred_fit() {
        assert_eq!(
            starting_deadline_over_100_periods_in_release("1.36", "* * * * *", 6001),
            [
                "8:28 1h40m1s covers more than 100 runs that are 60s apart: each sync records TooManyMissedTimes once they are missed"
            ]
        );
        assert_eq!(
            starting_deadline_over_100_periods_in_release("1.20", "*/5 * * * *", 86_400),
            [
                "8:28 24h covers more than 100 runs that are 5m apart: nothing starts again once they are missed"
            ]
        );
        // Exactly a hundred are few; and the largest number is just large.
        assert!(
            starting_deadline_over_100_periods_in_release("1.36", "* * * * *", 6000).is_empty()
        );
        assert_eq!(
            starting_deadline_over_100_periods_in_release("1.36", "0 6 * * *", i64::MAX).len(),
            1
        );
        assert!(
            starting_deadline_over_100_periods_in_release("1.36", "0 6 * * *", 86_400).is_empty()
        );
    }

    #[test]
    fn starting_deadline_over_100_periods_the_first_generation_counts_the_others_multiply() {
        // Two scheduled times a day, a minute apart: 1440 minutes have room for more than 100 minutes.
        assert_eq!(
            starting_deadline_over_100_periods_in_release("1.36", "0,1 0 * * *", 86_400).len(),
            1
        );
        assert!(
            starting_deadline_over_100_periods_in_release("1.20", "0,1 0 * * *", 86_400).is_empty()
        );
        // 108 scheduled times on a working day.
        assert_eq!(
            starting_deadline_over_100_periods_in_release("1.20", "*/5 9-17 * * 1-5", 43_200).len(),
            1
        );
    }

    #[test]
    fn starting_deadline_unset_stops_only_where_the_controller_gives_up() {
        let text = spec("schedule: '*/10 * * * *'");
        assert_eq!(
            found("starting-deadline-unset-stops", "1.19-1.22", &text),
            [
                "7:13 after 16h50m without a start, Kubernetes 1.20 never starts it again (1.19 to \
              1.20)"
            ]
        );
        for sound in [
            "schedule: 0 * * * *",
            "schedule: '*/10 * * * *'\nstartingDeadlineSeconds: 300",
        ] {
            assert!(
                found("starting-deadline-unset-stops", "1.20", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }

    #[test]
    fn starting_deadline_unset_every_minute_or_two() {
        let text = spec("schedule: '* * * * *'");
        assert_eq!(
            found("starting-deadline-unset", "1.20-1.22", &text),
            [
                "7:13 after 100m without a start, the controller records TooManyMissedTimes, but still starts the latest run (1.21 to 1.22)"
            ]
        );
        for sound in [
            "schedule: '*/5 * * * *'",
            "schedule: '* * * * *'\nstartingDeadlineSeconds: 60",
        ] {
            assert!(
                found("starting-deadline-unset", "1.36", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }

    fn uneven_schedule_catch_up_in_release(release: &str, lines: &str) -> Vec<String> {
        found("uneven-schedule-catch-up", release, &spec(lines))
    }

    #[test]
    fn uneven_schedule_catch_up_pauses_at_night() {
        let message = "7:13 runs are 60m to 14h apart: those that are missed before a pause may never start (1.28)";
        assert_eq!(
            uneven_schedule_catch_up_in_release("1.26.3-1.28", "schedule: 0 8-18 * * *").len(),
            1
        );
        assert_eq!(
            uneven_schedule_catch_up_in_release("1.27.2-1.28", "schedule: 0 8-18 * * *"),
            [message]
        );
        assert_eq!(
            uneven_schedule_catch_up_in_release(
                "1.36",
                "schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3601"
            )
            .len(),
            1
        );
    }

    #[test]
    fn uneven_schedule_catch_up_what_is_always_made_up_for() {
        for sound in [
            "schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3600",
            "schedule: 0 9 * * 1-5",
            "schedule: '*/7 * * * *'",
            "schedule: 0 * * * *",
        ] {
            assert!(
                uneven_schedule_catch_up_in_release("1.36", sound).is_empty(),
                "{sound}"
            );
        }
    }

    #[test]
    fn start_at_unscheduled_time_only_where_the_release_multiplies() {
        let text = spec("schedule: 0 8-18 * * *");
        assert_eq!(
            found("start-at-unscheduled-time", "1.20-1.27.3", &text),
            [
                "7:13 after two missed runs Kubernetes 1.27.3 can start one during the pause of 14h, at a time that is not in the schedule (1.21 to 1.24, 1.27.3)"
            ]
        );
        let text = spec("schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3600");
        assert!(found("start-at-unscheduled-time", "1.25.3", &text).is_empty());
    }

    #[test]
    fn suspended_resuming_makes_up_for_the_last_one() {
        let messages = |lines: &str| found("suspended", "1.36", &spec(lines));
        assert_eq!(
            messages("schedule: 0 6 * * *\nsuspend: true"),
            [
                "8:12 starts nothing until it is resumed, and then immediately starts the latest missed run"
            ]
        );
        assert_eq!(
            messages("schedule: 0 6 * * *\nsuspend: true\nstartingDeadlineSeconds: 600"),
            ["8:12 starts nothing until it is resumed"]
        );
        assert!(messages("schedule: 0 6 * * *\nsuspend: false").is_empty());
    }

    #[test]
    fn suspended_only_started_by_hand() {
        let text = spec("schedule: 0 0 30 2 *\nsuspend: true");
        assert!(found("suspended", "1.36", &text).is_empty());
    }
}
