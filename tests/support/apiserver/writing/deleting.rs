//! DELETE, and what becomes of the dependents.

use serde_json::{Value, json};

use super::super::answering;
use super::super::body;
use super::super::http::{Request, Response};
use super::super::negotiation::Media;
use super::super::objects::{self, Object};
use super::super::reading;
use super::super::reply;
use super::super::resources::Resource;
use super::super::routes::Route;
use super::super::state::State;
use super::super::status::{self, Status};
use super::super::store::Store;
use super::{is_dry_run, ordered_metadata};

const ORPHANS: &str = "child pods are preserved by default when jobs are deleted; set \
    propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this \
    warning";

pub(super) fn delete(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let options: Value = if request.body.is_empty() {
        json!({})
    } else {
        body::object(request)?
    };
    let dry_run = is_dry_run(request)? || options["dryRun"] == json!(["All"]);
    let policy = options["propagationPolicy"]
        .as_str()
        .or_else(|| request.parameter("propagationPolicy"));
    let mut store = state.store.lock().unwrap();
    let object = reading::get(&store, resource, route)?;
    let value = object.value().into_owned();
    check(resource, route, &value, &options["preconditions"])?;
    let is_job = resource.full_name() == "jobs.batch";
    let effective = policy.unwrap_or(if is_job { "Orphan" } else { "Background" });
    let uid = value["metadata"]["uid"].as_str().unwrap_or_default();
    let held = value["metadata"]["finalizers"].is_array();
    let mut response = if held || effective != "Background" {
        let going = going(state, value.clone(), effective);
        reply::object(200, resource, &Object::plain(going), media, request)
    } else {
        let status = status::deleted(resource, &route.name, uid);
        reply::value(200, "Status", &status, media, request)
    };
    if is_job && policy.is_none() {
        response.headers.push(answering::warning(ORPHANS));
    }
    if !dry_run {
        let key = objects::key(resource, &route.namespace, &route.name);
        if held {
            let mut going = going(state, value.clone(), "Background");
            going["metadata"] = ordered_metadata(&going["metadata"]);
            store.put(&resource.collection(), &key, going);
        } else {
            store.remove(&resource.collection(), &key);
            collect_garbage(state, &mut store, uid, effective == "Orphan");
        }
        drop(store);
        state.changed.notify_all();
    }
    Ok(response)
}

fn check(
    resource: &Resource,
    route: &Route,
    object: &Value,
    preconditions: &Value,
) -> Result<(), Status> {
    let pairs = [
        ("uid", "UID", "deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "modified"),
    ];
    for (field, called, fate) in pairs {
        let actual = object["metadata"][field].as_str().unwrap_or_default();
        match preconditions[field].as_str() {
            Some(wanted) if wanted != actual => {
                let why = format!(
                    "the {called} in the precondition ({wanted}) does not match the {called} in record ({actual}). The object might have been {fate}"
                );
                return Err(Status::conflict(resource, &route.name, &why));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The object on its way out.
fn going(state: &State, mut object: Value, policy: &str) -> Value {
    let metadata = &mut object["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(state.now().to_string());
        metadata["deletionGracePeriodSeconds"] = json!(0);
    }
    let finalizer = match policy {
        "Foreground" => "foregroundDeletion",
        "Orphan" => "orphan",
        _ => "",
    };
    if !finalizer.is_empty() {
        if metadata["finalizers"].is_null() {
            metadata["finalizers"] = json!([]);
        }
        if let Some(finalizers) = metadata["finalizers"].as_array_mut() {
            finalizers.push(json!(finalizer));
        }
    }
    object["metadata"] = ordered_metadata(&object["metadata"]);
    object
}

/// What the garbage collector does a moment later in a real cluster: dependents go too, or forget
/// their owner.
fn collect_garbage(state: &State, store: &mut Store, owner: &str, orphan: bool) {
    for resource in &state.resources {
        let collection = resource.collection();
        let objects = store.objects(&collection);
        for (key, object) in objects.iter() {
            if matches!(object.as_ref(), Object::Made(_)) {
                continue;
            }
            let mut value = object.value().into_owned();
            let Some(owners) = value["metadata"]["ownerReferences"].as_array_mut() else {
                continue;
            };
            let before = owners.len();
            owners.retain(|reference| reference["uid"] != *owner);
            let (after, was_owned) = (owners.len(), owners.len() < before);
            if !was_owned {
                continue;
            }
            if orphan || after > 0 {
                value["metadata"] = ordered_metadata(&value["metadata"]);
                store.put(&collection, key, value);
            } else {
                let uid = value["metadata"]["uid"].as_str().unwrap_or_default();
                store.remove(&collection, key);
                collect_garbage(state, store, uid, false);
            }
        }
    }
}
