//! Security contexts of containers and pods.

use std::collections::HashSet;

use super::super::schema::{PodSecurityContext, SeccompProfile, SecurityContext};
use super::super::{At, ManifestReview, formats, go_object};
use kube_cron::go_quote;

const MOST_ID: i64 = i32::MAX as i64;
const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const SYSCTL_FORM: &str = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const LONGEST_SYSCTL: usize = 253;
const LONGEST_PATH: usize = 4095;

pub(super) fn of_container(review: &mut ManifestReview, at: &At<'_>, host_users: bool) {
    if !at.exists() {
        return;
    }
    review.check_object(at, &SecurityContext);
    let proc_mount = at.field("procMount");
    if host_users && proc_mount.text() == "Unmasked" {
        let detail = "`hostUsers` must be false to use `Unmasked`";
        review.invalid_text(&proc_mount, detail);
    }
    seccomp(review, &at.field("seccompProfile"));
    escalation(review, at);
    app_armor(review, &at.field("appArmorProfile"));
}

fn escalation(review: &mut ManifestReview, at: &At<'_>) {
    if at.field("allowPrivilegeEscalation").bool() != Some(false) {
        return;
    }
    if at.field("privileged").is_true() {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        review.invalid(at, go_object(at, &SecurityContext), detail);
    }
    for added in at.field("capabilities").field("add").items() {
        if added.text() == "CAP_SYS_ADMIN" {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` \
                          CAP_SYS_ADMIN";
            review.invalid(at, go_object(at, &SecurityContext), detail);
        }
    }
}

fn seccomp(review: &mut ManifestReview, at: &At<'_>) {
    if !at.exists() {
        return;
    }
    let (kind, local) = (at.field("type"), at.field("localhostProfile"));
    review.require(&kind, "type is required when seccompProfile is set");
    review.check_object(at, &SeccompProfile);
    match (kind.text(), local.some_text()) {
        ("Localhost", None) => {
            review.required(&local, "must be set when seccomp type is Localhost");
        }
        ("Localhost", Some(_)) => review.check_form(&local, formats::relative_path),
        (_, Some(_)) => {
            let detail = "can only be set when seccomp type is Localhost";
            review.invalid(&local, go_object(at, &SeccompProfile), detail);
        }
        (_, None) => {}
    }
}

fn app_armor(review: &mut ManifestReview, at: &At<'_>) {
    if !at.exists() {
        return;
    }
    let (kind, local) = (at.field("type"), at.field("localhostProfile"));
    let missing = "must be set when AppArmor type is Localhost";
    match (kind.text(), local.some_text()) {
        ("Localhost", None) => review.required(&local, missing),
        ("Localhost", Some(path)) => {
            if path.trim() != path {
                review.invalid_text(&local, "must not be padded with whitespace");
            }
            review.require(&local, missing);
            review.no_longer(&local, LONGEST_PATH);
        }
        ("RuntimeDefault" | "Unconfined", Some(_)) => {
            let detail = "can only be set when AppArmor type is Localhost";
            review.invalid_text(&local, detail);
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => review.required(&kind, "type is required when appArmorProfile is set"),
        _ => review.unsupported(&kind, &PROFILES),
    }
}

pub(super) fn of_pod(review: &mut ManifestReview, pod: &At<'_>) {
    let at = pod.field("securityContext");
    review.check_fields(
        &at,
        &PodSecurityContext,
        &["fsGroup", "runAsUser", "runAsGroup"],
    );
    for group in at.field("supplementalGroups").items() {
        review.within(&group, group.int().unwrap_or_default(), 0, MOST_ID);
    }
    let named = pod.named(&at);
    let shared = named.field("shareProcessNamespace");
    if shared.is_true() && pod.field("hostPID").is_true() {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        review.invalid(&shared, true, detail);
    }
    sysctls(review, pod, &at.field("sysctls"));
    review.check_fields(&at, &PodSecurityContext, &["fsGroupChangePolicy"]);
    seccomp(review, &at.field("seccompProfile"));
    app_armor(review, &at.field("appArmorProfile"));
    // Without the feature that mounts with labels there is only one seLinuxChangePolicy.
    let policies = ["supplementalGroupsPolicy", "seLinuxChangePolicy"];
    review.check_fields(&at, &PodSecurityContext, &policies);
}

fn sysctls(review: &mut ManifestReview, pod: &At<'_>, at: &At<'_>) {
    let (network, ipc) = (pod.field("hostNetwork"), pod.field("hostIPC"));
    let mut seen = HashSet::new();
    for sysctl in at.items() {
        let name = sysctl.field("name");
        let text = name.text();
        if text.is_empty() {
            review.required(&name, "");
        } else if text.len() > LONGEST_SYSCTL || !is_sysctl(text) {
            let detail = format!(
                "must have at most {LONGEST_SYSCTL} characters and match regex {SYSCTL_FORM}"
            );
            review.invalid_text(&name, &detail);
        } else if seen.contains(text) {
            review.duplicate(&name, go_quote(text));
        }
        seen.insert(text.to_owned());
        let dotted = text.replace('/', ".");
        let of_ipc = ["kernel.shm", "kernel.msg", "fs.mqueue."];
        let is_ipc = dotted == "kernel.sem" || of_ipc.iter().any(|start| dotted.starts_with(start));
        if !review.server.checks_host_sysctls {
            continue;
        }
        if network.is_true() && dotted.starts_with("net.") {
            review.invalid_text(&name, "may not be specified when 'hostNetwork' is true");
        } else if ipc.is_true() && is_ipc {
            review.invalid_text(&name, "may not be specified when 'hostIPC' is true");
        }
    }
}

fn is_sysctl(text: &str) -> bool {
    let edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let fits = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(edge)
            && bytes.last().is_some_and(edge)
            && bytes.iter().all(|byte| edge(byte) || b"-_".contains(byte))
    };
    text.split(['.', '/']).all(fits)
}
