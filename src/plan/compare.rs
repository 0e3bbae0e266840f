//! What differs between two versions of an object, field by field.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::apply::merge_key;
use crate::validation::Quantity;

/// A field with another value.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FieldChange {
    /// The field. Items of lists are named by their keys: `containers[main].image`.
    pub field: String,
    /// The value before; null if it was unset.
    pub old: Option<Value>,
    /// The value afterwards; null if it will be unset.
    pub new: Option<Value>,
}

/// The most changes that are listed of one object.
const MOST_CHANGES: usize = 200;

/// The differences of two specs, in the order of their fields. Defaults that only one of them states
/// are none.
pub(super) fn differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare("spec", "spec", Some(old), Some(new), &mut found);
    found
}

fn compare(
    path: &str,
    field: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    found: &mut Vec<FieldChange>,
) {
    let is_unset = |value: Option<&Value>| value.is_none_or(|value| is_default(field, value));
    if found.len() >= MOST_CHANGES || (is_unset(old) && is_unset(new)) || old == new {
        return;
    }
    if is_quantity(path, field)
        && let (Some(old), Some(new)) = (old.and_then(quantity), new.and_then(quantity))
        && old == new
    {
        return;
    }
    match (old, new, merge_key(field)) {
        (Some(Value::Object(old)), Some(Value::Object(new)), _) => {
            compare_fields(path, old, new, found);
        }
        (Some(Value::Array(old)), Some(Value::Array(new)), Some(key)) => {
            compare_items(path, key, old, new, found);
        }
        _ => found.push(change(path, old, new)),
    }
}

fn change(path: &str, old: Option<&Value>, new: Option<&Value>) -> FieldChange {
    let known = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
    FieldChange {
        field: path.to_owned(),
        old: known(old),
        new: known(new),
    }
}

fn compare_fields(
    path: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<FieldChange>,
) {
    let added = new.keys().filter(|name| !old.contains_key(*name));
    for name in old.keys().chain(added) {
        let path = format!("{path}.{name}");
        // What kind of image pull is the default depends on the tag.
        if name == "imagePullPolicy" {
            let (old, new) = (pull_policy(old), pull_policy(new));
            if old != new {
                found.push(change(&path, old.as_ref(), new.as_ref()));
            }
            continue;
        }
        compare(&path, name, old.get(name), new.get(name), found);
    }
}

fn compare_items(
    path: &str,
    key: &str,
    old: &[Value],
    new: &[Value],
    found: &mut Vec<FieldChange>,
) {
    let name_of = |item: &Value| match item.get(key) {
        Some(Value::String(name)) => name.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let find = |items: &'_ [Value], name: &str| -> Option<Value> {
        let mut items = items.iter();
        items.find(|item| name_of(item) == name).cloned()
    };
    let added = new
        .iter()
        .filter(|item| find(old, &name_of(item)).is_none());
    for item in old.iter().chain(added) {
        let name = name_of(item);
        let path = format!("{path}[{name}]");
        let (old, new) = (find(old, &name), find(new, &name));
        compare(&path, "", old.as_ref(), new.as_ref(), found);
    }
}

/// Whether a field has a quantity, which the API server stores in its canonical form.
fn is_quantity(path: &str, field: &str) -> bool {
    let of_resources = [".limits.", ".requests."];
    of_resources.iter().any(|part| path.contains(part)) || matches!(field, "sizeLimit" | "divisor")
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        Value::String(text) => Quantity::parse(text).ok(),
        _ => None,
    }
}

fn pull_policy(container: &Map<String, Value>) -> Option<Value> {
    if let Some(stated) = container.get("imagePullPolicy") {
        return Some(stated.clone());
    }
    let image = container.get("image")?.as_str()?;
    let name = image.rsplit('/').next().unwrap_or(image);
    let is_latest =
        !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    Some(Value::from(if is_latest {
        "Always"
    } else {
        "IfNotPresent"
    }))
}

/// Whether the API server fills this value in where a field is unset.
pub(super) fn is_default(field: &str, value: &Value) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(old: &Value, new: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
        let found = differences(old, new).into_iter();
        let found = found.map(|change| (change.field, change.old, change.new));
        found.collect()
    }

    #[test]
    fn defaults_and_order_are_no_differences() {
        let old = json!({"schedule": "0 2 * * *", "suspend": false, "concurrencyPolicy": "Allow",
            "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1, "jobTemplate": {
            "metadata": {"creationTimestamp": null}, "spec": {"template": {"spec": {
            "containers": [{"name": "a", "image": "x:1", "imagePullPolicy": "IfNotPresent",
            "resources": {}, "terminationMessagePath": "/dev/termination-log"},
            {"name": "b", "image": "y", "imagePullPolicy": "Always"}], "dnsPolicy": "ClusterFirst"}}}}});
        let new = json!({"schedule": "0 2 * * *", "jobTemplate": {"spec": {"template": {"spec": {
            "containers": [{"name": "b", "image": "y"}, {"name": "a", "image": "x:1"}]}}}}});
        assert_eq!(fields(&old, &new), []);
        assert_eq!(fields(&new, &old), []);
    }

    #[test]
    fn quantities_are_compared_as_numbers() {
        let spec = |cpu: Value, memory: &str| json!({"limits": {"cpu": cpu, "memory": memory}});
        let same = [
            (spec(json!("500m"), "1Gi"), spec(json!(0.5), "1024Mi")),
            (spec(json!("1"), "2k"), spec(json!(1), "2e3")),
        ];
        for (old, new) in same {
            assert_eq!(fields(&old, &new), []);
        }
        let (old, new) = (spec(json!(1), "1Gi"), spec(json!(1), "1G"));
        assert_eq!(fields(&old, &new).len(), 1);
    }

    #[test]
    fn changed_fields_are_named_by_path_and_key() {
        let spec = |image: &str, suspend: &Value, env: &Value| {
            json!({"suspend": suspend, "jobTemplate": {"spec": {"template": {"spec": {"containers": [
                {"name": "a", "image": image, "env": env}]}}}}})
        };
        let old = spec("x:1", &json!(true), &json!([{"name": "K", "value": "1"}]));
        let new = spec("x:2", &Value::Null, &json!([{"name": "L", "value": "1"}]));
        let of_container = |field: &str, old, new| {
            let container = "spec.jobTemplate.spec.template.spec.containers[a]";
            (format!("{container}.{field}"), old, new)
        };
        let variable = |name: &str| Some(json!({"name": name, "value": "1"}));
        let expected = [
            ("spec.suspend".to_owned(), Some(json!(true)), None),
            of_container("image", Some(json!("x:1")), Some(json!("x:2"))),
            of_container("env[K]", variable("K"), None),
            of_container("env[L]", None, variable("L")),
        ];
        assert_eq!(fields(&old, &new), expected);
    }
}
