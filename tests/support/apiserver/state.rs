//! What all threads of a server share.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use jiff::Timestamp;

use super::access::{Access, Attempt};
use super::faults::{Faults, Match};
use super::logs::Logs;
use super::requests::RequestLog;
use super::resources::Resource;
use super::store::Store;

/// The server behind its sockets.
pub(crate) struct State {
    pub(crate) store: Mutex<Store>,
    /// The store has changed, or the server stops.
    pub(crate) changed: Condvar,
    pub(crate) resources: Vec<Resource>,
    pub(crate) access: Access,
    pub(crate) log: RequestLog,
    pub(crate) faults: Faults,
    /// Locked while the store is, since `changed` is about both.
    pub(crate) logs: Mutex<Logs>,
    pub(crate) settings: Mutex<Settings>,
    /// How long a list takes for each of its objects.
    pub(crate) pace: Duration,
}

/// What a test may change while the server runs.
pub(crate) struct Settings {
    pub(crate) now: Timestamp,
    pub(crate) sends_date: bool,
    pub(crate) git_version: String,
    pub(crate) warnings: Vec<(Match, String)>,
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
}
