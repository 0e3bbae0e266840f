//! The pod's operating system.

use super::super::at::At;
use super::super::review::Review;

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

pub(super) fn check(review: &mut Review, pod: &At<'_>) {
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

fn security_contexts(pod: &At<'_>, mut each: impl FnMut(&At<'_>)) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.field(list).items() {
            each(&container.field("securityContext"));
        }
    }
}

fn check_linux(review: &mut Review, pod: &At<'_>) {
    let mut check = |at: &At<'_>| {
        let options = at.field("windowsOptions");
        if options.exists() {
            review.forbidden(&options, "windows options cannot be set for a linux pod");
        }
    };
    check(&pod.field("securityContext"));
    security_contexts(pod, check);
}

fn check_windows(review: &mut Review, pod: &At<'_>) {
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
    security_contexts(pod, |at| {
        for name in OF_CONTAINERS {
            refuse(&at.field(name));
        }
    });
}
