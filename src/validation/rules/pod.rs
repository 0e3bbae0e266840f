//! The pod template.

use std::collections::{BTreeSet, HashSet};

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use super::container::{self, Surroundings};
use super::{affinity, annotations, network, os, pod_resources, ports, security, spread};
use super::{tolerations, volumes};
use crate::document::Mapping;
use crate::schedule::go_quote;

const GRACE_PERIOD: i64 = 30;
const MOST_DEADLINE: i64 = i32::MAX as i64;

/// Holds a pod template against the rules. The restart policy comes in their middle; the caller
/// knows more about it.
pub(super) fn check_template(
    review: &mut Review,
    at: &At<'_>,
    restart_policy: fn(&mut Review, &At<'_>),
) {
    let metadata = at.field("metadata");
    // The server leaves `metadata` out of these paths.
    let (labels, notes) = (metadata.field("labels"), metadata.field("annotations"));
    review.labels_as(&at.field("labels").path(), &labels);
    review.annotations_as(&at.field("annotations").path(), &notes);
    let spec = at.field("spec");
    annotations::check(review, &notes, &at.field("annotations").path(), &spec);
    check_spec(review, &spec, restart_policy);
    annotations::match_fields(review, &notes, &spec);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        review.forbidden(
            &ephemeral,
            "ephemeral containers not allowed in pod template",
        );
    }
}

fn check_spec(review: &mut Review, at: &At<'_>, restart_policy: fn(&mut Review, &At<'_>)) {
    let volumes = volumes::check(review, &at.field("volumes"));
    let claims = at.field("resourceClaims");
    check_claims(review, &claims);
    let (grace, policy) = (
        at.field("terminationGracePeriodSeconds"),
        at.field("restartPolicy"),
    );
    let names: Vec<At<'_>> = claims.items().collect();
    let claims = names.iter().map(|claim| name_of(claim));
    let around = Surroundings {
        grace_period: grace.int().unwrap_or(GRACE_PERIOD),
        restart_policy: policy.text(),
        volumes,
        claims: claims.filter(|name| !name.is_empty()).collect(),
        host_users: at.field("hostUsers").bool() != Some(false),
    };
    let (containers, init) = (at.field("containers"), at.field("initContainers"));
    container::check_regular(review, &containers, &around);
    container::check_init(review, &init, &containers, &around);
    container::check_ephemeral(review, &at.field("ephemeralContainers"), &around);
    pod_resources::check(review, at, &around.claims);
    if at.field("hostNetwork").is_true() {
        ports::match_host(review, &containers);
    }
    restart_policy(review, &policy);
    network::check_policy(review, at);
    review.labels(&at.field("nodeSelector"));
    security::of_pod(review, at);
    affinity::check(review, &at.field("affinity"));
    network::check_config(review, at);
    for gate in at.field("readinessGates").items() {
        review.label_key(&gate.field("conditionType"));
    }
    check_gates(review, &at.field("schedulingGates"));
    spread::check(review, &at.field("topologySpreadConstraints"));
    check_host_users(review, at);
    network::check_override(review, at);
    check_names(review, at);
    os::check(review, at);
    check_file_volumes(review, at);
}

fn name_of<'a>(at: &'a At<'_>) -> &'a str {
    let name = at.mapping().and_then(|mapping| mapping.get("name"));
    name.and_then(|name| name.as_str()).unwrap_or_default()
}

fn check_claims(review: &mut Review, at: &At<'_>) {
    let mut seen = BTreeSet::new();
    for claim in at.items() {
        let name = claim.field("name");
        if name.text().is_empty() {
            review.required(&name, "");
        } else if seen.contains(name.text()) {
            review.duplicate(&name, go_quote(name.text()));
        } else {
            review.dns_label(&name);
            seen.insert(name.text().to_owned());
        }
        let (own, template) = (
            claim.field("resourceClaimName"),
            claim.field("resourceClaimTemplateName"),
        );
        let wrong = match (own.exists(), template.exists()) {
            (true, true) => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
            (false, false) => {
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            }
            _ => "",
        };
        if !wrong.is_empty() {
            let shown = |at: &At<'_>| at.some_text().map_or("null".to_owned(), go_quote);
            let value = format!(
                "{{\"Name\":{},\"ResourceClaimName\":{},\"ResourceClaimTemplateName\":{}}}",
                go_quote(name.text()),
                shown(&own),
                shown(&template)
            );
            review.invalid(&claim, value, wrong);
        }
        for name in [own, template] {
            if name.exists() {
                review.dns_subdomain(&name);
            }
        }
    }
}

fn check_gates(review: &mut Review, at: &At<'_>) {
    let mut seen = HashSet::new();
    for gate in at.items() {
        let name = gate.field("name");
        let details = names::qualified_name(name.text(), review);
        review.each_invalid(&gate, name.text(), details);
        if !seen.insert(name.text().to_owned()) {
            review.duplicate(&gate, go_quote(name.text()));
        }
    }
}

/// Users of its own go with few namespaces of the host.
fn check_host_users(review: &mut Review, at: &At<'_>) {
    if at.field("hostUsers").bool() != Some(false) {
        return;
    }
    for (name, said) in [
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ] {
        let field = at.field(name);
        if field.is_true() {
            let path = at.field(said).path();
            review.forbidden_as(&path, field.place(), "when `hostUsers` is false");
        }
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in at.field(list).items() {
            let devices = container.field("volumeDevices");
            if !devices.is_empty() {
                review.forbidden(&devices, "when `hostUsers` is false");
            }
        }
    }
}

/// Names of other objects, and numbers.
fn check_names(review: &mut Review, at: &At<'_>) {
    let account = at.field("serviceAccountName");
    if account.text().is_empty() {
        // The deprecated field stands in for it.
        let deprecated = at.field("serviceAccount");
        if !deprecated.text().is_empty() {
            let details = names::subdomain(deprecated.text(), review);
            for detail in details {
                let shown = go_quote(deprecated.text());
                review.invalid_as(&account.path(), deprecated.place(), shown, &detail);
            }
        }
    } else {
        review.dns_subdomain(&account);
    }
    let mut subdomain = |name: &str| {
        let field = at.field(name);
        if !field.text().is_empty() {
            review.dns_subdomain(&field);
        }
    };
    subdomain("nodeName");
    let deadline = at.field("activeDeadlineSeconds");
    if let Some(value) = deadline.int() {
        review.within(&deadline, value, 1, MOST_DEADLINE);
    }
    for name in ["hostname", "subdomain"] {
        let field = at.field(name);
        if !field.text().is_empty() {
            review.dns_label(&field);
        }
    }
    tolerations::check(review, &at.field("tolerations"));
    network::check_aliases(review, &at.field("hostAliases"));
    let class = at.field("priorityClassName");
    if !class.text().is_empty() {
        review.dns_subdomain(&class);
    }
    let class = at.field("runtimeClassName");
    if class.exists() {
        review.dns_subdomain(&class);
    }
    let preemption = at.field("preemptionPolicy");
    match preemption.some_text() {
        Some("") => review.required(&preemption, ""),
        _ => review.one_of(&preemption, &["PreemptLowerPriority", "Never"]),
    }
}

/// A variable that comes from a file needs the volume that has the file.
fn check_file_volumes(review: &mut Review, at: &At<'_>) {
    const SINCE: u32 = 35;
    if review.minor < SINCE {
        return;
    }
    let volumes = at.field("volumes");
    let known: Vec<(String, bool)> = volumes
        .items()
        .map(|volume| {
            let others = volume.mapping().map(Mapping::entries).unwrap_or_default();
            let is_empty_dir = others.iter().all(|entry| {
                entry.value.is_null() || ["name", "emptyDir"].contains(&&*entry.key.text)
            });
            (name_of(&volume).to_owned(), is_empty_dir)
        })
        .collect();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in at.field(list).items() {
            for variable in container.field("env").items() {
                let source = variable.field("valueFrom");
                let file = source.field("fileKeyRef");
                if !file.exists() {
                    continue;
                }
                let name = file.field("volumeName");
                match known.iter().rfind(|(known, _)| known == name.text()) {
                    None => review.not_found(&name, name.text(), ""),
                    Some((_, true)) => {}
                    Some((_, false)) => {
                        let detail = "referenced volume must be of type emptyDir";
                        review.invalid_text(&name, name.text(), detail);
                    }
                }
            }
        }
    }
}
