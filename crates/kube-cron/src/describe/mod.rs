//! Descriptions of expressions in English.
//!
//! The sentences are made from the bits that upstream's search uses, not from the text, so they describe
//! what really happens.

mod days;
mod dialects;
mod examples;
mod numbers;
mod times;

pub use days::DayRule;
pub use dialects::{DialectDifference, means_something_else_before_1_22};
pub use examples::{DayExample, DayReason};

use super::dialect::Dialect;
use super::fields::Fields;
use super::never::{Never, impossible};
use super::parse::{Expression, spelled_out};
use super::words::duration;
use super::{FieldName, Schedule};
use numbers::Numbers;

/// The meaning of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// When it runs, to follow the word "runs": `at 02:00, on Monday through Friday`.
    pub sentence: String,
    /// Why it never runs, if its fields match no date in any year; then the sentence does not follow that word.
    pub never: Option<Never>,
    /// What each field means; none for `@every`.
    pub fields: Vec<FieldMeaning>,
    /// How the two day fields are combined.
    pub days: DayRule,
}

/// The meaning of a single field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMeaning {
    /// Which field.
    pub name: FieldName,
    /// The field as it is written, or its equivalent for a descriptor such as `@daily`.
    pub text: String,
    /// What it means: `every 15 minutes`.
    pub meaning: String,
}

impl Schedule {
    /// The meaning of this schedule in its dialect.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule};
    ///
    /// let sentence = |text: &str, dialect: Dialect| {
    ///     Schedule::parse(text, dialect, &BundledZones).unwrap().describe().sentence
    /// };
    /// assert_eq!(
    ///     sentence("30 9-17 * * 1-5", Dialect::V3_0),
    ///     "at minute 30 past every hour from 9 through 17, on Monday through Friday"
    /// );
    /// assert_eq!(
    ///     sentence("0 0 13 * 5", Dialect::V3_0),
    ///     "at 00:00, on day 13 of the month and also on every Friday"
    /// );
    /// assert_eq!(
    ///     sentence("0 0 */2 * 1", Dialect::V1_1),
    ///     "at 00:00, on every 2nd day of the month (1, 3, … 31) if it is a Monday"
    /// );
    /// ```
    pub fn describe(&self) -> Description {
        match &self.expression {
            Expression::Every(seconds) => Description {
                sentence: format!(
                    "every {}, counted from the previous run",
                    duration(*seconds)
                ),
                never: None,
                fields: Vec::new(),
                days: DayRule::Any,
            },
            Expression::Fields(fields) => {
                let never = impossible(fields);
                let sentence = match &never {
                    Some(never) => format!("never: {never}"),
                    None => sentence(fields),
                };
                Description {
                    sentence,
                    never,
                    fields: meanings(fields, &self.text, self.dialect),
                    days: days::rule(fields),
                }
            }
        }
    }
}

fn sentence(fields: &Fields) -> String {
    let [seconds, minutes, hours] = [FieldName::Second, FieldName::Minute, FieldName::Hour]
        .map(|field| Numbers::of(fields, field));
    let times = times::times(minutes, hours, fields.every_day());
    let days = days::phrase(fields);
    match fields.seconds {
        1 => format!("{times}{days}"),
        _ if seconds.is_all() => format!("{times}, at every second{days}"),
        _ => {
            let plural = if seconds.count() == 1 { "" } else { "s" };
            let seconds = seconds.list(|second| second.to_string());
            format!("{times}, at second{plural} {seconds}{days}")
        }
    }
}

fn meanings(fields: &Fields, text: &str, dialect: Dialect) -> Vec<FieldMeaning> {
    let names = if text.starts_with('@') {
        &FieldName::ALL
    } else {
        dialect.fields()
    };
    let names = names.iter().copied();
    names
        .zip(spelled_out(text).unwrap_or(text).split_whitespace())
        .map(|(name, text)| FieldMeaning {
            name,
            text: text.to_owned(),
            meaning: match name {
                FieldName::Second => Numbers::of(fields, name).list(|second| second.to_string()),
                FieldName::Minute => times::minute_field(Numbers::of(fields, name)),
                FieldName::Hour => times::hour_field(Numbers::of(fields, name)),
                FieldName::DayOfMonth => days::day_field(fields),
                FieldName::Month => days::month_field(fields),
                FieldName::DayOfWeek => days::weekday_field(fields),
            },
        })
        .collect()
}
