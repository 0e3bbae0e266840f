//! What a schedule means, put together for people.

use jiff::Timestamp;

use super::{Problem, Subject, read};
use crate::controller::Controller;
use crate::schedule::{
    DayExample, Description, DialectDifference, Period, Schedule, Surprise,
    means_something_else_before_1_22,
};

/// What a schedule means.
#[derive(Clone, Debug)]
pub struct Meaning {
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
pub fn meaning(
    subject: &Subject,
    from: Timestamp,
    controller: &Controller<'_>,
) -> Result<Meaning, Problem> {
    let schedule: Schedule = read(controller, subject)?;
    let timetable = schedule.in_zone(&controller.local);
    let horizon = Timestamp::from_second(from.as_second().saturating_add(HORIZON));
    let zone = timetable
        .zone()
        .unwrap_or(&controller.local)
        .time_zone()
        .clone();
    Ok(Meaning {
        description: schedule.describe(),
        day_examples: schedule.day_examples(from.to_zoned(zone).date(), EXAMPLES),
        period: schedule.period(),
        surprises: timetable.surprises(from, horizon.unwrap_or(Timestamp::MAX)),
        changed: means_something_else_before_1_22(&subject.schedule, from),
    })
}
