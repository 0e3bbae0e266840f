use crate::controller::Success;
use crate::lint::{Found, Subject};

const LIMIT: &str = "spec.successfulJobsHistoryLimit";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.whole_number(LIMIT) != Some(0) {
        return Vec::new();
    }
    let message = if subject.behaviour().success == Success::Never {
        "a successful Job is deleted at once, and nothing tells that it ran"
    } else {
        "a successful Job is deleted at once, and only status.lastSuccessfulTime tells of it"
    };
    vec![subject.found(LIMIT, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn what_is_left_depends_on_the_release() {
        let text = spec("schedule: 0 6 * * *\nsuccessfulJobsHistoryLimit: 0");
        let messages = |release: &str| found("history-limit-hides-successes", release, &text);
        assert_eq!(
            messages("1.36"),
            [
                "8:31 a successful Job is deleted at once, and only status.lastSuccessfulTime tells of \
              it"
            ]
        );
        assert_eq!(
            messages("1.20"),
            ["8:31 a successful Job is deleted at once, and nothing tells that it ran"]
        );
    }
}
