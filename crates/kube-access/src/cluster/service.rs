//! Requests to a Service, through the API server.

use prost::bytes::Bytes;
use serde_json::Value;

use super::api_request::{ApiRequest, JSON};
use super::error::ClusterError;
use super::resource::{object_path, path_of, with_parameters};
use super::session::Session;
use super::transport::Response;
use crate::service::Service;
use kube_objects::query::Resource;

/// The labels of a Service behind which past runs are recorded, as in deploy/.
const RECORDER: &str = "app.kubernetes.io/name=cronjob-doctor,app.kubernetes.io/component=recorder";

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
