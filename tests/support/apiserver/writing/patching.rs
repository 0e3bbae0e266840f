//! Merge patches.

use serde_json::{Value, json};

use super::super::http::Request;
use super::super::status::Status;

const KIND: &str = "application/merge-patch+json";

/// The object after the patch of a request.
pub(super) fn patched(object: &Value, request: &Request) -> Result<Value, Status> {
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind != KIND {
        return Err(Status::unsupported_media_type(&[KIND]));
    }
    let patch: Value = serde_json::from_slice(&request.body)
        .map_err(|error| Status::bad_request(format!("error decoding patch: {error}")))?;
    let mut result = object.clone();
    merge(&mut result, &patch);
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
