//! Volumes of a pod, and where they come from.

use std::collections::{HashMap, HashSet};

use super::super::at::At;
use super::super::formats;
use super::super::nearest_word;
use super::super::quantity::Quantity;
use super::super::review::ManifestReview;
use super::super::schema::{
    DownwardAPIVolumeFile, FieldShape, HostPathVolumeSource, KeyToPath, PersistentVolumeClaimSpec,
    SecretProjection, Volume,
};
use super::{env, resources};
use crate::document::Mapping;
use crate::schedule::go_quote;

/// The volumes that are well-formed, by name, and whether they come from a claim.
pub(super) struct Volumes {
    known: HashMap<String, bool>,
}

impl Volumes {
    pub(super) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Whether a volume can be a raw device.
    pub(super) fn is_claim(&self, name: &str) -> bool {
        self.known.get(name).copied().unwrap_or_default()
    }

    /// The volume that was probably intended.
    pub(super) fn nearest_word(&self, name: &str) -> Option<&str> {
        nearest_word(name, self.known.keys().map(String::as_str))
    }
}

/// Holds the volumes against the rules. One that breaks a rule counts as not there afterwards, as
/// it does for the server.
pub(super) fn check(review: &mut ManifestReview, at: &At<'_>) -> Volumes {
    let mut known = HashMap::new();
    for volume in at.items() {
        let before = review.causes.len();
        check_sources(review, &volume);
        let name = volume.field("name");
        review.check_fields(&volume, &Volume, &["name"]);
        if known.contains_key(name.text()) {
            review.duplicate(&name, go_quote(name.text()));
        }
        if review.causes.len() == before {
            let is_claim = ["persistentVolumeClaim", "ephemeral"];
            let is_claim = is_claim.iter().any(|source| volume.field(source).exists());
            known.insert(name.text().to_owned(), is_claim);
        }
        if review.is_full() {
            break;
        }
    }
    Volumes { known }
}

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

/// A volume has one source; one without any is an empty directory.
pub(super) fn check_sources(review: &mut ManifestReview, volume: &At<'_>) {
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
            check_source(review, volume, &source);
        }
    }
}

fn check_source(review: &mut ManifestReview, volume: &At<'_>, at: &At<'_>) {
    if let Some(FieldShape::Object(object)) = Volume.field(at.name(), u32::MAX).map(|it| &it.shape)
        && at.name() != "hostPath"
    {
        review.check_object(at, object);
    }
    match at.name() {
        "emptyDir" => empty_dir(review, at),
        "hostPath" => host_path(review, at),
        "gcePersistentDisk" => disk(review, volume, at, "persistentDisk", "pdName"),
        "awsElasticBlockStore" => disk(review, volume, at, "awsElasticBlockStore", "volumeID"),
        "secret" | "configMap" => {
            for item in at.field("items").items() {
                review.check_object(&item, &KeyToPath);
            }
        }
        "nfs" => {
            let path = at.field("path");
            if !path.text().starts_with('/') {
                review.invalid_text(&path, path.text(), "must be an absolute path");
            }
        }
        "downwardAPI" => {
            for file in at.field("items").items() {
                downward_file(review, at, &file);
            }
        }
        "projected" => check_projected(review, at),
        "csi" => csi(review, at),
        "ephemeral" => check_claim_template(review, &at.field("volumeClaimTemplate")),
        "azureDisk" => azure_disk(review, at),
        _ => {}
    }
}

fn empty_dir(review: &mut ManifestReview, at: &At<'_>) {
    let limit = at.field("sizeLimit");
    let negative = |limit: &Quantity| limit.is_negative();
    if limit.exists() && resources::amount(&limit).as_ref().is_some_and(negative) {
        review.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
    }
}

fn host_path(review: &mut ManifestReview, at: &At<'_>) {
    let path = at.field("path");
    if path.text().is_empty() {
        review.required(&path, "");
        return;
    }
    let details = formats::path_without_steps_back(path.text());
    review.each_invalid(&path, path.text(), details);
    review.check_object(at, &HostPathVolumeSource);
}

fn disk(review: &mut ManifestReview, volume: &At<'_>, at: &At<'_>, called: &str, name: &str) {
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

fn azure_disk(review: &mut ManifestReview, at: &At<'_>) {
    let (kind, uri) = (at.field("kind"), at.field("diskURI"));
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

/// A file of the downward API. The server names the volume, not the file.
pub(super) fn downward_file(review: &mut ManifestReview, named: &At<'_>, file: &At<'_>) {
    let known = [
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
    ];
    let before = review.causes.len();
    review.check_fields(file, &DownwardAPIVolumeFile, &["path"]);
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
    review.check_fields(file, &DownwardAPIVolumeFile, &["mode"]);
    let (written, said) = (file.path(), named.path());
    for cause in review.causes.iter_mut().skip(before) {
        if let Some(rest) = cause.field.strip_prefix(&written) {
            cause.field = format!("{said}{rest}");
        }
    }
}

fn csi(review: &mut ManifestReview, at: &At<'_>) {
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
        let details = formats::subdomain(name.text(), review);
        review.each_invalid_as(&path, name.place(), name.text(), details);
    }
}

fn driver(review: &mut ManifestReview, at: &At<'_>) {
    const LONGEST: usize = 63;
    if at.text().is_empty() {
        review.required(at, "");
        return;
    }
    if at.text().len() > LONGEST {
        review.too_long(at, LONGEST);
    }
    let details = formats::subdomain(&at.text().to_lowercase(), review);
    review.each_invalid(at, at.text(), details);
}

const SHORTEST_TOKEN: i64 = 10 * 60;
const LONGEST_TOKEN: i64 = 1 << 32;

pub(super) fn check_projected(review: &mut ManifestReview, at: &At<'_>) {
    let mut taken: HashSet<String> = HashSet::new();
    for source in at.field("sources").items() {
        let mut count = 0;
        for name in ["secret", "configMap"] {
            let files = source.field(name);
            if files.exists() {
                count += 1;
                let name = files.field("name");
                review.check_object(&files, &SecretProjection);
                for item in files.field("items").items() {
                    review.check_object(&item, &KeyToPath);
                    let path = item.field("path");
                    take(review, at, &path, name.text(), &mut taken);
                }
            }
        }
        let downward = source.field("downwardAPI");
        if downward.exists() {
            count += 1;
            for file in downward.field("items").items() {
                downward_file(review, &downward, &file);
                let path = file.field("path");
                take(review, at, &path, path.text(), &mut taken);
            }
        }
        let token = source.field("serviceAccountToken");
        if token.exists() {
            count += 1;
            check_token(review, at, &token);
        }
        if count > 1 {
            let detail = "may not specify more than 1 volume type per source";
            review.forbidden(&source, detail);
        }
    }
}

/// Two files cannot have the same path. The server names the volume.
fn take(
    review: &mut ManifestReview,
    volume: &At<'_>,
    path: &At<'_>,
    shown: &str,
    taken: &mut HashSet<String>,
) {
    if !path.text().is_empty() && !taken.insert(path.text().to_owned()) {
        let detail = "conflicting duplicate paths";
        review.invalid_as(&volume.path(), path.place(), go_quote(shown), detail);
    }
}

fn check_token(review: &mut ManifestReview, volume: &At<'_>, at: &At<'_>) {
    let expiration = at.field("expirationSeconds");
    if let Some(seconds) = expiration.int() {
        if seconds < SHORTEST_TOKEN {
            let detail = "may not specify a duration less than 10 minutes";
            review.invalid(&expiration, seconds, detail);
        }
        if seconds > LONGEST_TOKEN {
            let detail = "may not specify a duration larger than 2^32 seconds";
            review.invalid(&expiration, seconds, detail);
        }
    }
    // The server names a field of the volume.
    let path = at.field("path");
    let said = volume.field("path").path();
    if path.text().is_empty() {
        review.required_as(&said, path.place(), "");
    } else {
        let details = formats::unreserved_path(path.text());
        review.each_invalid_as(&said, path.place(), path.text(), details);
    }
}

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

pub(super) fn check_claim_template(review: &mut ManifestReview, at: &At<'_>) {
    if !at.exists() {
        review.required(at, "");
        return;
    }
    let metadata = at.field("metadata");
    review.annotations(&metadata.field("annotations"));
    review.labels(&metadata.field("labels"));
    for field in metadata.mapping().map(Mapping::entries).unwrap_or_default() {
        let set = metadata.enter(field, false);
        if set.exists() && !["annotations", "labels", "creationTimestamp"].contains(&set.name()) {
            review.forbidden(&set, "cannot be set");
        }
    }
    check_claim_spec(review, &at.field("spec"));
}

fn check_claim_spec(review: &mut ManifestReview, at: &At<'_>) {
    let modes = at.field("accessModes");
    if modes.is_empty() {
        review.required(&modes, "at least 1 access mode is required");
    }
    review.label_selector(&at.field("selector"));
    for mode in modes.items() {
        if !MODES.contains(&mode.text()) {
            review.unsupported_as(&modes.path(), mode.place(), mode.text(), &MODES);
        }
    }
    let known = |only: bool| {
        let is_only = |mode: &str| mode == "ReadWriteOncePod";
        let mut items = modes.items();
        items.any(|mode| MODES.contains(&mode.text()) && is_only(mode.text()) == only)
    };
    if known(true) && known(false) {
        review.forbidden(
            &modes,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    storage(review, &at.field("resources"));
    review.check_object(at, &PersistentVolumeClaimSpec);
}

/// The server names the resource of the list, whichever list it is in.
fn storage(review: &mut ManifestReview, at: &At<'_>) {
    let path = format!("{}[storage]", at.path());
    let requests = at.field("requests");
    let amount = requests.field("storage");
    let there = requests
        .mapping()
        .is_some_and(|map| map.entry("storage").is_some());
    let Some(size) = resources::amount(&amount).filter(|_| there) else {
        review.required_as(&path, at.place(), "");
        return;
    };
    if size.is_negative() || size.is_zero() {
        let shown = go_quote(&size.to_string());
        review.invalid_as(&path, amount.place(), shown, "must be greater than zero");
    }
}
