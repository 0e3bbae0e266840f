//! What all threads of a server share.

use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex};

use jiff::Timestamp;

use super::access::Access;
use super::faults::Faults;
use super::logs::Logs;
use super::matching::Match;
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
    /// Locked while the store is, since `changed` tells of both.
    pub(crate) logs: Mutex<Logs>,
    pub(crate) settings: Mutex<Settings>,
    /// For the audit id of the next answer.
    pub(crate) answers: AtomicU64,
}

/// What a test may change while the server runs.
pub(crate) struct Settings {
    pub(crate) now: Timestamp,
    /// Whether answers tell the time at all.
    pub(crate) tells_time: bool,
    pub(crate) git_version: String,
    pub(crate) warnings: Vec<(Match, String)>,
    pub(crate) address: String,
}

impl State {
    pub(crate) fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&Resource> {
        self.resources.iter().find(|resource| {
            resource.group == group && resource.version == version && resource.plural == plural
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
