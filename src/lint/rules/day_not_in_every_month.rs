use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};
use crate::schedule::Schedule;

pub(super) const RULE: Rule = Rule {
    code: "CJD209",
    name: "day-not-in-every-month",
    severity: Severity::Warning,
    title: "a day that some months do not have",
    reason: "A month without the day has no run: 0 0 31 * * runs in 7 months of the year, \
             0 0 30 * * skips February, and 0 0 29 * * skips it in three of four years. No event \
             reports it. Kubernetes has no notation for the last day of the month.",
    remedy: "Run on day 1 of the next month instead, or on days 28-31 with a command that exits \
             unless tomorrow is day 1. To run only in some months, name months that have the day.",
    example: example!("day-not-in-every-month"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
    let short = subject.schedule().and_then(Schedule::short_months);
    let found = short.map(|short| subject.found("spec.schedule", short.to_string()));
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn in_releases(releases: &str, schedule: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'"));
        found("day-not-in-every-month", releases, &text)
    }

    #[test]
    fn months_that_are_skipped_are_named() {
        let message = "7:13 February has no day 30: it runs in 11 of 12 months";
        assert_eq!(in_releases("1.20-1.37", "0 0 30 * *"), [message]);
        assert!(in_releases("1.36", "0 0 28-31 * *").is_empty());
        // What never runs is an error of its own.
        assert!(in_releases("1.36", "0 0 30 2 *").is_empty());
        // What cannot be read is another.
        assert!(in_releases("1.36", "0 0 32 * *").is_empty());
    }
}
