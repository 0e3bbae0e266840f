//! What is asked of the server.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use kube::client::Body;
use prost::bytes::Bytes;

use super::error::ClusterError;

pub(super) const JSON: &str = "application/json";
/// No object comes near this size: etcd takes 1.5 MiB, 8 MiB at most.
const LARGEST_OBJECT: usize = 32 << 20;
/// Nor does a list, not even of 100,000 CronJobs in a single page.
const LARGEST_LIST: usize = 1 << 30;

/// What is asked of the server.
#[derive(Clone)]
pub(super) struct Ask<'a> {
    pub(super) method: Method,
    pub(super) uri: &'a str,
    accept: &'a str,
    /// The type of what is sent, and itself.
    content: Option<(&'static str, Bytes)>,
    /// Whether it may be asked twice without being done twice.
    pub(super) is_harmless: bool,
    /// The size in bytes above which an answer is refused.
    pub(super) largest: usize,
}

impl<'a> Ask<'a> {
    /// For something to read.
    pub(super) fn read(uri: &'a str, accept: &'a str) -> Self {
        Ask {
            method: Method::GET,
            uri,
            accept,
            content: None,
            is_harmless: true,
            largest: LARGEST_OBJECT,
        }
    }

    /// For a list, or a page of it.
    pub(super) fn list(uri: &'a str, accept: &'a str) -> Self {
        Ask {
            largest: LARGEST_LIST,
            ..Ask::read(uri, accept)
        }
    }

    /// A question that has to be posted; the answer is JSON.
    pub(super) fn question(uri: &'a str, body: Bytes) -> Self {
        Ask {
            is_harmless: true,
            ..Ask::change(Method::POST, uri, JSON, body)
        }
    }

    /// For something to be changed; the answer is JSON.
    pub(super) fn change(
        method: Method,
        uri: &'a str,
        content_type: &'static str,
        body: Bytes,
    ) -> Self {
        Ask {
            method,
            uri,
            accept: JSON,
            content: Some((content_type, body)),
            is_harmless: false,
            largest: LARGEST_OBJECT,
        }
    }

    /// As it is named in errors: without its query, which has tokens in it.
    pub(super) fn name(&self) -> String {
        let uri = self.uri;
        let path = uri.split_once('?').map_or(uri, |(path, _)| path);
        format!("{} {path}", self.method)
    }

    /// As it is sent.
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
