//! A list, page by page, with the next page under way while this one is read.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use prost::Message;
use prost::bytes::{Bytes, BytesMut};
use serde::Deserialize;
use tokio::task::{JoinError, JoinHandle};

use super::ask::JSON;
use super::envelope;
use super::error::ClusterError;
use super::resource::{ListQuery, Resource};
use super::slim::Templates;
use super::status::beginning;
use super::transport::{Response, Transport};
use super::wire::{self, List};
use crate::model::{CronJob, Event, Job, Pod, ResourceQuota};
use crate::snapshot::{self, Evidence, Options, SourceText};

/// A continue token may expire again if the network is slow, but not indefinitely.
const RECOVERIES: u32 = 10;
/// Far more objects than any cluster has.
const MOST_OBJECTS: usize = 2_000_000;
/// A page has objects, with few exceptions.
const MOST_EMPTY_PAGES: usize = 100;

/// A kind of object that can be listed.
pub(super) trait ListedKind: Sized + Send + 'static {
    /// What the API calls it.
    const KIND: &str;
    /// The object in protobuf.
    type Wire: Message + Default;
    /// An object of a list in protobuf.
    fn of_wire(object: Self::Wire, api_version: &str, templates: &mut Templates) -> Self;
    /// The objects among others that were read from JSON.
    fn of_json(evidence: Evidence) -> Vec<Self>;
}

impl ListedKind for CronJob {
    const KIND: &str = "CronJob";
    type Wire = wire::CronJob;

    fn of_wire(object: Self::Wire, api_version: &str, templates: &mut Templates) -> Self {
        object.slim(api_version, templates)
    }

    fn of_json(evidence: Evidence) -> Vec<Self> {
        let located = evidence.cron_jobs.into_iter();
        located.map(|located| located.object).collect()
    }
}

impl ListedKind for Job {
    const KIND: &str = "Job";
    type Wire = wire::Job;

    fn of_wire(object: Self::Wire, _: &str, _: &mut Templates) -> Self {
        object.into()
    }

    fn of_json(evidence: Evidence) -> Vec<Self> {
        evidence.jobs
    }
}

impl ListedKind for Event {
    const KIND: &str = "Event";
    type Wire = wire::Event;

    fn of_wire(object: Self::Wire, _: &str, _: &mut Templates) -> Self {
        object.into()
    }

    fn of_json(evidence: Evidence) -> Vec<Self> {
        evidence.events
    }
}

impl ListedKind for Pod {
    const KIND: &str = "Pod";
    type Wire = wire::Pod;

    fn of_wire(object: Self::Wire, _: &str, _: &mut Templates) -> Self {
        object.into()
    }

    fn of_json(evidence: Evidence) -> Vec<Self> {
        evidence.pods
    }
}

impl ListedKind for ResourceQuota {
    const KIND: &str = "ResourceQuota";
    type Wire = wire::ResourceQuota;

    fn of_wire(object: Self::Wire, _: &str, _: &mut Templates) -> Self {
        object.into()
    }

    fn of_json(evidence: Evidence) -> Vec<Self> {
        evidence.quotas
    }
}

/// Everything on a list.
pub(super) struct Listing<T> {
    pub(super) items: Vec<T>,
    /// From where a watch goes on.
    pub(super) resource_version: String,
    /// The server's clock when the list began. All pages show the objects as they were then.
    pub(super) date: Option<Timestamp>,
    /// What is wrong with objects that cannot be read.
    pub(super) problems: Vec<String>,
    templates: Templates,
}

/// What a page says of the list.
#[derive(Debug, Default)]
struct Head {
    resource_version: String,
    next: Option<String>,
}

/// What to list.
#[derive(Clone)]
pub(super) struct Lister {
    pub(super) transport: Transport,
    pub(super) path: String,
    /// What is listed, as kubectl names it.
    pub(super) what: String,
    pub(super) api_version: String,
    pub(super) query: ListQuery,
    /// Counts the objects as they come.
    pub(super) count: Arc<AtomicUsize>,
}

impl Lister {
    /// A list of a namespace, or of all, that nobody counts.
    pub(super) fn new(
        transport: &Transport,
        resource: &Resource,
        namespace: Option<&str>,
        query: ListQuery,
    ) -> Self {
        Lister {
            transport: transport.clone(),
            path: resource.path(namespace),
            what: resource.qualified(),
            api_version: resource.api_version(),
            query,
            count: Arc::default(),
        }
    }

    pub(super) async fn list<T: ListedKind>(self) -> Result<Listing<T>, ClusterError> {
        let mut listing = Listing {
            items: Vec::new(),
            resource_version: String::new(),
            date: None,
            problems: Vec::new(),
            templates: Templates::default(),
        };
        // Two pages take turns in two rooms: one is read while the other comes.
        let mut room = BytesMut::new();
        let mut accept = envelope::ACCEPT;
        let mut asked: Option<String> = None;
        let mut under_way = Some(self.fetch(None, accept, BytesMut::new()));
        let mut recoveries = 0;
        let mut tokens: HashSet<String> = HashSet::new();
        while let Some(page) = under_way.take() {
            let answer = match joined(page.await) {
                Ok(answer) => answer,
                Err(error) => {
                    let expired = error.status().filter(|status| status.code == 410);
                    if recoveries == RECOVERIES || expired.is_none() {
                        return Err(error);
                    }
                    recoveries += 1;
                    // The server offers to go on where it stopped, with the objects as they are
                    // now. Each is looked at by itself, so that is as good.
                    asked = expired.and_then(|status| status.next().map(str::to_owned));
                    if asked.is_none() {
                        listing.items.clear();
                        listing.problems.clear();
                        tokens.clear();
                        self.count.store(0, Ordering::Relaxed);
                    }
                    under_way = Some(self.fetch(asked.as_deref(), accept, BytesMut::new()));
                    continue;
                }
            };
            let before = listing.items.len();
            let is_protobuf = answer.is_protobuf;
            let read = self.open(answer, &mut listing).and_then(|(head, body)| {
                let next = head.next.as_deref();
                let room_of_next = std::mem::take(&mut room);
                under_way = next.map(|next| self.fetch(Some(next), accept, room_of_next));
                room = self.take(body, &mut listing)?;
                Ok(head)
            });
            match read {
                Ok(head) => {
                    listing.resource_version = head.resource_version;
                    asked = head.next;
                    self.ensure_end(&listing, asked.as_deref(), &mut tokens)?;
                }
                // Something on the way may spoil what is not text.
                Err(_) if is_protobuf && accept != JSON => {
                    accept = JSON;
                    listing.items.truncate(before);
                    under_way = Some(self.fetch(asked.as_deref(), accept, BytesMut::new()));
                    continue;
                }
                Err(error) => return Err(error),
            }
            let more = listing.items.len() - before;
            self.count.fetch_add(more, Ordering::Relaxed);
        }
        Ok(listing)
    }

    /// Refuses a list without an end: with the same page again, with empty pages, or with too many
    /// objects.
    fn ensure_end<T>(
        &self,
        listing: &Listing<T>,
        next: Option<&str>,
        tokens: &mut HashSet<String>,
    ) -> Result<(), ClusterError> {
        let Some(next) = next else { return Ok(()) };
        let objects = listing.items.len() + listing.problems.len();
        let why = if !tokens.insert(next.to_owned()) {
            "it returns the same continue token twice".to_owned()
        } else if tokens.len() > objects + MOST_EMPTY_PAGES {
            format!("the list does not end after {MOST_EMPTY_PAGES} empty pages")
        } else if objects > MOST_OBJECTS {
            format!("the list does not end after {MOST_OBJECTS} objects")
        } else {
            return Ok(());
        };
        Err(self.transport.not_kubernetes(&self.path, why))
    }

    fn fetch(
        &self,
        token: Option<&str>,
        accept: &'static str,
        room: BytesMut,
    ) -> JoinHandle<Result<Response, ClusterError>> {
        let uri = self.query.uri(&self.path, token);
        let transport = self.transport.clone();
        tokio::spawn(async move { transport.page_into(room, &uri, accept).await })
    }

    /// Looks at the head of a page, so that the next one can be asked for before this is read.
    fn open<T: ListedKind>(
        &self,
        answer: Response,
        listing: &mut Listing<T>,
    ) -> Result<(Head, Body), ClusterError> {
        if listing.date.is_none() {
            listing.date = answer.date;
        }
        let wrong = |why: String| self.transport.not_kubernetes(&self.path, why);
        if answer.is_protobuf {
            let raw = envelope::open_list(&answer.body, T::KIND).map_err(wrong)?;
            let list = List::decode(raw).map_err(|error| wrong(error.to_string()))?;
            let meta = list.metadata.unwrap_or_default();
            let head = Head {
                resource_version: meta.resource_version,
                next: Some(meta.next).filter(|next| !next.is_empty()),
            };
            let (page, items) = (answer.body, list.items);
            return Ok((head, Body::Protobuf { page, items }));
        }
        let (head, kind) = json_head(&answer.body).map_err(wrong)?;
        let text =
            String::from_utf8(answer.body.into()).map_err(|error| wrong(error.to_string()))?;
        Ok((head, Body::Json(text, kind)))
    }

    /// Reads the objects of a page, and gives its room back.
    fn take<T: ListedKind>(
        &self,
        body: Body,
        listing: &mut Listing<T>,
    ) -> Result<BytesMut, ClusterError> {
        let (text, kind) = match body {
            Body::Protobuf { page, items } => {
                // One after the other, so that no more than one is there in full.
                for item in items {
                    let object = T::Wire::decode(item.as_ref()).map_err(|error| {
                        self.transport.not_kubernetes(&self.path, error.to_string())
                    })?;
                    let templates = &mut listing.templates;
                    let object = T::of_wire(object, &self.api_version, templates);
                    listing.items.push(object);
                }
                return Ok(page.try_into_mut().unwrap_or_default());
            }
            Body::Json(text, kind) => (text, kind),
        };
        let name = format!("{}{}", self.transport.server, self.path);
        let (items, errors) = read_json::<T>(&name, text, &self.api_version);
        let problems = errors.iter().map(ToString::to_string);
        listing.problems.extend(problems);
        if items.is_empty() && errors.is_empty() && kind.strip_suffix("List") != Some(T::KIND) {
            let why = format!("expected a {}List, found a {kind}", T::KIND);
            return Err(self.transport.not_kubernetes(&self.path, why));
        }
        listing.items.extend(items);
        Ok(BytesMut::new())
    }
}

/// A page that is still to be read.
enum Body {
    /// The objects are parts of the page.
    Protobuf { page: Bytes, items: Vec<Bytes> },
    /// Its text, and the kind that the list says it is of.
    Json(String, String),
}

fn json_head(body: &[u8]) -> Result<(Head, String), String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        #[serde(default)]
        resource_version: String,
        #[serde(default)]
        r#continue: String,
    }
    #[derive(Deserialize)]
    struct List {
        kind: String,
        metadata: Metadata,
    }
    let list: List = serde_json::from_slice(body)
        .map_err(|error| format!("expected a list, found {} ({error})", beginning(body)))?;
    if !list.kind.ends_with("List") {
        return Err(format!("expected a list, found a {}", list.kind));
    }
    let head = Head {
        resource_version: list.metadata.resource_version,
        next: Some(list.metadata.r#continue).filter(|next| !next.is_empty()),
    };
    Ok((head, list.kind))
}

/// The result of a task. Tasks end by themselves, or with everything else.
pub(super) fn joined<T>(
    result: Result<Result<T, ClusterError>, JoinError>,
) -> Result<T, ClusterError> {
    result.unwrap_or_else(|error| {
        Err(ClusterError::Setup {
            place: "this machine".to_owned(),
            why: error.to_string(),
        })
    })
}

/// The objects of a kind in JSON, read as files are, and what is wrong with the others.
pub(super) fn read_json<T: ListedKind>(
    name: &str,
    text: String,
    api_version: &str,
) -> (Vec<T>, Vec<snapshot::SnapshotError>) {
    let source = SourceText {
        name: Arc::from(name),
        text,
    };
    let options = Options {
        cron_job_version: Some(api_version.to_owned()),
        ..Options::default()
    };
    let mut evidence = Evidence::default();
    let errors = evidence.add(&source, &options);
    (T::of_json(evidence), errors)
}
