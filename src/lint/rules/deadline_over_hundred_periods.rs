use jiff::Timestamp;

use crate::controller::{LIMIT, TooMany};
use crate::diagnose::sensible_deadline;
use crate::duration::exact;
use crate::lint::{Found, Subject};

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let Some(deadline) = subject.whole_number(DEADLINE) else {
        return Vec::new();
    };
    let Some(period) = subject.period() else {
        return Vec::new();
    };
    if deadline / LIMIT < period.shortest || deadline <= LIMIT * period.shortest {
        return Vec::new();
    }
    let refuses = subject.behaviour().too_many == TooMany::Refuses;
    // It counts slots, where the others multiply the distance of two.
    if refuses && !has_so_many(subject, deadline) {
        return Vec::new();
    }
    let then = if refuses {
        "and then nothing is started any more"
    } else {
        "and then TooManyMissedTimes is recorded with each look"
    };
    let message = format!(
        "{} has room for more than 100 missed starts, {} apart, {then}",
        exact(deadline),
        exact(period.shortest)
    );
    let help = format!(
        "Set it to as long as a late run is still of use, such as {} (half the time between two \
         runs).",
        sensible_deadline(period.shortest)
    );
    vec![subject.found(DEADLINE, message).help(help)]
}

/// Whether more than 100 slots lie within the deadline, on the busiest of eight days.
fn has_so_many(subject: &Subject<'_>, deadline: i64) -> bool {
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

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn in_release(release: &str, schedule: &str, deadline: i64) -> Vec<String> {
        let text = spec(&format!(
            "schedule: '{schedule}'\nstartingDeadlineSeconds: {deadline}"
        ));
        found("CJD403", release, &text)
    }

    #[test]
    fn more_than_a_hundred_fit() {
        assert_eq!(
            in_release("1.36", "* * * * *", 6001),
            [
                "8:28 1h40m1s has room for more than 100 missed starts, 1m apart, and then \
              TooManyMissedTimes is recorded with each look"
            ]
        );
        assert_eq!(
            in_release("1.20", "*/5 * * * *", 86_400),
            [
                "8:28 1d has room for more than 100 missed starts, 5m apart, and then nothing is \
              started any more"
            ]
        );
        // Exactly a hundred are few; and the largest number is just large.
        assert!(in_release("1.36", "* * * * *", 6000).is_empty());
        assert_eq!(in_release("1.36", "0 6 * * *", i64::MAX).len(), 1);
        assert!(in_release("1.36", "0 6 * * *", 86_400).is_empty());
    }

    #[test]
    fn the_first_generation_counts_the_others_multiply() {
        // Two slots a day, a minute apart: 1440 minutes have room for more than 100 minutes.
        assert_eq!(in_release("1.36", "0,1 0 * * *", 86_400).len(), 1);
        assert!(in_release("1.20", "0,1 0 * * *", 86_400).is_empty());
        // 108 slots on a working day.
        assert_eq!(in_release("1.20", "*/5 9-17 * * 1-5", 43_200).len(), 1);
    }
}
