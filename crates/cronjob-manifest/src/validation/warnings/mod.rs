//! What the server warns of while it takes a manifest.
//!
//! In the order of Kubernetes' `pkg/api/job` and `pkg/api/pod`.

mod overlaps;

use std::collections::HashSet;

use super::at::At;
use super::formats;
use super::review::ManifestReview;
use super::rules::pod::{APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD};
use super::rules::resources::amount;
use super::rules::scheduling::{PREFERRED, REQUIRED};
use kube_cron::go_quote;

/// The release since which templates are checked.
const SINCE: u32 = 22;

/// Holds a Job's spec against the rules that only warn.
pub(super) fn check(review: &mut ManifestReview, job: &At<'_>) {
    if review.minor < SINCE {
        return;
    }
    let number = |name: &str| job.field(name).int().unwrap_or_default();
    let is_indexed = job.field("completionMode").text() == "Indexed";
    if is_indexed && number("completions") > 100_000 && number("parallelism") > 10_000 {
        let message = "In Indexed Jobs with a number of completions higher than 10^5 and a \
                       parallelism higher than 10^4, Kubernetes might not be able to track \
                       completedIndexes when a big number of indexes fail";
        warn(review, job, message);
    }
    let template = job.field("template");
    let (metadata, pod) = (template.field("metadata"), template.field("spec"));
    let notes = metadata.field("annotations");
    check_labels(review, &pod);
    old_annotations(review, &notes);
    old_volumes(review, &pod.field("volumes"));
    overlaps::check_paths(review, &pod.field("volumes"));
    duplicates(review, &pod);
    check_overhead(review, &pod.field("overhead"));
    annotations_for_fields(review, &notes, &pod);
    let grace = pod.field("terminationGracePeriodSeconds");
    if grace.int().is_some_and(|seconds| seconds < 0) {
        let message = "must be >= 0; negative values are invalid and will be treated as 1";
        warn(review, &grace, message);
    }
    if review.server.warns_of_overrides {
        overlaps::check_ports(review, &pod);
        without_selector(review, &pod.field("affinity"));
    }
    addresses(review, &pod);
}

/// A warning that begins with the path.
fn warn(review: &mut ManifestReview, at: &At<'_>, message: &str) {
    review.warn(at.place(), format!("{at}: {message}"));
}

fn old_annotations(review: &mut ManifestReview, notes: &At<'_>) {
    let priority = "non-functional in v1.16+; use the \"priorityClassName\" field instead";
    let sysctls = "non-functional in v1.11+; use the \"sysctls\" field instead";
    for (name, message) in [
        ("scheduler.alpha.kubernetes.io/critical-pod", priority),
        ("security.alpha.kubernetes.io/sysctls", sysctls),
        ("security.alpha.kubernetes.io/unsafe-sysctls", sysctls),
    ] {
        annotation(review, notes, name, message);
    }
}

/// Warns of an annotation, if it is there.
fn annotation(review: &mut ManifestReview, notes: &At<'_>, name: &str, message: &str) {
    if notes.entry_of(name).is_some() {
        warn(review, &notes.key(name), message);
    }
}

fn old_volumes(review: &mut ManifestReview, volumes: &At<'_>) {
    let git_repo = if review.minor >= 33 {
        "deprecated in v1.11, and disabled by default in v1.33+"
    } else {
        "deprecated in v1.11"
    };
    let since_22 = "deprecated in v1.22, non-functional in v1.25+";
    let since_28 = "deprecated in v1.28, non-functional in v1.31+";
    let old = [
        (
            "photonPersistentDisk",
            "deprecated in v1.11, non-functional in v1.16+",
        ),
        ("gitRepo", git_repo),
        ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
        ("flocker", since_22),
        ("storageos", since_22),
        ("quobyte", since_22),
        ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
        ("ephemeral", ""),
        ("cephfs", since_28),
        ("rbd", since_28),
    ];
    for volume in volumes.items() {
        for (name, message) in old {
            let source = volume.field(name);
            if !source.exists() {
                continue;
            }
            if name == "ephemeral" {
                let template = source.field("volumeClaimTemplate");
                check_claim(review, &template.field("spec"));
            } else {
                // The server has a spelling of its own for one of them.
                let named = if name == "storageos" {
                    "storageOS"
                } else {
                    name
                };
                let message = format!("{}: {message}", volume.field(named));
                review.warn(source.key_place(), message);
            }
        }
    }
}

fn duplicates(review: &mut ManifestReview, pod: &At<'_>) {
    let mut seen = HashSet::new();
    for (list, field) in [("hostAliases", "ip"), ("imagePullSecrets", "name")] {
        for item in pod.field(list).items() {
            let at = item.field(field);
            if !seen.insert((field, at.text().to_owned())) {
                let message = format!("duplicate {field} {}", go_quote(at.text()));
                warn(review, &at, &message);
            }
        }
    }
    for secret in pod.field("imagePullSecrets").items() {
        let name = secret.field("name");
        if name.text().is_empty() {
            warn(review, &name, "invalid empty name \"\"");
        }
    }
}

/// Annotations that a field has taken the place of, and variables that hide others.
fn annotations_for_fields(review: &mut ManifestReview, notes: &At<'_>, pod: &At<'_>) {
    let seccomp = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
    let app_armor = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
    let of_pod = pod.field("securityContext");
    if !of_pod.field("seccompProfile").exists() {
        annotation(review, notes, SECCOMP_POD, seccomp);
    }
    for list in ["initContainers", "containers"] {
        for container in pod.field(list).items() {
            let (context, name) = (
                container.field("securityContext"),
                container.text_of("name"),
            );
            if !context.field("seccompProfile").exists() {
                let name = format!("{SECCOMP_CONTAINER}{name}");
                annotation(review, notes, &name, seccomp);
            }
            let of_pod = of_pod.field("appArmorProfile");
            let has_own = context.field("appArmorProfile").exists();
            if !has_own && !of_pod.exists() && review.minor >= 30 {
                let name = format!("{APP_ARMOR}{name}");
                annotation(review, notes, &name, app_armor);
            }
            check_container(review, &container.field("resources"));
            if review.server.warns_of_overrides {
                hidden(review, &container.field("env"));
            }
        }
    }
}

fn hidden(review: &mut ManifestReview, variables: &At<'_>) {
    let mut seen = HashSet::new();
    for variable in variables.items() {
        let (name, value) = (variable.field("name"), variable.field("value"));
        if seen.insert(name.text().to_owned()) {
            continue;
        }
        // A path that contains the previous one is intended.
        let reference = format!("$({})", name.text());
        let extends = value.text().contains(&reference) && value.text() != reference;
        if variable.field("valueFrom").exists() || !extends {
            let (name, hiding) = (go_quote(name.text()), review.server.hiding);
            let message = format!("hides previous definition of {name}{hiding}");
            warn(review, &variable, &message);
        }
    }
}

fn addresses(review: &mut ManifestReview, pod: &At<'_>) {
    const SINCE: u32 = 33;
    if review.minor < SINCE {
        return;
    }
    let mut check = |at: &At<'_>| {
        if let Some(message) = formats::ip_warning(at.text()) {
            warn(review, at, &message);
        }
    };
    let config = pod.field("dnsConfig");
    for server in config.field("nameservers").items() {
        check(&server);
    }
    for alias in pod.field("hostAliases").items() {
        check(&alias.field("ip"));
    }
}

const SELECTS_NOTHING: &str = "a null labelSelector results in matching no pod";

fn deprecated(label: &str) -> Option<String> {
    let (since, instead) = match label {
        "beta.kubernetes.io/arch" => ("14", "\"kubernetes.io/arch\""),
        "beta.kubernetes.io/os" => ("14", "\"kubernetes.io/os\""),
        "failure-domain.beta.kubernetes.io/region" => ("17", "\"topology.kubernetes.io/region\""),
        "failure-domain.beta.kubernetes.io/zone" => ("17", "\"topology.kubernetes.io/zone\""),
        "beta.kubernetes.io/instance-type" => ("17", "\"node.kubernetes.io/instance-type\""),
        "app.kubernetes.io/created-by" => return Some("deprecated since v1.9".to_owned()),
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => ("22", "Taints and Tolerations"),
        "node-role.kubernetes.io/master" => {
            return Some("use \"node-role.kubernetes.io/control-plane\" instead".to_owned());
        }
        _ => return None,
    };
    Some(format!(
        "deprecated since v1.{since}; use {instead} instead"
    ))
}

/// Warns of a key that names a label.
fn check_key(review: &mut ManifestReview, key: &At<'_>) {
    if let Some(message) = deprecated(key.text()) {
        warn(review, key, &format!("{} is {message}", key.text()));
    }
}

pub(super) fn check_labels(review: &mut ManifestReview, pod: &At<'_>) {
    for label in pod.field("nodeSelector").entries() {
        if let Some(message) = deprecated(label.name()) {
            warn(review, &label, &message);
        }
    }
    let affinity = pod.field("affinity");
    let nodes = affinity.field("nodeAffinity");
    for term in nodes.field(REQUIRED).field("nodeSelectorTerms").items() {
        check_term(review, &term, false);
    }
    for preferred in nodes.field(PREFERRED).items() {
        let checks_values = review.server.checks_affinity_values;
        check_term(review, &preferred.field("preference"), checks_values);
    }
    for constraint in pod.field("topologySpreadConstraints").items() {
        check_key(review, &constraint.field("topologyKey"));
        let selector = constraint.field("labelSelector");
        if review.server.warns_of_overrides && !selector.exists() {
            warn(review, &selector, SELECTS_NOTHING);
        }
    }
}

fn check_term(review: &mut ManifestReview, at: &At<'_>, checks_values: bool) {
    for expression in at.field("matchExpressions").items() {
        check_key(review, &expression.field("key"));
        if !checks_values {
            continue;
        }
        for value in expression.field("values").items() {
            for detail in formats::label_value(value.text(), review) {
                let message = format!("{} is invalid, {detail}", value.text());
                warn(review, &value, &message);
            }
        }
    }
}

/// Terms of affinity that no pod meets.
pub(super) fn without_selector(review: &mut ManifestReview, affinity: &At<'_>) {
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

const BYTES: [&str; 2] = ["memory", "ephemeral-storage"];

fn check_amount(review: &mut ManifestReview, list: &At<'_>, name: &str) {
    let at = list.key(name);
    if let Some(amount) = amount(&at).filter(|amount| !amount.is_whole()) {
        let shown = amount.quoted();
        let message = format!("fractional byte value {shown} is invalid, must be an integer");
        warn(review, &at, &message);
    }
}

pub(super) fn check_overhead(review: &mut ManifestReview, at: &At<'_>) {
    for name in BYTES {
        check_amount(review, at, name);
    }
}

pub(super) fn check_container(review: &mut ManifestReview, at: &At<'_>) {
    for name in BYTES {
        for list in ["limits", "requests"] {
            check_amount(review, &at.field(list), name);
        }
    }
}

pub(super) fn check_claim(review: &mut ManifestReview, at: &At<'_>) {
    let resources = at.field("resources");
    for list in ["requests", "limits"] {
        check_amount(review, &resources.field(list), "storage");
    }
}
