//! POST, PATCH with a merge patch, and DELETE: all that the client sends.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::access::Attempt;
use super::objects::{self, Object};
use super::reading;
use super::reply::{self, Media, Response};
use super::request::Request;
use super::resources::Resource;
use super::state::State;
use super::status::Status;
use super::store::Store;

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// A request that changes something, while nothing else changes.
struct Write<'a> {
    store: &'a mut Store,
    resource: &'a Resource,
    attempt: &'a Attempt,
    request: &'a Request,
    now: Timestamp,
}

/// Answers a request that changes something.
pub(crate) fn answer(
    state: &State,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Result<Response, Status> {
    let now = state.now();
    let mut write = Write {
        store: &mut state.store.lock().unwrap(),
        resource,
        attempt,
        request,
        now,
    };
    let media = Media::of(request, resource);
    let response = match attempt.verb.as_str() {
        "create" => reply::object(201, resource, &*write.create()?, media),
        "patch" => reply::object(200, resource, &*write.patch()?, media),
        "delete" => reply::value(200, "Status", &write.delete()?, media),
        _ => return Err(Status::of_code(405)),
    };
    state.announce_change();
    Ok(response)
}

impl Write<'_> {
    fn create(&mut self) -> Result<Arc<Object>, Status> {
        let mut new = objects::typed(self.resource, body(self.request)?);
        let name = new["metadata"]["name"].as_str().unwrap_or_default();
        let name = name.to_owned();
        let namespace = &self.attempt.namespace;
        if !self.store.has_namespace(namespace) {
            let namespaces = Resource::custom("v1", "namespaces", "Namespace");
            return Err(Status::not_found(&namespaces, namespace));
        }
        let key = self.resource.key(namespace, &name);
        if self.store.get(&key).is_some() {
            return Err(Status::already_exists(self.resource, &name));
        }
        let metadata = &mut new["metadata"];
        metadata["namespace"] = json!(namespace);
        metadata["uid"] = json!(self.store.next_uid());
        metadata["generation"] = json!(1);
        metadata["creationTimestamp"] = json!(self.now.to_string());
        if self.resource.kind == "Job" {
            label_pods(&mut new, &name);
        }
        self.record_manager(&Value::Null, &mut new);
        Ok(self.put(&key, new))
    }

    fn patch(&mut self) -> Result<Arc<Object>, Status> {
        if self.request.header("content-type") != Some("application/merge-patch+json") {
            return Err(Status::of_code(415));
        }
        let (resource, name) = (self.resource, &self.attempt.name);
        let stored = reading::get(self.store, resource, self.attempt)?;
        let old = stored.value().into_owned();
        let mut new = old.clone();
        merge(&mut new, &body(self.request)?);
        for (field, why) in [
            ("uid", "Precondition failed: another UID"),
            ("resourceVersion", MODIFIED),
        ] {
            if new["metadata"][field] != old["metadata"][field] {
                return Err(Status::conflict(resource, name, why));
            }
        }
        if self.attempt.subresource == "status" {
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
        self.record_manager(&old, &mut new);
        if new == old {
            return Ok(stored);
        }
        let key = resource.key(&self.attempt.namespace, name);
        let finalizers = new["metadata"]["finalizers"].as_array();
        let is_held = finalizers.is_some_and(|finalizers| !finalizers.is_empty());
        if new["metadata"]["deletionTimestamp"].is_string() && !is_held && !self.is_dry_run() {
            self.store.remove(&key);
            return Ok(Arc::new(Object::Plain(new)));
        }
        Ok(self.put(&key, new))
    }

    fn delete(&mut self) -> Result<Value, Status> {
        let (resource, name) = (self.resource, &self.attempt.name);
        let options: Value = serde_json::from_slice(&self.request.body).unwrap_or_default();
        let stored = reading::get(self.store, resource, self.attempt)?;
        let uid = &stored.value()["metadata"]["uid"];
        let wanted = &options["preconditions"]["uid"];
        if !wanted.is_null() && wanted != uid {
            let why = format!(
                "Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}"
            );
            return Err(Status::conflict(resource, name, &why));
        }
        self.store
            .remove(&resource.key(&self.attempt.namespace, name));
        Ok(json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}))
    }

    fn is_dry_run(&self) -> bool {
        self.request.parameter("dryRun").is_some()
    }

    /// Stores a value unless the request is a dry run.
    fn put(&mut self, key: &str, value: Value) -> Arc<Object> {
        if self.is_dry_run() {
            Arc::new(Object::Plain(value))
        } else {
            self.store.put(key, value)
        }
    }

    /// Makes the manager of a request the only owner of the fields that it has changed.
    fn record_manager(&self, old: &Value, new: &mut Value) {
        let subresource = &self.attempt.subresource;
        let changed = MANAGED.map(|part| changed_fields(old, new, part));
        if changed.iter().all(Vec::is_empty) {
            return;
        }
        let entries = new["metadata"]["managedFields"].as_array();
        let mut entries = entries.cloned().unwrap_or_default();
        let mut entry = json!({
            "manager": self.request.parameter("fieldManager").unwrap_or("unknown"),
            "operation": "Update",
            "apiVersion": self.resource.api_version(),
            "time": self.now.to_string(),
            "fieldsType": "FieldsV1",
            "fieldsV1": {},
            "subresource": subresource,
        });
        let same = entries.iter().position(|known| {
            known["manager"] == entry["manager"]
                && known["operation"] == "Update"
                && known["subresource"].as_str().unwrap_or_default() == subresource
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
