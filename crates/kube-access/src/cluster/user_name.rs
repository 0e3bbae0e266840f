//! Who the user is, as far as the API server or the kubeconfig says so.

use prost::bytes::Bytes;
use serde_json::{Value, json};

use super::access::Access;
use super::api_request::ApiRequest;
use super::session::Session;

const KIND: &str = "SelfSubjectReview";
const REVIEWS: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

impl Session {
    /// The name of the user as the API server knows it. Where it does not say so, as before 1.28, the name in
    /// the kubeconfig.
    pub fn user_name(&self) -> Option<String> {
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": KIND});
        let api_request = ApiRequest::question(REVIEWS, Bytes::from(review.to_string()));
        let answer = self.wait(self.transport.send(&api_request)).ok();
        let answered: Option<Value> =
            answer.and_then(|answer| serde_json::from_slice(&answer.body).ok());
        let name = answered.as_ref().and_then(|answered| {
            let name = answered.pointer("/status/userInfo/username")?.as_str()?;
            (!name.is_empty()).then(|| name.to_owned())
        });
        name.or_else(|| self.configured_user.clone())
    }
}

impl Access {
    /// The name of the user by the flags and the kubeconfig, if they name one.
    pub(super) fn user_name(&self) -> Option<String> {
        if self.impersonate.is_some() {
            return self.impersonate.clone();
        }
        if self.says_who() {
            return None;
        }
        let in_kubeconfig = || {
            let kubeconfig = self.kubeconfig().ok()??;
            let current = kubeconfig.current_context.as_ref();
            let chosen = self.context.as_ref().or(current)?;
            kubeconfig.contexts.get(chosen)?.user.clone()
        };
        let user = self.user.clone().or_else(in_kubeconfig);
        user.filter(|user| !user.is_empty())
    }
}
