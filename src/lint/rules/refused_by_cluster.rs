use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD111",
    name: "refused-by-cluster",
    severity: Severity::Error,
    title: "this cluster refuses it",
    reason: "Any API server of the release would take the manifest, and the one that was asked does \
             not: a policy, a quota or a webhook of the cluster is against it, or its namespace is \
             not there. Only --dry-run=server finds this.",
    remedy: "Do as the message says, or ask whoever runs the cluster.",
    example: example!("refused-by-cluster"),
    check: Check::Cluster,
};
