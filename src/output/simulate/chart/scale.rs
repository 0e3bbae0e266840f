//! From moments to places, and the moments that are marked.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::output::simulate::Subject;

/// From moments to places.
pub(super) struct Scale {
    from: i64,
    to: i64,
    left: f64,
    right: f64,
}

impl Scale {
    pub(super) fn new(from: Timestamp, to: Timestamp, left: f64, right: f64) -> Self {
        Scale {
            from: from.as_millisecond(),
            to: to.as_millisecond(),
            left,
            right,
        }
    }

    /// The place of a moment; what is outside is at the edge.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a place on a screen does not need 53 bits"
    )]
    pub(super) fn x(&self, moment: Timestamp) -> f64 {
        let length = (self.to - self.from).max(1) as f64;
        let distance = (moment.as_millisecond().clamp(self.from, self.to) - self.from) as f64;
        self.left + distance / length * (self.right - self.left)
    }

    /// The end of the simulation.
    pub(super) fn right(&self) -> f64 {
        self.right
    }

    /// Full hours or days, about ten of them, with what is written beside them.
    pub(super) fn ticks(&self, subject: &Subject<'_>) -> Vec<(Timestamp, String)> {
        const MOST: i64 = 11;
        const MINUTE: i64 = 60;
        const HOUR: i64 = 3600;
        const DAY: i64 = 86_400;
        let steps = [
            MINUTE,
            5 * MINUTE,
            10 * MINUTE,
            30 * MINUTE,
            HOUR,
            2 * HOUR,
            3 * HOUR,
            6 * HOUR,
            12 * HOUR,
            DAY,
            2 * DAY,
            7 * DAY,
            30 * DAY,
            91 * DAY,
            365 * DAY,
        ];
        let length = (self.to - self.from) / 1000;
        let fits = |step: &i64| length / step <= MOST;
        let step = steps.into_iter().find(fits).unwrap_or(3650 * DAY);
        let zone = subject.zone.time_zone();
        let format = match step {
            step if step < DAY && length > DAY => "%a %H:%M",
            step if step < DAY => "%H:%M",
            step if step < 30 * DAY => "%b %-d",
            _ => "%Y-%m-%d",
        };
        let ticks = self.full(step, zone).into_iter();
        ticks
            .map(|tick| (tick, subject.local(tick, format)))
            .collect()
    }

    /// Full steps on a clock, the first one from midnight before the beginning on.
    fn full(&self, step: i64, zone: &TimeZone) -> Vec<Timestamp> {
        const DAY: i64 = 86_400;
        let Ok(from) = Timestamp::from_millisecond(self.from) else {
            return Vec::new();
        };
        let Ok(midnight) = from.to_zoned(zone.clone()).start_of_day() else {
            return Vec::new();
        };
        let mut ticks = Vec::new();
        for count in 0..2000_i64 {
            // Days are those of the calendar, whatever the clocks do.
            let (days, seconds) = ((step / DAY) * count, (step % DAY) * count);
            let tick = midnight
                .checked_add(days.days())
                .and_then(|day| day.checked_add(seconds.seconds()));
            let Ok(tick) = tick else { break };
            let tick = tick.timestamp();
            if tick.as_millisecond() >= self.to {
                break;
            }
            if tick.as_millisecond() >= self.from {
                ticks.push(tick);
            }
        }
        ticks
    }
}
