//! What all connections of a server share.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use super::access::{Access, Attempt};
use super::certificates::Authority;
use super::faults::{Faults, Match, NextConnection};
use super::logs::Logs;
use super::request::Request;
use super::resources::Resource;
use super::store::Store;

/// The server without its connections.
pub(crate) struct State {
    pub(crate) authority: Authority,
    pub(crate) resources: Vec<Resource>,
    pub(crate) access: Access,
    pub(crate) store: Mutex<Store>,
    pub(crate) logs: Mutex<Logs>,
    /// All requests so far.
    pub(crate) requests: Mutex<Vec<Request>>,
    pub(crate) faults: Faults,
    pub(crate) settings: Mutex<Settings>,
    /// How long a list takes for each of its objects.
    pub(crate) pace: Duration,
    /// Announces each change of the store, the logs, the requests and the faults.
    pub(crate) changed: watch::Sender<()>,
    /// Whether a connection has ended with a panic.
    pub(crate) has_panicked: AtomicBool,
}

/// What a test may change while the server runs.
pub(crate) struct Settings {
    pub(crate) now: Timestamp,
    pub(crate) sends_date: bool,
    pub(crate) git_version: String,
    pub(crate) warnings: Vec<(Match, String)>,
    /// Whether each connection has one request only.
    pub(crate) closes_connections: bool,
    pub(crate) next_connection: NextConnection,
    /// Whether new connections are refused.
    pub(crate) is_closed: bool,
}

impl State {
    pub(crate) fn resource(&self, attempt: &Attempt) -> Option<&Resource> {
        self.resources.iter().find(|resource| {
            resource.group == attempt.group
                && resource.version == attempt.version
                && resource.plural == attempt.resource
        })
    }

    /// Whether there is any resource of that group and version.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        let mut resources = self.resources.iter();
        resources.any(|resource| resource.group == group && resource.version == version)
    }

    /// The resource of an object that a test hands over.
    pub(crate) fn resource_of(&self, api_version: &str, kind: &str) -> &Resource {
        let found = self
            .resources
            .iter()
            .find(|resource| resource.api_version() == api_version && resource.kind == kind);
        match found {
            Some(resource) => resource,
            None => panic!("this server has no {kind} of {api_version}"),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.settings.lock().unwrap().now
    }

    pub(crate) fn record(&self, request: &Request) {
        self.requests.lock().unwrap().push(request.clone());
        self.announce_change();
    }

    pub(crate) fn announce_change(&self) {
        self.changed.send_replace(());
    }

    /// Waits until a condition holds.
    pub(crate) async fn until_true(&self, holds: impl Fn() -> bool) {
        let found = || {
            if holds() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        };
        self.until(found).await;
    }

    /// Waits until a function is ready. It is called now and after each change.
    pub(crate) async fn until<T>(&self, mut find: impl FnMut() -> Poll<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            if let Poll::Ready(found) = find() {
                return found;
            }
            changes.changed().await.unwrap();
        }
    }
}
