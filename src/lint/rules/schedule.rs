//! Schedules.

use jiff::tz::TimeZone;

use crate::controller::Generation;
use crate::duration::exact;
use crate::lint::{LintSubject, Violation};
use crate::schedule::{DayRule, FieldName, Schedule, means_something_else_before_1_22};

pub(super) fn never_scheduled(subject: &LintSubject<'_>) -> Vec<Violation> {
    let timetable = subject.timetable();
    let why = timetable.and_then(|timetable| timetable.why_never(subject.context.now));
    // If it is also suspended, that is intended.
    let meant = subject.boolean("spec.suspend") == Some(true);
    let Some(why) = why.filter(|_| !meant) else {
        return Vec::new();
    };
    vec![subject.found("spec.schedule", format!("the schedule never runs: {why}"))]
}

const SHOWN: usize = 3;

pub(super) fn either_day_field(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(schedule) = subject.schedule().filter(|it| restricts_both(it)) else {
        return Vec::new();
    };
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
        return vec![subject.found("spec.schedule", message).help(help)];
    }
    if !matches!(schedule.describe().days, DayRule::Either { .. }) {
        return Vec::new();
    }
    let dates = dates(subject, schedule);
    let message = format!("a match of either day field is enough: it runs on {dates}");
    vec![subject.found("spec.schedule", message)]
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

pub(super) fn every_minute_of_hour(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(schedule) = subject.schedule() else {
        return Vec::new();
    };
    let minutes = schedule.allowed(FieldName::Minute);
    if minutes.len() != 60 {
        return Vec::new();
    }
    let hours = schedule.allowed(FieldName::Hour);
    let days = schedule.allowed(FieldName::DayOfMonth);
    let every_day = schedule.allowed(FieldName::DayOfWeek).len() == 7;
    match (hours.as_slice(), days.as_slice()) {
        ([hour], _) => {
            let message = format!("runs 60 times, every minute from {hour:02}:00 to {hour:02}:59");
            vec![subject.found("spec.schedule", message)]
        }
        (hours, [day]) if hours.len() == 24 && every_day => {
            let message = format!("runs every minute of day {day} of the month");
            let help = "Set the minute and the hour to 0 if you want one run.";
            vec![subject.found("spec.schedule", message).help(help)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn stepped_star_changed(subject: &LintSubject<'_>) -> Vec<Violation> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let Some(schedule) = subject.schedule().filter(|_| written.contains('/')) else {
        return Vec::new();
    };
    // Since 1.22 the meaning does not change; another rule reports that either field is enough.
    let old = matches!(schedule.describe().days, DayRule::Both { .. });
    let change = || means_something_else_before_1_22(written, subject.context.now);
    let Some(difference) = change().filter(|_| old) else {
        return Vec::new();
    };
    let message = format!(
        "since Kubernetes 1.22 a match of either day field is enough: it then also runs on {}",
        difference.date
    );
    vec![subject.found("spec.schedule", message)]
}

pub(super) fn sub_minute_every(subject: &LintSubject<'_>) -> Vec<Violation> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let named_by_minute = subject.behavior().generation == Generation::V2;
    if !written.contains("@every") || !named_by_minute {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.shortest < 60) else {
        return Vec::new();
    };
    let message = format!(
        "due every {}, but only one run per minute is started",
        exact(period.shortest)
    );
    vec![subject.found("spec.schedule", message)]
}

/// For shorter periods, the exact minute rarely matters.
const LONG: i64 = 6 * 3_600;

pub(super) fn every_not_aligned_to_clock(subject: &LintSubject<'_>) -> Vec<Violation> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let Some(period) = subject.period().filter(|_| written.contains("@every")) else {
        return Vec::new();
    };
    if period.shortest < LONG {
        return Vec::new();
    }
    let message = format!(
        "the first run is {} after the CronJob is created, at whatever time that is",
        exact(period.shortest)
    );
    let found = subject.found("spec.schedule", message);
    vec![match subject.get("spec.timeZone") {
        Some(_) => found.note("spec.timeZone has no effect here."),
        None => found,
    }]
}

pub(super) fn day_not_in_every_month(subject: &LintSubject<'_>) -> Vec<Violation> {
    let short = subject.schedule().and_then(Schedule::short_months);
    let found = short.map(|short| subject.found("spec.schedule", short.to_string()));
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn schedule_means_what_the_release_reads() {
        crate::lint::testing::check(
            r"
[never-scheduled]
@1.24-1.36 schedule: 0 0 31 2,4 *
  7:13 the schedule never runs: February 31 and April 31 do not exist
# Up to 1.21 `*/8` is a star, so that 29 February must be a Sunday, which it is in 2032.
@1.20-1.22 schedule: 0 0 29 2 */8
  7:13 the schedule never runs: no matching day of the month is a Sunday within five years (the next is 2032-02-29) (1.20 to 1.21)
# Intended.
schedule: 0 0 30 2 * | suspend: true

[either-day-field]
# 21 November 2026 is a Saturday.
schedule: '0 0 13 * 5'
  7:13 a match of either day field is enough: it runs on Fri 2026-11-27 (a Friday), Sun 2026-12-13 (day 13), Fri 2027-08-13 (both)
# Since 1.22 a field with a step is no longer an asterisk; before, both fields had to match.
@1.21 schedule: '0 0 */2 * 1'
@1.22 schedule: '0 0 */2 * 1'
  7:13 a match of either day field is enough: it runs on Sat 2026-11-21 (day 21), Mon 2026-11-23 (both), Mon 2026-11-30 (a Monday)
schedule: '0 0 1 * 0-6'
  7:13 the day of month has no effect: the other day field matches every day, and one match is enough
schedule: '0 0 * * 1'
schedule: '0 0 1 * *'
schedule: '0 0 1 * ?'
schedule: '0 0 */1 * 1'
schedule: '@weekly'
schedule: '@every 1h'

[every-minute-of-hour]
schedule: '* 6 * * 1-5'
  7:13 runs 60 times, every minute from 06:00 to 06:59
schedule: '* * 1 * *'
  7:13 runs every minute of day 1 of the month
schedule: '* * * * *'
schedule: '* 9-17 * * 1-5'
schedule: '*/5 6 * * *'
schedule: '0 * 1 * *'
schedule: '* * * * 1'
schedule: '@every 1m'

[stepped-star-changed]
# 21 November 2026 is a Saturday: day 23 is odd and a Monday, 25 is odd and a Wednesday.
@1.20-1.24 schedule: '0 0 */2 * 1'
  7:13 since Kubernetes 1.22 a match of either day field is enough: it then also runs on 2026-11-25 (1.20 to 1.21)
@1.21 schedule: '0 0 */2 * *'
@1.21 schedule: '0 0 13 * 5'
@1.21 schedule: '*/2 0 1 * *'

[sub-minute-every]
# The names of Jobs have minutes since 1.21.
@1.20-1.22 schedule: '@every 30s'
  7:13 due every 30s, but only one run per minute is started (1.21 to 1.22)
schedule: '@every 60s'

[every-not-aligned-to-clock]
schedule: '@every 24h'
  7:13 the first run is 24h after the CronJob is created, at whatever time that is
schedule: '@every 90m'
schedule: '@daily'
schedule: '0 0 * * *'

[day-not-in-every-month]
@1.20-1.37 schedule: '0 0 30 * *'
  7:13 February has no day 30: it runs in 11 of 12 months
schedule: '0 0 28-31 * *'
# Other rules report what never runs and what cannot be parsed.
schedule: '0 0 30 2 *'
schedule: '0 0 32 * *'
",
        );
    }
}
