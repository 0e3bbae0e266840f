use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD109",
    name: "unknown-reference",
    severity: Severity::Error,
    title: "a name of something that is not in the manifest",
    reason: "What is mounted or referred to must be declared in the same pod: a volume mount needs \
             its volume.",
    remedy: "Declare it, or correct the name.",
    example: example!("unknown-reference"),
    check: Check::Server,
};
