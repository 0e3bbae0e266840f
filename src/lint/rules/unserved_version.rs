use crate::lint::rule::example;
use crate::lint::{Check, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD101",
    name: "unserved-version",
    severity: Severity::Error,
    title: "the release does not serve this version of the API",
    reason: "Kubernetes takes objects only of the versions of the API that it serves: batch/v1beta1 \
             went with 1.25, batch/v2alpha1 with 1.21, and batch/v1 has CronJobs since 1.21.",
    remedy: "Write apiVersion: batch/v1, or name the releases that the manifest is meant for with \
             --kubernetes-version.",
    example: example!("unserved-version"),
    check: Check::Server,
};
