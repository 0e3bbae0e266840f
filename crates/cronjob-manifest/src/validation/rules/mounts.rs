//! Where a container has its volumes.

use std::collections::{HashMap, HashSet};

use super::super::schema::VolumeMount;
use super::super::{At, ManifestReview, formats};
use super::volumes::Volumes;

pub(super) fn check(review: &mut ManifestReview, container: &At<'_>, volumes: &Volumes) {
    let privileged = container
        .field("securityContext")
        .field("privileged")
        .is_true();
    let (mounts, devices) = (
        container.field("volumeMounts"),
        container.field("volumeDevices"),
    );
    let taken = Taken::of(&devices, "devicePath", "volumeDevices");
    let mut paths = HashSet::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        review.require(&name, "");
        check_volume(review, &name, volumes);
        review.require(&path, "");
        if !paths.insert(path.text().to_owned()) {
            review.invalid_text(&path, "must be unique");
        }
        taken.check(review, &name, &path);
        check_sub_paths(review, &mount, &mounts);
        // Of the others the server names the list, not the item.
        let mount = mount.named(&mounts);
        check_propagation(review, &mount, privileged);
        check_recursion(review, &mount);
    }
    let taken = Taken::of(&mounts, "mountPath", "volumeMounts");
    check_devices(review, &devices, &taken, volumes);
}

fn check_volume(review: &mut ManifestReview, name: &At<'_>, volumes: &Volumes) {
    if !volumes.has(name.text()) {
        review.not_found(name, name.text(), "");
        review.suggest(volumes.nearest_word(name.text()));
    }
}

/// The names in the other list of a container, and the paths.
struct Taken {
    list: &'static str,
    names: HashSet<String>,
    paths: HashSet<String>,
}

impl Taken {
    /// For a duplicate name, the last path is used.
    fn of(at: &At<'_>, path: &str, list: &'static str) -> Self {
        let items = at.items();
        let items = items.map(|item| (item.text_of("name").into(), item.text_of(path).into()));
        let last: HashMap<String, String> = items.collect();
        let (names, paths) = last.into_iter().unzip();
        Taken { list, names, paths }
    }

    fn check(&self, review: &mut ManifestReview, name: &At<'_>, path: &At<'_>) {
        if self.names.contains(name.text()) {
            review.invalid_text(name, &format!("must not already exist in {}", self.list));
        }
        if self.paths.contains(path.text()) {
            let detail = format!("must not already exist as a path in {}", self.list);
            review.invalid_text(path, &detail);
        }
    }
}

fn check_sub_paths(review: &mut ManifestReview, mount: &At<'_>, list: &At<'_>) {
    // Of this one the server names the item.
    let expression = mount.field("subPathExpr");
    let mount = mount.named(list);
    review.check_fields(&mount, &VolumeMount, &["subPath"]);
    if !expression.text().is_empty() && !mount.text_of("subPath").is_empty() {
        let detail = "subPathExpr and subPath are mutually exclusive";
        review.invalid_text(&expression, detail);
    }
    review.check_fields(&mount, &VolumeMount, &["subPathExpr"]);
}

fn check_propagation(review: &mut ManifestReview, mount: &At<'_>, privileged: bool) {
    review.check_fields(mount, &VolumeMount, &["mountPropagation"]);
    let propagation = mount.field("mountPropagation");
    if propagation.text() == "Bidirectional" && !privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        review.forbidden_value(&propagation, detail);
    }
}

fn check_recursion(review: &mut ManifestReview, mount: &At<'_>) {
    review.check_fields(mount, &VolumeMount, &["recursiveReadOnly"]);
    let recursive = mount.field("recursiveReadOnly");
    if !matches!(recursive.text(), "Enabled" | "IfPossible") {
        return;
    }
    if !mount.field("readOnly").is_true() {
        let detail = "may only be specified when readOnly is true";
        review.forbidden_value(&recursive, detail);
    }
    let propagation = mount.field("mountPropagation");
    if propagation.some_text().is_some_and(|word| word != "None") {
        let detail = "may only be specified when mountPropagation is None or not specified";
        review.forbidden_value(&recursive, detail);
    }
}

fn check_devices(review: &mut ManifestReview, at: &At<'_>, mounts: &Taken, volumes: &Volumes) {
    let (mut paths_seen, mut names_seen) = (HashSet::new(), HashSet::new());
    for device in at.items() {
        let (name, path) = (device.field("name"), device.field("devicePath"));
        review.require(&name, "");
        if names_seen.contains(name.text()) {
            review.invalid_text(&name, "must be unique");
        }
        check_volume(review, &name, volumes);
        if volumes.has(name.text()) && !volumes.is_claim(name.text()) {
            let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral \
                          for block mode";
            review.invalid_text(&name, detail);
        }
        review.require(&path, "");
        if paths_seen.contains(path.text()) {
            review.invalid_text(&path, "must be unique");
        }
        if formats::has_steps_back(path.text()) {
            review.invalid_text(&path, "can not contain backsteps ('..')");
        } else {
            paths_seen.insert(path.text().to_owned());
        }
        mounts.check(review, &name, &path);
        if !name.text().is_empty() {
            names_seen.insert(name.text().to_owned());
        }
    }
}
