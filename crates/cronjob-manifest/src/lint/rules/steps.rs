//! Steps in schedules, such as `*/45`.

use crate::lint::{LintSubject, Violation};
use kube_cron::{DayRule, FieldName, Schedule, SteppedField};

pub(super) fn uneven_step(subject: &LintSubject<'_>) -> Vec<Violation> {
    let (Some(schedule), Some(period)) = (subject.schedule_with("/"), subject.period()) else {
        return Vec::new();
    };
    let steps = schedule.steps().into_iter();
    steps
        .filter(|step| step.is_open && decides(schedule, step.field))
        .filter_map(|step| Some((turn(&step)?, step)))
        // Only if a run really follows the last value of a round that soon.
        .filter(|(_, step)| {
            let step_seconds = i64::try_from(step.step).unwrap_or(0) * unit(step.field).1;
            period.shortest < step_seconds
        })
        .map(|(turn, step)| {
            let found = subject.found("spec.schedule", turn.in_words(&step));
            found.help(even_steps(&step))
        })
        .collect()
}

/// Whether the field determines the intervals between runs: the finer fields allow one value, and the
/// other day field does not count.
fn decides(schedule: &Schedule, field: FieldName) -> bool {
    let single = |field| schedule.allowed(field).len() == 1;
    let once_a_day = single(FieldName::Minute) && single(FieldName::Hour);
    let days = || schedule.describe().days;
    match field {
        FieldName::Second | FieldName::Minute => true,
        FieldName::Hour => single(FieldName::Minute),
        FieldName::DayOfMonth => once_a_day && matches!(days(), DayRule::DayOfMonth { .. }),
        FieldName::DayOfWeek => once_a_day && matches!(days(), DayRule::DayOfWeek { .. }),
        FieldName::Month => once_a_day && single(FieldName::DayOfMonth),
    }
}

/// Where a round ends and the next begins.
struct Turn {
    last: u32,
    first: u32,
    distance: u32,
}

/// The turn of a step, if it is shorter than the step.
fn turn(step: &SteppedField) -> Option<Turn> {
    let (first, last) = (*step.values.first()?, *step.values.last()?);
    let (minimum, maximum) = step.field.bounds();
    let distance = first + maximum - minimum + 1 - last;
    // A start later than one step is probably intended.
    let from_the_start = u64::from(first) < u64::from(minimum) + step.step;
    let is_short = u64::from(distance) < step.step && step.values.len() > 1;
    (from_the_start && is_short).then_some(Turn {
        last,
        first,
        distance,
    })
}

/// The word for a field's unit, and how many seconds it has at least.
fn unit(field: FieldName) -> (&'static str, i64) {
    match field {
        FieldName::Second => ("second", 1),
        FieldName::Minute => ("minute", 60),
        FieldName::Hour => ("hour", 3_600),
        FieldName::DayOfMonth | FieldName::DayOfWeek => ("day", 86_400),
        FieldName::Month => ("month", 28 * 86_400),
    }
}

impl Turn {
    fn in_words(&self, step: &SteppedField) -> String {
        let SteppedField {
            text, step: every, ..
        } = step;
        let (unit, _) = unit(step.field);
        let value = if step.field == FieldName::DayOfWeek {
            "weekday"
        } else {
            unit
        };
        let plural = if self.distance == 1 { "" } else { "s" };
        format!(
            "{text} is not every {every} {unit}s: {value} {} comes {} {unit}{plural} after {value} \
             {}",
            self.first, self.distance, self.last
        )
    }
}

/// The steps next to it that divide the round, where there is a round of one length.
fn even_steps(step: &SteppedField) -> String {
    let (round, letter) = match step.field {
        FieldName::Second => (60_u64, Some('s')),
        FieldName::Minute => (60, Some('m')),
        FieldName::Hour => (24, Some('h')),
        FieldName::Month => (12, None),
        FieldName::DayOfMonth => {
            return "Each month starts over: list the days, or count them in the program.".into();
        }
        FieldName::DayOfWeek => return "Each week starts over: list the weekdays.".into(),
    };
    let every = step.step;
    let divides = |candidate: &u64| round.is_multiple_of(*candidate);
    let below = (2..every).rev().find(divides);
    let above = (every..round).find(divides);
    let near = below.into_iter().chain(above);
    let near: Vec<String> = near.map(|step| step.to_string()).collect();
    let pace = letter.map_or(String::new(), |letter| {
        format!(", or use @every {every}{letter}, which counts from the previous run")
    });
    format!(
        "Use a step that divides {round}, such as {}{pace}.",
        near.join(" or ")
    )
}

pub(super) fn step_too_large(subject: &LintSubject<'_>) -> Vec<Violation> {
    let steps = subject.schedule_with("/").map(Schedule::steps);
    let steps = steps.unwrap_or_default().into_iter();
    steps
        .filter_map(|step| {
            let only = only_value(&step)?;
            let SteppedField { text, field, .. } = &step;
            let message = format!("{text} matches only {field} {only}");
            let found = subject.found("spec.schedule", message);
            Some(match next_field(&step) {
                Some(help) => found.help(help),
                None => found,
            })
        })
        .collect()
}

/// The only value that is left of a range, unless the step is exactly the whole round: */60 does run
/// every 60 minutes.
fn only_value(step: &SteppedField) -> Option<u32> {
    let [only] = step.values.as_slice() else {
        return None;
    };
    let (minimum, maximum) = step.field.bounds();
    let is_round = step.is_open && step.step == u64::from(maximum - minimum) + 1;
    // 5-5/2 is a range of one value to begin with.
    let is_range = step.is_open || !is_single(&step.text);
    (!is_round && is_range).then_some(*only)
}

fn is_single(text: &str) -> bool {
    let (limits, _) = text.split_once('/').unwrap_or((text, ""));
    limits
        .split_once('-')
        .is_some_and(|(low, high)| low == high)
}

/// An alternative for minutes and hours.
fn next_field(step: &SteppedField) -> Option<String> {
    if !step.is_open {
        return None;
    }
    let count = step.step;
    match step.field {
        FieldName::Minute if count.is_multiple_of(60) && 24_u64.is_multiple_of(count / 60) => {
            Some(format!(
                "For every {} hours, use 0 */{} as the first two fields.",
                count / 60,
                count / 60
            ))
        }
        FieldName::Minute => Some(format!(
            "For every {count} minutes, use @every {count}m, which counts from the previous run."
        )),
        FieldName::Hour => Some(format!(
            "For every {count} hours, use @every {count}h, which counts from the previous run."
        )),
        _ => None,
    }
}
