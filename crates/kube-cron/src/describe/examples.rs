//! Dates on which a schedule runs, each with the reason.

use std::fmt;

use jiff::civil::Date;

use super::days::{Deciding, deciding};
use crate::Schedule;
use crate::civil::{self, Date as Day};
use crate::fields::Fields;
use crate::never::civil_date;
use crate::parse::Expression;
use crate::words::weekday_name;

/// A date on which a schedule runs; `Display` writes `Fri 2026-03-06 (a Friday)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayExample {
    /// The date.
    pub date: Date,
    /// Why the schedule runs on that date.
    pub because: DayReason,
}

/// Which of the two day fields matches a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DayReason {
    /// The day of the month alone.
    DayOfMonth,
    /// The day of the week alone.
    DayOfWeek,
    /// The day of the month and the day of the week.
    Both,
}

impl fmt::Display for DayExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.date.weekday().to_sunday_zero_offset();
        let weekday = weekday_name(u32::from(number.unsigned_abs()));
        write!(f, "{} {} ", weekday.get(..3).unwrap_or(weekday), self.date)?;
        match self.because {
            DayReason::DayOfMonth => write!(f, "(day {})", self.date.day()),
            DayReason::DayOfWeek => write!(f, "(a {weekday})"),
            DayReason::Both => f.write_str("(both)"),
        }
    }
}

impl Schedule {
    /// Example dates, from a date on, of a schedule that both day fields restrict.
    ///
    /// These are the next `count` dates, but every reason that occurs within five years is included at
    /// least once if `count` permits: with [`DayRule::Either`](super::DayRule::Either) there is always a
    /// date that contradicts reading the two fields as AND. Empty for all other schedules.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule};
    ///
    /// let schedule = Schedule::parse("0 0 13 * 5", Dialect::V3_0, &BundledZones).unwrap();
    /// let examples = schedule.day_examples(jiff::civil::date(2026, 3, 1), 3);
    /// let shown: Vec<String> = examples.iter().map(ToString::to_string).collect();
    /// assert_eq!(shown, ["Fri 2026-03-06 (a Friday)", "Fri 2026-03-13 (both)", "Mon 2026-04-13 (day 13)"]);
    /// ```
    pub fn day_examples(&self, from: Date, count: usize) -> Vec<DayExample> {
        let Expression::Fields(fields) = &self.expression else {
            return Vec::new();
        };
        if !matches!(deciding(fields), Deciding::Either | Deciding::Both) {
            return Vec::new();
        }
        pick(&candidates(fields, from), count)
    }
}

/// The dates of at most five years, which is also upstream's limit.
fn candidates(fields: &Fields, from: Date) -> Vec<DayExample> {
    let part = |number: i8| u32::from(number.unsigned_abs());
    let date = Day {
        year: i64::from(from.year()),
        month: part(from.month()),
        day: part(from.day()),
    };
    let last_year = date.year + 5;
    let days = std::iter::successors(fields.day_after(date.to_day() - 1, last_year), |day| {
        fields.day_after(*day, last_year)
    });
    days.map_while(|day| {
        let number = Day::of_day(day).day;
        let of_month = fields.days & (1 << number) != 0;
        let of_week = fields.weekdays & (1 << civil::weekday(day)) != 0;
        let because = match (of_month, of_week) {
            (true, true) => DayReason::Both,
            (true, false) => DayReason::DayOfMonth,
            (false, _) => DayReason::DayOfWeek,
        };
        civil_date(day).map(|date| DayExample { date, because })
    })
    .collect()
}

/// The first examples, the last of which are replaced by reasons that would be missing.
fn pick(candidates: &[DayExample], count: usize) -> Vec<DayExample> {
    // Reasons of only one field come first, because they are the unexpected ones.
    let reasons = [DayReason::DayOfWeek, DayReason::DayOfMonth, DayReason::Both];
    let first_of = |because| candidates.iter().find(|example| example.because == because);
    let mut picked: Vec<DayExample> = reasons
        .into_iter()
        .filter_map(first_of)
        .copied()
        .take(count)
        .collect();
    for example in candidates {
        if picked.len() >= count {
            break;
        }
        if !picked.contains(example) {
            picked.push(*example);
        }
    }
    picked.sort_by_key(|example| example.date);
    picked
}
