//! DELETE of one object, which has no finalizers.

use serde_json::{Value, json};

use super::super::http::{Request, Response};
use super::super::negotiation::Media;
use super::super::objects;
use super::super::reading;
use super::super::reply;
use super::super::resources::Resource;
use super::super::routes::Route;
use super::super::state::State;
use super::super::status::Status;

pub(super) fn delete(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let options: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let mut store = state.store.lock().unwrap();
    let stored = reading::get(&store, resource, route)?;
    let known = stored.value()["metadata"]["uid"].clone();
    let wanted = &options["preconditions"]["uid"];
    if !wanted.is_null() && *wanted != known {
        let why = format!(
            "Precondition failed: UID in precondition: {wanted}, UID in object meta: {known}"
        );
        return Err(Status::conflict(resource, &route.name, &why));
    }
    let key = objects::key(resource, &route.namespace, &route.name);
    store.remove(&resource.full_name(), &key);
    drop(store);
    state.changed.notify_all();
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": route.name, "group": resource.group, "kind": resource.plural, "uid": known},
    });
    Ok(reply::value(200, "Status", &status, media, request))
}
