use crate::lint::{Found, Subject};

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.whole_number(DEADLINE) != Some(0) {
        return Vec::new();
    }
    vec![subject.found(
        DEADLINE,
        "with a deadline of 0 seconds nothing is ever started",
    )]
}
