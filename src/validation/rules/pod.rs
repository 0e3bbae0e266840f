//! The pod template: its annotations, and the rules that are about the pod as a whole.

use std::collections::{BTreeSet, HashSet};

use super::super::at::At;
use super::super::formats;
use super::super::review::ManifestReview;
use super::super::schema::PodSpec;
use super::container::{self, Surroundings};
use super::{network, resources, scheduling, security, volumes};
use crate::document::Mapping;
use crate::schedule::go_quote;

const GRACE_PERIOD: i64 = 30;

/// Holds a pod template against the rules. The restart policy comes in their middle; the caller
/// knows more about it.
pub(super) fn check_template(
    review: &mut ManifestReview,
    at: &At<'_>,
    restart_policy: fn(&mut ManifestReview, &At<'_>),
) {
    let metadata = at.field("metadata");
    // The server leaves `metadata` out of these paths.
    let (labels, notes) = (metadata.field("labels"), metadata.field("annotations"));
    review.labels_as(&at.field("labels").path(), &labels);
    review.annotations_as(&at.field("annotations").path(), &notes);
    let spec = at.field("spec");
    check_annotations(review, &notes, &at.field("annotations").path(), &spec);
    check_spec(review, &spec, restart_policy);
    match_fields(review, &notes, &spec);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        review.forbidden(
            &ephemeral,
            "ephemeral containers not allowed in pod template",
        );
    }
}

fn check_spec(
    review: &mut ManifestReview,
    at: &At<'_>,
    restart_policy: fn(&mut ManifestReview, &At<'_>),
) {
    let volumes = volumes::check(review, &at.field("volumes"));
    let claims = at.field("resourceClaims");
    check_claims(review, &claims);
    let (grace, policy) = (
        at.field("terminationGracePeriodSeconds"),
        at.field("restartPolicy"),
    );
    let names: Vec<At<'_>> = claims.items().collect();
    let claims = names.iter().map(|claim| claim.text_of("name"));
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
    resources::check_pod(review, at, &around.claims);
    if at.field("hostNetwork").is_true() {
        network::match_host(review, &containers);
    }
    restart_policy(review, &policy);
    review.check_fields(at, &PodSpec, &["dnsPolicy"]);
    review.labels(&at.field("nodeSelector"));
    security::of_pod(review, at);
    scheduling::check_affinity(review, &at.field("affinity"));
    network::check_config(review, at);
    for gate in at.field("readinessGates").items() {
        review.check_form(&gate.field("conditionType"), formats::qualified_name);
    }
    check_gates(review, &at.field("schedulingGates"));
    scheduling::check_spread(review, &at.field("topologySpreadConstraints"));
    check_host_users(review, at);
    network::check_override(review, at);
    check_names(review, at);
    check_os(review, at);
    check_file_volumes(review, at);
}

fn check_claims(review: &mut ManifestReview, at: &At<'_>) {
    let mut seen = BTreeSet::new();
    for claim in at.items() {
        let name = claim.field("name");
        if name.text().is_empty() {
            review.required(&name, "");
        } else if seen.contains(name.text()) {
            review.duplicate(&name, go_quote(name.text()));
        } else {
            review.check_form(&name, formats::label);
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
                review.check_form(&name, formats::subdomain);
            }
        }
    }
}

fn check_gates(review: &mut ManifestReview, at: &At<'_>) {
    let mut seen = HashSet::new();
    for gate in at.items() {
        let name = gate.field("name");
        let details = formats::qualified_name(name.text(), review);
        review.each_invalid(&gate, name.text(), details);
        if !seen.insert(name.text().to_owned()) {
            review.duplicate(&gate, go_quote(name.text()));
        }
    }
}

/// Users of its own go with few namespaces of the host.
fn check_host_users(review: &mut ManifestReview, at: &At<'_>) {
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
    each_container(at, &mut |container| {
        let devices = container.field("volumeDevices");
        if !devices.is_empty() {
            review.forbidden(&devices, "when `hostUsers` is false");
        }
    });
}

/// Names of other objects, and numbers.
fn check_names(review: &mut ManifestReview, at: &At<'_>) {
    let account = at.field("serviceAccountName");
    review.check_fields(at, &PodSpec, &["serviceAccountName"]);
    if account.text().is_empty() {
        // The deprecated field is used instead.
        let deprecated = at.field("serviceAccount");
        if !deprecated.text().is_empty() {
            let name = deprecated.text();
            let details = formats::subdomain(name, review);
            review.each_invalid_as(&account.path(), deprecated.place(), name, details);
        }
    }
    let plain = ["nodeName", "activeDeadlineSeconds", "hostname", "subdomain"];
    review.check_fields(at, &PodSpec, &plain);
    scheduling::check_tolerations(review, &at.field("tolerations"));
    network::check_aliases(review, &at.field("hostAliases"));
    review.check_fields(at, &PodSpec, &["priorityClassName"]);
    let class = at.field("runtimeClassName");
    if class.exists() {
        review.check_form(&class, formats::subdomain);
    }
    let preemption = at.field("preemptionPolicy");
    match preemption.some_text() {
        Some("") => review.required(&preemption, ""),
        _ => review.one_of(&preemption, &["PreemptLowerPriority", "Never"]),
    }
}

/// A variable that comes from a file needs the volume that has the file.
fn check_file_volumes(review: &mut ManifestReview, at: &At<'_>) {
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
            (volume.text_of("name").to_owned(), is_empty_dir)
        })
        .collect();
    each_container(at, &mut |container| {
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
    });
}

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
pub(in crate::validation) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
pub(in crate::validation) const SECCOMP_CONTAINER: &str =
    "container.seccomp.security.alpha.kubernetes.io/";
pub(in crate::validation) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Holds the annotations against the rules. The server names them by a path of its own.
fn check_annotations(review: &mut ManifestReview, at: &At<'_>, path: &str, pod: &At<'_>) {
    let mirror = at.field(MIRROR);
    if mirror.exists() && pod.field("nodeName").text().is_empty() {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        let path = format!("{path}[{MIRROR}]");
        review.invalid_as(&path, mirror.place(), go_quote(mirror.text()), detail);
    }
    let cost = at.field(DELETION_COST);
    if cost.exists() && !is_cost(cost.text()) {
        let path = format!("{path}[{DELETION_COST}]");
        let shown = go_quote(cost.text());
        review.invalid_as(&path, cost.place(), shown, "must be a 32bit integer");
    }
    for note in at.entries() {
        let name = note.name();
        if name == SECCOMP_POD || name.starts_with(SECCOMP_CONTAINER) {
            seccomp(review, &note, &format!("{path}.{name}"));
        }
    }
    for note in at.entries() {
        if let Some(container) = note.name().strip_prefix(APP_ARMOR) {
            app_armor(
                review,
                &note,
                &format!("{path}[{}]", note.name()),
                container,
                pod,
            );
        }
    }
}

fn is_cost(text: &str) -> bool {
    let starts_well = text == "0"
        || text.starts_with('-')
        || text.starts_with(|digit: char| ('1'..='9').contains(&digit));
    starts_well && text.parse::<i32>().is_ok()
}

fn seccomp(review: &mut ManifestReview, at: &At<'_>, path: &str) {
    let profile = at.text();
    if let Some(local) = profile.strip_prefix("localhost/") {
        review.each_invalid_as(path, at.place(), local, formats::relative_path(local));
    } else if !["runtime/default", "docker/default", "unconfined"].contains(&profile) {
        let detail = "must be a valid seccomp profile";
        review.invalid_as(path, at.place(), go_quote(profile), detail);
    }
}

fn app_armor(review: &mut ManifestReview, at: &At<'_>, path: &str, container: &str, pod: &At<'_>) {
    let has = |list: &str| {
        let list = pod.field(list);
        list.items().any(|it| it.field("name").text() == container)
    };
    if !CONTAINERS.iter().any(|list| has(list)) {
        review.invalid_as(
            path,
            at.key_place(),
            go_quote(container),
            "container not found",
        );
    }
    let profile = at.text();
    let known = ["", "runtime/default", "unconfined"].contains(&profile);
    if !known && !profile.starts_with("localhost/") {
        let shown = go_quote(profile);
        let detail = format!("invalid AppArmor profile name: {shown}");
        review.invalid_as(path, at.place(), shown, &detail);
    }
}

/// Where there is an annotation as well as the field that took its place, they must agree.
fn match_fields(review: &mut ManifestReview, at: &At<'_>, pod: &At<'_>) {
    let context = pod.field("securityContext");
    match_one(
        review,
        &at.field(SECCOMP_POD),
        &context.field("seccompProfile"),
        SECCOMP,
    );
    each_container(pod, &mut |container| {
        let context = container.field("securityContext");
        let name = format!("{SECCOMP_CONTAINER}{}", container.field("name").text());
        match_one(
            review,
            &at.field(&name),
            &context.field("seccompProfile"),
            SECCOMP,
        );
    });
    let os = pod.field("os");
    if os.field("name").text() == "windows" {
        return;
    }
    let of_pod = context.field("appArmorProfile");
    each_container(pod, &mut |container| {
        let context = container.field("securityContext");
        let own = context.field("appArmorProfile");
        let name = format!("{APP_ARMOR}{}", container.field("name").text());
        let profile = if own.exists() { &own } else { &of_pod };
        if profile.exists() {
            let kind = profile.field("type");
            let local = profile.field("localhostProfile");
            disagree(
                review,
                &at.field(&name),
                &own,
                (kind.text(), local.some_text()),
                ARMOR,
            );
        }
    });
}

type Words = (&'static str, &'static str, &'static [&'static str]);
const SECCOMP: Words = (
    "seccomp type",
    "seccomp profile",
    &["runtime/default", "docker/default"],
);
const ARMOR: Words = ("apparmor type", "apparmor profile", &["runtime/default"]);

fn each_container(pod: &At<'_>, then: &mut dyn FnMut(&At<'_>)) {
    for list in CONTAINERS {
        for container in pod.field(list).items() {
            then(&container);
        }
    }
}

fn match_one(review: &mut ManifestReview, note: &At<'_>, profile: &At<'_>, words: Words) {
    if profile.exists() {
        let (kind, local) = (profile.field("type"), profile.field("localhostProfile"));
        disagree(
            review,
            note,
            profile,
            (kind.text(), local.some_text()),
            words,
        );
    }
}

fn disagree(
    review: &mut ManifestReview,
    note: &At<'_>,
    named: &At<'_>,
    (kind, local): (&str, Option<&str>),
    (type_word, profile_word, default): Words,
) {
    let Some(value) = note.some_text() else {
        return;
    };
    let agrees = match kind {
        "Unconfined" => value == "unconfined",
        "RuntimeDefault" => default.contains(&value),
        "Localhost" => match value.strip_prefix("localhost/") {
            Some(path) if local == Some(path) => true,
            Some(_) => {
                let path = named.field("localhostProfile").path();
                let detail = format!("{profile_word} in annotation and field must match");
                review.forbidden_as(&path, note.place(), &detail);
                true
            }
            None => false,
        },
        _ => true,
    };
    if !agrees {
        let path = named.field("type").path();
        let detail = format!("{type_word} in annotation and field must match");
        review.forbidden_as(&path, note.place(), &detail);
    }
}

const OF_PODS: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
];
const OF_CONTAINERS: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

fn check_os(review: &mut ManifestReview, pod: &At<'_>) {
    let at = pod.field("os");
    if !at.exists() {
        return;
    }
    let name = at.field("name");
    match name.text() {
        "" => review.required(&name, ""),
        "linux" => check_linux(review, pod),
        "windows" => check_windows(review, pod),
        other => review.unsupported_as(&at.path(), name.place(), other, &["linux", "windows"]),
    }
}

fn check_linux(review: &mut ManifestReview, pod: &At<'_>) {
    let mut refuse = |at: &At<'_>| {
        let options = at.field("windowsOptions");
        if options.exists() {
            review.forbidden(&options, "windows options cannot be set for a linux pod");
        }
    };
    refuse(&pod.field("securityContext"));
    each_container(pod, &mut |container| {
        refuse(&container.field("securityContext"));
    });
}

fn check_windows(review: &mut ManifestReview, pod: &At<'_>) {
    let mut refuse = |at: &At<'_>| {
        if at.exists() {
            review.forbidden(at, "cannot be set for a windows pod");
        }
    };
    let context = pod.field("securityContext");
    for name in OF_PODS.iter().take(2) {
        refuse(&context.field(name));
    }
    refuse(&pod.field("hostUsers"));
    for name in ["hostPID", "hostIPC"] {
        let field = pod.field(name);
        if field.is_true() {
            refuse(&field);
        }
    }
    for name in OF_PODS.iter().skip(2).take(4) {
        refuse(&context.field(name));
    }
    refuse(&pod.field("shareProcessNamespace"));
    for name in OF_PODS.iter().skip(6) {
        refuse(&context.field(name));
    }
    refuse(&context.field("seLinuxChangePolicy"));
    each_container(pod, &mut |container| {
        let context = container.field("securityContext");
        for name in OF_CONTAINERS {
            refuse(&context.field(name));
        }
    });
}
