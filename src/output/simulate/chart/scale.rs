//! The time axis of the chart.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};

use crate::output::simulate::SimulationSubject;

/// Maps times to horizontal positions.
pub(super) struct ChartScale {
    from: i64,
    to: i64,
    left: f64,
    right: f64,
}

impl ChartScale {
    pub(super) fn new(from: Timestamp, to: Timestamp, left: f64, right: f64) -> Self {
        ChartScale {
            from: from.as_millisecond(),
            to: to.as_millisecond(),
            left,
            right,
        }
    }

    /// The position of a time; times outside are at the edge.
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

    /// About ten ticks at full hours, days or months, with their labels.
    pub(super) fn ticks(&self, subject: &SimulationSubject<'_>) -> Vec<(Timestamp, String)> {
        const MOST: i64 = 11;
        let length = (self.to - self.from) / 1000;
        let fits = |step: &&TickStep| length / step.seconds <= MOST;
        let Some(step) = STEPS.iter().find(fits) else {
            return Vec::new();
        };
        let zone = subject.zone.time_zone();
        let format = match step.seconds {
            seconds if seconds < DAY && length > DAY => "%a %H:%M",
            seconds if seconds < DAY => "%H:%M",
            seconds if seconds < 365 * DAY => "%b %-d",
            _ => "%Y",
        };
        let ticks = self.full(step, zone).into_iter();
        ticks
            .map(|tick| (tick, subject.local(tick, format)))
            .collect()
    }

    /// The ticks in local time: counted from midnight, or from the first day of the year.
    fn full(&self, step: &TickStep, zone: &TimeZone) -> Vec<Timestamp> {
        const MOST: i64 = 1000;
        let begin = || {
            let from = Timestamp::from_millisecond(self.from).ok()?;
            let day = from.to_zoned(zone.clone()).start_of_day().ok()?;
            if step.seconds < 7 * DAY {
                Some(day)
            } else {
                day.first_of_year().ok()
            }
        };
        let Some(begin) = begin() else {
            return Vec::new();
        };
        let ticks = (0..MOST).map_while(|count| {
            let tick = begin.checked_add((step.span)(count)).ok()?;
            Some(tick.timestamp()).filter(|tick| tick.as_millisecond() < self.to)
        });
        ticks
            .filter(|tick| tick.as_millisecond() >= self.from)
            .collect()
    }
}

const DAY: i64 = 86_400;

/// The distance between two ticks.
struct TickStep {
    seconds: i64,
    /// Adds a number of steps. Days and months are calendar units, regardless of clock changes.
    span: fn(i64) -> Span,
}

const STEPS: [TickStep; 15] = [
    TickStep {
        seconds: 60,
        span: |count| count.minutes(),
    },
    TickStep {
        seconds: 300,
        span: |count| (5 * count).minutes(),
    },
    TickStep {
        seconds: 600,
        span: |count| (10 * count).minutes(),
    },
    TickStep {
        seconds: 1800,
        span: |count| (30 * count).minutes(),
    },
    TickStep {
        seconds: 3600,
        span: |count| count.hours(),
    },
    TickStep {
        seconds: 7200,
        span: |count| (2 * count).hours(),
    },
    TickStep {
        seconds: 10_800,
        span: |count| (3 * count).hours(),
    },
    TickStep {
        seconds: 21_600,
        span: |count| (6 * count).hours(),
    },
    TickStep {
        seconds: 43_200,
        span: |count| (12 * count).hours(),
    },
    TickStep {
        seconds: DAY,
        span: |count| count.days(),
    },
    TickStep {
        seconds: 2 * DAY,
        span: |count| (2 * count).days(),
    },
    TickStep {
        seconds: 7 * DAY,
        span: |count| count.weeks(),
    },
    TickStep {
        seconds: 30 * DAY,
        span: |count| count.months(),
    },
    TickStep {
        seconds: 91 * DAY,
        span: |count| (3 * count).months(),
    },
    TickStep {
        seconds: 365 * DAY,
        span: |count| count.years(),
    },
];
