//! Where a container has its volumes.

use std::collections::{HashMap, HashSet};

use super::super::at::At;
use super::super::formats;
use super::super::review::ManifestReview;
use super::volumes::Volumes;
use crate::schedule::go_quote;

const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE: [&str; 3] = ["Disabled", "Enabled", "IfPossible"];

pub(super) fn check(review: &mut ManifestReview, container: &At<'_>, volumes: &Volumes) {
    let (mounts, devices) = (
        container.field("volumeMounts"),
        container.field("volumeDevices"),
    );
    check_mounts(
        review,
        container,
        &mounts,
        &taken(&devices, "devicePath"),
        volumes,
    );
    check_devices(review, &devices, &taken(&mounts, "mountPath"), volumes);
}

/// The names in a list, and the paths.
struct Taken {
    names: HashSet<String>,
    paths: HashSet<String>,
}

/// For a duplicate name, the last path is used.
fn taken(at: &At<'_>, path: &str) -> Taken {
    let mut last = HashMap::new();
    for item in at.items() {
        let name = item.field("name").text().to_owned();
        last.insert(name, item.field(path).text().to_owned());
    }
    let (names, paths) = last.into_iter().unzip();
    Taken { names, paths }
}

fn check_mounts(
    review: &mut ManifestReview,
    container: &At<'_>,
    at: &At<'_>,
    devices: &Taken,
    volumes: &Volumes,
) {
    let mut paths_seen = HashSet::new();
    for mount in at.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        if name.text().is_empty() {
            review.required(&name, "");
        }
        if !volumes.has(name.text()) {
            review.not_found(&name, name.text(), "");
            review.suggest(volumes.nearest_word(name.text()));
        }
        if path.text().is_empty() {
            review.required(&path, "");
        }
        if !paths_seen.insert(path.text().to_owned()) {
            review.invalid_text(&path, path.text(), "must be unique");
        }
        if devices.names.contains(name.text()) {
            review.invalid_text(
                &name,
                name.text(),
                "must not already exist in volumeDevices",
            );
        }
        if devices.paths.contains(path.text()) {
            let detail = "must not already exist as a path in volumeDevices";
            review.invalid_text(&path, path.text(), detail);
        }
        check_sub_paths(review, at, &mount);
        check_propagation(review, container, at, &mount);
        check_recursion(review, at, &mount);
    }
}

/// Of these the server names the list, not the item.
fn check_sub_paths(review: &mut ManifestReview, list: &At<'_>, mount: &At<'_>) {
    let (plain, expression) = (mount.field("subPath"), mount.field("subPathExpr"));
    let path_of = |name: &str| list.field(name).path();
    if !plain.text().is_empty() {
        let details = formats::relative_path(plain.text());
        review.each_invalid_as(&path_of("subPath"), plain.place(), plain.text(), details);
    }
    if expression.text().is_empty() {
        return;
    }
    if !plain.text().is_empty() {
        let detail = "subPathExpr and subPath are mutually exclusive";
        review.invalid_text(&expression, expression.text(), detail);
    }
    let path = path_of("subPathExpr");
    let details = formats::relative_path(expression.text());
    review.each_invalid_as(&path, expression.place(), expression.text(), details);
}

fn check_propagation(
    review: &mut ManifestReview,
    container: &At<'_>,
    list: &At<'_>,
    mount: &At<'_>,
) {
    let propagation = mount.field("mountPropagation");
    let Some(word) = propagation.some_text() else {
        return;
    };
    let path = list.field("mountPropagation").path();
    if !PROPAGATIONS.contains(&word) {
        review.unsupported_as(&path, propagation.place(), word, &PROPAGATIONS);
    }
    let security = container.field("securityContext");
    if word == "Bidirectional" && !security.field("privileged").is_true() {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        review.forbidden_as(&path, propagation.place(), detail);
    }
}

fn check_recursion(review: &mut ManifestReview, list: &At<'_>, mount: &At<'_>) {
    let recursive = mount.field("recursiveReadOnly");
    let path = list.field("recursiveReadOnly").path();
    match recursive.some_text() {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if !mount.field("readOnly").is_true() {
                let detail = "may only be specified when readOnly is true";
                review.forbidden_as(&path, recursive.place(), detail);
            }
            let propagation = mount.field("mountPropagation");
            if propagation.some_text().is_some_and(|word| word != "None") {
                let detail = "may only be specified when mountPropagation is None or not specified";
                review.forbidden_as(&path, recursive.place(), detail);
            }
        }
        Some(word) => review.unsupported_as(&path, recursive.place(), word, &RECURSIVE),
    }
}

fn check_devices(review: &mut ManifestReview, at: &At<'_>, mounts: &Taken, volumes: &Volumes) {
    let (mut paths_seen, mut names_seen) = (HashSet::new(), HashSet::new());
    for device in at.items() {
        let (name, path) = (device.field("name"), device.field("devicePath"));
        let (name_text, path_text) = (name.text(), path.text());
        if name_text.is_empty() {
            review.required(&name, "");
        }
        if names_seen.contains(name_text) {
            review.invalid_text(&name, name_text, "must be unique");
        }
        if !volumes.has(name_text) {
            review.not_found(&name, name_text, "");
            review.suggest(volumes.nearest_word(name_text));
        } else if !volumes.is_claim(name_text) {
            let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral \
                          for block mode";
            review.invalid_text(&name, name_text, detail);
        }
        if path_text.is_empty() {
            review.required(&path, "");
        }
        if paths_seen.contains(path_text) {
            review.invalid_text(&path, path_text, "must be unique");
        }
        if formats::has_steps_back(path_text) {
            let shown = go_quote(path_text);
            review.invalid(&path, shown, "can not contain backsteps ('..')");
        } else {
            paths_seen.insert(path_text.to_owned());
        }
        if mounts.names.contains(name_text) {
            review.invalid_text(&name, name_text, "must not already exist in volumeMounts");
        }
        if mounts.paths.contains(path_text) {
            let detail = "must not already exist as a path in volumeMounts";
            review.invalid_text(&path, path_text, detail);
        }
        if !name_text.is_empty() {
            names_seen.insert(name_text.to_owned());
        }
    }
}
