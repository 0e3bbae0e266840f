use crate::lint::rule::example;
use crate::lint::{Check, Found, POD, Rule, Severity, Subject};

pub(super) const RULE: Rule = Rule {
    code: "CJD506",
    name: "on-failure-loses-logs",
    severity: Severity::Info,
    title: "the logs of a run that fails are lost",
    reason: "With restartPolicy: OnFailure the same pod tries again and again. Once backoffLimit is \
             reached the Job has failed, and its pod is deleted, since it would go on trying: just \
             when somebody wants to see why, the logs are gone. With Never each attempt has a pod \
             of its own, and these stay.",
    remedy: "Use Never, or ship the logs elsewhere.",
    example: example!("on-failure-loses-logs"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
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
