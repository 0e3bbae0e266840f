//! The pod template: its annotations, and the rules that are about the pod as a whole.

use std::collections::HashSet;

use super::super::schema::{PodResourceClaim, PodSpec};
use super::super::{At, CauseReason, ManifestReview, formats, go_object, nearest_word};
use super::container::{self, PodContext};
use super::{network, resources, scheduling, security, volumes};
use kube_cron::go_quote;
use located_yaml::Mapping;

const GRACE_PERIOD: i64 = 30;
const POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];
pub(super) const POLICIES_OF_JOBS: [&str; 2] = ["OnFailure", "Never"];

/// Checks a pod template.
pub(super) fn check_template(review: &mut ManifestReview, at: &At<'_>) {
    let (metadata, spec) = (at.field("metadata"), at.field("spec"));
    // The server leaves `metadata` out of these paths.
    let metadata = metadata.named(at);
    review.labels(&metadata.field("labels"));
    let notes = metadata.field("annotations");
    review.annotations(&notes);
    check_annotations(review, &notes, &spec);
    check_spec(review, &spec);
    match_fields(review, &notes, &spec);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        review.forbidden(&ephemeral, detail);
    }
}

fn check_spec(review: &mut ManifestReview, at: &At<'_>) {
    let volumes = volumes::check(review, &at.field("volumes"));
    let claims = at.field("resourceClaims");
    check_claims(review, &claims);
    let grace = at.field("terminationGracePeriodSeconds");
    let claims = claims.items().map(|claim| claim.text_of("name"));
    let pod = PodContext {
        grace_period: grace.int().unwrap_or(GRACE_PERIOD),
        restart_policy: at.text_of("restartPolicy"),
        volumes,
        claims: claims.filter(|name| !name.is_empty()).collect(),
        host_users: at.field("hostUsers").bool() != Some(false),
        host_ports: review.server.fills_host_ports && at.field("hostNetwork").is_true(),
    };
    let (containers, init) = (at.field("containers"), at.field("initContainers"));
    container::check_regular(review, &containers, &pod);
    container::check_init(review, &init, &containers, &pod);
    container::check_ephemeral(review, &at.field("ephemeralContainers"), &pod);
    resources::check_pod(review, at, &pod.claims);
    if at.field("hostNetwork").is_true() {
        network::match_host(review, &containers);
    }
    check_restart_policy(review, &at.field("restartPolicy"));
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

/// The restart policy must be one that pods have. The cause suggests only what Jobs can have.
fn check_restart_policy(review: &mut ManifestReview, at: &At<'_>) {
    let word = at.text();
    if !word.is_empty() && !POLICIES.contains(&word) {
        review.unsupported(at, &POLICIES);
        review.suggest(nearest_word(word, POLICIES_OF_JOBS.into_iter()));
    }
}

fn check_claims(review: &mut ManifestReview, at: &At<'_>) {
    let mut seen = HashSet::new();
    for claim in at.items() {
        let name = claim.field("name");
        if name.text().is_empty() {
            review.required(&name, "");
        } else if !seen.insert(name.text().to_owned()) {
            review.duplicate(&name, go_quote(name.text()));
        } else {
            review.check_form(&name, formats::label);
        }
        let (own, template) = (
            claim.field("resourceClaimName"),
            claim.field("resourceClaimTemplateName"),
        );
        let wrong = match (own.exists(), template.exists()) {
            (true, true) => Some(
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
            ),
            (false, false) => {
                Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            review.invalid(&claim, go_object(&claim, &PodResourceClaim), wrong);
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
        review.check_text(&gate, name.text(), formats::qualified_name);
        review.unique(&gate, name.text(), &mut seen);
    }
}

/// A pod with a user namespace of its own cannot share some namespaces of the host.
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
            let named = at.field(said);
            review.forbidden_value(&field.named(&named), "when `hostUsers` is false");
        }
    }
    each_container(at, &mut |container| {
        let devices = container.field("volumeDevices");
        if review.server.checks_devices_of_users && !devices.is_empty() {
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
            review.check_form(&deprecated.named(&account), formats::subdomain);
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
                    review.invalid_text(&name, "referenced volume must be of type emptyDir");
                }
            }
        }
    });
}

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
pub(crate) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
pub(crate) const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
pub(crate) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Holds the annotations against the rules.
fn check_annotations(review: &mut ManifestReview, notes: &At<'_>, pod: &At<'_>) {
    let mirror = notes.key(MIRROR);
    if mirror.exists() && pod.text_of("nodeName").is_empty() {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        review.invalid_text(&mirror, detail);
    }
    let cost = notes.key(DELETION_COST);
    if review.server.checks_deletion_cost && cost.exists() && !is_cost(cost.text()) {
        review.invalid_text(&cost, "must be a 32bit integer");
    }
    for note in notes.entries() {
        let name = note.name();
        if name == SECCOMP_POD || name.starts_with(SECCOMP_CONTAINER) {
            seccomp(review, &notes.field(name));
        }
    }
    for note in notes.entries() {
        if let Some(container) = note.name().strip_prefix(APP_ARMOR) {
            app_armor(review, &note, container, pod);
        }
    }
}

fn is_cost(text: &str) -> bool {
    let starts_well = text == "0"
        || text.starts_with('-')
        || text.starts_with(|digit: char| ('1'..='9').contains(&digit));
    starts_well && text.parse::<i32>().is_ok()
}

fn seccomp(review: &mut ManifestReview, at: &At<'_>) {
    let profile = at.text();
    if let Some(local) = profile.strip_prefix("localhost/") {
        review.check_text(at, local, formats::relative_path);
    } else if !["runtime/default", "docker/default", "unconfined"].contains(&profile) {
        review.invalid_text(at, "must be a valid seccomp profile");
    }
}

fn app_armor(review: &mut ManifestReview, at: &At<'_>, container: &str, pod: &At<'_>) {
    let mut is_known = false;
    each_container(pod, &mut |known| {
        is_known |= known.text_of("name") == container;
    });
    if !is_known {
        let message = format!(
            "Invalid value: {}: container not found",
            go_quote(container)
        );
        review.note(CauseReason::Invalid, at.key_place(), at, message);
    }
    let profile = at.text();
    let known = ["", "runtime/default", "unconfined"].contains(&profile);
    if !known && !profile.starts_with("localhost/") {
        let detail = format!("invalid AppArmor profile name: {}", go_quote(profile));
        review.invalid_text(at, &detail);
    }
}

/// Where there is an annotation as well as the field that took its place, they must agree.
fn match_fields(review: &mut ManifestReview, notes: &At<'_>, pod: &At<'_>) {
    let context = pod.field("securityContext");
    let profile = context.field("seccompProfile");
    match_profile(review, &notes.key(SECCOMP_POD), &profile, &SECCOMP);
    each_container(pod, &mut |container| {
        let note = format!("{SECCOMP_CONTAINER}{}", container.text_of("name"));
        let context = container.field("securityContext");
        let profile = context.field("seccompProfile");
        match_profile(review, &notes.key(&note), &profile, &SECCOMP);
    });
    if pod.field("os").text_of("name") == "windows" {
        return;
    }
    let of_pod = context.field("appArmorProfile");
    each_container(pod, &mut |container| {
        let note = format!("{APP_ARMOR}{}", container.text_of("name"));
        let context = container.field("securityContext");
        let own = context.field("appArmorProfile");
        let profile = if own.exists() {
            own
        } else {
            of_pod.named(&own)
        };
        match_profile(review, &notes.key(&note), &profile, &ARMOR);
    });
}

/// What confines a container, set by an annotation or by a field.
struct Confinement {
    name: &'static str,
    /// What an annotation calls the profile of the container runtime.
    defaults: &'static [&'static str],
}

const SECCOMP: Confinement = Confinement {
    name: "seccomp",
    defaults: &["runtime/default", "docker/default"],
};
const ARMOR: Confinement = Confinement {
    name: "apparmor",
    defaults: &["runtime/default"],
};

fn match_profile(
    review: &mut ManifestReview,
    note: &At<'_>,
    profile: &At<'_>,
    confinement: &Confinement,
) {
    let Some(value) = note.some_text().filter(|_| profile.exists()) else {
        return;
    };
    let (kind, local) = (profile.field("type"), profile.field("localhostProfile"));
    let (field, what, agrees) = match (kind.text(), value.strip_prefix("localhost/")) {
        ("Unconfined", _) => (kind, "type", value == "unconfined"),
        ("RuntimeDefault", _) => (kind, "type", confinement.defaults.contains(&value)),
        ("Localhost", Some(path)) => (local, "profile", local.some_text() == Some(path)),
        ("Localhost", None) => (kind, "type", false),
        _ => return,
    };
    if !agrees {
        let detail = format!(
            "{} {what} in annotation and field must match",
            confinement.name
        );
        review.forbidden_value(&note.named(&field), &detail);
    }
}

fn each_container(pod: &At<'_>, then: &mut dyn FnMut(&At<'_>)) {
    for list in CONTAINERS {
        for container in pod.field(list).items() {
            then(&container);
        }
    }
}

const CONTEXT: &str = "securityContext.";

/// What a pod for Windows cannot have, in the order of the server.
const NOT_FOR_WINDOWS: [&str; 15] = [
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
];
const NOT_FOR_WINDOWS_CONTAINERS: [&str; 10] = [
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
        _ => review.unsupported(&name.named(&at), &["linux", "windows"]),
    }
}

fn check_linux(review: &mut ManifestReview, pod: &At<'_>) {
    let mut check = |at: &At<'_>| {
        let context = at.field("securityContext");
        let detail = "windows options cannot be set for a linux pod";
        review.forbid(&context.field("windowsOptions"), detail);
    };
    check(pod);
    each_container(pod, &mut check);
}

fn check_windows(review: &mut ManifestReview, pod: &At<'_>) {
    let detail = "cannot be set for a windows pod";
    let context = pod.field("securityContext");
    for path in NOT_FOR_WINDOWS {
        let field = match path.strip_prefix(CONTEXT) {
            Some(name) => context.field(name),
            None => pod.field(path),
        };
        // These can be set to false.
        if !matches!(path, "hostPID" | "hostIPC") || field.is_true() {
            review.forbid(&field, detail);
        }
    }
    each_container(pod, &mut |container| {
        let context = container.field("securityContext");
        for name in NOT_FOR_WINDOWS_CONTAINERS {
            review.forbid(&context.field(name), detail);
        }
    });
}
