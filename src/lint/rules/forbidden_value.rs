use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD107",
    name: "forbidden-value",
    severity: Severity::Error,
    title: "a value may not be there, as things are",
    reason: "Another field makes this one pointless or ambiguous, so that the API server \
             refuses both.",
    remedy: "Remove it, or what it conflicts with.",
    example: example!("forbidden-value"),
    check: Check::Server,
};
