//! The values and steps of single fields, for checks of expressions.

use super::Schedule;
use super::field_name::FieldName;
use super::fields::members;
use super::parse::{Expression, field_bits};

/// A field that consists of a range with a step, such as `*/7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteppedField {
    /// Which field.
    pub field: FieldName,
    /// The field as it is written.
    pub text: String,
    /// The step: 7 of `*/7`.
    pub step: u64,
    /// Whether it extends to the end of the field, such as `*/7` and `3/7`.
    pub is_open: bool,
    /// The values that the field matches, in order.
    pub values: Vec<u32>,
}

impl Schedule {
    /// The fields that are a range with a step above 1, from the left; none for `@every`.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule};
    ///
    /// let schedule = Schedule::parse("*/25 0-12/6 * * *", Dialect::V3_0, &BundledZones).unwrap();
    /// let steps = schedule.steps();
    /// assert_eq!((steps[0].step, steps[0].is_open), (25, true));
    /// assert_eq!(steps[0].values, [0, 25, 50]);
    /// assert_eq!((steps[1].step, steps[1].is_open), (6, false));
    /// ```
    pub fn steps(&self) -> Vec<SteppedField> {
        let fields = self.dialect.fields().iter();
        let stepped = fields.zip(self.text.split_whitespace());
        stepped
            .filter_map(|(field, word)| read(*field, word))
            .collect()
    }

    /// The values that a field matches, in order; empty for `@every`, which has no fields.
    pub fn allowed(&self, field: FieldName) -> Vec<u32> {
        match &self.expression {
            Expression::Fields(fields) => members(fields.bits(field)).collect(),
            Expression::Every(_) => Vec::new(),
        }
    }

    /// The day field that has no effect although it is not an asterisk: the other one matches every day,
    /// and a match of either is enough. `0 0 1 * 0-6` runs every day.
    pub fn idle_day_field(&self) -> Option<FieldName> {
        let Expression::Fields(fields) = &self.expression else {
            return None;
        };
        let all = |field: FieldName| {
            let (minimum, maximum) = field.bounds();
            fields.bits(field).count_ones() == maximum - minimum + 1
        };
        let (days, weekdays) = (all(FieldName::DayOfMonth), all(FieldName::DayOfWeek));
        let overruled = !fields.both_day_fields();
        match (days, weekdays) {
            (true, false) if overruled => Some(FieldName::DayOfWeek),
            (false, true) if overruled => Some(FieldName::DayOfMonth),
            _ => None,
        }
    }
}

fn read(field: FieldName, word: &str) -> Option<SteppedField> {
    let (limits, step) = word.split_once('/')?;
    let step: u64 = step.parse().ok()?;
    let is_one_range = !word.contains(',') && step > 1;
    is_one_range.then(|| SteppedField {
        field,
        text: word.to_owned(),
        step,
        is_open: !limits.contains('-') || limits.starts_with(['*', '?']),
        values: members(field_bits(word, field)).collect(),
    })
}
