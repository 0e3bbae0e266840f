use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD102",
    name: "wrong-type",
    severity: Severity::Error,
    title: "a value is of a wrong type",
    reason: "The API server reads a manifest into typed fields and refuses it at the first value \
             that does not fit. YAML makes numbers and booleans of what is not in quotes: labels, \
             annotations and environment variables must be text.",
    remedy: "Put text in quotes, and leave numbers and booleans without.",
    example: example!("wrong-type"),
    check: Check::Server,
};
