use crate::lint::{Found, Subject};

const LIMIT: &str = "spec.failedJobsHistoryLimit";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.whole_number(LIMIT) != Some(0) {
        return Vec::new();
    }
    vec![subject.found(
        LIMIT,
        "a failed Job is deleted at once, and its logs with it",
    )]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn none_is_kept() {
        let messages = |limit: &str| {
            let text = spec(&format!(
                "schedule: 0 6 * * *\nfailedJobsHistoryLimit: {limit}"
            ));
            found("history-limit-hides-failures", "1.36", &text)
        };
        assert_eq!(
            messages("0"),
            ["8:27 a failed Job is deleted at once, and its logs with it"]
        );
        assert!(messages("1").is_empty() && messages("null").is_empty());
    }
}
