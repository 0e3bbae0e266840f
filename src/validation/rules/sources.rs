//! Where volumes come from.

use super::super::at::At;
use super::super::names;
use super::super::quantity::Quantity;
use super::super::review::Review;
use super::{claim_template, env, paths, projected, resources};

/// The sources in the order in which the server looks for them, and what it calls them where a
/// second one is there.
const SOURCES: [(&str, &str); 30] = [
    ("emptyDir", "emptyDir"),
    ("hostPath", "hostPath"),
    ("gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret"),
    ("nfs", "nfs"),
    ("iscsi", "iscsi"),
    ("glusterfs", "glusterfs"),
    ("flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd"),
    ("cinder", "cinder"),
    ("cephfs", "cephFS"),
    ("quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI"),
    ("fc", "fc"),
    ("flexVolume", "flexVolume"),
    ("configMap", "configMap"),
    ("azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk"),
    ("storageos", "storageos"),
    ("projected", "projected"),
    ("scaleIO", "scaleIO"),
    ("csi", "csi"),
    ("ephemeral", "ephemeral"),
    ("image", "image"),
];

const HOST_PATH_TYPES: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// The minor release that refuses image volumes without a reference in pod templates. Before, only
/// the pods were refused.
const IMAGE_REFERENCE_SINCE: u32 = 37;

/// A volume has one source; one without any is an empty directory.
pub(super) fn check(review: &mut Review, volume: &At<'_>) {
    let mut found = false;
    for (name, called) in SOURCES {
        let source = volume.field(name);
        if !source.exists() {
            continue;
        }
        if found {
            let path = volume.field(called).path();
            let detail = "may not specify more than 1 volume type";
            review.forbidden_as(&path, source.key_place(), detail);
        } else {
            found = true;
            check_one(review, volume, &source);
        }
    }
}

fn check_one(review: &mut Review, volume: &At<'_>, at: &At<'_>) {
    match at.name() {
        "emptyDir" => empty_dir(review, at),
        "hostPath" => host_path(review, at),
        "gitRepo" => {
            require(review, &at.field("repository"));
            let directory = at.field("directory");
            paths::relative(
                review,
                &directory.path(),
                directory.place(),
                directory.text(),
            );
        }
        "gcePersistentDisk" => disk(review, volume, at, "persistentDisk", "pdName"),
        "awsElasticBlockStore" => disk(review, volume, at, "awsElasticBlockStore", "volumeID"),
        "secret" => files(review, at, "secretName"),
        "configMap" => files(review, at, "name"),
        "nfs" => nfs(review, at),
        "persistentVolumeClaim" => require(review, &at.field("claimName")),
        "downwardAPI" => {
            paths::mode(review, &at.field("defaultMode"));
            for file in at.field("items").items() {
                downward_file(review, at, &file);
            }
        }
        "projected" => projected::check(review, at),
        "csi" => csi(review, at),
        "ephemeral" => claim_template::check(review, &at.field("volumeClaimTemplate")),
        "image" => {
            if review.minor >= IMAGE_REFERENCE_SINCE {
                require(review, &at.field("reference"));
            }
            let policies = ["Always", "IfNotPresent", "Never"];
            super::container::word(review, &at.field("pullPolicy"), &policies);
        }
        "iscsi" => {
            require(review, &at.field("targetPortal"));
            require(review, &at.field("iqn"));
        }
        "flexVolume" => require(review, &at.field("driver")),
        "azureFile" => {
            require(review, &at.field("secretName"));
            require(review, &at.field("shareName"));
        }
        "rbd" => {
            require_items(review, &at.field("monitors"));
            require(review, &at.field("image"));
        }
        "cephfs" => require_items(review, &at.field("monitors")),
        "cinder" => require(review, &at.field("volumeID")),
        "azureDisk" => azure_disk(review, at),
        "vsphereVolume" => require(review, &at.field("volumePath")),
        "glusterfs" => {
            require(review, &at.field("endpoints"));
            require(review, &at.field("path"));
        }
        _ => {}
    }
}

pub(super) fn require(review: &mut Review, at: &At<'_>) {
    if at.text().is_empty() {
        review.required(at, "");
    }
}

fn require_items(review: &mut Review, at: &At<'_>) {
    if at.is_empty() {
        review.required(at, "");
    }
}

fn empty_dir(review: &mut Review, at: &At<'_>) {
    let limit = at.field("sizeLimit");
    let negative = |limit: &Quantity| limit.is_negative();
    if limit.exists() && resources::amount(&limit).as_ref().is_some_and(negative) {
        review.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
    }
}

fn host_path(review: &mut Review, at: &At<'_>) {
    let path = at.field("path");
    if path.text().is_empty() {
        review.required(&path, "");
        return;
    }
    paths::no_steps_back(review, &path.path(), path.place(), path.text());
    review.one_of(&at.field("type"), &HOST_PATH_TYPES);
}

fn disk(review: &mut Review, volume: &At<'_>, at: &At<'_>, called: &str, name: &str) {
    let path = volume.field(called).path();
    let id = at.field(name);
    if id.text().is_empty() {
        review.required_as(&format!("{path}.{name}"), id.place(), "");
    }
    let partition = at.field("partition");
    if let Some(value) = partition.int().filter(|value| !(0..=255).contains(value)) {
        let path = format!("{path}.partition");
        let detail = "must be between 1 and 255, inclusive";
        review.invalid_as(&path, partition.place(), value, detail);
    }
}

fn azure_disk(review: &mut Review, at: &At<'_>) {
    let (kind, uri) = (at.field("kind"), at.field("diskURI"));
    require(review, &at.field("diskName"));
    require(review, &uri);
    review.one_of(&at.field("cachingMode"), &["None", "ReadOnly", "ReadWrite"]);
    review.one_of(&kind, &["Dedicated", "Managed", "Shared"]);
    // The server shows the one form that it wants.
    let (start, form) = if kind.text() == "Managed" {
        (
            "/subscriptions/",
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/\
             disks/{disk-id}",
        )
    } else {
        (
            "https://",
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
        )
    };
    if !uri.text().starts_with(start) {
        review.unsupported(&uri, uri.text(), &[form]);
    }
}

fn files(review: &mut Review, at: &At<'_>, name: &str) {
    require(review, &at.field(name));
    paths::mode(review, &at.field("defaultMode"));
    for item in at.field("items").items() {
        key_to_path(review, &item);
    }
}

/// A key of a `ConfigMap` or a `Secret`, and the file that it becomes.
pub(super) fn key_to_path(review: &mut Review, at: &At<'_>) {
    require(review, &at.field("key"));
    paths::of_file(review, &at.field("path"));
    paths::mode(review, &at.field("mode"));
}

fn nfs(review: &mut Review, at: &At<'_>) {
    let path = at.field("path");
    require(review, &at.field("server"));
    require(review, &path);
    if !path.text().starts_with('/') {
        review.invalid_text(&path, path.text(), "must be an absolute path");
    }
}

/// A file of the downward API. The server names the volume, not the file.
pub(super) fn downward_file(review: &mut Review, named: &At<'_>, file: &At<'_>) {
    let known = [
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
    ];
    let before = review.causes.len();
    paths::of_file(review, &file.field("path"));
    let (field, resource) = (file.field("fieldRef"), file.field("resourceFieldRef"));
    if field.exists() {
        env::field_ref(review, &field, &known);
        if resource.exists() {
            let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
            review.invalid_text(file, "resource", detail);
        }
    } else if resource.exists() {
        env::resource_ref(review, &resource, true);
    } else {
        review.required(file, "one of fieldRef and resourceFieldRef is required");
    }
    paths::mode(review, &file.field("mode"));
    let (written, said) = (file.path(), named.path());
    for cause in review.causes.iter_mut().skip(before) {
        if let Some(rest) = cause.field.strip_prefix(&written) {
            cause.field = format!("{said}{rest}");
        }
    }
}

fn csi(review: &mut Review, at: &At<'_>) {
    driver(review, &at.field("driver"));
    let secret = at.field("nodePublishSecretRef");
    if !secret.exists() {
        return;
    }
    let name = secret.field("name");
    if name.text().is_empty() {
        review.required(&name, "");
    } else {
        // The server names a field that is not there.
        let path = at.field("name").path();
        for detail in names::subdomain(name.text(), review) {
            let shown = crate::schedule::go_quote(name.text());
            review.invalid_as(&path, name.place(), shown, &detail);
        }
    }
}

fn driver(review: &mut Review, at: &At<'_>) {
    const LONGEST: usize = 63;
    if at.text().is_empty() {
        review.required(at, "");
        return;
    }
    if at.text().len() > LONGEST {
        review.too_long(at, LONGEST);
    }
    let details = names::subdomain(&at.text().to_lowercase(), review);
    review.each_invalid(at, at.text(), details);
}
