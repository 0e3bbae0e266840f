//! Volumes of a pod, and where they come from.

use std::collections::{HashMap, HashSet};

use super::super::schema::{
    DownwardAPIVolumeFile, FieldShape, HostPathVolumeSource, KeyToPath, PersistentVolumeClaimSpec,
    SecretProjection, ServiceAccountTokenProjection, Volume,
};
use super::super::{At, ManifestReview, formats, nearest_word};
use super::{env, resources};
use kube_cron::go_quote;
use located_yaml::Mapping;

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
            let claims = ["persistentVolumeClaim", "ephemeral"];
            let is_claim = claims.iter().any(|source| volume.field(source).exists());
            known.insert(name.text().to_owned(), is_claim);
        }
        if review.is_full() {
            break;
        }
    }
    Volumes { known }
}

/// A volume has one source; one without any is an empty directory.
fn check_sources(review: &mut ManifestReview, volume: &At<'_>) {
    let sources = Volume.fields.iter().filter(|field| field.name != "name");
    let mut found = false;
    for field in sources {
        let source = volume.field(field.name);
        if !source.exists() {
            continue;
        }
        if found {
            // The server spells two of them differently.
            let named = volume.field(match field.name {
                "cephfs" => "cephFS",
                "downwardAPI" => "downwarAPI",
                name => name,
            });
            let detail = "may not specify more than 1 volume type";
            review.forbidden(&source.named(&named), detail);
        } else {
            found = true;
            check_source(review, volume, &source, &field.shape);
        }
    }
}

fn check_source(review: &mut ManifestReview, volume: &At<'_>, at: &At<'_>, shape: &FieldShape) {
    match shape {
        FieldShape::Object(object) if at.name() != "hostPath" => review.check_object(at, object),
        _ => {}
    }
    match at.name() {
        "emptyDir" => empty_dir(review, at),
        "hostPath" => host_path(review, at),
        "gcePersistentDisk" => {
            disk(review, &at.named(&volume.field("persistentDisk")), "pdName");
        }
        "awsElasticBlockStore" => disk(review, at, "volumeID"),
        "secret" | "configMap" => {
            for item in at.field("items").items() {
                review.check_object(&item, &KeyToPath);
            }
        }
        "nfs" => {
            let path = at.field("path");
            if !path.text().starts_with('/') {
                review.invalid_text(&path, "must be an absolute path");
            }
        }
        "downwardAPI" => {
            for file in at.field("items").items() {
                downward_file(review, &file.named(at));
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
    if resources::amount(&limit).is_some_and(|limit| limit.is_negative()) {
        review.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
    }
}

fn host_path(review: &mut ManifestReview, at: &At<'_>) {
    let path = at.field("path");
    if path.text().is_empty() {
        review.required(&path, "");
    } else {
        review.check_form(&path, formats::path_without_steps_back);
        review.check_object(at, &HostPathVolumeSource);
    }
}

fn disk(review: &mut ManifestReview, at: &At<'_>, name: &str) {
    review.require(&at.field(name), "");
    let partition = at.field("partition");
    if let Some(value) = partition.int().filter(|value| !(0..=255).contains(value)) {
        let detail = "must be between 1 and 255, inclusive";
        review.invalid(&partition, value, detail);
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
        review.unsupported(&uri, &[form]);
    }
}

/// A file of the downward API. The server names the volume, not the file.
fn downward_file(review: &mut ManifestReview, file: &At<'_>) {
    let known = [
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
    ];
    review.check_fields(file, &DownwardAPIVolumeFile, &["path"]);
    let (field, resource) = (file.field("fieldRef"), file.field("resourceFieldRef"));
    if field.exists() {
        env::field_ref(review, &field, &known);
        if resource.exists() {
            let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
            review.invalid(file, "\"resource\"", detail);
        }
    } else if resource.exists() {
        env::resource_ref(review, &resource, true);
    } else {
        review.required(file, "one of fieldRef and resourceFieldRef is required");
    }
    review.check_fields(file, &DownwardAPIVolumeFile, &["mode"]);
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
        review.check_form(&name.named(&at.field("name")), formats::subdomain);
    }
}

fn driver(review: &mut ManifestReview, at: &At<'_>) {
    const LONGEST: usize = 63;
    if at.text().is_empty() {
        review.required(at, "");
        return;
    }
    review.no_longer(at, LONGEST);
    for detail in formats::subdomain(&at.text().to_lowercase(), review) {
        review.invalid_text(at, &detail);
    }
}

const SHORTEST_TOKEN: i64 = 10 * 60;
const LONGEST_TOKEN: i64 = 1 << 32;

fn check_projected(review: &mut ManifestReview, at: &At<'_>) {
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
                    take(review, at, &item.field("path"), name.text(), &mut taken);
                }
            }
        }
        let downward = source.field("downwardAPI");
        if downward.exists() {
            count += 1;
            for file in downward.field("items").items() {
                downward_file(review, &file.named(&downward));
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
        review.invalid(&path.named(volume), go_quote(shown), detail);
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
    let at = at.named(volume);
    if review.server.checks_token_paths {
        review.check_object(&at, &ServiceAccountTokenProjection);
    } else {
        review.require(&at.field("path"), "");
    }
}

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

fn check_claim_template(review: &mut ManifestReview, at: &At<'_>) {
    if !at.exists() {
        review.required(at, "");
        return;
    }
    let metadata = at.field("metadata");
    review.annotations(&metadata.field("annotations"));
    review.labels(&metadata.field("labels"));
    for field in metadata.mapping().map(Mapping::entries).unwrap_or_default() {
        let set = metadata.enter(field, false);
        if !["annotations", "labels", "creationTimestamp"].contains(&set.name()) {
            review.forbid(&set, "cannot be set");
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
        review.must_be(&mode.named(&modes), &MODES);
    }
    let known = modes.items().filter(|mode| MODES.contains(&mode.text()));
    let (only, shared): (Vec<_>, Vec<_>) =
        known.partition(|mode| mode.text() == "ReadWriteOncePod");
    if !only.is_empty() && !shared.is_empty() {
        let detail = "may not use ReadWriteOncePod with other access modes";
        review.forbidden(&modes, detail);
    }
    storage(review, &at.field("resources"));
    review.check_object(at, &PersistentVolumeClaimSpec);
}

/// The server names the resource of the list, whichever list it is in.
fn storage(review: &mut ManifestReview, at: &At<'_>) {
    let (requests, named) = (at.field("requests"), at.key("storage"));
    let amount = requests.field("storage");
    let is_written = requests.entry_of("storage").is_some();
    let Some(size) = resources::amount(&amount).filter(|_| is_written) else {
        review.required(&at.named(&named), "");
        return;
    };
    if size.is_negative() || size.is_zero() {
        let detail = "must be greater than zero";
        review.invalid(&amount.named(&named), size.quoted(), detail);
    }
}
