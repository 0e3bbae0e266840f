//! What the server was asked, for tests to look at and to wait for.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::http::{self, Request};

/// A test that waits longer than this will wait for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// One request, as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// When it came in.
    pub(crate) at: Instant,
}

/// How many of the requests are watches.
pub(crate) fn watches(requests: &[Recorded]) -> usize {
    let lines = requests.iter().map(Recorded::line);
    lines.filter(|line| line.starts_with("watch ")).count()
}

impl Recorded {
    /// A header, by its name in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        http::find_header(&self.headers, name)
    }

    /// Every value of a header that may occur several times.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let named = self
            .headers
            .iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// A parameter of the query.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.query.iter().filter(|(key, _)| key == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// The body, which has to be JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `GET /apis/batch/v1/jobs`, with `watch` in place of GET where it is one.
    pub(crate) fn line(&self) -> String {
        let watch = matches!(self.parameter("watch"), Some("1" | "true"));
        let method = if watch { "watch" } else { &self.method };
        format!("{method} {}", self.path)
    }
}

/// All requests so far.
#[derive(Default)]
pub(crate) struct RequestLog {
    requests: Mutex<Vec<Recorded>>,
    grown: Condvar,
}

impl RequestLog {
    pub(crate) fn note(&self, request: &Request) {
        let recorded = Recorded {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            at: Instant::now(),
        };
        self.requests.lock().unwrap().push(recorded);
        self.grown.notify_all();
    }

    pub(crate) fn all(&self) -> Vec<Recorded> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn clear(&self) {
        self.requests.lock().unwrap().clear();
    }

    /// Waits until the log satisfies a condition.
    ///
    /// # Panics
    ///
    /// When that takes too long; it then tells what there was.
    pub(crate) fn wait_for(&self, condition: impl Fn(&[Recorded]) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut requests = self.requests.lock().unwrap();
        while !condition(&requests) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let lines: Vec<String> = requests.iter().map(Recorded::line).collect();
                drop(requests);
                panic!("waited in vain; the requests so far: {lines:#?}");
            }
            requests = self.grown.wait_timeout(requests, left).unwrap().0;
        }
    }
}
