//! The longest time between two consecutive runs, or between more.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use cronjob_text::duration::later;
use kube_cron::{Period, Timetable};

/// Changes of the clock that are examined: those of the next five years, twice a year.
const CHANGES: usize = 10;
const FIVE_YEARS: i64 = 5 * 366 * 86_400;

/// The longest time between two consecutive runs, in seconds: weekends, months and leap years by the calendar
/// of 400 years, and each change of the clock in the next five years.
pub(super) fn longest_gap(period: Period, timetable: &Timetable, now: Timestamp) -> i64 {
    let changes = changes(timetable, now);
    let around_changes = changes.filter_map(|change| gap_around(timetable, change));
    around_changes.fold(period.longest, i64::max)
}

/// The next changes of the clock.
fn changes(timetable: &Timetable, now: Timestamp) -> impl Iterator<Item = Timestamp> {
    let until = later(now, SignedDuration::from_secs(FIVE_YEARS));
    let changes = timetable.zone().map(|zone| zone.changes(now, until));
    let changes = changes.into_iter().flatten().take(CHANGES);
    changes.map(|change| change.at)
}

/// Runs that are examined for the longest time in which several are due.
const RUNS: usize = 10_000;

/// The longest time from a success to the `runs`th due run after it, in seconds: at least that of any runs in a
/// row, and exactly that where the longest gap is among the next 10,000 runs or at a change of the clock. `gap` is
/// the longest between two runs.
pub(super) fn longest_span(gap: i64, timetable: &Timetable, now: Timestamp, runs: usize) -> i64 {
    if runs <= 1 {
        return gap;
    }
    let mut walks = vec![Walk::from(timetable, now, runs, RUNS)];
    for mut start in changes(timetable, now) {
        for _ in 0..=runs {
            start = timetable.previous(start).unwrap_or(start);
        }
        walks.push(Walk::from(timetable, start, runs, 2 * runs + 2));
    }
    let span = walks.iter().map(|walk| walk.span).max().unwrap_or_default();
    let seen = walks.iter().map(|walk| walk.gap).max().unwrap_or_default();
    span.saturating_add(gap.saturating_sub(seen).max(0))
}

/// The longest times among some runs, in seconds.
#[derive(Default)]
struct Walk {
    /// Between the first and the last of them.
    span: i64,
    /// Between two consecutive runs.
    gap: i64,
}

impl Walk {
    fn from(timetable: &Timetable, start: Timestamp, runs: usize, most: usize) -> Self {
        let mut walk = Walk::default();
        let mut window = VecDeque::new();
        let mut at = start;
        for _ in 0..most {
            let Ok(Some(next)) = timetable.next(at) else {
                break;
            };
            at = next;
            if let Some(last) = window.back() {
                walk.gap = walk.gap.max(next.as_second() - last);
            }
            window.push_back(next.as_second());
            if window.len() > runs {
                let first = window.pop_front().unwrap_or_default();
                walk.span = walk.span.max(next.as_second() - first);
            }
        }
        walk
    }
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
    use kube_cron::{BundledZones, Dialect, Location, Schedule, load_location};

    const HOUR: i64 = 3_600;

    /// The longest time in which this number of runs is due, from November 2026 on, in seconds.
    fn span(schedule: &str, zone: &str, runs: usize) -> i64 {
        let schedule = Schedule::parse(schedule, Dialect::V3_0, &BundledZones).unwrap();
        let Ok(Location::Zone(zone)) = load_location(zone, &BundledZones) else {
            panic!("{zone}");
        };
        let timetable = schedule.in_zone(&Arc::clone(&zone));
        let now = "2026-11-21T00:00:00Z".parse().unwrap();
        let gap = longest_gap(schedule.period().unwrap(), &timetable, now);
        longest_span(gap, &timetable, now, runs)
    }

    #[test]
    fn several_runs_take_the_longest_of_their_sums() {
        assert_eq!(span("*/5 * * * *", "UTC", 3), 15 * 60);
        // From Friday to Tuesday, and not twice from Friday to Monday.
        assert_eq!(span("0 9 * * 1-5", "UTC", 2), 96 * HOUR);
        // July and August.
        assert_eq!(span("0 0 1 * *", "UTC", 2), 62 * 24 * HOUR);
        // In March one run is skipped, in October a day has 25 hours.
        assert_eq!(span("30 2 * * *", "Europe/Berlin", 2), 71 * HOUR);
        assert_eq!(span("0 9 * * *", "Europe/Berlin", 3), 73 * HOUR);
        // 2096 to 2104 to 2108.
        let years = [8 * 365 + 1, 4 * 365 + 1].map(|days| days * 24 * HOUR);
        assert_eq!(span("0 0 29 2 *", "UTC", 2), years[0] + years[1]);
    }
}
