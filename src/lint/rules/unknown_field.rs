use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD103",
    name: "unknown-field",
    severity: Severity::Error,
    title: "a field that does not exist",
    reason: "kubectl asks the API server to be strict about fields since 1.25. Before that, and for \
             clients that do not ask, the field is dropped without a word, and what it was to do is \
             not done.",
    remedy: "Correct the name, or the place: what belongs to the Job stands in \
             spec.jobTemplate.spec, and what belongs to the pod in \
             spec.jobTemplate.spec.template.spec.",
    example: example!("unknown-field"),
    check: Check::Server,
};
