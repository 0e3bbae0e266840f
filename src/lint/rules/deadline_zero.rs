use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity, Subject};

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) const RULE: Rule = Rule {
    code: "CJD401",
    name: "deadline-zero",
    severity: Severity::Error,
    title: "a deadline of zero: nothing ever starts",
    reason: "A slot is always a little in the past when the controller looks. With \
             startingDeadlineSeconds: 0 every slot is too old by then, and no event tells of it.",
    remedy: "Give the runs some time to start, such as startingDeadlineSeconds: 300, or leave the \
             field out; suspend: true stops a CronJob.",
    example: example!("deadline-zero"),
    check: Check::Each(check),
};

fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.whole_number(DEADLINE) != Some(0) {
        return Vec::new();
    }
    vec![subject.found(
        DEADLINE,
        "with a deadline of 0 seconds nothing is ever started",
    )]
}
