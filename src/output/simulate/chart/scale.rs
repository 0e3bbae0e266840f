//! The time axis of the chart.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::output::simulate::SimulationSubject;
use crate::output::ticks::{DAY, TickStep};

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

    pub(super) fn right(&self) -> f64 {
        self.right
    }

    fn step(&self) -> Option<&'static TickStep> {
        const MOST: i64 = 8;
        TickStep::fitting((self.to - self.from) / 1000, MOST)
    }

    /// The ticks of the chart in local time.
    fn full(&self, step: &TickStep, zone: &TimeZone) -> Vec<Timestamp> {
        let ends =
            [self.from, self.to].map(|end| Timestamp::from_millisecond(end).unwrap_or_default());
        step.between(ends, zone)
    }

    /// Up to eight ticks at full hours, days or months, with their labels.
    pub(super) fn ticks(&self, subject: &SimulationSubject) -> Vec<(Timestamp, String)> {
        let Some(step) = self.step() else {
            return Vec::new();
        };
        let format = match step.seconds {
            seconds if seconds < DAY => "%H:%M",
            seconds if seconds < 7 * DAY => "%a %-d",
            seconds if seconds < 30 * DAY => "%b %-d",
            seconds if seconds < 365 * DAY => "%b",
            _ => "%Y",
        };
        let ticks = self.full(step, subject.zone.time_zone()).into_iter();
        ticks
            .map(|tick| (tick, subject.local(tick, format)))
            .collect()
    }

    /// What the ticks belong to, with labels: the days of hours, the months of days, or the years of months.
    pub(super) fn days(&self, subject: &SimulationSubject) -> Vec<(Timestamp, String)> {
        const LEAST_WIDTH: f64 = 150.0;
        let Some((step, from)) = self.step().zip(Timestamp::from_millisecond(self.from).ok())
        else {
            return Vec::new();
        };
        let (format, larger) = match step.seconds {
            seconds if seconds < DAY => ("%a %Y-%m-%d", DAY),
            seconds if seconds < 7 * DAY => ("%B %Y", 30 * DAY),
            seconds if seconds < 365 * DAY => ("%Y", 365 * DAY),
            _ => return Vec::new(),
        };
        let zone = subject.zone.time_zone();
        let larger = TickStep::fitting(larger, 1);
        let mut begins = larger.map_or_else(Vec::new, |step| self.full(step, zone));
        if begins.first() != Some(&from) {
            begins.insert(0, from);
        }
        let ends: Vec<f64> = begins.iter().skip(1).map(|at| self.x(*at)).collect();
        let ends = ends.into_iter().chain([self.right]);
        let only = begins.len() == 1;
        let is_wide_enough =
            |(begin, end): &(Timestamp, f64)| only || end - self.x(*begin) >= LEAST_WIDTH;
        let shown = begins.into_iter().zip(ends).filter(is_wide_enough);
        shown
            .map(|(begin, _)| (begin, subject.local(begin, format)))
            .collect()
    }
}
