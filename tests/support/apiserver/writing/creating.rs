//! POST.

use serde_json::{Value, json};

use super::super::http::{Request, Response};
use super::super::managed_fields;
use super::super::negotiation::Media;
use super::super::objects::{self, Object};
use super::super::reply;
use super::super::resources::Resource;
use super::super::routes::Route;
use super::super::state::State;
use super::super::status::Status;
use super::super::store::Store;
use super::{counts_generations, defaults, is_dry_run, object_in, ordered_metadata, validation};

pub(super) fn create(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let dry_run = is_dry_run(request)?;
    let mut value = object_in(request, resource)?;
    let now = state.now();
    let mut store = state.store.lock().unwrap();
    let name = prepare(&mut store, resource, route, &mut value)?;
    value["metadata"]["creationTimestamp"] = json!(now.to_string());
    managed_fields::note_creation(&mut value, resource, request, now);
    value["metadata"] = ordered_metadata(&value["metadata"]);
    let value = objects::typed(resource, value);
    let key = objects::key(resource, &route.namespace, &name);
    if store.get(&resource.full_name(), &key).is_some() {
        return Err(Status::already_exists(resource, &name));
    }
    if dry_run {
        drop(store);
        let object = Object::plain(value);
        return Ok(reply::object(201, resource, &object, media, request));
    }
    let object = store.put(&resource.full_name(), &key, value);
    drop(store);
    state.changed.notify_all();
    Ok(reply::object(201, resource, &object, media, request))
}

/// Names the object, sets what a server sets, and says what is wrong with the rest.
fn prepare(
    store: &mut Store,
    resource: &Resource,
    route: &Route,
    value: &mut Value,
) -> Result<String, Status> {
    if !value["metadata"].is_object() {
        value["metadata"] = json!({});
    }
    let namespace = value["metadata"]["namespace"].as_str().unwrap_or_default();
    if !namespace.is_empty() && namespace != route.namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if resource.namespaced && !store.has_namespace(&route.namespace) {
        let message = format!("namespaces {:?} not found", route.namespace);
        return Err(Status::not_found_named(
            message,
            &route.namespace,
            "namespaces",
        ));
    }
    if value["metadata"]["resourceVersion"].is_string() {
        return Err(Status::bad_request(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let uid = store.next_uid();
    let name = value["metadata"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let metadata = &mut value["metadata"];
    metadata["name"] = json!(name);
    if resource.namespaced {
        metadata["namespace"] = json!(route.namespace);
    }
    metadata["uid"] = json!(uid);
    if counts_generations(resource) {
        metadata["generation"] = json!(1);
    }
    defaults::apply(resource, value);
    if resource.has_status && resource.message.is_some() {
        value["status"] = json!({});
    }
    defaults::select_pods(resource, value);
    validation::check(resource, &name, value)?;
    Ok(name)
}
