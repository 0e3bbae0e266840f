//! The explanation of a schedule.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use kube_cron::{
    DayExample, DayRule, Description, DialectDifference, Period, Schedule, Surprise, SurpriseKind,
    means_something_else_before_1_22,
};
use serde::Serialize;

use super::{ScheduleProblem, Subject, read};
use crate::controller::Controller;

/// A schedule in words, with everything about it that may be unexpected.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "MeaningInWords")]
pub struct ScheduleMeaning {
    pub description: Description,
    /// Dates that show how the two day fields are combined.
    pub day_examples: Vec<DayExample>,
    pub period: Option<Period>,
    /// The effects of clock changes in its time zone.
    pub surprises: Vec<Surprise>,
    /// Whether it had another meaning before 1.22.
    pub changed: Option<DialectDifference>,
}

/// How far ahead to search for clock changes: two years usually have four.
const HORIZON: i64 = 2 * 366 * 86_400;

/// How many example dates show the day rule.
const EXAMPLES: usize = 4;

/// Explains the schedule of a subject, seen from a moment.
pub fn meaning(
    subject: &Subject,
    from: Timestamp,
    controller: &Controller,
) -> Result<ScheduleMeaning, ScheduleProblem> {
    let schedule: Schedule = read(controller, subject)?;
    let timetable = schedule.in_zone(&controller.local);
    let horizon = Timestamp::from_second(from.as_second().saturating_add(HORIZON));
    let zone = timetable.zone().unwrap_or(&controller.local);
    let zone = zone.time_zone().clone();
    Ok(ScheduleMeaning {
        description: schedule.describe(),
        day_examples: schedule.day_examples(from.to_zoned(zone).date(), EXAMPLES),
        period: schedule.period(),
        surprises: timetable.surprises(from, horizon.unwrap_or(Timestamp::MAX)),
        changed: means_something_else_before_1_22(&subject.schedule, from),
    })
}

/// What a schedule means in documents: words and numbers.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Meaning")
)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeaningInWords {
    /// The schedule as a sentence.
    sentence: String,
    /// The fields.
    fields: Vec<FieldDocument>,
    /// How the two day fields are combined.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["any", "dayOfMonth", "dayOfWeek", "either", "both"])))]
    day_rule: &'static str,
    /// Example dates of that rule.
    day_examples: Vec<Date>,
    /// The shortest interval between two runs.
    shortest_seconds: Option<i64>,
    /// The longest interval.
    longest_seconds: Option<i64>,
    /// The most frequent interval; of two that are equally frequent, the shorter.
    typical_seconds: Option<i64>,
    /// The effects of clock changes, such as DST.
    surprises: Vec<SurpriseDocument>,
    /// The version of Kubernetes before which the schedule had another meaning.
    means_something_else_before: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ScheduleField")
)]
struct FieldDocument {
    /// The name of the field.
    name: String,
    /// The text of the field.
    text: String,
    /// The meaning of the field.
    meaning: String,
}

#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Surprise")
)]
#[serde(rename_all = "camelCase")]
struct SurpriseDocument {
    /// The kind of effect.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["lost", "doubled", "additional"])))]
    kind: &'static str,
    /// When the clock changes.
    change: Timestamp,
    /// The local date of the affected runs.
    local_date: Date,
    /// Their local times.
    local_times: Vec<DateTime>,
    /// The number of affected runs.
    count: usize,
}

impl From<ScheduleMeaning> for MeaningInWords {
    fn from(meaning: ScheduleMeaning) -> Self {
        let fields = meaning.description.fields.iter();
        let fields = fields.map(|field| FieldDocument {
            name: field.name.to_string(),
            text: field.text.clone(),
            meaning: field.meaning.clone(),
        });
        let surprises = meaning.surprises.iter().map(|surprise| SurpriseDocument {
            kind: match surprise.kind {
                SurpriseKind::Lost => "lost",
                SurpriseKind::Doubled => "doubled",
                SurpriseKind::Additional => "additional",
            },
            change: surprise.change.at,
            local_date: surprise.date,
            local_times: surprise.local_times.clone(),
            count: surprise.count,
        });
        MeaningInWords {
            sentence: meaning.description.sentence.clone(),
            fields: fields.collect(),
            day_rule: match meaning.description.days {
                DayRule::Any => "any",
                DayRule::DayOfMonth { .. } => "dayOfMonth",
                DayRule::DayOfWeek { .. } => "dayOfWeek",
                DayRule::Either { .. } => "either",
                DayRule::Both { .. } => "both",
            },
            day_examples: meaning
                .day_examples
                .iter()
                .map(|example| example.date)
                .collect(),
            shortest_seconds: meaning.period.map(|period| period.shortest),
            longest_seconds: meaning.period.map(|period| period.longest),
            typical_seconds: meaning.period.map(|period| period.typical),
            surprises: surprises.collect(),
            means_something_else_before: meaning.changed.as_ref().map(|_| "1.22"),
        }
    }
}
