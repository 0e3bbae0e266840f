use jiff::tz::TimeZone;

use crate::lint::{Found, Subject};
use crate::schedule::{DayRule, FieldName, Schedule};

/// So many dates show what is meant.
const SHOWN: usize = 3;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let Some(schedule) = subject.schedule().filter(|it| restricts_both(it)) else {
        return Vec::new();
    };
    if let Some(idle) = schedule.idle_day_field() {
        let message = format!(
            "the {idle} changes nothing: the other day field allows every day, and either is \
             enough"
        );
        let star = match idle {
            FieldName::DayOfMonth => "day of the week",
            _ => "day of the month",
        };
        let help = format!("Write * for the {star}; then the {idle} decides.");
        return vec![subject.found("spec.schedule", message).help(help)];
    }
    if !matches!(schedule.describe().days, DayRule::Either { .. }) {
        return Vec::new();
    }
    let dates = dates(subject, schedule);
    let message = format!("either day field is enough: it runs on {dates}");
    vec![subject.found("spec.schedule", message)]
}

/// Whether neither day field is written as a star, which is quickly seen.
fn restricts_both(schedule: &Schedule) -> bool {
    let words: Vec<&str> = schedule.text().split_whitespace().collect();
    let is_star = |word: &&str| matches!(*word, "*" | "?");
    matches!(words.as_slice(), [_, _, day, _, weekday] if !is_star(day) && !is_star(weekday))
}

/// The next dates, among them one for each reason.
fn dates(subject: &Subject<'_>, schedule: &Schedule) -> String {
    let zone = schedule.own_zone().unwrap_or(&subject.context.local);
    let zone: TimeZone = zone.time_zone().clone();
    let today = subject.context.now.to_zoned(zone).date();
    let examples = schedule.day_examples(today, SHOWN);
    let shown: Vec<String> = examples.iter().map(ToString::to_string).collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn in_release(release: &str, schedule: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'"));
        found("either-day-field", release, &text)
    }

    #[test]
    fn dates_show_both_reasons() {
        // 21 November 2026 is a Saturday.
        assert_eq!(
            in_release("1.36", "0 0 13 * 5"),
            [
                "7:13 either day field is enough: it runs on Fri 2026-11-27 (a Friday), \
              Sun 2026-12-13 (day 13), Fri 2027-08-13 (both)"
            ]
        );
        // Since 1.22 a step takes the star away; before, both fields had to match.
        assert!(in_release("1.21", "0 0 */2 * 1").is_empty());
        assert_eq!(in_release("1.22", "0 0 */2 * 1").len(), 1);
    }

    #[test]
    fn a_field_that_is_overruled() {
        assert_eq!(
            in_release("1.36", "0 0 1 * 0-6"),
            [
                "7:13 the day of month changes nothing: the other day field allows every day, and \
              either is enough"
            ]
        );
    }

    #[test]
    fn one_field_alone_is_what_everybody_means() {
        for sound in [
            "0 0 * * 1",
            "0 0 1 * *",
            "0 0 1 * ?",
            "0 0 */1 * 1",
            "@weekly",
            "@every 1h",
        ] {
            assert!(in_release("1.36", sound).is_empty(), "{sound}");
        }
    }
}
