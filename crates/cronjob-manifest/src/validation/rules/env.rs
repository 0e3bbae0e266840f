//! Environment variables.

use super::super::schema::{
    EnvFromSource, EnvVar, FileKeySelector, SecretEnvSource, SecretKeySelector,
};
use super::super::{At, ManifestReview, formats, nearest_word};
use super::resources::quantity;
use kube_cron::go_quote;

/// The release since which a variable can come from a file.
const FILES_SINCE: u32 = 35;

const SOURCES: [&str; 5] = [
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "fileKeyRef",
];
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// What the server can make something of; not all of it is known to containers.
const CONVERTIBLE: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const UNITS: [&str; 13] = [
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
];

pub(super) fn check(review: &mut ManifestReview, at: &At<'_>) {
    for variable in at.items() {
        review.check_object(&variable, &EnvVar);
        let source = variable.field("valueFrom");
        if source.exists() {
            check_source(review, &source, variable.field("value").text());
        }
    }
}

fn check_source(review: &mut ManifestReview, at: &At<'_>, value: &str) {
    let has_files = review.minor >= FILES_SINCE;
    let mut sources = 0;
    for name in SOURCES {
        let source = at.field(name);
        if !source.exists() {
            continue;
        }
        sources += 1;
        match name {
            "fieldRef" => {
                let has_host_ips = review.server.has_host_ips;
                let known = FIELDS.into_iter();
                let known = known.filter(|field| has_host_ips || *field != "status.hostIPs");
                field_ref(review, &source, &known.collect::<Vec<_>>());
            }
            "resourceFieldRef" => resource_ref(review, &source, false),
            "fileKeyRef" => {
                review.check_fields(&source, &FileKeySelector, &["key", "volumeName", "path"]);
            }
            _ => {
                review.check_form(&source.field("name"), formats::subdomain);
                review.check_object(&source, &SecretKeySelector);
            }
        }
    }
    let detail = match sources {
        0 if has_files => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, \
             `secretKeyRef` or `fileKeyRef`"
        }
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or \
             `secretKeyRef`"
        }
        _ if !value.is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    review.invalid_text(at, detail);
}

/// A field of the pod, as the downward API names it.
pub(super) fn field_ref(review: &mut ManifestReview, at: &At<'_>, known: &[&str]) {
    let path = at.field("fieldPath");
    let version = at.field("apiVersion");
    let text = path.text();
    if text.is_empty() {
        review.required(&path, "");
        return;
    }
    let unconvertible = |review: &mut ManifestReview, detail: &str| {
        review.invalid_text(&path, &format!("error converting fieldPath: {detail}"));
    };
    // The version that is left out is v1.
    if !matches!(version.text(), "" | "v1") {
        let detail = format!("unsupported pod version: {}", version.text());
        return unconvertible(review, &detail);
    }
    if let Some((map, key)) = subscript(text) {
        let key = match map {
            "metadata.annotations" => key.to_lowercase(),
            "metadata.labels" => key.to_owned(),
            _ => {
                let detail = format!("field label does not support subscript: {text}");
                return unconvertible(review, &detail);
            }
        };
        return review.check_text(&path.named(at), &key, formats::qualified_name);
    }
    let internal = if text == "spec.host" {
        "spec.nodeName"
    } else {
        text
    };
    let is_newer = internal == "status.hostIPs" && !review.server.has_host_ips;
    if is_newer || !CONVERTIBLE.contains(&internal) {
        unconvertible(review, &format!("field label not supported: {text}"));
        review.suggest(nearest_word(text, known.iter().copied()));
    } else if !known.contains(&internal) {
        review.unsupported_value(&path, path.place(), internal, known);
    }
}

/// `metadata.labels['key']`
fn subscript(path: &str) -> Option<(&str, &str)> {
    let (map, key) = path.strip_suffix("']")?.split_once("['")?;
    (!map.is_empty()).then_some((map, key))
}

/// A resource of a container, as the downward API names it.
pub(super) fn resource_ref(review: &mut ManifestReview, at: &At<'_>, in_volume: bool) {
    let (container, resource) = (at.field("containerName"), at.field("resource"));
    let name = resource.text();
    let huge = ["requests.hugepages-", "limits.hugepages-"];
    let is_huge = huge.iter().any(|prefix| name.starts_with(prefix));
    if in_volume && container.text().is_empty() {
        review.required(&container, "");
    } else if name.is_empty() {
        review.required(&resource, "");
    } else if !is_huge && !RESOURCES.contains(&name) {
        review.unsupported(&resource, &RESOURCES);
    }
    let divisor = at.field("divisor");
    let Some(shown) = quantity(&divisor).filter(|shown| !shown.is_zero()) else {
        return;
    };
    let shown = shown.to_string();
    let (units, what): (&[&str], &str) = match name {
        "limits.cpu" | "requests.cpu" => {
            if !["1m", "1"].contains(&shown.as_str()) {
                let detail = "only divisor's values 1m and 1 are supported with the cpu resource";
                review.invalid(&divisor, go_quote(name), detail);
            }
            return;
        }
        "limits.memory" | "requests.memory" => (&UNITS, "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => {
            (&UNITS, "local ephemeral storage")
        }
        _ if is_huge => (&UNITS, "hugepages"),
        _ => return,
    };
    if !units.contains(&shown.as_str()) {
        let units = units.join(", ");
        let detail =
            format!("only divisor's values {units} are supported with the {what} resource");
        review.invalid(&divisor, go_quote(name), &detail);
    }
}

/// All variables of a `ConfigMap` or a `Secret`.
pub(super) fn check_from(review: &mut ManifestReview, at: &At<'_>) {
    for source in at.items() {
        review.check_object(&source, &EnvFromSource);
        let mut sources = 0;
        for name in ["configMapRef", "secretRef"] {
            let reference = source.field(name);
            if !reference.exists() {
                continue;
            }
            sources += 1;
            review.check_object(&reference, &SecretEnvSource);
        }
        let wrong = match sources {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        // The server names the list, not the item.
        review.invalid_text(&source.named(at), wrong);
    }
}
