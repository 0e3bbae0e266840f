//! `metadata.managedFields`: who has set what. As much of it as shows who did.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::http::Request;
use super::resources::Resource;

/// Maps and lists that can be owned as such, apart from what is in them.
const OWNED_AS_A_WHOLE: [&str; 7] = [
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "matchLabels",
    "env",
    "resourceAttributes",
];

/// The manager of a new object has set all of it.
pub(crate) fn note_creation(
    object: &mut Value,
    resource: &Resource,
    request: &Request,
    now: Timestamp,
) {
    let mut fields = Map::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        match name.as_str() {
            "kind" | "apiVersion" | "status" => {}
            "metadata" => {
                let mut owned = tree(&json!(settable(value)));
                owned.retain(|_, below| below.as_object().is_none_or(|below| !below.is_empty()));
                if !owned.is_empty() {
                    fields.insert("f:metadata".to_owned(), Value::Object(owned));
                }
            }
            _ => {
                fields.insert(format!("f:{name}"), subtree(name, value));
            }
        }
    }
    let entry = entry(resource, request, now, "", Value::Object(fields));
    object["metadata"]["managedFields"] = json!([entry]);
}

/// Whoever changes something owns it from then on, and nobody else.
pub(crate) fn note_change(
    before: &Value,
    after: &mut Value,
    resource: &Resource,
    request: &Request,
    subresource: &str,
    now: Timestamp,
) {
    let mut paths = Vec::new();
    for part in ["spec", "status"] {
        let path = vec![part.to_owned()];
        changed(&before[part], &after[part], &path, &mut paths);
    }
    for part in ["labels", "annotations"] {
        let path = vec!["metadata".to_owned(), part.to_owned()];
        changed(
            &before["metadata"][part],
            &after["metadata"][part],
            &path,
            &mut paths,
        );
    }
    let mut entries = before["metadata"]["managedFields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for entry in &mut entries {
        for path in &paths {
            disown(&mut entry["fieldsV1"], path);
        }
    }
    entries.retain(|entry| entry["fieldsV1"] != json!({}));
    let mut fields = json!({});
    for path in &paths {
        own(&mut fields, path);
    }
    if !paths.is_empty() {
        let mut mine = entry(resource, request, now, subresource, fields);
        let same = entries.iter().position(|entry| {
            entry["manager"] == mine["manager"] && entry["subresource"] == mine["subresource"]
        });
        if let Some(index) = same {
            let old = entries.remove(index);
            merge(&mut mine["fieldsV1"], &old["fieldsV1"]);
        }
        entries.push(mine);
    }
    if entries.is_empty() {
        if let Some(metadata) = after["metadata"].as_object_mut() {
            metadata.shift_remove("managedFields");
        }
    } else {
        after["metadata"]["managedFields"] = json!(entries);
    }
}

fn entry(
    resource: &Resource,
    request: &Request,
    now: Timestamp,
    subresource: &str,
    mut fields: Value,
) -> Value {
    fields.sort_all_objects();
    let agent = request.header("user-agent").unwrap_or("unknown");
    let manager = request
        .parameter("fieldManager")
        .unwrap_or_else(|| agent.split('/').next().unwrap_or_default());
    let applied = request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/apply-patch"));
    let mut entry = json!({
        "manager": manager,
        "operation": if applied { "Apply" } else { "Update" },
        "apiVersion": resource.api_version(),
        "time": now.to_string(),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    });
    if !subresource.is_empty() {
        entry["subresource"] = json!(subresource);
    }
    entry
}

/// The part of an object's metadata that its user decides on.
fn settable(metadata: &Value) -> Map<String, Value> {
    let names = [
        "annotations",
        "finalizers",
        "generateName",
        "labels",
        "ownerReferences",
    ];
    let present = names.iter().filter_map(|name| {
        let value = metadata.get(name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    present.collect()
}

fn tree(value: &Value) -> Map<String, Value> {
    let fields = value.as_object().into_iter().flatten();
    fields
        .map(|(name, value)| (format!("f:{name}"), subtree(name, value)))
        .collect()
}

fn subtree(name: &str, value: &Value) -> Value {
    let mut fields = match value {
        Value::Object(_) => tree(value),
        Value::Array(items) => items
            .iter()
            .filter_map(|item| {
                let key = ["uid", "type", "name"]
                    .iter()
                    .find(|key| item[**key].is_string())?;
                let mut fields = tree(item);
                fields.insert(".".to_owned(), json!({}));
                Some((
                    format!("k:{}", json!({*key: item[*key]})),
                    Value::Object(fields),
                ))
            })
            .collect(),
        _ => Map::new(),
    };
    if !fields.is_empty() && OWNED_AS_A_WHOLE.contains(&name) {
        fields.insert(".".to_owned(), json!({}));
    }
    Value::Object(fields)
}

/// The paths at which two values differ, through objects but not through lists.
fn changed(before: &Value, after: &Value, path: &[String], paths: &mut Vec<Vec<String>>) {
    if before == after {
        return;
    }
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        if let Some(new) = after.as_object() {
            for (name, value) in new {
                let path = [path, std::slice::from_ref(name)].concat();
                changed(&Value::Null, value, &path, paths);
            }
        } else {
            paths.push(path.to_vec());
        }
        return;
    };
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    for name in new.keys().chain(gone) {
        let path = [path, std::slice::from_ref(name)].concat();
        let none = Value::Null;
        let before = old.get(name).unwrap_or(&none);
        changed(before, new.get(name).unwrap_or(&none), &path, paths);
    }
}

fn own(fields: &mut Value, path: &[String]) {
    let mut place = fields;
    for name in path {
        let key = format!("f:{name}");
        if place.get(&key).is_none() {
            place[&key] = json!({});
        }
        place = &mut place[&key];
    }
}

fn disown(fields: &mut Value, path: &[String]) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    let key = format!("f:{name}");
    let Some(below) = fields.get_mut(&key) else {
        return;
    };
    disown(below, rest);
    let empty = rest.is_empty() || *below == json!({});
    if let Some(map) = fields.as_object_mut()
        && empty
    {
        map.shift_remove(&key);
    }
}

fn merge(into: &mut Value, from: &Value) {
    for (name, value) in from.as_object().into_iter().flatten() {
        match into.get_mut(name) {
            Some(known) => merge(known, value),
            None => into[name] = value.clone(),
        }
    }
    into.sort_all_objects();
}
