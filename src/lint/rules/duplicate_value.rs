use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD108",
    name: "duplicate-value",
    severity: Severity::Error,
    title: "a value that must be unique is not",
    reason: "Names of containers, ports, volumes and mounts tell them apart; the API server refuses \
             the second of two that are equal.",
    remedy: "Give one of them another name.",
    example: example!("duplicate-value"),
    check: Check::Server,
};
