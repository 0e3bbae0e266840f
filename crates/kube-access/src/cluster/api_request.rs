//! Requests to the API server.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use kube::client::Body;
use prost::bytes::Bytes;

use super::error::ClusterError;

pub(super) const JSON: &str = "application/json";
/// An object without its spec, status and data.
pub(super) const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/// The largest object that is accepted. etcd allows 1.5 MiB by default, and 8 MiB at most.
const LARGEST_OBJECT: usize = 32 << 20;
/// The largest list that is accepted; a page of 100,000 CronJobs is smaller.
const LARGEST_LIST: usize = 1 << 30;

#[derive(Clone)]
pub(super) struct ApiRequest<'a> {
    pub(super) method: Method,
    pub(super) uri: &'a str,
    accept: &'a str,
    /// The content type and the body.
    content: Option<(&'static str, Bytes)>,
    /// Whether it can be repeated without an effect.
    pub(super) is_harmless: bool,
    /// The size in bytes above which a response is rejected.
    pub(super) largest: usize,
}

impl<'a> ApiRequest<'a> {
    pub(super) fn read(uri: &'a str, accept: &'a str) -> Self {
        ApiRequest {
            method: Method::GET,
            uri,
            accept,
            content: None,
            is_harmless: true,
            largest: LARGEST_OBJECT,
        }
    }

    /// Reads a list, or a page of it.
    pub(super) fn list(uri: &'a str, accept: &'a str) -> Self {
        ApiRequest {
            largest: LARGEST_LIST,
            ..ApiRequest::read(uri, accept)
        }
    }

    /// A POST request that changes nothing; the response is JSON.
    pub(super) fn question(uri: &'a str, body: Bytes) -> Self {
        ApiRequest {
            is_harmless: true,
            ..ApiRequest::change(Method::POST, uri, JSON, body)
        }
    }

    /// A request that changes something; the response is JSON.
    pub(super) fn change(
        method: Method,
        uri: &'a str,
        content_type: &'static str,
        body: Bytes,
    ) -> Self {
        ApiRequest {
            method,
            uri,
            accept: JSON,
            content: Some((content_type, body)),
            is_harmless: false,
            largest: LARGEST_OBJECT,
        }
    }

    /// Its name in errors, without the query, which contains tokens.
    pub(super) fn name(&self) -> String {
        let uri = self.uri;
        let path = uri.split_once('?').map_or(uri, |(path, _)| path);
        format!("{} {path}", self.method)
    }

    pub(super) fn request(&self) -> Result<Request<Body>, ClusterError> {
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(self.uri)
            .header(ACCEPT, self.accept);
        let mut body = Body::empty();
        if let Some((content_type, content)) = &self.content {
            request = request.header(CONTENT_TYPE, *content_type);
            body = Body::from(content.to_vec());
        }
        request.body(body).map_err(|error| ClusterError::Setup {
            place: self.uri.to_owned(),
            why: error.to_string(),
        })
    }
}
