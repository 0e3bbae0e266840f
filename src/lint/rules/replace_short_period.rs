use crate::duration::exact;
use crate::lint::{Found, Subject};

const POLICY: &str = "spec.concurrencyPolicy";

const SHORT: i64 = 120;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.str(POLICY) != Some("Replace") {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.shortest <= SHORT) else {
        return Vec::new();
    };
    let message = format!(
        "a run that is not over after {} is deleted, its start included",
        exact(period.shortest)
    );
    vec![subject.found(POLICY, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn a_minute_or_two() {
        let messages = |schedule: &str, policy: &str| {
            let text = spec(&format!(
                "schedule: '{schedule}'\nconcurrencyPolicy: {policy}"
            ));
            found("replace-short-period", "1.36", &text)
        };
        assert_eq!(
            messages("* * * * *", "Replace"),
            ["8:22 a run that is not over after 1m is deleted, its start included"]
        );
        assert!(messages("*/5 * * * *", "Replace").is_empty());
        assert!(messages("* * * * *", "Forbid").is_empty());
    }
}
