//! The kinds of patches.

use serde_json::{Value, json};

use super::super::http::Request;
use super::super::status::Status;

const KINDS: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// The object after the patch of a request.
pub(super) fn patched(object: &Value, request: &Request) -> Result<Value, Status> {
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !KINDS.contains(&kind) {
        return Err(Status::unsupported_media_type(&KINDS));
    }
    let patch: Value = serde_json::from_slice(&request.body)
        .map_err(|error| Status::bad_request(format!("error decoding patch: {error}")))?;
    let mut result = object.clone();
    if kind == KINDS[0] {
        let Some(operations) = patch.as_array() else {
            return Err(Status::bad_request("error decoding patch: not a list"));
        };
        for operation in operations {
            operate(&mut result, operation).ok_or_else(Status::patch_refused)?;
        }
    } else {
        // Strategic patches of the fields that we patch merge like the plain ones: no lists.
        merge(&mut result, &patch);
    }
    Ok(result)
}

/// RFC 7386.
fn merge(target: &mut Value, patch: &Value) {
    let Some(fields) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, value) in fields {
        if !value.is_null() {
            if target.get(name).is_none() {
                target[name] = Value::Null;
            }
            merge(&mut target[name], value);
        } else if let Some(map) = target.as_object_mut() {
            map.shift_remove(name);
        }
    }
}

/// One operation of RFC 6902; `None` if it cannot be done.
fn operate(target: &mut Value, operation: &Value) -> Option<()> {
    let path = operation["path"].as_str()?;
    match operation["op"].as_str()? {
        "add" => add(target, path, operation.get("value")?.clone()),
        "remove" => remove(target, path).map(drop),
        "replace" => {
            *target.pointer_mut(path)? = operation.get("value")?.clone();
            Some(())
        }
        "test" => (target.pointer(path) == operation.get("value")).then_some(()),
        "copy" => {
            let value = target.pointer(operation["from"].as_str()?)?.clone();
            add(target, path, value)
        }
        "move" => {
            let value = remove(target, operation["from"].as_str()?)?;
            add(target, path, value)
        }
        _ => None,
    }
}

fn add(target: &mut Value, path: &str, value: Value) -> Option<()> {
    let Some((parent, name)) = path.rsplit_once('/') else {
        *target = value;
        return Some(());
    };
    match target.pointer_mut(parent)? {
        Value::Object(map) => {
            map.insert(unescaped(name), value);
        }
        Value::Array(list) if name == "-" => list.push(value),
        Value::Array(list) => {
            let index = name.parse().ok().filter(|index| *index <= list.len())?;
            list.insert(index, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(target: &mut Value, path: &str) -> Option<Value> {
    let (parent, name) = path.rsplit_once('/')?;
    match target.pointer_mut(parent)? {
        Value::Object(map) => map.shift_remove(&unescaped(name)),
        Value::Array(list) => {
            let index = name.parse().ok().filter(|index| *index < list.len())?;
            Some(list.remove(index))
        }
        _ => None,
    }
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}
