//! Minutes and hours in words.

use super::numbers::{Numbers, Shape};
use crate::words::{clock, count, join, ordinal};

/// The times of day: `at 02:00`, `every 15 minutes`, `at minute 30 past every hour from 9 through 17`.
///
/// The gap between the last hour and the first matters only if the schedule runs every day.
pub(super) fn times(minutes: Numbers, hours: Numbers, every_day: bool) -> String {
    if hours.is_all() {
        return past_every_hour(minutes);
    }
    if minutes.is_all() {
        return match hours.run() {
            Some((first, last)) => {
                let (first, last) = (clock(first, 0), clock(last, 59));
                format!("every minute from {first} through {last}")
            }
            None => format!("every minute of {}", hour_names(hours)),
        };
    }
    if is_few(minutes, hours) {
        let times = hours
            .members()
            .flat_map(|hour| minutes.members().map(move |m| clock(hour, m)));
        let repeats = every_day && minutes.count() == 1 && hours.count() > 2;
        let gap = if repeats {
            last_gap(hours, 24, "hour")
        } else {
            String::new()
        };
        return format!("at {}{gap}", join(times, "and"));
    }
    if let Some(pace) = pace_in_run(minutes, hours) {
        return pace;
    }
    let through = matches!(hours.shape(), Shape::Run(..));
    let gap = if through {
        last_gap(minutes, 60, "minute")
    } else {
        String::new()
    };
    format!("{} past {}{gap}", at_minutes(minutes), hour_names(hours))
}

/// The most times that are listed one by one.
fn is_few(minutes: Numbers, hours: Numbers) -> bool {
    match (minutes.count(), hours.count()) {
        (1, hours) => hours <= 5,
        (minutes, 1) => minutes <= 4,
        _ => false,
    }
}

/// `every 15 minutes from 09:00 through 17:45`.
fn pace_in_run(minutes: Numbers, hours: Numbers) -> Option<String> {
    let (first, last) = hours.run()?;
    match minutes.shape() {
        Shape::Steps(steps) if steps.is_even_in(60) => Some(format!(
            "every {} minutes from {} through {}",
            steps.step,
            clock(first, steps.first),
            clock(last, steps.last)
        )),
        _ => None,
    }
}

fn past_every_hour(minutes: Numbers) -> String {
    match minutes.shape() {
        Shape::Nothing | Shape::All => minute_field(minutes),
        Shape::Steps(steps) if steps.is_even_in(60) || minutes.steps_through().is_some() => {
            minute_field(minutes)
        }
        _ => format!("{} past every hour", at_minutes(minutes)),
    }
}

/// The minute field by itself.
pub(super) fn minute_field(minutes: Numbers) -> String {
    match minutes.shape() {
        Shape::Nothing => "nothing".to_owned(),
        Shape::All => "every minute".to_owned(),
        Shape::Steps(steps) if steps.is_even_in(60) => {
            let pace = format!("every {} minutes", steps.step);
            if steps.first == 0 {
                pace
            } else {
                format!("{pace}, {}", at_minutes(minutes))
            }
        }
        _ => format!("{}{}", at_minutes(minutes), last_gap(minutes, 60, "minute")),
    }
}

/// The hour field by itself.
pub(super) fn hour_field(hours: Numbers) -> String {
    match hours.shape() {
        Shape::Nothing => "nothing".to_owned(),
        Shape::One(_) | Shape::Other => format!("in {}", hour_names(hours)),
        Shape::Steps(steps) if steps.count < MANY_STEPS => {
            format!("in {}{}", hour_names(hours), last_gap(hours, 24, "hour"))
        }
        _ => hour_names(hours),
    }
}

fn at_minutes(minutes: Numbers) -> String {
    match minutes.shape() {
        Shape::One(minute) => format!("at minute {minute}"),
        Shape::Run(first, last) => format!("at every minute from {first} through {last}"),
        _ => format!("at minutes {}", minutes.list(|minute| minute.to_string())),
    }
}

/// With fewer steps a list is easier to read.
const MANY_STEPS: u32 = 6;

fn hour_names(hours: Numbers) -> String {
    match hours.shape() {
        Shape::All => "every hour".to_owned(),
        Shape::One(hour) => format!("hour {hour}"),
        Shape::Run(first, last) => format!("every hour from {first} through {last}"),
        Shape::Steps(steps) if steps.count >= MANY_STEPS => {
            let every = format!("every {} hour", ordinal(steps.step));
            if hours.steps_through().is_some() {
                every
            } else {
                format!("{every} from {} through {}", steps.first, steps.last)
            }
        }
        _ => format!("hours {}", hours.list(|hour| hour.to_string())),
    }
}

/// ` (the last gap is 4 minutes)`, for steps that do not divide the round.
fn last_gap(numbers: Numbers, round: u32, unit: &str) -> String {
    match numbers.steps_through() {
        Some(steps) if !steps.is_even_in(round) => {
            format!(" (the last gap is {})", count(round - steps.last, unit))
        }
        _ => String::new(),
    }
}
