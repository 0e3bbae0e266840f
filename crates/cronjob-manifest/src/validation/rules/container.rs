//! Containers of all kinds, their probes and hooks.

use std::collections::{BTreeSet, HashSet};

use super::super::schema::{
    Container, ContainerRestartRuleOnExitCodes, ExecAction, HTTPGetAction, Probe,
};
use super::super::{At, ManifestReview, formats};
use super::volumes::Volumes;
use super::{env, mounts, network, resources, security};

const RESIZABLE: [&str; 2] = ["cpu", "memory"];
const RESIZE_POLICIES: [&str; 2] = ["NotRequired", "RestartContainer"];
/// The release since which any container may have a restart policy of its own.
const OWN_POLICY_SINCE: u32 = 35;

/// What containers depend on of their pod.
pub(super) struct PodContext<'a> {
    /// How long the pod may take to end.
    pub(super) grace_period: i64,
    /// The pod's own restart policy.
    pub(super) restart_policy: &'a str,
    pub(super) volumes: Volumes,
    pub(super) claims: BTreeSet<&'a str>,
    /// Whether its users are those of the host.
    pub(super) host_users: bool,
    /// Whether the ports of its containers are also those of the host.
    pub(super) host_ports: bool,
}

/// The containers that do the work.
pub(super) fn check_regular(review: &mut ManifestReview, at: &At<'_>, pod: &PodContext<'_>) {
    if at.is_empty() {
        review.required(at, "");
        return;
    }
    let mut names = HashSet::new();
    for container in at.items() {
        check_common(review, &container, pod);
        let name = container.field("name");
        review.unique(&name, name.text(), &mut names);
        check_handlers(review, &container, pod.grace_period);
        let policy = container.field("restartPolicy");
        if review.minor >= OWN_POLICY_SINCE {
            own_policy(review, &container);
        } else {
            review.forbid(&policy, "may not be set for non-init containers");
        }
        if review.is_full() {
            return;
        }
    }
    let mut taken = HashSet::new();
    for container in at.items() {
        network::conflicts(review, &container, pod.host_ports, &mut taken);
    }
}

/// The containers that come before them.
pub(super) fn check_init(
    review: &mut ManifestReview,
    at: &At<'_>,
    regular: &At<'_>,
    pod: &PodContext<'_>,
) {
    let names = regular
        .items()
        .map(|container| container.text_of("name").to_owned());
    let mut names: HashSet<String> = names.collect();
    for container in at.items() {
        check_common(review, &container, pod);
        init_policy(review, &container);
        let name = container.field("name");
        if names.contains(name.text()) || !name.text().is_empty() {
            review.unique(&name, name.text(), &mut names);
        }
        network::conflicts(review, &container, pod.host_ports, &mut HashSet::new());
        if container.text_of("restartPolicy") == "Always" {
            check_handlers(review, &container, pod.grace_period);
        } else {
            check_not_sidecar(review, &container);
        }
        if review.is_full() {
            return;
        }
    }
}

/// An init container that ends before the next one starts.
fn check_not_sidecar(review: &mut ManifestReview, at: &At<'_>) {
    for name in ["lifecycle"].iter().chain(&PROBES) {
        let detail = "may not be set for init containers without restartPolicy=Always";
        review.forbid(&at.field(name), detail);
    }
    for resize in at.field("resizePolicy").items() {
        let policy = resize.field("restartPolicy");
        if review.server.checks_resizing_of_init && policy.text() == "RestartContainer" {
            let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            review.invalid_text(&policy, detail);
        }
    }
}

/// The containers for debugging, which no template may have anyway.
pub(super) fn check_ephemeral(review: &mut ManifestReview, at: &At<'_>, pod: &PodContext<'_>) {
    for container in at.items() {
        check_common(review, &container, pod);
        if review.is_full() {
            return;
        }
    }
}

/// What all containers have in common.
fn check_common(review: &mut ManifestReview, at: &At<'_>, pod: &PodContext<'_>) {
    let first = ["name", "image", "terminationMessagePolicy"];
    review.check_fields(at, &Container, &first);
    network::check_ports(review, &at.field("ports"));
    env::check(review, &at.field("env"));
    env::check_from(review, &at.field("envFrom"));
    mounts::check(review, at, &pod.volumes);
    review.check_fields(at, &Container, &["imagePullPolicy"]);
    resources::check(review, &at.field("resources"), &pod.claims);
    resize_policy(review, &at.field("resizePolicy"), pod.restart_policy);
    security::of_container(review, &at.field("securityContext"), pod.host_users);
}

/// Of these the server names the list, not the item.
fn resize_policy(review: &mut ManifestReview, at: &At<'_>, pod_policy: &str) {
    let mut seen = HashSet::new();
    for item in at.items() {
        let (resource, policy) = (item.field("resourceName"), item.field("restartPolicy"));
        review.unique(&item, resource.text(), &mut seen);
        for (field, supported) in [(resource, RESIZABLE), (policy, RESIZE_POLICIES)] {
            if field.text().is_empty() {
                review.required(&item.named(at), "");
            } else {
                review.one_of(&field.named(at), &supported);
            }
        }
        if pod_policy == "Never" && policy.text() != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            review.invalid_text(&policy.named(at), detail);
        }
    }
}

fn init_policy(review: &mut ManifestReview, at: &At<'_>) {
    let (policy, rules) = (at.field("restartPolicy"), at.field("restartPolicyRules"));
    if review.minor < OWN_POLICY_SINCE {
        review.one_of(&policy, &["Always"]);
    } else if policy.some_text().is_some() {
        own_policy(review, at);
    } else if !rules.is_empty() {
        review.required(&policy, RULES_NEED_POLICY);
    }
}

const RULES_NEED_POLICY: &str = "must specify restartPolicy when restart rules are used";

fn own_policy(review: &mut ManifestReview, at: &At<'_>) {
    let (policy, rules) = (at.field("restartPolicy"), at.field("restartPolicyRules"));
    if !policy.exists() && !rules.is_empty() {
        review.required(&policy, RULES_NEED_POLICY);
    }
    review.check_fields(at, &Container, &["restartPolicy", "restartPolicyRules"]);
    // The second action came with 1.36.
    let actions: &[&str] = if review.minor > OWN_POLICY_SINCE {
        &["Restart", "RestartAllContainers"]
    } else {
        &["Restart"]
    };
    for rule in rules.items() {
        let (action, codes) = (rule.field("action"), rule.field("exitCodes"));
        review.must_be(&action, actions);
        if !codes.exists() {
            review.required(&codes, "must be specified");
            continue;
        }
        review.must_be(&codes.field("operator"), &["In", "NotIn"]);
        review.check_object(&codes, &ContainerRestartRuleOnExitCodes);
    }
}

const PROBE_HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];
const HOOK_HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

/// The probes and hooks of a container that may have them. The grace period is how long its pod
/// may take to end.
fn check_handlers(review: &mut ManifestReview, container: &At<'_>, grace_period: i64) {
    let lifecycle = container.field("lifecycle");
    for name in ["postStart", "preStop"] {
        let hook = lifecycle.field(name);
        if hook.exists() {
            handler(review, &hook, &HOOK_HANDLERS, grace_period);
        }
    }
    for name in PROBES {
        let at = container.field(name);
        if !at.exists() {
            continue;
        }
        probe(review, &at, grace_period);
        if name == "readinessProbe" {
            let grace = at.field("terminationGracePeriodSeconds");
            if let Some(value) = grace.int() {
                review.invalid(&grace, value, "must not be set for readinessProbes");
            }
        } else {
            let threshold = at.field("successThreshold");
            if let Some(value) = threshold.int().filter(|value| !matches!(value, 0 | 1)) {
                review.invalid(&threshold, value, "must be 1");
            }
        }
    }
}

fn probe(review: &mut ManifestReview, at: &At<'_>, grace_period: i64) {
    handler(review, at, &PROBE_HANDLERS, grace_period);
    review.check_object(at, &Probe);
    let grace = at.field("terminationGracePeriodSeconds");
    if let Some(value) = grace.int().filter(|value| *value <= 0) {
        review.invalid(&grace, value, "must be greater than 0");
    }
}

fn handler(review: &mut ManifestReview, at: &At<'_>, kinds: &[&str], grace_period: i64) {
    let mut found = false;
    for kind in kinds {
        let handler = at.field(kind);
        if !handler.exists() {
            continue;
        }
        if found {
            review.forbidden(&handler, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *kind {
            "exec" => review.check_object(&handler, &ExecAction),
            "httpGet" => http_get(review, &handler),
            "sleep" => sleep(review, &handler, grace_period),
            _ => network::number_or_name(review, &handler.field("port")),
        }
    }
    if !found {
        review.required(at, "must specify a handler type");
    }
}

fn http_get(review: &mut ManifestReview, at: &At<'_>) {
    network::number_or_name(review, &at.field("port"));
    review.check_object(at, &HTTPGetAction);
    let headers = at.field("httpHeaders");
    for header in headers.items() {
        let name = header.field("name");
        review.check_form(&name.named(&headers), formats::header);
    }
}

fn sleep(review: &mut ManifestReview, at: &At<'_>, grace_period: i64) {
    let seconds = at.field("seconds").int().unwrap_or_default();
    let (least, must_be) = if review.server.allows_no_sleep {
        (0, "non-negative")
    } else {
        (1, "greater than 0")
    };
    if !(least..=grace_period).contains(&seconds) {
        let detail = format!(
            "must be {must_be} and less than terminationGracePeriodSeconds ({grace_period})"
        );
        review.invalid(at, seconds, &detail);
    }
}
