use super::limits::runs_without_limit;
use crate::lint::{Found, Subject};

const POLICY: &str = "spec.concurrencyPolicy";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
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
