//! The template that a Job was created with, as its spec shows it.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A Job spec without what the API server and controllers add to each Job: the selector and its labels, defaults, and
/// `suspend`, which queues set and remove.
pub fn without_additions(spec: &Value) -> Value {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.retain(|field, value| match field.as_str() {
            "selector" | "suspend" => false,
            "backoffLimit" => *value != 6,
            "completions" | "parallelism" => *value != 1,
            "completionMode" => *value != "NonIndexed",
            "manualSelector" => *value != false,
            "podReplacementPolicy" => *value != "TerminatingOrFailed",
            _ => true,
        });
    }
    let template = spec.get_mut("template").and_then(Value::as_object_mut);
    for part in template
        .into_iter()
        .flat_map(|template| template.values_mut())
    {
        // The old name of serviceAccountName.
        let _ = part
            .as_object_mut()
            .and_then(|pod| pod.shift_remove("serviceAccount"));
        if let Some(Value::Object(labels)) = part.get_mut("labels") {
            labels.retain(|name, _| {
                let name = name.strip_prefix("batch.kubernetes.io/").unwrap_or(name);
                !matches!(name, "controller-uid" | "job-name")
            });
        }
    }
    spec
}

/// The bytes of a fingerprint.
const BYTES: usize = 8;

/// What distinguishes the templates of Jobs, by the spec of a stored Job: 16 hexadecimal digits. What is added to each Job
/// does not count, nor the order of fields. `None` if it has no template.
pub fn template_fingerprint(spec: &Value) -> Option<String> {
    spec.get("template")?;
    let mut text = String::new();
    write_sorted(&without_additions(spec), &mut text);
    let digest = Sha256::digest(text);
    let first = digest.iter().take(BYTES);
    let number = first.fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    Some(format!("{number:016x}"))
}

/// Writes a value with its fields in the order of their names, and without defaults.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(name, value)| !is_default(name, value))
                .collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                text.push_str(&format!("{name:?}:"));
                write_sorted(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Whether the API server fills this value in where a field is unset.
pub fn is_default(field: &str, value: &Value) -> bool {
    let is_empty = || match value {
        Value::Null => true,
        Value::Object(fields) => fields.iter().all(|(field, value)| is_default(field, value)),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let text = |expected: &str| value.as_str() == Some(expected);
    let number = |expected: i64| value.as_i64() == Some(expected);
    match field {
        _ if value.is_null() => true,
        "suspend" => value.as_bool() == Some(false),
        "concurrencyPolicy" => text("Allow"),
        "terminationGracePeriodSeconds" => number(30),
        "dnsPolicy" => text("ClusterFirst"),
        "schedulerName" => text("default-scheduler"),
        "terminationMessagePath" => text("/dev/termination-log"),
        "terminationMessagePolicy" => text("File"),
        "protocol" => text("TCP"),
        "scheme" => text("HTTP"),
        "defaultMode" => number(0o644),
        "failedJobsHistoryLimit" | "successThreshold" | "timeoutSeconds" => number(1),
        "successfulJobsHistoryLimit" | "failureThreshold" => number(3),
        "periodSeconds" => number(10),
        "apiVersion" => text("v1"),
        "path" => text("/"),
        "type" | "service" => text(""),
        "volumeMode" => text("Filesystem"),
        "expirationSeconds" => number(3600),
        "divisor" => text("0"),
        _ => is_empty(),
    }
}
