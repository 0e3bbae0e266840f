//! POST.

use serde_json::{Value, json};

use super::super::events_view;
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

/// What the end of a generated name is made of.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

pub(super) fn create(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let dry_run = is_dry_run(request)?;
    let mut value = object_in(request, resource)?;
    if resource.is_other_view_of_events() {
        value = events_view::to_core(&value);
    }
    let now = state.now();
    let mut store = state.store.lock().unwrap();
    let name = prepare(&mut store, resource, route, &mut value)?;
    value["metadata"]["creationTimestamp"] = json!(now.to_string());
    managed_fields::note_creation(&mut value, resource, request, now);
    value["metadata"] = ordered_metadata(&value["metadata"]);
    let mut value = objects::typed(resource, value);
    if resource.is_other_view_of_events() {
        value["apiVersion"] = json!("v1");
    }
    let key = objects::key(resource, &route.namespace, &name);
    if store.get(&resource.collection(), &key).is_some() {
        return Err(Status::already_exists(resource, &name));
    }
    if dry_run {
        drop(store);
        let object = Object::plain(value);
        return Ok(reply::object(201, resource, &object, media, request));
    }
    let object = store.put(&resource.collection(), &key, value);
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
    let name = match (
        value["metadata"]["name"].as_str(),
        value["metadata"]["generateName"].as_str(),
    ) {
        (Some(name), _) if !name.is_empty() => name.to_owned(),
        (_, Some(start)) if !start.is_empty() => format!("{start}{}", ending(&uid)),
        _ => {
            let cause = (
                "FieldValueRequired",
                "Required value: name or generateName is required".to_owned(),
                "metadata.name",
            );
            return Err(Status::invalid(resource, "", &[cause]));
        }
    };
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

/// Five letters that no other object has been given.
fn ending(uid: &str) -> String {
    let number = u64::from_str_radix(uid.rsplit('-').next().unwrap_or("0"), 16).unwrap();
    let mut rest = number * 7919;
    (0..5)
        .map(|_| {
            let index = usize::try_from(rest % 27).unwrap();
            rest /= 27;
            char::from(LETTERS[index])
        })
        .collect()
}
