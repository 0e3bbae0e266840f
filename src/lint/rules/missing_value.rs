use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD104",
    name: "missing-value",
    severity: Severity::Error,
    title: "a field that must be there is missing",
    reason: "The API server refuses the manifest without it.",
    remedy: "Add the field.",
    example: example!("missing-value"),
    check: Check::Server,
};
