//! Access reviews: checks permissions before a change.

use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::api_request::ApiRequest;
use super::error::ClusterError;
use super::session::Session;
use super::status::beginning;
use crate::rights::{AccessReview, Right};

const KIND: &str = "SelfSubjectAccessReview";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

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
