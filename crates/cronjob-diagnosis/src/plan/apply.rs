//! The object that `kubectl apply` stores, given the stored one and a manifest.

use serde_json::{Map, Value};

/// What was applied before, which decides about fields that the manifest no longer states.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Previous<'a> {
    /// The manifest of the last client-side apply: what only it states is removed.
    Manifest(&'a Value),
    /// A server-side apply by this field manager: what it alone owns is removed.
    Manager(&'a str),
    Unknown,
}

/// The object after the manifest is applied.
///
/// What neither manifest states stays as it is stored, such as a default or a manual change.
pub(crate) fn apply(stored: &Value, previous: Previous<'_>, manifest: &Value) -> Value {
    match previous {
        Previous::Manifest(before) => merge(stored, Some(before), manifest, ""),
        Previous::Manager(name) => {
            let left = without_unstated(stored, name, manifest);
            merge(left.as_ref().unwrap_or(stored), None, manifest, "")
        }
        Previous::Unknown => merge(stored, None, manifest, ""),
    }
}

/// The key by which the items of a list of this name are merged. Other lists are replaced.
pub(super) fn merge_key(list: &str) -> Option<&'static str> {
    Some(match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "imagePullSecrets"
        | "resourceClaims"
        | "schedulingGates" => "name",
        "volumeMounts" => "mountPath",
        "volumeDevices" => "devicePath",
        "ports" => "containerPort",
        "hostAliases" => "ip",
        "topologySpreadConstraints" => "topologyKey",
        _ => return None,
    })
}

fn merge(stored: &Value, before: Option<&Value>, manifest: &Value, field: &str) -> Value {
    match (stored, manifest, merge_key(field)) {
        (Value::Object(stored), Value::Object(manifest), _) => {
            let before = before.and_then(Value::as_object);
            Value::Object(merge_fields(stored, before, manifest))
        }
        (Value::Array(stored), Value::Array(manifest), Some(key)) => {
            let before = before.and_then(Value::as_array);
            let before = before.map_or(&[][..], Vec::as_slice);
            Value::Array(merge_items(stored, before, manifest, key, field))
        }
        _ => manifest.clone(),
    }
}

fn merge_fields(
    stored: &Map<String, Value>,
    before: Option<&Map<String, Value>>,
    manifest: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = Map::new();
    for (name, value) in stored {
        let applied = before.and_then(|before| before.get(name));
        match manifest.get(name) {
            Some(Value::Null) => {}
            Some(stated) => {
                merged.insert(name.clone(), merge(value, applied, stated, name));
            }
            // The whole field is removed, with what others wrote into it.
            None if applied.is_some_and(|applied| !applied.is_null()) => {}
            None => {
                merged.insert(name.clone(), value.clone());
            }
        }
    }
    for (name, stated) in manifest {
        if !stated.is_null() && !stored.contains_key(name) {
            merged.insert(name.clone(), stated.clone());
        }
    }
    merged
}

fn merge_items(
    stored: &[Value],
    before: &[Value],
    manifest: &[Value],
    key: &str,
    field: &str,
) -> Vec<Value> {
    let find = |items: &[Value], wanted: &Value| {
        let same = |item: &&Value| item.get(key) == wanted.get(key) && item.get(key).is_some();
        items.iter().find(same).cloned()
    };
    let mut merged: Vec<Value> = Vec::new();
    for stated in manifest {
        let item = match find(stored, stated) {
            // The source of a volume replaces another one.
            Some(item) if field == "volumes" => {
                let kept = retain_keys(&item, stated);
                merge(&kept, find(before, stated).as_ref(), stated, "")
            }
            Some(item) => merge(&item, find(before, stated).as_ref(), stated, ""),
            None => stated.clone(),
        };
        merged.push(item);
    }
    let others = stored
        .iter()
        .filter(|item| find(manifest, item).is_none() && find(before, item).is_none());
    merged.extend(others.cloned());
    merged
}

fn retain_keys(item: &Value, stated: &Value) -> Value {
    let mut kept = item.clone();
    if let Some(fields) = kept.as_object_mut() {
        fields.retain(|name, _| stated.get(name).is_some());
    }
    kept
}

/// A stored object without what one field manager alone owns and the manifest does not state.
fn without_unstated(stored: &Value, manager: &str, manifest: &Value) -> Option<Value> {
    let entries = stored.get("metadata")?.get("managedFields")?.as_array()?;
    let is_own = |entry: &&Value| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        text("manager") == manager && text("operation") == "Apply" && text("subresource").is_empty()
    };
    let own = entries.iter().find(is_own)?.get("fieldsV1")?;
    let others = entries.iter().filter(|entry| !is_own(entry));
    let others: Vec<&Value> = others.filter_map(|entry| entry.get("fieldsV1")).collect();
    drop_owned(stored, own, &others, Some(manifest))
}

/// The part of a value that stays; `None` if it is removed. `own` and `others` are sets of fields in
/// the form of `FieldsV1`.
fn drop_owned(
    stored: &Value,
    own: &Value,
    others: &[&Value],
    manifest: Option<&Value>,
) -> Option<Value> {
    let own = own.as_object()?;
    let is_leaf = own.keys().all(|name| name == ".");
    let is_dropped = manifest.is_none() && others.is_empty();
    if is_leaf || (is_dropped && own.contains_key(".")) {
        return (!is_dropped).then(|| stored.clone());
    }
    let below = |name: &str| -> Vec<&Value> {
        let others = others.iter();
        others.filter_map(|other| other.get(name)).collect()
    };
    match stored {
        Value::Object(fields) => {
            let left = fields.iter().filter_map(|(field, value)| {
                let name = format!("f:{field}");
                let left = match own.get(&name) {
                    Some(own) => {
                        let stated = manifest.and_then(|manifest| manifest.get(field));
                        drop_owned(value, own, &below(&name), stated)?
                    }
                    None => value.clone(),
                };
                Some((field.clone(), left))
            });
            Some(Value::Object(left.collect()))
        }
        Value::Array(items) => {
            let stated = manifest.and_then(Value::as_array);
            let left = items.iter().filter_map(|item| {
                let entry = own.iter().find(|(name, _)| names_item(name, item));
                let Some((name, own)) = entry else {
                    return Some(item.clone());
                };
                let mut stated = stated.into_iter().flatten();
                let stated = stated.find(|stated| names_item(name, stated));
                drop_owned(item, own, &below(name), stated)
            });
            Some(Value::Array(left.collect()))
        }
        _ => Some(stored.clone()),
    }
}

/// Whether a path element such as `k:{"name":"a"}` names an item of a list. A port without a protocol
/// is a TCP port.
fn names_item(element: &str, item: &Value) -> bool {
    let key = element.strip_prefix("k:");
    let Some(Value::Object(key)) = key.and_then(|key| serde_json::from_str(key).ok()) else {
        return false;
    };
    key.iter().all(|(field, wanted)| match item.get(field) {
        Some(value) => value == wanted,
        None => field == "protocol" && wanted == "TCP",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(fields: &Value) -> Value {
        json!({ "spec": fields })
    }

    /// As `kubectl apply` computes its three-way patch.
    #[test]
    fn client_side_apply_removes_what_only_the_last_manifest_states() {
        // What is stored, the manifest that was applied last, the new one, and the result.
        let cases = [
            // Manual changes and defaults stay.
            json!([{"schedule": "0 2 * * *", "suspend": true, "concurrencyPolicy": "Allow"},
                   {"schedule": "0 2 * * *"}, {"schedule": "0 3 * * *"},
                   {"schedule": "0 3 * * *", "suspend": true, "concurrencyPolicy": "Allow"}]),
            // What was applied before and is no longer stated is removed.
            json!([{"schedule": "0 2 * * *", "suspend": true},
                   {"schedule": "0 2 * * *", "suspend": true},
                   {"schedule": "0 2 * * *"}, {"schedule": "0 2 * * *"}]),
            // Also if its value was changed manually.
            json!([{"suspend": true}, {"suspend": false}, {}, {}]),
            // null removes it.
            json!([{"timeZone": "Etc/UTC"}, {}, {"timeZone": null}, {}]),
            // A stated value wins over a manual change, also if it is unchanged in the manifest.
            json!([{"suspend": true}, {"suspend": false}, {"suspend": false}, {"suspend": false}]),
        ];
        for case in &cases {
            let [stored, before, manifest, expected] = [0, 1, 2, 3].map(|part| spec(&case[part]));
            let applied = apply(&stored, Previous::Manifest(&before), &manifest);
            assert_eq!(applied, expected);
        }
    }

    /// The keys by which the API server merges lists: what the manifest does not state stays.
    #[test]
    fn lists_of_a_pod_merge_by_the_keys_of_their_types() {
        let cases = [
            ("containers", "name"),
            ("env", "name"),
            ("imagePullSecrets", "name"),
            ("volumeMounts", "mountPath"),
            ("volumeDevices", "devicePath"),
            ("ports", "containerPort"),
            ("hostAliases", "ip"),
            ("topologySpreadConstraints", "topologyKey"),
        ];
        for (list, key) in cases {
            let stored = json!({list: [{key: "a", "added": true}, {key: "b"}]});
            let manifest = json!({list: [{key: "a"}]});
            let applied = apply(&stored, Previous::Manifest(&manifest), &manifest);
            assert_eq!(applied, stored, "{list}");
        }
        let manifest = json!({"args": ["a"]});
        let stored = json!({"args": ["a", "b"]});
        let applied = apply(&stored, Previous::Manifest(&manifest), &manifest);
        assert_eq!(applied, manifest);
    }

    #[test]
    fn lists_merge_by_their_keys_or_are_replaced() {
        let stored = json!({"containers": [
            {"name": "main", "image": "a:1", "imagePullPolicy": "IfNotPresent", "args": ["x"],
             "env": [{"name": "OLD", "value": "1"}, {"name": "MANUAL", "value": "2"}]},
            {"name": "injected", "image": "proxy"},
            {"name": "dropped", "image": "b"},
        ], "volumes": [{"name": "data", "emptyDir": {}}]});
        let before = json!({"containers": [
            {"name": "main", "image": "a:1", "args": ["x"], "env": [{"name": "OLD", "value": "1"}]},
            {"name": "dropped", "image": "b"},
        ], "volumes": [{"name": "data", "emptyDir": {}}]});
        let manifest = json!({"containers": [
            {"name": "main", "image": "a:2", "args": ["y"], "env": [{"name": "NEW", "value": "3"}]},
        ], "volumes": [{"name": "data", "configMap": {"name": "c"}}]});
        let expected = json!({"containers": [
            {"name": "main", "image": "a:2", "imagePullPolicy": "IfNotPresent", "args": ["y"],
             "env": [{"name": "NEW", "value": "3"}, {"name": "MANUAL", "value": "2"}]},
            {"name": "injected", "image": "proxy"},
        ], "volumes": [{"name": "data", "configMap": {"name": "c"}}]});
        assert_eq!(
            apply(&stored, Previous::Manifest(&before), &manifest),
            expected
        );
    }

    fn managed(entries: &Value, fields: &Value) -> Value {
        json!({"metadata": {"managedFields": entries}, "spec": fields})
    }

    #[test]
    fn server_side_apply_removes_what_only_its_manager_owns() {
        let entry = |manager: &str, operation: &str, fields: &Value| {
            json!({"manager": manager, "operation": operation, "fieldsType": "FieldsV1",
                   "fieldsV1": {"f:spec": fields}})
        };
        let own = entry(
            "flux",
            "Apply",
            &json!({"f:schedule": {}, "f:suspend": {}, "f:timeZone": {}}),
        );
        let others = entry("kubectl-patch", "Update", &json!({"f:suspend": {}}));
        let stored = json!({"schedule": "0 2 * * *", "suspend": true, "timeZone": "Etc/UTC",
                            "startingDeadlineSeconds": 60});
        let manifest = spec(&json!({"schedule": "0 3 * * *"}));
        let stored = managed(&json!([own, others]), &stored);
        let applied = apply(&stored, Previous::Manager("flux"), &manifest);
        assert_eq!(
            applied["spec"],
            json!({"schedule": "0 3 * * *", "suspend": true, "startingDeadlineSeconds": 60})
        );
        let applied = apply(&stored, Previous::Manager("other"), &manifest);
        assert_eq!(applied["spec"]["timeZone"], "Etc/UTC");
    }

    #[test]
    fn server_side_apply_removes_items_of_lists() {
        let fields = json!({"f:ports": {
            ".": {},
            "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}},
            "k:{\"containerPort\":81,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}},
        }});
        let entries =
            json!([{"manager": "flux", "operation": "Apply", "fieldsV1": {"f:spec": fields}}]);
        let port = |number: u16| json!({"containerPort": number, "protocol": "TCP"});
        let stored = managed(&entries, &json!({"ports": [port(80), port(81), port(82)]}));
        let manifest = spec(&json!({"ports": [{"containerPort": 81}]}));
        let applied = apply(&stored, Previous::Manager("flux"), &manifest);
        assert_eq!(applied["spec"]["ports"], json!([port(81), port(82)]));
    }
}
