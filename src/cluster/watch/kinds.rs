//! The kinds that can be watched, and their events.

use crate::cluster::list::ListedKind;
use crate::model::{CronJob, Event, Job, Pod};

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

/// A kind that can be watched.
pub(in crate::cluster) trait Watched: ListedKind {
    fn one(self) -> WatchedObject;
    fn all(items: Vec<Self>) -> WatchedObjects;
    /// Whether it is one of the requested names, if names were given.
    fn is_one_of(&self, _: &[String]) -> bool {
        true
    }
}

impl Watched for CronJob {
    fn one(self) -> WatchedObject {
        WatchedObject::CronJob(Box::new(self))
    }
    fn all(items: Vec<Self>) -> WatchedObjects {
        WatchedObjects::CronJobs(items)
    }
    fn is_one_of(&self, names: &[String]) -> bool {
        names.is_empty() || names.contains(&self.name)
    }
}

impl Watched for Job {
    fn one(self) -> WatchedObject {
        WatchedObject::Job(Box::new(self))
    }
    fn all(items: Vec<Self>) -> WatchedObjects {
        WatchedObjects::Jobs(items)
    }
}

impl Watched for Pod {
    fn one(self) -> WatchedObject {
        WatchedObject::Pod(Box::new(self))
    }
    fn all(items: Vec<Self>) -> WatchedObjects {
        WatchedObjects::Pods(items)
    }
}

impl Watched for Event {
    fn one(self) -> WatchedObject {
        WatchedObject::Event(Box::new(self))
    }
    fn all(items: Vec<Self>) -> WatchedObjects {
        WatchedObjects::Events(items)
    }
}
