//! Events have two shapes, of the core group and of `events.k8s.io`; stored is the first.

use serde_json::{Map, Value, json};

/// Names in the core group, and in the other; all that is not here is the same.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// An event of the core group as `events.k8s.io` shows it.
pub(crate) fn from_core(event: &Value) -> Value {
    renamed(event, "events.k8s.io/v1", |name| {
        NAMES.iter().find(|pair| pair.0 == name).map(|pair| pair.1)
    })
}

/// The reverse.
pub(crate) fn to_core(event: &Value) -> Value {
    renamed(event, "v1", core_name)
}

fn core_name(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|pair| pair.1 == name).map(|pair| pair.0)
}

/// The field label of the core group for one of `events.k8s.io`; `None` if it has none.
pub(crate) fn core_label(label: &str) -> Option<String> {
    if let Some(rest) = label.strip_prefix("regarding.") {
        return Some(format!("involvedObject.{rest}"));
    }
    match label {
        "reportingController" => Some("reportingComponent".to_owned()),
        "reason" | "type" | "metadata.name" | "metadata.namespace" => Some(label.to_owned()),
        _ => None,
    }
}

fn renamed(
    event: &Value,
    api_version: &str,
    name_of: impl Fn(&str) -> Option<&'static str>,
) -> Value {
    let mut fields = Map::new();
    for (name, value) in event.as_object().into_iter().flatten() {
        let value = if name == "apiVersion" {
            json!(api_version)
        } else {
            value.clone()
        };
        let name = name_of(name).unwrap_or(name);
        fields.insert(name.to_owned(), value);
    }
    Value::Object(fields)
}
