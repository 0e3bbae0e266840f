//! Watches that are reopened whenever they end.

use std::convert::Infallible;
use std::time::Duration;

use http_body_util::BodyExt as _;
use prost::bytes::Bytes;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout_at};

use super::api_request::JSON;
use super::connection::Connection;
use super::error::ClusterError;
use super::list::{ListedKind, Lister, MOST_OBJECTS, options};
use super::logs::LogPiece;
use super::resource::with_parameters;
use super::status::{self, Status, beginning};
use crate::objects::LogSource;
use crate::random;
use kube_model::{CronJob, Event, Job, Pod};
use kube_objects::snapshot::{Evidence, SourceText};
use located_yaml::{self, Node};

/// How long the server keeps a watch open.
const WATCH_SECONDS: &str = "240";
/// A watch without an event for longer is broken: bookmarks come every minute.
const SILENCE: Duration = Duration::from_secs(260);
/// A watch that stays open this long is considered stable.
const STEADY: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The longest pause that a server can request.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);
const LONGEST_LINE: usize = 32 << 20;

pub(super) struct Watch {
    /// Lists everything after changes were missed.
    lister: Lister,
    /// The CronJobs to watch, if they were named: a field selector can select only one name.
    names: Vec<String>,
    /// The last resource version; empty if the list must be read first.
    version: String,
    /// How many objects there are, as far as the events show.
    objects: usize,
    /// It is sent with each change.
    number: usize,
    sender: Sender<Update>,
    connection: Connection,
}

pub(super) enum End {
    Closed,
    /// The resource version is too old.
    Expired,
    /// An error, and the pause that the server requests.
    Failed(String, Duration),
    /// The server sent something other than events.
    Unexpected(String),
    /// The credentials were rejected, and there are no others.
    Refused(ClusterError),
    ReceiverGone,
}

impl Watch {
    /// A watch of a query from a resource version on; without one it begins with a list.
    pub(super) fn new(
        lister: Lister,
        version: &str,
        number: usize,
        sender: &Sender<Update>,
    ) -> Self {
        Watch {
            lister,
            names: Vec::new(),
            version: version.to_owned(),
            objects: 0,
            number,
            sender: sender.clone(),
            connection: Connection::new(),
        }
    }

    pub(super) fn of_names(self, names: Vec<String>) -> Self {
        Watch { names, ..self }
    }

    /// Watches until the receiver is gone or the credentials are rejected. After each end it pauses, and
    /// the pause grows until a watch is stable.
    pub(super) async fn run<T: Watched>(mut self) {
        loop {
            self.connection.begin_attempt();
            let Err(end) = self.attempt::<T>().await;
            let (lost, retry_after) = match end {
                End::ReceiverGone => return,
                End::Refused(error) => {
                    // The receiver may be gone.
                    let _ = self.sender.send(Update::Refused(error)).await;
                    return;
                }
                End::Failed(why, retry_after) => (Some(why), retry_after),
                End::Unexpected(why) => {
                    self.connection.distrust();
                    (Some(why), Duration::ZERO)
                }
                End::Closed => (
                    self.lost("closes each watch soon after it is opened"),
                    Duration::ZERO,
                ),
                End::Expired => {
                    self.version.clear();
                    let habit = "rejects each resourceVersion as too old";
                    (self.lost(habit), Duration::ZERO)
                }
            };
            if let Some(why) = lost {
                self.connection.lose();
                let what = self.lister.what.clone();
                if self.send(WatchEvent::Lost { what, why }).await.is_err() {
                    return;
                }
            }
            let pause = pause(self.connection.attempts(), random());
            sleep(pause.max(retry_after.min(LONGEST_RETRY_AFTER))).await;
        }
    }

    /// A repeated problem of the server, once it is worth reporting.
    fn lost(&self, habit: &str) -> Option<String> {
        let what = &self.lister.what;
        let is_unstable = self.connection.is_unstable();
        is_unstable.then(|| format!("{what}: the server {habit}"))
    }

    async fn send(&self, change: WatchEvent) -> Result<(), End> {
        let sent = self.sender.send(Update::Change(self.number, change)).await;
        sent.map_err(|_| End::ReceiverGone)
    }

    async fn report_back(&self) -> Result<(), End> {
        let what = self.lister.what.clone();
        self.send(WatchEvent::Back { what }).await
    }

    async fn attempt<T: Watched>(&mut self) -> Result<Infallible, End> {
        if self.version.is_empty() {
            self.read_all::<T>().await?;
        }
        self.watch::<T>().await
    }

    async fn read_all<T: Watched>(&mut self) -> Result<(), End> {
        let listing = self.lister.clone().list::<T>().await;
        let listing = listing.map_err(|error| self.end_of(error))?;
        self.version = listing.resource_version;
        for problem in listing.problems {
            self.send(WatchEvent::Unreadable(problem)).await?;
        }
        let mut items = listing.items;
        self.objects = items.len();
        items.retain(|item| item.is_one_of(&self.names));
        self.send(WatchEvent::All((T::ALL)(items))).await
    }

    async fn watch<T: Watched>(&mut self) -> Result<Infallible, End> {
        let uri = self.lister.query.uri(&self.lister.path, 0, None);
        let uri = with_parameters(
            &uri,
            &[
                ("watch", Some("true")),
                ("allowWatchBookmarks", Some("true")),
                ("timeoutSeconds", Some(WATCH_SECONDS)),
                ("resourceVersion", Some(&self.version)),
            ],
        );
        let opened = self.lister.transport.stream(&uri, JSON).await;
        let is_expired =
            |error: &ClusterError| error.status().is_some_and(|status| status.code == 410);
        if opened.as_ref().err().is_none_or(is_expired) {
            self.connection.opened();
        }
        let mut body = match opened {
            Ok(response) => response.into_body(),
            Err(error) if is_expired(&error) => return Err(End::Expired),
            Err(error) => return Err(self.end_of(error)),
        };
        if self.connection.note_open() {
            self.report_back().await?;
        }
        let steady = Instant::now() + STEADY;
        let mut line = Vec::new();
        loop {
            let is_long_open = !self.connection.is_steady() && Instant::now() >= steady;
            if is_long_open && self.connection.note_steady() {
                self.report_back().await?;
            }
            let is_steady = self.connection.is_steady();
            let end = if is_steady {
                Instant::now() + SILENCE
            } else {
                steady
            };
            let frame = match timeout_at(end, body.frame()).await {
                Err(_) if !is_steady => continue,
                Err(_) => return Err(broken("no response from the server")),
                Ok(None) => {
                    self.take::<T>(&line).await?;
                    return Err(End::Closed);
                }
                Ok(Some(Err(error))) => return Err(broken(super::unreachable::deepest(&error))),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            for part in data.split_inclusive(|byte| *byte == b'\n') {
                line.extend_from_slice(part);
                if line.len() > LONGEST_LINE {
                    let why = "the server sent an unterminated watch event";
                    return Err(End::Unexpected(why.to_owned()));
                }
                if part.ends_with(b"\n") {
                    self.take::<T>(&line).await?;
                    line.clear();
                }
            }
        }
    }

    /// Processes a line of a watch. The last one may have no line end.
    async fn take<T: Watched>(&mut self, line: &[u8]) -> Result<(), End> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let frame = WatchFrame::<T>::read(line, &self.lister.path, &self.lister.api_version)?;
        let Some(objects) = frame.objects_after(self.objects) else {
            self.version.clear();
            let why = format!("the watch does not end after {MOST_OBJECTS} objects");
            return Err(End::Unexpected(why));
        };
        self.objects = objects;
        if let Some(version) = frame.version {
            self.version = version;
        }
        for problem in frame.problems {
            self.send(WatchEvent::Unreadable(problem)).await?;
        }
        for object in frame.objects {
            if !object.is_one_of(&self.names) {
                continue;
            }
            let object = (T::ONE)(Box::new(object));
            let change = if frame.is_gone {
                WatchEvent::Gone(object)
            } else {
                WatchEvent::Now(object)
            };
            self.send(change).await?;
        }
        Ok(())
    }

    /// Why a watch or its list failed. A missing permission may be granted later, so it is tried
    /// again.
    fn end_of(&self, error: ClusterError) -> End {
        let retry_after = wanted_pause(&error);
        match error.status().map(|status| status.code) {
            Some(401) => End::Refused(error),
            Some(403) => {
                let what = &self.lister.what;
                broken(format!(
                    "cannot watch {what} (forbidden): changes are not shown"
                ))
            }
            _ if matches!(error, ClusterError::Credentials { .. }) => End::Refused(error),
            _ => End::Failed(error.to_string(), retry_after),
        }
    }
}

/// A line of a watch.
pub(super) struct WatchFrame<T> {
    version: Option<String>,
    is_new: bool,
    is_gone: bool,
    /// None for a bookmark.
    objects: Vec<T>,
    /// The errors of objects that cannot be decoded.
    problems: Vec<String>,
}

impl<T> WatchFrame<T> {
    /// How many objects there are after it; `None` if these are more than any cluster has.
    fn objects_after(&self, before: usize) -> Option<usize> {
        let objects = match (self.is_new, self.is_gone) {
            (true, _) => before + self.objects.len(),
            (_, true) => before.saturating_sub(self.objects.len()),
            _ => before,
        };
        Some(objects).filter(|objects| *objects <= MOST_OBJECTS)
    }
}

impl<T: ListedKind> WatchFrame<T> {
    /// Reads a line about objects of a version, which was sent for a path.
    pub(super) fn read(line: &[u8], path: &str, api_version: &str) -> Result<Self, End> {
        let unexpected = || not_an_event(line);
        let text = str::from_utf8(line).map_err(|_| unexpected())?.to_owned();
        let name = path.into();
        let source = SourceText { name, text };
        let parsed = located_yaml::parse(&source.text);
        let frame = parsed.documents.first().map(|frame| &frame.root);
        let field = |name| frame.and_then(|frame| frame.get(name));
        let (Some(kind), Some(object)) = (field("type").and_then(Node::as_str), field("object"))
        else {
            return Err(unexpected());
        };
        if kind == "ERROR" {
            let raw = object.raw(&source.text).unwrap_or_default().as_bytes();
            let status = status::of_json(raw);
            let status = status.unwrap_or_else(|| Status::read(0, &Bytes::copy_from_slice(raw)));
            return Err(if status.code == 410 {
                End::Expired
            } else {
                End::Unexpected(status.sentence())
            });
        }
        if !matches!(kind, "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK") {
            return Err(unexpected());
        }
        let metadata = object.get("metadata");
        let version = metadata.and_then(|it| it.get("resourceVersion")?.as_str());
        let mut frame = WatchFrame {
            version: version.map(str::to_owned),
            is_new: kind == "ADDED",
            is_gone: kind == "DELETED",
            objects: Vec::new(),
            problems: Vec::new(),
        };
        if kind == "BOOKMARK" {
            return Ok(frame);
        }
        let mut evidence = Evidence::default();
        let errors = evidence.add_node(&source, &options(api_version), 0, object);
        frame.objects = T::of_json(evidence);
        frame.problems = errors.iter().map(ToString::to_string).collect();
        if frame.objects.is_empty() && frame.problems.is_empty() {
            return Err(unexpected());
        }
        Ok(frame)
    }
}

fn broken(why: impl Into<String>) -> End {
    End::Failed(why.into(), Duration::ZERO)
}

fn not_an_event(line: &[u8]) -> End {
    End::Unexpected(match status::of_json(line) {
        Some(status) => format!("the server closed the watch: {}", status.sentence()),
        None => format!(
            "unexpected watch event from the server: {}",
            beginning(line)
        ),
    })
}

/// The pause after this many attempts in a row. It doubles up to a limit, with a jitter of up to
/// half, so that many clients do not return at the same time.
fn pause(attempts: u32, random: u64) -> Duration {
    let doublings = attempts.saturating_sub(1).min(16);
    let pause = LONGEST_PAUSE.min(FIRST_PAUSE * 2_u32.pow(doublings));
    let half = pause / 2;
    let span = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_micros(random % span)
}

/// What comes from a cluster over time.
#[derive(Debug)]
pub enum Update {
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
    pub fn change(self) -> Result<Option<WatchEvent>, ClusterError> {
        match self {
            Update::Change(_, change) => Ok(Some(change)),
            Update::Refused(error) => Err(error),
            Update::Log(..) | Update::LogEnded(..) => Ok(None),
        }
    }
}

/// A change of what is watched.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchEvent {
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

/// An object that has changed.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchedObject {
    CronJob(Box<CronJob>),
    Job(Box<Job>),
    Pod(Box<Pod>),
    Event(Box<Event>),
}

/// All objects of a kind.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchedObjects {
    CronJobs(Vec<CronJob>),
    Jobs(Vec<Job>),
    Pods(Vec<Pod>),
    Events(Vec<Event>),
}

/// How long the server asks to wait before the next request.
fn wanted_pause(error: &ClusterError) -> Duration {
    match error {
        ClusterError::Later { pause, .. } => *pause,
        ClusterError::List { source, .. } => wanted_pause(source),
        _ => Duration::ZERO,
    }
}

pub(super) trait Watched: ListedKind {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watch_has_as_many_objects_at_most_as_a_list() {
        let frame = |kind: &str| {
            let object = r#"{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"namespace": "shop", "name": "nightly"}, "spec": {"schedule": "0 2 * * *"}}"#;
            let line = format!(r#"{{"type": "{kind}", "object": {object}}}"#);
            WatchFrame::<CronJob>::read(line.as_bytes(), "/path", "batch/v1")
                .ok()
                .unwrap()
        };
        let [added, modified, deleted] = ["ADDED", "MODIFIED", "DELETED"].map(frame);
        assert_eq!(added.objects_after(7), Some(8));
        assert_eq!(modified.objects_after(7), Some(7));
        assert_eq!(deleted.objects_after(7), Some(6));
        assert_eq!(deleted.objects_after(0), Some(0));
        assert_eq!(added.objects_after(MOST_OBJECTS - 1), Some(MOST_OBJECTS));
        assert_eq!(added.objects_after(MOST_OBJECTS), None);
        assert_eq!(modified.objects_after(MOST_OBJECTS), Some(MOST_OBJECTS));
    }

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let shortest = |attempts| pause(attempts, 0).as_millis();
        let pauses: Vec<u128> = [0, 1, 2, 3, 6, 7, 8, u32::MAX].map(shortest).to_vec();
        assert_eq!(pauses, [125, 125, 250, 500, 4000, 5000, 5000, 5000]);
        for attempts in 0..20 {
            for random in [0, 1, 77_777_777, u64::MAX] {
                let pause = pause(attempts, random);
                assert!(pause >= FIRST_PAUSE / 2 && pause <= LONGEST_PAUSE);
            }
        }
        assert!(pause(1, 0) < pause(1, 100_000), "chance counts");
    }
}
