use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD110",
    name: "server-warning",
    severity: Severity::Warning,
    title: "the API server warns of it",
    reason: "The API server takes the manifest and sends a warning along, which pipelines hardly \
             ever show.",
    remedy: "Do as the message says.",
    example: example!("server-warning"),
    check: Check::Server,
};
