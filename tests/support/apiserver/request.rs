//! A request as tests see it, and how it is read.

use std::time::Instant;

use http::HeaderMap;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// One request with its whole body.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without percent encoding.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// When the server received it.
    pub(crate) at: Instant,
    headers: HeaderMap,
}

/// How many of the requests are watches.
pub(crate) fn watches(requests: &[Request]) -> usize {
    requests.iter().filter(|one| one.is_watch()).count()
}

impl Request {
    /// Reads a request to its end.
    pub(crate) async fn read(request: http::Request<Incoming>) -> hyper::Result<Request> {
        let (head, body) = request.into_parts();
        let query = head.uri.query().unwrap_or_default();
        let path = percent_decode_str(head.uri.path()).decode_utf8_lossy();
        Ok(Request {
            method: head.method.to_string(),
            path: path.into_owned(),
            query: form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
            body: body.collect().await?.to_bytes().to_vec(),
            at: Instant::now(),
            headers: head.headers,
        })
    }

    /// Every value of a header, whose name may have any case.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let values = self.headers.get_all(name).iter();
        values
            .map(|value| std::str::from_utf8(value.as_bytes()).unwrap())
            .collect()
    }

    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).first().copied()
    }

    /// The body, which has to be JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `GET /apis/batch/v1/jobs`, with `watch` instead of GET if it is a watch.
    pub(crate) fn line(&self) -> String {
        let method = if self.is_watch() {
            "watch"
        } else {
            &self.method
        };
        format!("{method} {}", self.path)
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.flag("watch")
    }

    /// The first value of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.query.iter().filter(|(key, _)| key == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// The number that a parameter holds.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.parameter(name)?.parse().ok()
    }

    /// Whether a parameter is true, as the API server reads it.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.parameter(name), Some("1" | "true" | "True" | "TRUE"))
    }
}
