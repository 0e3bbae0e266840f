//! Reads lists page by page; the next page is requested while the current one is decoded.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use prost::Message as _;
use prost::bytes::{Bytes, BytesMut};
use serde::Deserialize;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;

use super::api_request::{ApiRequest, JSON};
use super::error::ClusterError;
use super::resource::{ListQuery, path_of};
use super::status::beginning;
use super::transport::{Response, Transport};
use super::wire::{self, ListMessage, ListMetaMessage};
use kube_model::{CronJob, Event, Job, Node, Pod, ResourceQuota};
use kube_objects::fields::{self, ObjectKind, SharedParts};
use kube_objects::query::{PageSize, Resource};
use kube_objects::snapshot::{Evidence, Options};

/// How often a list is continued after its token expired.
const RECOVERIES: u32 = 10;
/// The most objects of a list, to detect lists without an end.
pub(super) const MOST_OBJECTS: usize = 2_000_000;
/// How many objects the first page has, as kubectl asks for them.
const FIRST_PAGE: u32 = 500;
/// How many objects a page has at most: larger ones were hardly quicker, and take more memory.
const LARGEST_PAGE: u32 = 2000;
/// Pages grow as long as each comes within this time ...
const QUICK: Duration = Duration::from_secs(1);
/// ... and none has more bytes.
const HEAVY: usize = 8 << 20;
/// The most empty pages of a list, to detect lists without an end.
const MOST_EMPTY_PAGES: usize = 100;

pub(super) trait ListedKind: ObjectKind + Send + 'static {
    const KIND: &str;
    /// Selects these objects from decoded JSON.
    fn of_json(evidence: Evidence) -> Vec<Self>;
}

impl ListedKind for CronJob {
    const KIND: &str = "CronJob";

    fn of_json(evidence: Evidence) -> Vec<Self> {
        let located = evidence.cron_jobs.into_iter();
        located.map(|located| located.object).collect()
    }
}

macro_rules! listed_kinds {
    ($($kind:ident: $list:ident,)*) => {$(
        impl ListedKind for $kind {
            const KIND: &str = stringify!($kind);

            fn of_json(evidence: Evidence) -> Vec<Self> {
                evidence.$list
            }
        }
    )*};
}

listed_kinds! {
    Job: jobs,
    Event: events,
    Node: nodes,
    Pod: pods,
    ResourceQuota: quotas,
}

pub(super) struct Listing<T> {
    pub(super) items: Vec<T>,
    /// The resource version for a watch.
    pub(super) resource_version: String,
    /// The server's time of the first page. All pages show the objects as of that time.
    pub(super) date: Option<Timestamp>,
    /// The errors of objects that cannot be decoded.
    pub(super) problems: Vec<String>,
    parts: SharedParts,
}

pub(super) trait Collector {
    type Item;
    /// A page whose objects are not decoded yet.
    type Page;
    const ACCEPT: &str;

    /// Reads the metadata of a page, so that the next one can be requested before this one is decoded.
    fn open(
        &mut self,
        lister: &Lister,
        answer: Response,
    ) -> Result<(ListMetaMessage, Self::Page), ClusterError>;
    /// Decodes the objects of a page, and returns its buffer.
    fn take(&mut self, lister: &Lister, page: Self::Page) -> Result<BytesMut, ClusterError>;
    /// The objects that were decoded, and the errors of the others.
    fn found(&mut self) -> (&mut Vec<Self::Item>, &mut Vec<String>);
}

#[derive(Clone)]
pub(super) struct Lister {
    pub(super) transport: Transport,
    pub(super) path: String,
    /// The resource as kubectl names it.
    pub(super) what: String,
    pub(super) api_version: String,
    pub(super) query: ListQuery,
    /// Counts the objects for the progress display.
    pub(super) count: Arc<AtomicUsize>,
}

impl Lister {
    /// A list of a namespace, or of all, without progress.
    pub(super) fn new(
        transport: &Transport,
        resource: &Resource,
        namespace: Option<&str>,
        query: ListQuery,
    ) -> Self {
        Lister {
            transport: transport.clone(),
            path: path_of(resource, namespace),
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
            parts: SharedParts::default(),
        };
        listing.resource_version = self.collect(&mut listing).await?;
        Ok(listing)
    }

    /// Reads all pages, and returns the resource version of the list.
    pub(super) async fn collect<C: Collector>(
        &self,
        objects: &mut C,
    ) -> Result<String, ClusterError> {
        let mut resource_version = String::new();
        // Two buffers: one page is decoded while the next one is received.
        let mut buffer = BytesMut::new();
        let mut accept = C::ACCEPT;
        let mut asked: Option<String> = None;
        let mut limit = PageLimit::first(self.query.page);
        let mut under_way = Some(self.fetch(None, limit, accept, BytesMut::new()));
        let mut recoveries = 0;
        let most = self.query.most.and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(MOST_OBJECTS);
        let mut end = ListEnd::within(most);
        while let Some(page) = under_way.take() {
            let answer = match joined(page.await) {
                Ok((answer, took)) => {
                    limit = limit.after(took, answer.body.len());
                    answer
                }
                Err(error) => {
                    let expired = error.status().filter(|status| status.code == 410);
                    if recoveries == RECOVERIES || expired.is_none() {
                        return Err(error);
                    }
                    recoveries += 1;
                    // The server offers a token to continue with the current objects. They are
                    // independent of each other, so this is as good.
                    asked = expired.and_then(|status| status.next.clone());
                    if asked.is_none() {
                        let (items, problems) = objects.found();
                        items.clear();
                        problems.clear();
                        end = ListEnd::within(most);
                        self.count.store(0, Ordering::Relaxed);
                    }
                    under_way = Some(self.fetch(asked.as_deref(), limit, accept, BytesMut::new()));
                    continue;
                }
            };
            let before = objects.found().0.len();
            let is_protobuf = answer.is_protobuf;
            let read = objects.open(self, answer).and_then(|(head, page)| {
                let next_buffer = std::mem::take(&mut buffer);
                under_way = head
                    .next()
                    .map(|next| self.fetch(Some(next), limit, accept, next_buffer));
                buffer = objects.take(self, page)?;
                Ok(head)
            });
            match read {
                Ok(head) => {
                    asked = head.next().map(str::to_owned);
                    resource_version = head.resource_version;
                    let (items, problems) = objects.found();
                    let seen = items.len() + problems.len();
                    let checked = end.check(seen, asked.as_deref());
                    checked.map_err(|why| self.wrong(why))?;
                }
                // A proxy may corrupt what is not text.
                Err(_) if is_protobuf && accept != JSON => {
                    accept = JSON;
                    objects.found().0.truncate(before);
                    under_way = Some(self.fetch(asked.as_deref(), limit, accept, BytesMut::new()));
                    continue;
                }
                Err(error) => return Err(error),
            }
            let more = objects.found().0.len() - before;
            self.count.fetch_add(more, Ordering::Relaxed);
        }
        Ok(resource_version)
    }

    fn fetch(
        &self,
        token: Option<&str>,
        limit: PageLimit,
        accept: &'static str,
        buffer: BytesMut,
    ) -> JoinHandle<Result<(Response, Duration), ClusterError>> {
        let uri = self.query.uri(&self.path, limit.objects, token);
        let transport = self.transport.clone();
        tokio::spawn(async move {
            let asked = Instant::now();
            let api_request = ApiRequest::list(&uri, accept);
            let answer = transport.send_into(buffer, &api_request).await?;
            Ok((answer, asked.elapsed()))
        })
    }

    /// The error of an answer that is not what an API server answers.
    pub(super) fn wrong(&self, why: String) -> ClusterError {
        self.transport.not_kubernetes(&self.path, why)
    }
}

/// How many objects the next page of a list may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageLimit {
    /// 0 if they all come in one page.
    objects: u32,
    grows: bool,
}

impl PageLimit {
    fn first(size: PageSize) -> Self {
        match size {
            PageSize::Growing => PageLimit {
                objects: FIRST_PAGE,
                grows: true,
            },
            PageSize::Fixed(objects) => PageLimit {
                objects,
                grows: false,
            },
        }
    }

    /// After a page that took this long and has this many bytes.
    fn after(self, took: Duration, bytes: usize) -> Self {
        let objects = if !self.grows || took <= QUICK && (HEAVY / 2..=HEAVY).contains(&bytes) {
            self.objects
        } else if took > QUICK || bytes > HEAVY {
            FIRST_PAGE
        } else {
            (self.objects * 2).min(LARGEST_PAGE)
        };
        PageLimit { objects, ..self }
    }
}

/// Finds lists without an end: with a repeated token, with empty pages, or with too many objects.
struct ListEnd {
    tokens: HashSet<String>,
    most_objects: usize,
}

impl ListEnd {
    fn within(most_objects: usize) -> Self {
        ListEnd {
            tokens: HashSet::new(),
            most_objects,
        }
    }

    /// An error if the list does not seem to end, with this many objects before the next page.
    fn check(&mut self, objects: usize, next: Option<&str>) -> Result<(), String> {
        let Some(next) = next else { return Ok(()) };
        if !self.tokens.insert(next.to_owned()) {
            return Err("it returned the same continue token twice".to_owned());
        }
        if self.tokens.len() > objects + MOST_EMPTY_PAGES {
            return Err(format!(
                "the list does not end after {MOST_EMPTY_PAGES} empty pages"
            ));
        }
        if objects > self.most_objects {
            let most = self.most_objects;
            return Err(format!("the list does not end after {most} objects"));
        }
        Ok(())
    }
}

impl<T: ListedKind> Collector for Listing<T> {
    type Item = T;
    type Page = Body;
    const ACCEPT: &str = wire::ACCEPT;

    fn open(
        &mut self,
        lister: &Lister,
        answer: Response,
    ) -> Result<(ListMetaMessage, Body), ClusterError> {
        if self.date.is_none() {
            self.date = answer.date;
        }
        let wrong = |why| lister.wrong(why);
        if answer.is_protobuf {
            let raw = wire::open_list(&answer.body, T::KIND).map_err(wrong)?;
            let list = ListMessage::decode(raw).map_err(|error| lister.wrong(error.to_string()))?;
            let head = list.metadata.unwrap_or_default();
            let (page, items) = (answer.body, list.items);
            return Ok((head, Body::Protobuf { page, items }));
        }
        let (head, kind) = json_head(&answer.body).map_err(wrong)?;
        let text = String::from_utf8(answer.body.into())
            .map_err(|error| lister.wrong(error.to_string()))?;
        Ok((head, Body::Json(text, kind)))
    }

    fn take(&mut self, lister: &Lister, page: Body) -> Result<BytesMut, ClusterError> {
        let (text, kind) = match page {
            Body::Protobuf { page, items } => {
                for item in items {
                    let object = fields::decode(&item, &lister.api_version, &mut self.parts);
                    self.items.push(object.map_err(|why| lister.wrong(why))?);
                }
                return Ok(page.try_into_mut().unwrap_or_default());
            }
            Body::Json(text, kind) => (text, kind),
        };
        let name = format!("{}{}", lister.transport.server, lister.path);
        let (evidence, errors) = Evidence::of_json(name, text, &options(&lister.api_version));
        let count = evidence.count();
        let items = T::of_json(evidence);
        let problems = errors.iter().map(ToString::to_string);
        self.problems.extend(problems);
        if items.is_empty() && errors.is_empty() && kind.strip_suffix("List") != Some(T::KIND) {
            let why = format!("expected a {}List, found a {kind}", T::KIND);
            return Err(lister.wrong(why));
        }
        if items.len() < count {
            let why = format!("the {kind} has objects that are not of kind {}", T::KIND);
            return Err(lister.wrong(why));
        }
        self.items.extend(items);
        Ok(BytesMut::new())
    }

    fn found(&mut self) -> (&mut Vec<T>, &mut Vec<String>) {
        (&mut self.items, &mut self.problems)
    }
}

/// A page that is not decoded yet.
pub(super) enum Body {
    /// The objects are parts of the page.
    Protobuf { page: Bytes, items: Vec<Bytes> },
    /// Its text, and the kind of the list.
    Json(String, String),
}

pub(super) fn json_head(body: &[u8]) -> Result<(ListMetaMessage, String), String> {
    #[derive(Deserialize)]
    struct List {
        kind: String,
        metadata: ListMetaMessage,
    }
    let list: List = serde_json::from_slice(body)
        .map_err(|error| format!("expected a list, found {} ({error})", beginning(body)))?;
    if !list.kind.ends_with("List") {
        return Err(format!("expected a list, found a {}", list.kind));
    }
    Ok((list.metadata, list.kind))
}

pub(super) fn joined<T>(
    result: Result<Result<T, ClusterError>, JoinError>,
) -> Result<T, ClusterError> {
    result.unwrap_or_else(|error| {
        Err(ClusterError::Setup {
            place: "the cluster".to_owned(),
            why: error.to_string(),
        })
    })
}

/// How objects in JSON are decoded: as in files.
pub(super) fn options(api_version: &str) -> Options {
    Options {
        cron_job_version: Some(api_version.to_owned()),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends `each` objects a page and always another token: the number of pages, and the error.
    fn pages(each: usize, most: usize) -> (usize, String) {
        let mut end = ListEnd::within(most);
        let mut number = 0;
        loop {
            number += 1;
            if let Err(why) = end.check(number * each, Some(&number.to_string())) {
                return (number, why);
            }
        }
    }

    #[test]
    fn pages_grow_while_they_are_quick_and_light() {
        let quick = (Duration::from_millis(40), 1 << 20);
        let slow = (Duration::from_millis(1001), 1 << 20);
        let (half, heavy) = ((quick.0, HEAVY / 2), (quick.0, HEAVY + 1));
        let limits = |size, pages: &[(Duration, usize)]| -> Vec<u32> {
            let mut limit = PageLimit::first(size);
            let after = pages.iter().map(|&(took, bytes)| {
                limit = limit.after(took, bytes);
                limit.objects
            });
            after.collect()
        };
        let growing = |pages: &[_]| limits(PageSize::Growing, pages);
        assert_eq!(PageLimit::first(PageSize::Growing).objects, 500);
        assert_eq!(growing(&[quick, quick, quick]), [1000, 2000, 2000]);
        assert_eq!(growing(&[quick, slow, quick]), [1000, 500, 1000]);
        assert_eq!(growing(&[quick, half, half]), [1000, 1000, 1000]);
        assert_eq!(growing(&[quick, quick, heavy]), [1000, 2000, 500]);
        for size in [0, 1, 5000] {
            let pages = [quick, slow, half, heavy];
            assert_eq!(limits(PageSize::Fixed(size), &pages), [size; 4]);
        }
    }

    #[test]
    fn list_with_ever_new_tokens_ends() {
        let too_many = "the list does not end after 1000 objects".to_owned();
        assert_eq!(pages(1, 1000), (1001, too_many.clone()));
        assert_eq!(pages(500, 1000), (3, too_many));
        let empty = "the list does not end after 100 empty pages".to_owned();
        assert_eq!(pages(0, 1000), (101, empty));
        let mut end = ListEnd::within(1000);
        assert_eq!(end.check(2000, None), Ok(()));
        assert_eq!(MOST_OBJECTS, 2_000_000);
    }
}
