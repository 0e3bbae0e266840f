use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

const LIMIT: &str = "spec.failedJobsHistoryLimit";

pub(super) const RULE: Rule = Rule {
    code: "CJD501",
    name: "history-limit-hides-failures",
    severity: Severity::Warning,
    title: "failed runs are deleted at once",
    reason: "With failedJobsHistoryLimit: 0 a failed Job is deleted as soon as the controller sees \
             it, with its pods and their logs. Nobody can find out what went wrong.",
    remedy: "Keep at least one; without the field it is one.",
    example: example!("history-limit-hides-failures"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
