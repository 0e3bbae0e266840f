//! What one may do, asked before anything is begun.

use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::ask::Ask;
use super::error::ClusterError;
use super::resource::Resource;
use super::session::Session;
use super::status::beginning;

const KIND: &str = "SelfSubjectAccessReview";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/// Something that one may or may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Right<'a> {
    /// What, such as `patch`.
    pub verb: &'static str,
    /// To which objects.
    pub resource: &'a Resource,
    /// To which part of them.
    pub subresource: Option<&'static str>,
    /// In which namespace; `None` for all.
    pub namespace: Option<&'a str>,
    /// To the one of this name alone.
    pub name: Option<&'a str>,
}

/// What the server says of a right.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AccessReview {
    /// Whether one has it.
    pub allowed: bool,
    /// Why, or why not, if it says so.
    pub reason: String,
}

impl Session {
    /// Whether one has a right.
    pub(crate) fn may(&self, right: &Right<'_>) -> Result<AccessReview, ClusterError> {
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
        let ask = Ask::question(REVIEWS, body);
        let answer = self.wait(self.transport.change(&ask))?;
        let answered: Option<Answered> = serde_json::from_slice(&answer.body).ok();
        let answered = answered.filter(|answered| answered.kind == KIND);
        answered.map(|answered| answered.status).ok_or_else(|| {
            let why = format!("expected a {KIND}, found {}", beginning(&answer.body));
            self.transport.strange(&ask.name(), why)
        })
    }
}

impl Right<'_> {
    /// As the API server says it of somebody who has not.
    pub(crate) fn sentence(&self) -> String {
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
