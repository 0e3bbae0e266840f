//! The longest time between two consecutive runs.

use jiff::{SignedDuration, Timestamp};

use crate::schedule::{Period, Timetable};

/// Changes of the clock that are examined: those of the next five years, twice a year.
const CHANGES: usize = 10;
const FIVE_YEARS: i64 = 5 * 366 * 86_400;

/// The longest time between two consecutive runs, in seconds: weekends, months and leap years by the calendar
/// of 400 years, and each change of the clock in the next five years.
pub(super) fn longest_gap(period: Period, timetable: &Timetable, now: Timestamp) -> i64 {
    let until = now.checked_add(SignedDuration::from_secs(FIVE_YEARS));
    let (Some(zone), Ok(until)) = (timetable.zone(), until) else {
        return period.longest;
    };
    let changes = zone.changes(now, until).into_iter().take(CHANGES);
    let around_changes = changes.filter_map(|change| gap_around(timetable, change.at));
    around_changes
        .max()
        .map_or(period.longest, |gap| gap.max(period.longest))
}

/// The longest of the gap that a moment lies in and those beside it.
fn gap_around(timetable: &Timetable, moment: Timestamp) -> Option<i64> {
    let mut run = timetable.previous(timetable.previous(moment)?)?;
    let mut longest = 0;
    for _ in 0..3 {
        let next = timetable.next(run).ok()??;
        longest = longest.max(next.as_second() - run.as_second());
        run = next;
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::schedule::{BundledZones, Dialect, Location, Schedule, load_location};

    const HOUR: i64 = 3_600;

    /// The longest gap of a schedule in a zone, from November 2026 on, in seconds.
    fn gap(schedule: &str, zone: &str) -> i64 {
        let schedule = Schedule::parse(schedule, Dialect::V3_0, &BundledZones).unwrap();
        let Ok(Location::Zone(zone)) = load_location(zone, &BundledZones) else {
            panic!("{zone}");
        };
        let timetable = schedule.in_zone(&Arc::clone(&zone));
        let now = "2026-11-21T00:00:00Z".parse().unwrap();
        longest_gap(schedule.period().unwrap(), &timetable, now)
    }

    #[test]
    fn calendar_decides_where_clocks_do_not_change() {
        assert_eq!(gap("0 2 * * *", "UTC"), 24 * HOUR);
        // From Friday to Monday.
        assert_eq!(gap("0 9 * * 1-5", "UTC"), 72 * HOUR);
        // From July 31 to September 1 is shorter than two months of 31 days in a row from the first.
        assert_eq!(gap("0 0 1 * *", "UTC"), 31 * 24 * HOUR);
        assert_eq!(gap("@every 90m", "UTC"), 90 * 60);
        // 2096 to 2104: 2100 is no leap year.
        assert_eq!(gap("0 0 29 2 *", "UTC"), (8 * 365 + 1) * 24 * HOUR);
    }

    #[test]
    fn changes_of_the_clock_lengthen_gaps() {
        // In March 02:30 does not exist: from 02:30 on Saturday to 02:30 on Monday there are 47 hours.
        assert_eq!(gap("30 2 * * *", "Europe/Berlin"), 47 * HOUR);
        // In October a day has 25 hours.
        assert_eq!(gap("0 9 * * *", "Europe/Berlin"), 25 * HOUR);
        // The weekend in October, from Friday to Monday.
        assert_eq!(gap("0 9 * * 1-5", "America/New_York"), 73 * HOUR);
        assert_eq!(gap("*/5 * * * *", "Europe/Berlin"), 300);
    }
}
