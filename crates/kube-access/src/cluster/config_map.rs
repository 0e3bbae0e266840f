//! When `ConfigMap`s were changed. Their data is never asked for.

use super::api_request::METADATA;
use super::change::Target;
use super::session::Session;
use kube_model::ConfigMap;
use kube_objects::query::Resource;

impl Session {
    /// When a `ConfigMap` was changed; `None` if there is none, or it must not be read.
    pub fn config_map(&self, namespace: &str, name: &str) -> Option<ConfigMap> {
        let config_maps = Resource::config_maps();
        let target = Target {
            resource: &config_maps,
            namespace,
            name,
        };
        let object = self.object_as(target, METADATA).ok()?;
        ConfigMap::of_metadata(object.get("metadata")?, namespace)
    }
}
