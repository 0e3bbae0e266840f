use super::limits::runs_without_limit;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

const POLICY: &str = "spec.concurrencyPolicy";

pub(super) const RULE: Rule = Rule {
    code: "CJD406",
    name: "forbid-without-active-deadline",
    severity: Severity::Warning,
    title: "one stuck run blocks all others",
    reason: "With Forbid nothing is started while a Job is active, and a Job stays active while \
             its pod hangs, cannot be scheduled, or waits for an image. Without \
             activeDeadlineSeconds that has no end: nightly runs stay away until somebody looks.",
    remedy: "Set spec.jobTemplate.spec.activeDeadlineSeconds to longer than any healthy run takes.",
    example: example!("forbid-without-active-deadline"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.str(POLICY) != Some("Forbid") || !runs_without_limit(subject) {
        return Vec::new();
    }
    let message = "without activeDeadlineSeconds a run that hangs blocks all others for ever";
    vec![subject.found(POLICY, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn a_limit_on_the_job_or_on_the_pod() {
        let text = spec("schedule: 0 6 * * *\nconcurrencyPolicy: Forbid");
        let message =
            "8:22 without activeDeadlineSeconds a run that hangs blocks all others for ever";
        assert_eq!(found("CJD406", "1.36", &text), [message]);
        let job = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: 60\n      template",
        );
        let pod = text.replace(
            "          restart",
            "          activeDeadlineSeconds: 60\n          restart",
        );
        let null = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: null\n      template",
        );
        assert!(found("CJD406", "1.36", &job).is_empty());
        assert!(found("CJD406", "1.36", &pod).is_empty());
        assert_eq!(found("CJD406", "1.36", &null), [message]);
        assert!(found("CJD406", "1.36", &text.replace("Forbid", "Allow")).is_empty());
    }
}
