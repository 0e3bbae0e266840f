use crate::lint::{Found, Subject};
use crate::schedule::{DayRule, means_something_else_before_1_22};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    let Some(schedule) = subject.schedule().filter(|_| written.contains('/')) else {
        return Vec::new();
    };
    // From 1.22 on they mean what they will mean; that either is enough is another rule's.
    let old = matches!(schedule.describe().days, DayRule::Both { .. });
    let change = || means_something_else_before_1_22(written, subject.context.now);
    let Some(difference) = change().filter(|_| old) else {
        return Vec::new();
    };
    let message = format!(
        "from 1.22 on either day field is enough: then it also runs on {}",
        difference.date
    );
    vec![subject.found("spec.schedule", message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn only_releases_before_the_change_are_told() {
        // 21 November 2026 is a Saturday: day 23 is odd and a Monday, 25 is odd and a Wednesday.
        let text = spec("schedule: '0 0 */2 * 1'");
        assert_eq!(
            found("stepped-star-changed", "1.20-1.24", &text),
            [
                "7:13 from 1.22 on either day field is enough: then it also runs on 2026-11-25 \
              (1.20 to 1.21)"
            ]
        );
        for sound in ["0 0 */2 * *", "0 0 13 * 5", "*/2 0 1 * *"] {
            let text = spec(&format!("schedule: '{sound}'"));
            assert!(
                found("stepped-star-changed", "1.21", &text).is_empty(),
                "{sound}"
            );
        }
    }
}
