//! Requests to a Service, through the API server.

use std::fmt;

use prost::bytes::Bytes;
use serde_json::Value;

use super::api_request::{ApiRequest, JSON};
use super::resource::{object_path, path_of, with_parameters};
use super::transport::Response;
use super::{ClusterError, Session};
use kube_objects::query::Resource;

/// A Service of the cluster, and one of its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    namespace: String,
    /// With the port after a colon: the API server finds none that has a name by itself.
    name: String,
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.strip_suffix(":http").unwrap_or(&self.name);
        write!(f, "{}/{name}", self.namespace)
    }
}

/// The labels of a Service behind which past runs are recorded, as in deploy/.
const RECORDER: &str = "app.kubernetes.io/name=cronjob-doctor,app.kubernetes.io/component=recorder";

impl Service {
    /// Reads `NAMESPACE/SERVICE:PORT`, or `NAMESPACE/SERVICE` for the port `http`.
    pub fn read(text: &str) -> Option<Self> {
        let (namespace, name) = text.split_once('/')?;
        let is_word = |word: &str| {
            let mut bytes = word.bytes();
            !word.is_empty()
                && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        let (service, port) = name.split_once(':').unwrap_or((name, "http"));
        [namespace, service, port]
            .into_iter()
            .all(is_word)
            .then(|| Service {
                namespace: namespace.to_owned(),
                name: format!("{service}:{port}"),
            })
    }
}

impl Session {
    /// Asks a Service that answers with JSON.
    pub fn ask_service(
        &self,
        service: &Service,
        path: &str,
        parameters: &[(&str, Option<&str>)],
    ) -> Result<Bytes, ClusterError> {
        let services = object_path(&Resource::services(), &service.namespace, &service.name);
        let uri = with_parameters(&format!("{services}/proxy{path}"), parameters);
        let Response { body, .. } =
            self.wait(self.transport.send(&ApiRequest::list(&uri, JSON)))?;
        Ok(body)
    }

    /// The recorder of the cluster, if there is one and Services may be listed.
    pub fn recorder(&self) -> Option<Service> {
        let parameters = [("labelSelector", Some(RECORDER)), ("limit", Some("1"))];
        let uri = with_parameters(&path_of(&Resource::services(), None), &parameters);
        let response = self.wait(self.transport.send(&ApiRequest::list(&uri, JSON)));
        let list: Value = serde_json::from_slice(&response.ok()?.body).ok()?;
        let field = |name: &str| list.pointer(&format!("/items/0/metadata/{name}"))?.as_str();
        Service::read(&format!("{}/{}", field("namespace")?, field("name")?))
    }
}
