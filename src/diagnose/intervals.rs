//! How far apart the runs of a schedule are.

use jiff::Timestamp;

use crate::schedule::Timetable;

/// The distances between runs, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunIntervals {
    pub shortest: i64,
    pub longest: i64,
}

/// Enough for a night between the minutes of working hours.
const LOOKED_AT: usize = 600;

impl RunIntervals {
    /// The intervals between the runs after a moment; `None` where there are not two.
    pub fn of(timetable: &Timetable, from: Timestamp) -> Option<RunIntervals> {
        let mut runs = timetable.after(from).take(LOOKED_AT).map_while(Result::ok);
        let mut before = runs.next()?.as_second();
        let mut intervals: Option<RunIntervals> = None;
        for run in runs {
            let gap = run.as_second() - before;
            before = run.as_second();
            let known = intervals.get_or_insert(RunIntervals {
                shortest: gap,
                longest: gap,
            });
            known.shortest = known.shortest.min(gap);
            known.longest = known.longest.max(gap);
        }
        intervals
    }

    /// Whether some gap is at least twice as long as another: more than a clock that is turned
    /// or the lengths of months bring about.
    pub fn is_uneven(self) -> bool {
        self.longest >= 2 * self.shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{BundledZones, Dialect, Schedule, Zone};

    fn intervals(expression: &str) -> Option<(i64, i64, bool)> {
        let schedule = Schedule::parse(expression, Dialect::V3_0, &BundledZones).unwrap();
        let from = "2026-03-01T00:00:00Z".parse().unwrap();
        let intervals = RunIntervals::of(&schedule.in_zone(&Zone::utc()), from)?;
        Some((intervals.shortest, intervals.longest, intervals.is_uneven()))
    }

    #[test]
    fn shortest_and_longest() {
        const DAY: i64 = 86_400;
        assert_eq!(intervals("*/5 * * * *"), Some((300, 300, false)));
        assert_eq!(intervals("@every 90s"), Some((90, 90, false)));
        assert_eq!(intervals("0 9 * * *"), Some((DAY, DAY, false)));
        assert_eq!(intervals("0 9 1 * *"), Some((28 * DAY, 31 * DAY, false)));
        assert_eq!(intervals("0 9 * * 1-5"), Some((DAY, 3 * DAY, true)));
        assert_eq!(intervals("0,1 0 * * *"), Some((60, DAY - 60, true)));
        // Each minute of nine hours, and then a night.
        assert_eq!(intervals("* 9-17 * * *"), Some((60, DAY - 539 * 60, true)));
    }

    #[test]
    fn nothing_to_measure() {
        assert_eq!(intervals("0 0 31 2 *"), None);
    }
}
