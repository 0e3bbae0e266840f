//! Names for completion.

use std::time::Duration;

use prost::bytes::BytesMut;
use serde::Deserialize;
use serde_json::Value;

use super::access::Access;
use super::api_request::JSON;
use super::error::ClusterError;
use super::resource::{ListQuery, Resource};
use super::session::Session;

/// Requests metadata only, which is much smaller than the objects.
const NAMES_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json";
#[derive(Deserialize)]
struct List {
    items: Vec<Item>,
}

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

/// The named parts of a kubeconfig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KubeconfigNames {
    pub contexts: Vec<String>,
    pub clusters: Vec<String>,
    pub users: Vec<String>,
}

impl Access {
    pub(crate) fn kubeconfig_names(&self) -> Result<KubeconfigNames, ClusterError> {
        let Some((kubeconfig, _)) = self.kubeconfig()? else {
            return Ok(KubeconfigNames::default());
        };
        let contexts = kubeconfig.contexts.into_iter();
        let clusters = kubeconfig.clusters.into_iter();
        let users = kubeconfig.auth_infos.into_iter();
        Ok(KubeconfigNames {
            contexts: contexts.map(|named| named.name).collect(),
            clusters: clusters.map(|named| named.name).collect(),
            users: users.map(|named| named.name).collect(),
        })
    }
}

impl Session {
    /// The names of up to `most` objects of a resource in a namespace, or in all namespaces, within a
    /// timeout.
    pub(crate) fn names(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        within: Duration,
        most: u32,
    ) -> Result<Vec<String>, ClusterError> {
        let query = ListQuery {
            limit: most,
            ..ListQuery::default()
        };
        let items = self.items(&query.uri(&resource.path(namespace), None), within)?;
        let mut names: Vec<String> = items.map(|metadata| metadata.name).collect();
        names.dedup();
        Ok(names)
    }

    /// Whether there is certainly no such namespace. Without the permission to ask, that is unknown.
    pub(crate) fn lacks_namespace(&self, name: &str, within: Duration) -> bool {
        let mut transport = self.transport.clone();
        transport.deadline = Some(within);
        let uri = format!("{}/{name}", Resource::namespaces().path(None));
        let answer = self.wait(transport.get(&uri, JSON));
        let status = answer.as_ref().err().and_then(ClusterError::status);
        status.is_some_and(|status| status.code == 404 && status.is_object)
    }

    /// The namespaces that have an object of a name, within a timeout.
    pub(crate) fn namespaces_with(
        &self,
        resource: &Resource,
        name: &str,
        within: Duration,
    ) -> Result<Vec<String>, ClusterError> {
        let query = ListQuery {
            field_selector: Some(format!("metadata.name={name}")),
            ..ListQuery::default()
        };
        let items = self.items(&query.uri(&resource.path(None), None), within)?;
        Ok(items.map(|metadata| metadata.namespace).collect())
    }

    /// Up to `most` objects of a resource with all their fields, or the one of that name, within a timeout.
    pub(crate) fn objects_within(
        &self,
        resource: &Resource,
        (namespace, name): (Option<&str>, Option<&str>),
        within: Duration,
        most: u32,
    ) -> Result<Vec<Value>, ClusterError> {
        #[derive(Deserialize)]
        struct Objects {
            items: Vec<Value>,
        }
        let query = ListQuery {
            limit: most,
            field_selector: name.map(|name| format!("metadata.name={name}")),
            ..ListQuery::default()
        };
        let uri = query.uri(&resource.path(namespace), None);
        let mut transport = self.transport.clone();
        transport.deadline = Some(within);
        let answer = self.wait(transport.page_into(BytesMut::new(), &uri, JSON))?;
        let list: Objects = serde_json::from_slice(&answer.body)
            .map_err(|error| transport.not_kubernetes(&uri, error.to_string()))?;
        Ok(list.items)
    }

    fn items(
        &self,
        uri: &str,
        within: Duration,
    ) -> Result<impl Iterator<Item = Metadata> + use<>, ClusterError> {
        let mut transport = self.transport.clone();
        transport.deadline = Some(within);
        let answer = self.wait(transport.page_into(BytesMut::new(), uri, NAMES_ONLY))?;
        let list: List = serde_json::from_slice(&answer.body)
            .map_err(|error| transport.not_kubernetes(uri, error.to_string()))?;
        Ok(list.items.into_iter().map(|item| item.metadata))
    }
}
