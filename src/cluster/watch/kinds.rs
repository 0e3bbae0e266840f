//! What can be watched, and what is told of it.

use crate::cluster::list::ListedKind;
use crate::model::{CronJob, Event, Job, Pod};

/// Something that changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WatchEvent {
    /// An object is there, or is another than before.
    Now(WatchedObject),
    /// An object is gone.
    Gone(WatchedObject),
    /// The changes were lost track of; this is everything of a kind.
    All(WatchedObjects),
    /// What is wrong with an object that cannot be read. It stays as it was.
    Unreadable(String),
    /// No changes come from the server for now.
    Lost(String),
    /// They come again.
    Back,
}

/// An object of one of the kinds that are watched.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are those of the kinds")]
pub(crate) enum WatchedObject {
    CronJob(Box<CronJob>),
    Job(Box<Job>),
    Pod(Box<Pod>),
    Event(Box<Event>),
}

/// All objects of a kind.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are those of the kinds")]
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
    /// Whether it is one of those that were asked for by name, where names were given.
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
