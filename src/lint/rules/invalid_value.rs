use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD105",
    name: "invalid-value",
    severity: Severity::Error,
    title: "a value breaks a rule of the API",
    reason: "The API server refuses the manifest because of it, and says why.",
    remedy: "Change the value as the message says.",
    example: example!("invalid-value"),
    check: Check::Server,
};
