//! What the server was asked, for tests to look at and to wait for.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use super::http::Request;

/// The longest wait of a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many of the requests are watches.
pub(crate) fn watches(requests: &[Request]) -> usize {
    requests.iter().filter(|one| one.is_watch()).count()
}

/// All requests so far.
#[derive(Default)]
pub(crate) struct RequestLog {
    requests: Mutex<Vec<Request>>,
    grown: Condvar,
}

impl RequestLog {
    pub(crate) fn note(&self, request: &Request) {
        self.requests.lock().unwrap().push(request.clone());
        self.grown.notify_all();
    }

    pub(crate) fn all(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn clear(&self) {
        self.requests.lock().unwrap().clear();
    }

    /// Waits until the log satisfies a condition.
    ///
    /// # Panics
    ///
    /// When that takes too long, with the requests so far.
    pub(crate) fn wait_for(&self, condition: impl Fn(&[Request]) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut requests = self.requests.lock().unwrap();
        while !condition(&requests) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let lines: Vec<String> = requests.iter().map(Request::line).collect();
                drop(requests);
                panic!("timed out; the requests so far: {lines:#?}");
            }
            requests = self.grown.wait_timeout(requests, left).unwrap().0;
        }
    }
}
