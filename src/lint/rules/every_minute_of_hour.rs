use crate::lint::{Found, Subject};
use crate::schedule::FieldName;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
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
            let message =
                format!("runs sixty times, in every minute from {hour:02}:00 to {hour:02}:59");
            vec![subject.found("spec.schedule", message)]
        }
        (hours, [day]) if hours.len() == 24 && every_day => {
            let message = format!("runs in every minute of day {day} of the month");
            let help = "Write 0 for the minute and for the hour if once is meant.";
            vec![subject.found("spec.schedule", message).help(help)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(schedule: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'"));
        found("every-minute-of-hour", "1.36", &text)
    }

    #[test]
    fn a_star_that_should_be_a_zero() {
        assert_eq!(
            messages("* 6 * * 1-5"),
            ["7:13 runs sixty times, in every minute from 06:00 to 06:59"]
        );
        assert_eq!(
            messages("* * 1 * *"),
            ["7:13 runs in every minute of day 1 of the month"]
        );
    }

    #[test]
    fn hours_on_end_are_meant() {
        for sound in [
            "* * * * *",
            "* 9-17 * * 1-5",
            "*/5 6 * * *",
            "0 * 1 * *",
            "* * * * 1",
            "@every 1m",
        ] {
            assert!(messages(sound).is_empty(), "{sound}");
        }
    }
}
