//! POST, PATCH with a merge patch, and DELETE: all that the client sends.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::access::Attempt;
use super::http::{Request, Response};
use super::objects::{self, Object};
use super::reading;
use super::reply::{self, Media};
use super::resources::Resource;
use super::state::State;
use super::status::Status;
use super::store::Store;

const MERGE_PATCH: &str = "application/merge-patch+json";
const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Answers a request that changes something.
pub(crate) fn answer(
    state: &State,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Result<Response, Status> {
    let now = state.now();
    let mut store = state.store.lock().unwrap();
    let written = match attempt.verb.as_str() {
        "create" => create(&mut store, resource, attempt, request, now),
        "patch" => patch(&mut store, resource, attempt, request, now),
        "delete" => delete(&mut store, resource, attempt, request),
        _ => Err(Status::method_not_allowed()),
    };
    drop(store);
    state.changed.notify_all();
    written
}

fn create(
    store: &mut Store,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Status> {
    let mut new = objects::typed(resource, body(request)?);
    let name = new["metadata"]["name"].as_str().unwrap_or_default();
    let name = name.to_owned();
    if !store.has_namespace(&attempt.namespace) {
        return Err(Status::namespace_not_found(&attempt.namespace));
    }
    let key = objects::key(resource, &attempt.namespace, &name);
    if store.get(&resource.full_name(), &key).is_some() {
        return Err(Status::already_exists(resource, &name));
    }
    let metadata = &mut new["metadata"];
    metadata["namespace"] = json!(attempt.namespace);
    metadata["uid"] = json!(store.next_uid());
    metadata["generation"] = json!(1);
    metadata["creationTimestamp"] = json!(now.to_string());
    if resource.kind == "Job" {
        label_pods(&mut new, &name);
    }
    record_manager(&Value::Null, &mut new, resource, attempt, request, now);
    let stored = if request.parameter("dryRun").is_some() {
        Arc::new(Object::Plain(new))
    } else {
        store.put(&resource.full_name(), &key, new)
    };
    let media = Media::of(request, resource);
    Ok(reply::object(201, resource, &stored, media))
}

/// The labels that a Job gives its pods, and the Job itself where its template has no others.
fn label_pods(job: &mut Value, name: &str) {
    let uid = job["metadata"]["uid"].clone();
    let labels = &mut job["spec"]["template"]["metadata"]["labels"];
    for prefix in ["batch.kubernetes.io/", ""] {
        labels[format!("{prefix}controller-uid")] = uid.clone();
        labels[format!("{prefix}job-name")] = json!(name);
    }
    let labels = labels.clone();
    if job["metadata"]["labels"].is_null() {
        job["metadata"]["labels"] = labels;
    }
    job["status"] = json!({});
}

fn patch(
    store: &mut Store,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Status> {
    if request.header("content-type") != Some(MERGE_PATCH) {
        return Err(Status::unsupported_media_type(MERGE_PATCH));
    }
    let stored = reading::get(store, resource, attempt)?;
    let old = stored.value().into_owned();
    let mut new = old.clone();
    merge(&mut new, &body(request)?);
    for (field, why) in [
        ("uid", "Precondition failed: another UID"),
        ("resourceVersion", MODIFIED),
    ] {
        if new["metadata"][field] != old["metadata"][field] {
            return Err(Status::conflict(resource, &attempt.name, why));
        }
    }
    if attempt.subresource == "status" {
        let status = new["status"].take();
        new = old.clone();
        new["status"] = status;
    } else if let Some(status) = old.get("status") {
        new["status"] = status.clone();
    }
    if new["spec"] != old["spec"] {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(1);
        new["metadata"]["generation"] = json!(generation + 1);
    }
    for field in ["annotations", "labels"] {
        if new["metadata"][field] == json!({}) {
            new["metadata"][field].take();
        }
    }
    record_manager(&old, &mut new, resource, attempt, request, now);
    let finalizers = new["metadata"]["finalizers"].as_array();
    let is_held = finalizers.is_some_and(|finalizers| !finalizers.is_empty());
    let key = objects::key(resource, &attempt.namespace, &attempt.name);
    let result = if new == old {
        stored
    } else if request.parameter("dryRun").is_some() {
        Arc::new(Object::Plain(new))
    } else if new["metadata"]["deletionTimestamp"].is_string() && !is_held {
        store.remove(&resource.full_name(), &key);
        Arc::new(Object::Plain(new))
    } else {
        store.put(&resource.full_name(), &key, new)
    };
    let media = Media::of(request, resource);
    Ok(reply::object(200, resource, &result, media))
}

fn delete(
    store: &mut Store,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Result<Response, Status> {
    let options: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let uid = reading::get(store, resource, attempt)?.value()["metadata"]["uid"].clone();
    let wanted = &options["preconditions"]["uid"];
    if !wanted.is_null() && *wanted != uid {
        let why = format!(
            "Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}"
        );
        return Err(Status::conflict(resource, &attempt.name, &why));
    }
    let key = objects::key(resource, &attempt.namespace, &attempt.name);
    store.remove(&resource.full_name(), &key);
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    let media = Media::of(request, resource);
    Ok(reply::value(200, "Status", &status, media))
}

/// The object or patch of a request.
pub(super) fn body(request: &Request) -> Result<Value, Status> {
    serde_json::from_slice(&request.body)
        .map_err(|error| Status::bad_request(format!("json parse error: {error}")))
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
            merge(&mut target[name], value);
        } else if let Some(map) = target.as_object_mut() {
            map.shift_remove(name);
        }
    }
}

/// The parts of an object whose fields have managers here.
const MANAGED: [&str; 4] = [
    "/spec",
    "/status",
    "/metadata/annotations",
    "/metadata/labels",
];

/// Makes the manager of a request the one owner of the fields that it has changed.
fn record_manager(
    old: &Value,
    new: &mut Value,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
    now: Timestamp,
) {
    let changed = MANAGED.map(|part| changed_fields(old, new, part));
    if changed.iter().all(Vec::is_empty) {
        return;
    }
    let entries = new["metadata"]["managedFields"].as_array();
    let mut entries = entries.cloned().unwrap_or_default();
    let mut entry = json!({
        "manager": request.parameter("fieldManager").unwrap_or("unknown"),
        "operation": "Update",
        "apiVersion": resource.api_version(),
        "time": now.to_string(),
        "fieldsType": "FieldsV1",
        "fieldsV1": {},
        "subresource": attempt.subresource,
    });
    let same = entries.iter().position(|known| {
        let subresource = known["subresource"].as_str().unwrap_or_default();
        known["manager"] == entry["manager"]
            && known["operation"] == "Update"
            && subresource == attempt.subresource
    });
    if let Some(index) = same {
        entry["fieldsV1"] = entries.remove(index)["fieldsV1"].take();
    }
    for (part, changed) in MANAGED.into_iter().zip(changed) {
        let place = format!("/fieldsV1{}", part.replace('/', "/f:"));
        for known in &mut entries {
            let owned = known.pointer_mut(&place).and_then(Value::as_object_mut);
            if let Some(owned) = owned {
                owned.retain(|name, _| !changed.contains(name));
            }
        }
        for name in changed {
            let path = place.split('/').skip(1);
            path.fold(&mut entry, |value, field| &mut value[field])[name] = json!({});
        }
    }
    entries.push(entry);
    new["metadata"]["managedFields"] = json!(entries);
}

/// The fields of a part that differ, as `managedFields` names them.
fn changed_fields(old: &Value, new: &Value, part: &str) -> Vec<String> {
    let [old, new] = [old, new].map(|object| {
        let fields = object.pointer(part).and_then(Value::as_object).cloned();
        fields.unwrap_or_default()
    });
    let names = old
        .keys()
        .chain(new.keys().filter(|name| !old.contains_key(*name)));
    let changed = names.filter(|name| old.get(*name) != new.get(*name));
    changed.map(|name| format!("f:{name}")).collect()
}
