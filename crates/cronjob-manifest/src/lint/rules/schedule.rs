//! Schedules.

use jiff::tz::TimeZone;

use crate::lint::{LintSubject, Violation};
use cronjob_controller::controller::Generation;
use cronjob_text::duration::{every, in_units};
use kube_cron::{DayRule, FieldName, Schedule, means_something_else_before_1_22};

pub(super) fn never_scheduled(subject: &LintSubject<'_>) -> Option<Violation> {
    let timetable = subject.timetable();
    let why = timetable.and_then(|timetable| timetable.why_never(subject.context.now));
    // If it is also suspended, that is intended.
    let meant = subject.boolean("spec.suspend") == Some(true);
    let why = why.filter(|_| !meant)?;
    Some(subject.found("spec.schedule", format!("the schedule never runs: {why}")))
}

const SHOWN: usize = 3;

pub(super) fn either_day_field(subject: &LintSubject<'_>) -> Option<Violation> {
    let schedule = subject.schedule().filter(|it| restricts_both(it))?;
    if let Some(idle) = schedule.idle_day_field() {
        let message = format!(
            "the {idle} has no effect: the other day field matches every day, and one match is \
             enough"
        );
        let star = match idle {
            FieldName::DayOfMonth => "day of the week",
            _ => "day of the month",
        };
        let help = format!("Set the {star} to *, so that only the {idle} counts.");
        return Some(subject.found("spec.schedule", message).help(help));
    }
    if !matches!(schedule.describe().days, DayRule::Either { .. }) {
        return None;
    }
    let dates = dates(subject, schedule);
    let message = format!("a match of either day field is enough: it runs on {dates}");
    Some(subject.found("spec.schedule", message))
}

/// Whether neither day field is an asterisk, without parsing.
fn restricts_both(schedule: &Schedule) -> bool {
    let words: Vec<&str> = schedule.text().split_whitespace().collect();
    let is_star = |word: &&str| matches!(*word, "*" | "?");
    matches!(words.as_slice(), [_, _, day, _, weekday] if !is_star(day) && !is_star(weekday))
}

/// The next dates, among them one for each reason.
fn dates(subject: &LintSubject<'_>, schedule: &Schedule) -> String {
    let zone = schedule.own_zone().unwrap_or(&subject.context.local);
    let zone: TimeZone = zone.time_zone().clone();
    let today = subject.context.now.to_zoned(zone).date();
    let examples = schedule.day_examples(today, SHOWN);
    let shown: Vec<String> = examples.iter().map(ToString::to_string).collect();
    shown.join(", ")
}

pub(super) fn every_minute_of_hour(subject: &LintSubject<'_>) -> Option<Violation> {
    let schedule = subject.schedule()?;
    let minutes = schedule.allowed(FieldName::Minute);
    if minutes.len() != 60 {
        return None;
    }
    let hours = schedule.allowed(FieldName::Hour);
    let days = schedule.allowed(FieldName::DayOfMonth);
    let weekdays = schedule.allowed(FieldName::DayOfWeek);
    let help = "Set the minute and the hour to 0 if you want one run.";
    match (hours.as_slice(), days.as_slice(), weekdays.as_slice()) {
        ([hour], ..) => {
            let message = format!("runs 60 times, every minute from {hour:02}:00 to {hour:02}:59");
            Some(subject.found("spec.schedule", message))
        }
        (hours, [day], weekdays) if hours.len() == 24 && weekdays.len() == 7 => {
            let message = format!("runs every minute of day {day} of the month");
            Some(subject.found("spec.schedule", message).help(help))
        }
        (hours, days, [weekday]) if hours.len() == 24 && days.len() == 31 => {
            let name = usize::try_from(*weekday)
                .ok()
                .and_then(|day| WEEKDAYS.get(day))?;
            let message = format!("runs every minute of {name}");
            Some(subject.found("spec.schedule", message).help(help))
        }
        (hours, ..) => some_hours(subject, hours),
    }
}

const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// Every minute of hours that are listed or stepped. A range such as 9-17 is intended.
fn some_hours(subject: &LintSubject<'_>, hours: &[u32]) -> Option<Violation> {
    let written = subject.str("spec.schedule")?;
    let field = written.split_whitespace().nth(1)?;
    let is_range = hours
        .windows(2)
        .all(|pair| matches!(pair, [one, next] if *next == one + 1));
    if !field.contains('/') && is_range {
        return None;
    }
    let message = if hours.len() == 24 {
        format!("runs every minute: {field} in the hour field matches every hour")
    } else {
        let shown: Vec<String> = hours.iter().map(ToString::to_string).collect();
        let count = 60 * hours.len();
        format!(
            "runs {count} times a day: every minute of the hours {}",
            shown.join(", ")
        )
    };
    let rest: Vec<&str> = written.split_whitespace().skip(1).collect();
    let help = format!(
        "For one run in each of these hours, set the minute: 0 {}",
        rest.join(" ")
    );
    Some(subject.found("spec.schedule", message).help(help))
}

pub(super) fn stepped_star_changed(subject: &LintSubject<'_>) -> Option<Violation> {
    let schedule = subject.schedule_with("/")?;
    // Since 1.22 the meaning does not change; another rule reports that either field is enough.
    let old = matches!(schedule.describe().days, DayRule::Both { .. });
    let written = subject.str("spec.schedule").filter(|_| old)?;
    let difference = means_something_else_before_1_22(written, subject.context.now)?;
    let message = format!(
        "since Kubernetes 1.22 a match of either day field is enough: it then also runs on {}",
        difference.date
    );
    Some(subject.found("spec.schedule", message))
}

pub(super) fn sub_minute_every(subject: &LintSubject<'_>) -> Option<Violation> {
    let named_by_minute = subject.behavior().generation == Generation::V2;
    let schedule = subject
        .schedule_with("@every")
        .filter(|_| named_by_minute)?;
    let period = schedule.period().filter(|period| period.shortest < 60)?;
    let message = format!(
        "due {}, but only one run per minute is started",
        every(period.shortest)
    );
    Some(subject.found("spec.schedule", message))
}

/// For shorter periods, the exact minute rarely matters.
const LONG: i64 = 6 * 3_600;

pub(super) fn every_not_aligned_to_clock(subject: &LintSubject<'_>) -> Option<Violation> {
    let period = subject.schedule_with("@every")?.period()?;
    if period.shortest < LONG {
        return None;
    }
    let message = format!(
        "the first run is {} after the CronJob is created, at whatever time that is",
        in_units(period.shortest)
    );
    let found = subject.found("spec.schedule", message);
    Some(match subject.get("spec.timeZone") {
        Some(_) => found.note("spec.timeZone has no effect here."),
        None => found,
    })
}

pub(super) fn day_not_in_every_month(subject: &LintSubject<'_>) -> Option<Violation> {
    let short = subject.schedule()?.short_months()?;
    Some(subject.found("spec.schedule", short.to_string()))
}
