//! Access reviews: checks permissions before a change.

use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::api_request::ApiRequest;
use super::error::ClusterError;
use super::session::Session;
use super::status::beginning;
use kube_objects::query::Resource;

const KIND: &str = "SelfSubjectAccessReview";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/// A permission, as the API server reviews it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right<'a> {
    /// The verb, such as `patch`.
    pub verb: &'static str,
    pub resource: &'a Resource,
    pub subresource: Option<&'static str>,
    /// The namespace; `None` for all.
    pub namespace: Option<&'a str>,
    pub name: Option<&'a str>,
}

/// Whether the API server grants a permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AccessReview {
    pub allowed: bool,
    /// The reason, if the server gives one.
    pub reason: String,
}

impl Session {
    pub fn may(&self, right: &Right<'_>) -> Result<AccessReview, ClusterError> {
        #[derive(Deserialize)]
        struct Answered {
            kind: String,
            status: AccessReview,
        }
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": KIND,
            "spec": {"resourceAttributes": {
                "verb": right.verb,
                "group": right.resource.group,
                "resource": right.resource.plural,
                "subresource": right.subresource.unwrap_or_default(),
                "namespace": right.namespace.unwrap_or_default(),
                "name": right.name.unwrap_or_default(),
            }},
        });
        let body = Bytes::from(review.to_string());
        let api_request = ApiRequest::question(REVIEWS, body);
        let answer = self.wait(self.transport.send(&api_request))?;
        let answered: Option<Answered> = serde_json::from_slice(&answer.body).ok();
        let answered = answered.filter(|answered| answered.kind == KIND);
        answered.map(|answered| answered.status).ok_or_else(|| {
            let why = format!("expected a {KIND}, found {}", beginning(&answer.body));
            self.transport.strange(&api_request.name(), why)
        })
    }
}

impl<'a> Right<'a> {
    /// The right to all objects of a resource in all namespaces.
    pub fn to(verb: &'static str, resource: &'a Resource) -> Self {
        Right {
            verb,
            resource,
            subresource: None,
            namespace: None,
            name: None,
        }
    }

    /// In words, such as `patch cronjobs.batch in namespace "shop"`.
    pub fn sentence(&self) -> String {
        let resource = self.resource.qualified();
        let what = match (self.subresource, self.name) {
            (Some(subresource), None) => format!("{resource}/{subresource}"),
            (Some(subresource), Some(name)) => format!("{resource}/{subresource} {name:?}"),
            (None, Some(name)) => format!("{resource} {name:?}"),
            (None, None) => resource,
        };
        let place = match self.namespace {
            Some(namespace) => format!("in namespace {namespace:?}"),
            None => "in all namespaces".to_owned(),
        };
        format!("{} {what} {place}", self.verb)
    }
}
