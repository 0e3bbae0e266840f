//! Labels of nodes that have new names, and selectors that select nothing.

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use super::warn;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const SELECTS_NOTHING: &str = "a null labelSelector results in matching no pod";

const DEPRECATED: [(&str, &str); 8] = [
    (
        "beta.kubernetes.io/arch",
        "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
    ),
    (
        "beta.kubernetes.io/os",
        "deprecated since v1.14; use \"kubernetes.io/os\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
    (
        "node-role.kubernetes.io/master",
        "use \"node-role.kubernetes.io/control-plane\" instead",
    ),
];

fn deprecated(label: &str) -> Option<&'static str> {
    let found = DEPRECATED.iter().find(|(name, _)| *name == label);
    found.map(|(_, message)| *message)
}

pub(super) fn check(review: &mut Review, pod: &At<'_>) {
    for label in pod.field("nodeSelector").entries() {
        if let Some(message) = deprecated(label.name()) {
            warn(review, &label, message);
        }
    }
    let affinity = pod.field("affinity");
    let nodes = affinity.field("nodeAffinity");
    for term in nodes.field(REQUIRED).field("nodeSelectorTerms").items() {
        check_term(review, &term, false);
    }
    for preferred in nodes.field(PREFERRED).items() {
        check_term(review, &preferred.field("preference"), true);
    }
    for constraint in pod.field("topologySpreadConstraints").items() {
        let key = constraint.field("topologyKey");
        if let Some(message) = deprecated(key.text()) {
            warn(review, &key, &format!("{} is {message}", key.text()));
        }
        let selector = constraint.field("labelSelector");
        if !selector.exists() {
            warn(review, &selector, SELECTS_NOTHING);
        }
    }
}

fn check_term(review: &mut Review, at: &At<'_>, checks_values: bool) {
    for expression in at.field("matchExpressions").items() {
        let key = expression.field("key");
        if let Some(message) = deprecated(key.text()) {
            warn(review, &key, &format!("{} is {message}", key.text()));
        }
        if !checks_values {
            continue;
        }
        for value in expression.field("values").items() {
            for detail in names::label_value(value.text(), review) {
                warn(
                    review,
                    &value,
                    &format!("{} is invalid, {detail}", value.text()),
                );
            }
        }
    }
}

/// Terms of affinity that no pod meets.
pub(super) fn without_selector(review: &mut Review, affinity: &At<'_>) {
    let mut check = |term: &At<'_>| {
        let selector = term.field("labelSelector");
        if !selector.exists() {
            warn(review, &selector, SELECTS_NOTHING);
        }
    };
    for name in ["podAffinity", "podAntiAffinity"] {
        let pods = affinity.field(name);
        for term in pods.field(REQUIRED).items() {
            check(&term);
        }
        for weighted in pods.field(PREFERRED).items() {
            check(&weighted.field("podAffinityTerm"));
        }
    }
}
