//! Ticks of time axes at round local times.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};

pub(super) const DAY: i64 = 86_400;

/// A step between two ticks of a time axis.
pub(super) struct TickStep {
    pub(super) seconds: i64,
    /// Adds a number of steps. Days and months are calendar units, regardless of clock changes.
    span: fn(i64) -> Span,
}

impl TickStep {
    const fn new(seconds: i64, span: fn(i64) -> Span) -> Self {
        TickStep { seconds, span }
    }

    /// The shortest step with which a length in seconds has no more ticks than that.
    pub(super) fn fitting(length: i64, most: i64) -> Option<&'static Self> {
        STEPS.iter().find(|step| length / step.seconds <= most)
    }

    /// The ticks between two times by the local clock: counted from midnight, or from the first day of the year.
    pub(super) fn between(&self, [from, to]: [Timestamp; 2], zone: &TimeZone) -> Vec<Timestamp> {
        const MOST: i64 = 2000;
        let begin = || {
            let day = from.to_zoned(zone.clone()).start_of_day().ok()?;
            if self.seconds < 7 * DAY {
                Some(day)
            } else {
                day.first_of_year().ok()
            }
        };
        let Some(begin) = begin() else {
            return Vec::new();
        };
        let ticks = (0..MOST).map_while(|count| {
            let local = begin.datetime().checked_add((self.span)(count)).ok()?;
            let tick = local.to_zoned(zone.clone()).ok()?.timestamp();
            Some(tick).filter(|tick| *tick < to)
        });
        let mut ticks: Vec<Timestamp> = ticks.filter(|tick| *tick >= from).collect();
        // Two local times are the same where clocks are set forward.
        ticks.dedup();
        ticks
    }
}

const STEPS: [TickStep; 15] = [
    TickStep::new(60, i64::minutes),
    TickStep::new(300, |count| (5 * count).minutes()),
    TickStep::new(600, |count| (10 * count).minutes()),
    TickStep::new(1800, |count| (30 * count).minutes()),
    TickStep::new(3600, i64::hours),
    TickStep::new(7200, |count| (2 * count).hours()),
    TickStep::new(10_800, |count| (3 * count).hours()),
    TickStep::new(21_600, |count| (6 * count).hours()),
    TickStep::new(43_200, |count| (12 * count).hours()),
    TickStep::new(DAY, i64::days),
    TickStep::new(2 * DAY, |count| (2 * count).days()),
    TickStep::new(7 * DAY, i64::weeks),
    TickStep::new(30 * DAY, i64::months),
    TickStep::new(91 * DAY, |count| (3 * count).months()),
    TickStep::new(365 * DAY, i64::years),
];
