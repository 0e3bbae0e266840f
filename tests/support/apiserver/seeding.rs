//! How a test adds objects to the server, and changes them.

use std::path::Path;

use serde_json::{Value, json};

use super::ApiServer;
use super::objects;
use super::resources::Resource;

impl ApiServer {
    /// Adds an object as it is, to the resource of its kind. What a server would have set (version, uid, time of
    /// creation) is set if it is missing.
    pub(crate) fn add(&self, object: Value) {
        let resource = self.resource_of(&object);
        let (key, mut object) = self.prepared(resource, object);
        self.change(|store| {
            let version = &object["metadata"]["resourceVersion"];
            let version = version.as_str().and_then(|text| text.parse().ok());
            let version = version.unwrap_or_else(|| {
                let next = store.revision() + 1;
                object["metadata"]["resourceVersion"] = json!(next.to_string());
                next
            });
            store.seed(&key, object, version);
        });
    }

    /// Adds the items of a recorded List, and continues from its version. The path is the project's.
    pub(crate) fn load_list(&self, path: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).unwrap();
        let list: Value = serde_json::from_str(&text).unwrap();
        let kind = list["kind"].as_str().unwrap_or_default();
        for item in list["items"].as_array().unwrap() {
            let mut object = json!({
                "kind": kind.trim_end_matches("List"),
                "apiVersion": list["apiVersion"],
            });
            for (name, value) in item.as_object().unwrap() {
                object[name] = value.clone();
            }
            self.add(object);
        }
        let version = list["metadata"]["resourceVersion"].as_str();
        if let Some(version) = version.and_then(|text| text.parse().ok()) {
            self.change(|store| store.raise_revision(version));
        }
    }

    /// Creates or replaces an object while the server runs: it gets a new version, and watches
    /// receive it.
    pub(crate) fn put(&self, object: Value) {
        let resource = self.resource_of(&object);
        let (key, object) = self.prepared(resource, object);
        self.change(|store| store.put(&key, object));
    }

    /// Changes an existing object.
    pub(crate) fn edit(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
        edit: impl FnOnce(&mut Value),
    ) {
        let key = self.key(api_version, kind, namespace, name);
        self.change(|store| {
            let mut value = store.get(&key).unwrap().value().into_owned();
            edit(&mut value);
            store.put(&key, value);
        });
    }

    /// Deletes an object; its dependents stay.
    pub(crate) fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        let key = self.key(api_version, kind, namespace, name);
        let deleted = self.change(|store| store.remove(&key));
        assert!(deleted.is_some(), "there is no {key}");
    }

    /// An object as it is now.
    pub(crate) fn object(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Value> {
        let key = self.key(api_version, kind, namespace, name);
        let object = self.state.store.lock().unwrap().get(&key)?;
        Some(object.value().into_owned())
    }

    /// Waits until an object of `batch/v1` satisfies a condition; a minute at most.
    pub(crate) fn wait_for_object(
        &self,
        kind: &str,
        namespace: &str,
        name: &str,
        condition: impl Fn(&Value) -> bool,
    ) {
        let object = || self.object("batch/v1", kind, namespace, name);
        let holds = || object().is_some_and(|object| condition(&object));
        self.wait_until(holds, || format!("{kind} {namespace}/{name}"));
    }

    fn key(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> String {
        self.state
            .resource_of(api_version, kind)
            .key(namespace, name)
    }

    fn resource_of(&self, object: &Value) -> &Resource {
        let text = |name: &str| object[name].as_str().unwrap_or_default();
        self.state.resource_of(text("apiVersion"), text("kind"))
    }

    fn prepared(&self, resource: &Resource, object: Value) -> (String, Value) {
        let mut object = objects::typed(resource, object);
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let metadata = &mut object["metadata"];
        let mut set = |name: &str, value: Value| {
            if metadata[name].is_null() {
                metadata[name] = value;
            }
        };
        if resource.is_namespaced() {
            set("namespace", json!("default"));
        }
        set("uid", json!(self.state.store.lock().unwrap().next_uid()));
        set("creationTimestamp", json!(self.state.now().to_string()));
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        (resource.key(namespace, &name), object)
    }
}
