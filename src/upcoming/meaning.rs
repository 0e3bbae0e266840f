//! What a schedule means, put together for people.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ScheduleProblem, Subject, read};
use crate::controller::Controller;
use crate::schedule::{
    DayExample, DayRule, Description, DialectDifference, Period, Schedule, Surprise, SurpriseKind,
    means_something_else_before_1_22,
};

/// What a schedule means.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "MeaningInWords")]
pub(crate) struct ScheduleMeaning {
    /// In words, field by field.
    pub description: Description,
    /// Dates that show how the two day fields are combined.
    pub day_examples: Vec<DayExample>,
    /// How far apart the runs are.
    pub period: Option<Period>,
    /// What the clock of its zone will do to it.
    pub surprises: Vec<Surprise>,
    /// Whether it meant something else before 1.22.
    pub changed: Option<DialectDifference>,
}

/// Changes of the clock are looked for so far ahead: two years have four of them.
const HORIZON: i64 = 2 * 366 * 86_400;

/// So many dates show what OR or AND means.
const EXAMPLES: usize = 4;

/// Explains the schedule of a subject, seen from a moment.
pub(crate) fn meaning(
    subject: &Subject,
    from: Timestamp,
    controller: &Controller<'_>,
) -> Result<ScheduleMeaning, ScheduleProblem> {
    let schedule: Schedule = read(controller, subject)?;
    let timetable = schedule.in_zone(&controller.local);
    let horizon = Timestamp::from_second(from.as_second().saturating_add(HORIZON));
    let zone = timetable
        .zone()
        .unwrap_or(&controller.local)
        .time_zone()
        .clone();
    Ok(ScheduleMeaning {
        description: schedule.describe(),
        day_examples: schedule.day_examples(from.to_zoned(zone).date(), EXAMPLES),
        period: schedule.period(),
        surprises: timetable.surprises(from, horizon.unwrap_or(Timestamp::MAX)),
        changed: means_something_else_before_1_22(&subject.schedule, from),
    })
}

/// What a schedule means in documents: words and numbers.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Meaning")]
#[serde(rename_all = "camelCase")]
pub(super) struct MeaningInWords {
    /// In a sentence.
    sentence: String,
    /// Field by field.
    fields: Vec<FieldDocument>,
    /// How the two day fields are taken together.
    #[schemars(extend("enum" = ["any", "dayOfMonth", "dayOfWeek", "either", "both"]))]
    day_rule: &'static str,
    /// Days that show it.
    day_examples: Vec<Date>,
    /// The shortest distance between two runs.
    shortest_seconds: Option<i64>,
    /// The longest.
    longest_seconds: Option<i64>,
    /// The most frequent; of two that are equally frequent, the shorter.
    typical_seconds: Option<i64>,
    /// What happens when clocks are turned.
    surprises: Vec<SurpriseDocument>,
    /// The release before which it meant something else.
    means_something_else_before: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScheduleField")]
struct FieldDocument {
    /// Which field.
    name: String,
    /// As it was written.
    text: String,
    /// What it means.
    meaning: String,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Surprise")]
#[serde(rename_all = "camelCase")]
struct SurpriseDocument {
    /// What happens.
    #[schemars(extend("enum" = ["lost", "doubled", "additional"]))]
    kind: &'static str,
    /// When the clock is turned.
    change: Timestamp,
    /// The local date.
    local_date: Date,
    /// The local times.
    local_times: Vec<DateTime>,
    /// How many there are.
    count: usize,
}

impl From<ScheduleMeaning> for MeaningInWords {
    fn from(meaning: ScheduleMeaning) -> Self {
        let fields = meaning
            .description
            .fields
            .iter()
            .map(|field| FieldDocument {
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
