use crate::lint::{Found, Subject};
use crate::schedule::Schedule;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
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
