//! The values and steps of single fields, for checks of expressions.

use super::fields::{Fields, members};
use super::parse::{Expression, FieldName, field_bits};
use super::{DayRule, Schedule};

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
            Expression::Fields(fields) => members(bits(fields, field)).collect(),
            Expression::Every(_) => Vec::new(),
        }
    }

    /// The day field that has no effect although it is not an asterisk: the other one matches every day,
    /// and a match of either is enough. `0 0 1 * 0-6` runs every day.
    pub fn idle_day_field(&self) -> Option<FieldName> {
        let Expression::Fields(fields) = &self.expression else {
            return None;
        };
        let all = |field: FieldName| self.allowed(field).len() == width(field);
        let (days, weekdays) = (all(FieldName::DayOfMonth), all(FieldName::DayOfWeek));
        let overruled = !fields.both_day_fields() && self.describe().days == DayRule::Any;
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

fn bits(fields: &Fields, field: FieldName) -> u64 {
    match field {
        FieldName::Second => fields.seconds,
        FieldName::Minute => fields.minutes,
        FieldName::Hour => u64::from(fields.hours),
        FieldName::DayOfMonth => u64::from(fields.days),
        FieldName::Month => u64::from(fields.months),
        FieldName::DayOfWeek => u64::from(fields.weekdays),
    }
}

/// The number of values of a field.
fn width(field: FieldName) -> usize {
    let (minimum, maximum) = field.bounds();
    usize::try_from(maximum - minimum + 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BundledZones, Dialect};

    fn schedule(text: &str) -> Schedule {
        Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap()
    }

    #[test]
    fn steps_of_whole_fields_only() {
        let steps = |text: &str| -> Vec<(String, bool, Vec<u32>)> {
            let steps = schedule(text).steps().into_iter();
            steps
                .map(|step| (step.text, step.is_open, step.values))
                .collect()
        };
        let step = |text: &str, open, values: &[u32]| (text.to_owned(), open, values.to_vec());
        assert_eq!(steps("*/1 1,*/2 * * *"), []);
        assert_eq!(steps("@every 90m"), []);
        assert_eq!(
            steps(
                "?/90 7/9 1-31/15 */jan mon-fri/2"
                    .replace("jan", "5")
                    .as_str()
            ),
            [
                step("?/90", true, &[0]),
                step("7/9", true, &[7, 16]),
                step("1-31/15", false, &[1, 16, 31]),
                step("*/5", true, &[1, 6, 11]),
                step("mon-fri/2", false, &[1, 3, 5]),
            ]
        );
        // Upstream ignores anything after an asterisk and a hyphen.
        assert_eq!(steps("*-x/30 * * * *"), [step("*-x/30", true, &[0, 30])]);
    }

    #[test]
    fn day_fields_without_effect() {
        let idle = |text: &str| schedule(text).idle_day_field();
        assert_eq!(idle("0 0 1 * 0-6"), Some(FieldName::DayOfMonth));
        assert_eq!(idle("0 0 1-31 * 1"), Some(FieldName::DayOfWeek));
        for sound in [
            "0 0 1-31 * 0-6",
            "0 0 * * 0-6",
            "0 0 1 * *",
            "0 0 1 * 1",
            "@daily",
        ] {
            assert_eq!(idle(sound), None, "{sound}");
        }
    }
}
