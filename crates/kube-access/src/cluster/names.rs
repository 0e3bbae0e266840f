//! Names for completion.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::api_request::{ApiRequest, JSON};
use super::deadline::TimeLimit;
use super::error::ClusterError;
use super::resource::{ListQuery, path_of};
use super::session::Session;
use kube_objects::query::Resource;

/// Requests metadata only, which is much smaller than the objects.
const NAMES_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json";

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    #[serde(default)]
    namespace: String,
}

impl Session {
    /// The names of up to `most` objects of a resource in a namespace, or in all namespaces, within a
    /// timeout.
    pub fn names(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        within: Duration,
        most: u32,
    ) -> Result<Vec<String>, ClusterError> {
        let query = ListQuery::default();
        let items = self.items(resource, namespace, &query, most, NAMES_ONLY, within)?;
        let items = items.into_iter().map(|item: Item| item.metadata.name);
        let mut names: Vec<String> = items.collect();
        names.dedup();
        Ok(names)
    }

    /// Whether there is certainly no such namespace. Without the permission to ask, that is unknown.
    pub fn lacks_namespace(&self, name: &str, within: Duration) -> bool {
        let mut transport = self.transport.clone();
        transport.timeout = TimeLimit::of_request(Some(within));
        let uri = format!("{}/{name}", path_of(&Resource::namespaces(), None));
        let answer = self.wait(transport.get(&uri, JSON));
        let status = answer.as_ref().err().and_then(ClusterError::status);
        status.is_some_and(|status| status.code == 404 && status.is_object)
    }

    pub fn namespaces_with(
        &self,
        resource: &Resource,
        name: &str,
        within: Duration,
    ) -> Result<Vec<String>, ClusterError> {
        let query = ListQuery::by_field(format!("metadata.name={name}"));
        let items = self.items(resource, None, &query, 0, NAMES_ONLY, within)?;
        let items = items.into_iter().map(|item: Item| item.metadata.namespace);
        Ok(items.collect())
    }

    /// Up to `most` objects of a resource with all their fields, or the one of that name, within a timeout.
    pub fn objects_within(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: Option<&str>,
        within: Duration,
        most: u32,
    ) -> Result<Vec<Value>, ClusterError> {
        let query = ListQuery {
            field_selector: name.map(|name| format!("metadata.name={name}")),
            ..ListQuery::default()
        };
        self.items(resource, namespace, &query, most, JSON, within)
    }

    /// The objects of the first page of a list, which has up to `limit`; all if that is 0.
    fn items<T: DeserializeOwned>(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        query: &ListQuery,
        limit: u32,
        accept: &str,
        within: Duration,
    ) -> Result<Vec<T>, ClusterError> {
        #[derive(Deserialize)]
        struct List<T> {
            items: Vec<T>,
        }
        let uri = query.uri(&path_of(resource, namespace), limit, None);
        let mut transport = self.transport.clone();
        transport.timeout = TimeLimit::of_request(Some(within));
        let answer = self.wait(transport.send(&ApiRequest::list(&uri, accept)))?;
        let list: List<T> = serde_json::from_slice(&answer.body)
            .map_err(|error| transport.not_kubernetes(&uri, error.to_string()))?;
        Ok(list.items)
    }
}
