//! The same schedule, some minutes later in each of its hours.

use super::fields::members;
use super::parse::Expression;
use super::{FieldMeaning, Schedule};

/// The last minute of an hour.
const LAST_MINUTE: u32 = 59;

impl Schedule {
    /// How many minutes later each run can be without leaving its hour.
    ///
    /// Zero with a field for seconds, and for `@every`, which counts from the previous run and not by the minutes of a clock.
    pub fn minutes_to_spare(&self) -> u32 {
        match &self.expression {
            Expression::Fields(fields)
                if fields.minutes != 0 && !self.dialect.traits().seconds_field =>
            {
                LAST_MINUTE.saturating_sub(fields.minutes.ilog2())
            }
            _ => 0,
        }
    }

    /// The schedule that runs a number of minutes later, in the same hours of the same days; `None` if
    /// no cron expression describes it.
    ///
    /// All runs move by the same time, so their intervals do not change.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule};
    ///
    /// let later = |text: &str, minutes| {
    ///     let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
    ///     schedule.later(minutes).map(|later| later.text().to_owned())
    /// };
    /// assert_eq!(later("@daily", 17).unwrap(), "17 0 * * *");
    /// assert_eq!(later("*/15 9-17 * * mon-fri", 4).unwrap(), "4-59/15 9-17 * * mon-fri");
    /// assert_eq!(later("0,10 * * * *", 5).unwrap(), "5,15 * * * *");
    /// assert_eq!(later("*/15 * * * *", 15), None);
    /// ```
    #[must_use]
    pub fn later(&self, minutes: u32) -> Option<Schedule> {
        let Expression::Fields(mut fields) = self.expression else {
            return None;
        };
        if minutes > self.minutes_to_spare() {
            return None;
        }
        fields.minutes <<= minutes;
        let mut text = written(fields.minutes);
        for FieldMeaning { text: field, .. } in self.describe().fields.iter().skip(1) {
            text.push(' ');
            text.push_str(field);
        }
        Some(Schedule {
            expression: Expression::Fields(fields),
            text,
            location: self.location.clone(),
            dialect: self.dialect,
        })
    }
}

/// A minute field that matches only these minutes: with a step if possible, else a list.
fn written(minutes: u64) -> String {
    let all: Vec<u32> = members(minutes).collect();
    if let [first, second, _, ..] = all.as_slice() {
        let step = second - first;
        let stepped: Vec<u32> = (*first..=LAST_MINUTE).step_by(step as usize).collect();
        if stepped == all {
            return match first {
                0 => format!("*/{step}"),
                first => format!("{first}-{LAST_MINUTE}/{step}"),
            };
        }
    }
    let list: Vec<String> = all.iter().map(ToString::to_string).collect();
    list.join(",")
}
