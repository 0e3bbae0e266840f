//! The fields of an expression: their names, bounds, and the names of their values.

use std::fmt;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldName {
    /// 0 to 59; only [`Dialect::V1_2Seconds`](crate::Dialect::V1_2Seconds) has it.
    Second,
    /// 0 to 59.
    Minute,
    /// 0 to 23.
    Hour,
    /// 1 to 31.
    DayOfMonth,
    /// 1 to 12, or `jan` to `dec`.
    Month,
    /// 0 (Sunday) to 6, or `sun` to `sat`.
    DayOfWeek,
}

impl FieldName {
    /// The fields of a CronJob's schedule, in order.
    pub const ALL: [FieldName; 5] = {
        let [_, fields @ ..] = Self::WITH_SECONDS;
        fields
    };

    pub(crate) const WITH_SECONDS: [FieldName; 6] = [
        FieldName::Second,
        FieldName::Minute,
        FieldName::Hour,
        FieldName::DayOfMonth,
        FieldName::Month,
        FieldName::DayOfWeek,
    ];

    /// The minimum and the maximum of the field.
    pub fn bounds(self) -> (u32, u32) {
        match self {
            FieldName::Second | FieldName::Minute => (0, 59),
            FieldName::Hour => (0, 23),
            FieldName::DayOfMonth => (1, 31),
            FieldName::Month => (1, 12),
            FieldName::DayOfWeek => (0, 6),
        }
    }

    /// The number of a name in lower case.
    pub(crate) fn value_of(self, name: &str) -> Option<u64> {
        let (names, first): (&[&str], u64) = match self {
            FieldName::Month => (&MONTHS, 1),
            FieldName::DayOfWeek => (&WEEKDAYS, 0),
            _ => return None,
        };
        names
            .iter()
            .zip(first..)
            .find(|(known, _)| **known == name)
            .map(|(_, value)| value)
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FieldName::Second => "second",
            FieldName::Minute => "minute",
            FieldName::Hour => "hour",
            FieldName::DayOfMonth => "day of month",
            FieldName::Month => "month",
            FieldName::DayOfWeek => "day of week",
        })
    }
}
