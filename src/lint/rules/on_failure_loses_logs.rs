use crate::lint::{Found, POD, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let policy = format!("{POD}.restartPolicy");
    if subject.str(&policy) != Some("OnFailure") {
        return Vec::new();
    }
    let limit = subject.whole_number("spec.jobTemplate.spec.backoffLimit");
    let message = format!(
        "the pod is deleted when the run has failed (backoffLimit {}), and its logs with it",
        limit.unwrap_or(6)
    );
    vec![subject.found(&policy, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn only_on_failure() {
        let text = spec("schedule: 0 6 * * *");
        assert!(found("on-failure-loses-logs", "1.36", &text).is_empty());
        let text = text.replace("Never", "OnFailure");
        assert_eq!(
            found("on-failure-loses-logs", "1.36", &text),
            [
                "12:26 the pod is deleted when the run has failed (backoffLimit 6), and its logs with \
              it"
            ]
        );
    }
}
