//! The kinds that can be watched, and what comes of them.

use crate::cluster::error::ClusterError;
use crate::cluster::list::ListedKind;
use crate::cluster::logs::{LogPiece, LogSource};
use crate::model::{CronJob, Event, Job, Pod};

/// What comes from a cluster over time.
#[derive(Debug)]
pub(crate) enum Update {
    /// A change, with the number of its watch.
    Change(usize, WatchEvent),
    /// A watch has ended for good: the credentials were rejected.
    Refused(ClusterError),
    Log(LogSource, LogPiece),
    /// A log has ended, or cannot be read.
    LogEnded(LogSource, Option<ClusterError>),
}

impl Update {
    /// The change, if it is one; an error if a watch has ended for good.
    pub(crate) fn change(self) -> Result<Option<WatchEvent>, ClusterError> {
        match self {
            Update::Change(_, change) => Ok(Some(change)),
            Update::Refused(error) => Err(error),
            Update::Log(..) | Update::LogEnded(..) => Ok(None),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WatchEvent {
    /// An object was added or modified.
    Now(WatchedObject),
    Gone(WatchedObject),
    /// Changes were missed; these are all objects of a kind.
    All(WatchedObjects),
    /// The error of an object that cannot be decoded. The old object stays.
    Unreadable(String),
    /// The connection for a resource is lost. Comes again with each failed attempt.
    Lost {
        what: String,
        why: String,
    },
    /// The connection for a resource is back.
    Back {
        what: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WatchedObject {
    CronJob(Box<CronJob>),
    Job(Box<Job>),
    Pod(Box<Pod>),
    Event(Box<Event>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WatchedObjects {
    CronJobs(Vec<CronJob>),
    Jobs(Vec<Job>),
    Pods(Vec<Pod>),
    Events(Vec<Event>),
}

pub(in crate::cluster) trait Watched: ListedKind {
    const ONE: fn(Box<Self>) -> WatchedObject;
    const ALL: fn(Vec<Self>) -> WatchedObjects;
    /// Whether it is one of the requested names, if names were given.
    fn is_one_of(&self, _: &[String]) -> bool {
        true
    }
}

impl Watched for CronJob {
    const ONE: fn(Box<Self>) -> WatchedObject = WatchedObject::CronJob;
    const ALL: fn(Vec<Self>) -> WatchedObjects = WatchedObjects::CronJobs;

    fn is_one_of(&self, names: &[String]) -> bool {
        names.is_empty() || names.contains(&self.name)
    }
}

impl Watched for Job {
    const ONE: fn(Box<Self>) -> WatchedObject = WatchedObject::Job;
    const ALL: fn(Vec<Self>) -> WatchedObjects = WatchedObjects::Jobs;
}

impl Watched for Pod {
    const ONE: fn(Box<Self>) -> WatchedObject = WatchedObject::Pod;
    const ALL: fn(Vec<Self>) -> WatchedObjects = WatchedObjects::Pods;
}

impl Watched for Event {
    const ONE: fn(Box<Self>) -> WatchedObject = WatchedObject::Event;
    const ALL: fn(Vec<Self>) -> WatchedObjects = WatchedObjects::Events;
}
