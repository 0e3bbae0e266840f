//! The `ConfigMap`s that pods refer to, by their metadata: their data is never read.

use jiff::Timestamp;
use serde_json::Value;

use super::{Job, WholeObject};

/// When a `ConfigMap` was changed last, and by which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMap {
    pub namespace: String,
    pub name: String,
    /// When its data was changed last, or when it was created.
    pub changed_at: Timestamp,
    /// The field manager that changed its data; `None` if that is unknown.
    pub field_manager: Option<String>,
}

impl ConfigMap {
    /// Reads the metadata of an object; `None` if it does not show when the data was changed: kubectl leaves out
    /// `managedFields`. `namespace` is that of objects without one.
    pub fn of_metadata(metadata: &Value, namespace: &str) -> Option<Self> {
        let text = |value: &Value, field: &str| Some(value.get(field)?.as_str()?.to_owned());
        let time = |value: &Value, field: &str| value.get(field)?.as_str()?.parse().ok();
        let created: Option<Timestamp> = time(metadata, "creationTimestamp");
        let writes = metadata.get("managedFields")?.as_array()?;
        let is_of_data = |write: &&Value| {
            let fields = write.get("fieldsV1");
            let mut parts = ["f:data", "f:binaryData"].into_iter();
            parts.any(|part| fields.is_some_and(|fields| fields.get(part).is_some()))
        };
        let writes = writes.iter().filter(is_of_data);
        let writes =
            writes.filter_map(|write| Some((time(write, "time")?, text(write, "manager"))));
        let write: Option<(Timestamp, _)> = writes.max_by_key(|(at, _)| *at);
        // An object that was restored has the writes of the one before it.
        let write = write.filter(|(at, _)| created.is_none_or(|created| *at >= created));
        let (changed_at, field_manager) = write.or_else(|| Some((created?, None)))?;
        Some(ConfigMap {
            namespace: text(metadata, "namespace").unwrap_or_else(|| namespace.to_owned()),
            name: text(metadata, "name")?,
            changed_at,
            field_manager,
        })
    }
}

impl Job {
    /// The names of the `ConfigMap`s that its pods refer to, in variables and volumes. It must be whole.
    pub fn config_maps(&self) -> Vec<String> {
        let whole = self.whole.as_ref().map(WholeObject::parse);
        let pod = whole
            .as_ref()
            .and_then(|job| job.pointer("/spec/template/spec"));
        pod.map_or_else(Vec::new, config_maps_of)
    }
}

fn config_maps_of(pod: &Value) -> Vec<String> {
    let list = |value: &Value, field: &str| -> Vec<Value> {
        let items = value.get(field).and_then(Value::as_array);
        items.cloned().unwrap_or_default()
    };
    let lists = ["containers", "initContainers"];
    let containers = lists.iter().flat_map(|field| list(pod, field));
    let of_containers = containers.flat_map(|container| {
        let whole = list(&container, "envFrom").into_iter();
        let whole = whole.map(|source| source.pointer("/configMapRef/name").cloned());
        let keys = list(&container, "env").into_iter();
        let keys =
            keys.map(|variable| variable.pointer("/valueFrom/configMapKeyRef/name").cloned());
        whole.chain(keys).collect::<Vec<_>>()
    });
    let of_volumes = list(pod, "volumes").into_iter().flat_map(|volume| {
        let sources = volume
            .get("projected")
            .map(|projected| list(projected, "sources"));
        let sources = sources.into_iter().flatten();
        let sources = sources.map(|source| source.pointer("/configMap/name").cloned());
        let own = volume.pointer("/configMap/name").cloned();
        std::iter::once(own).chain(sources).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = Vec::new();
    for name in of_containers.chain(of_volumes).flatten() {
        let name = name.as_str().unwrap_or_default();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}
