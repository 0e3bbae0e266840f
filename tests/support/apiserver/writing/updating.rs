//! PATCH.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::http::{Request, Response};
use super::super::managed_fields;
use super::super::negotiation::Media;
use super::super::objects::{self, Object};
use super::super::reading;
use super::super::reply;
use super::super::resources::Resource;
use super::super::routes::Route;
use super::super::state::State;
use super::super::status::Status;
use super::patching;
use super::{counts_generations, defaults, is_dry_run, ordered_metadata, validation};

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

pub(super) fn patch(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let dry_run = is_dry_run(request)?;
    let mut store = state.store.lock().unwrap();
    let stored = reading::get(&store, resource, route)?;
    let new = patching::patched(&stored.value(), request)?;
    let old = stored.value().into_owned();
    check_version(resource, route, &old, &new)?;
    let mut new = kept_apart(resource, route, &old, new);
    defaults::apply(resource, &mut new);
    validation::check(resource, &route.name, &new)?;
    if counts_generations(resource) && new["spec"] != old["spec"] {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(1);
        new["metadata"]["generation"] = json!(generation + 1);
    }
    let now = state.now();
    managed_fields::note_change(&old, &mut new, resource, request, &route.subresource, now);
    new["metadata"] = ordered_metadata(&new["metadata"]);
    if new == old {
        drop(store);
        return Ok(reply::object(200, resource, &stored, media, request));
    }
    if dry_run {
        drop(store);
        let object = Object::plain(new);
        return Ok(reply::object(200, resource, &object, media, request));
    }
    let key = objects::key(resource, &route.namespace, &route.name);
    let is_free =
        new["metadata"]["deletionTimestamp"].is_string() && new["metadata"]["finalizers"].is_null();
    let object = if is_free {
        // Nothing holds it back any longer.
        store.remove(&resource.full_name(), &key);
        Arc::new(Object::plain(new))
    } else {
        store.put(&resource.full_name(), &key, new)
    };
    drop(store);
    state.changed.notify_all();
    Ok(reply::object(200, resource, &object, media, request))
}

fn check_version(
    resource: &Resource,
    route: &Route,
    old: &Value,
    new: &Value,
) -> Result<(), Status> {
    let (old, new) = (&old["metadata"], &new["metadata"]);
    let uid = new["uid"].as_str().unwrap_or_default();
    let known = old["uid"].as_str().unwrap_or_default();
    if !uid.is_empty() && uid != known {
        let why =
            format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {known}");
        return Err(Status::conflict(resource, &route.name, &why));
    }
    let version = new["resourceVersion"].as_str().unwrap_or_default();
    if !version.is_empty() && old["resourceVersion"] != *version {
        return Err(Status::conflict(resource, &route.name, MODIFIED));
    }
    Ok(())
}

/// The new object with what only the server decides on, and with the status or all but the status
/// of the old one.
fn kept_apart(resource: &Resource, route: &Route, old: &Value, new: Value) -> Value {
    if route.subresource == "status" {
        let mut result = old.clone();
        result["status"] = new["status"].clone();
        return result;
    }
    let mut result = objects::typed(resource, new);
    result["apiVersion"] = old["apiVersion"].clone();
    if !result["metadata"].is_object() {
        result["metadata"] = json!({});
    }
    for name in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
    ] {
        result["metadata"][name] = old["metadata"][name].clone();
    }
    if resource.has_status {
        if let Some(object) = result.as_object_mut() {
            object.shift_remove("status");
        }
        if !old["status"].is_null() {
            result["status"] = old["status"].clone();
        }
    }
    result
}
