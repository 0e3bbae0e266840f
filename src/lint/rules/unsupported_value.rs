use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD106",
    name: "unsupported-value",
    severity: Severity::Error,
    title: "a value is none of those there are",
    reason: "The field has a few possible values, and upper and lower case count.",
    remedy: "Take one of the values that the message names.",
    example: example!("unsupported-value"),
    check: Check::Server,
};
