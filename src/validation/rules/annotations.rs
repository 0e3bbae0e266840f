//! Annotations of the template that mean something to the server.

use super::super::at::At;
use super::super::review::Review;
use super::paths;
use crate::schedule::go_quote;

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
pub(in crate::validation) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
pub(in crate::validation) const SECCOMP_CONTAINER: &str =
    "container.seccomp.security.alpha.kubernetes.io/";
pub(in crate::validation) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
pub(in crate::validation) const CONTAINERS: [&str; 3] =
    ["initContainers", "containers", "ephemeralContainers"];

/// Holds the annotations against the rules. The server names them by a path of its own.
pub(super) fn check(review: &mut Review, at: &At<'_>, path: &str, pod: &At<'_>) {
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

fn seccomp(review: &mut Review, at: &At<'_>, path: &str) {
    let profile = at.text();
    if let Some(local) = profile.strip_prefix("localhost/") {
        paths::relative(review, path, at.place(), local);
    } else if !["runtime/default", "docker/default", "unconfined"].contains(&profile) {
        let detail = "must be a valid seccomp profile";
        review.invalid_as(path, at.place(), go_quote(profile), detail);
    }
}

fn app_armor(review: &mut Review, at: &At<'_>, path: &str, container: &str, pod: &At<'_>) {
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
pub(super) fn match_fields(review: &mut Review, at: &At<'_>, pod: &At<'_>) {
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

fn match_one(review: &mut Review, note: &At<'_>, profile: &At<'_>, words: Words) {
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
    review: &mut Review,
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
