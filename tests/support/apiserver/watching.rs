//! WATCH: what happens to the objects of a resource, as it happens.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::access::Attempt;
use super::http::Request;
use super::objects::Object;
use super::protobuf;
use super::reading;
use super::reply::{self, Media};
use super::resources::Resource;
use super::selectors::Selectors;
use super::state::State;
use super::status::Status;
use super::stop::Stop;
use super::store::{Change, ObjectChange};

/// One watch: an iterator over its frames, which waits for the next one.
pub(crate) struct Watch {
    state: Arc<State>,
    stop: Arc<Stop>,
    resource: Resource,
    prefix: String,
    selectors: Selectors,
    media: Media,
    /// Frames that are to be sent first.
    ready: VecDeque<Vec<u8>>,
    /// The next change to look at.
    position: usize,
    /// How many changes there were when it was opened.
    opened_at: usize,
    ends_at: Option<Instant>,
    ended: bool,
}

impl Watch {
    pub(crate) fn start(
        state: &Arc<State>,
        stop: &Arc<Stop>,
        resource: &Resource,
        attempt: &Attempt,
        request: &Request,
    ) -> Watch {
        let version = reading::number(request, "resourceVersion").unwrap();
        let timeout = reading::number(request, "timeoutSeconds");
        let mut watch = Watch {
            stop: Arc::clone(stop),
            resource: resource.clone(),
            prefix: reading::prefix(attempt),
            selectors: Selectors::of(request),
            media: Media::of(request, resource),
            ready: VecDeque::new(),
            position: 0,
            opened_at: 0,
            ends_at: timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
            ended: false,
            state: Arc::clone(state),
        };
        let store = state.store.lock().unwrap();
        watch.position = store.changes().len();
        watch.opened_at = watch.position;
        if store.is_forgotten(version) {
            let oldest = store.oldest();
            let why = format!("too old resource version: {version} ({oldest})");
            watch.fail(&Status::new(410, "Expired", why));
        } else {
            let changes = store.changes();
            watch.position = changes.partition_point(|change| revision(change) <= version);
        }
        drop(store);
        watch
    }

    fn fail(&mut self, status: &Status) {
        let value = status.value();
        let frame = if self.media == Media::Protobuf {
            let message = protobuf::encode("Status", &value);
            protobuf::watch_event("ERROR", &protobuf::envelope("v1", "Status", &message))
        } else {
            json_frame("ERROR", &value)
        };
        self.ready.push_back(frame);
        self.ended = true;
    }

    fn frame(&self, kind: &str, object: &Object) -> Vec<u8> {
        if self.media == Media::Protobuf {
            let message = object.protobuf(&self.resource);
            let whole =
                protobuf::envelope(&self.resource.api_version(), &self.resource.kind, &message);
            protobuf::watch_event(kind, &whole)
        } else {
            json_frame(kind, &object.value())
        }
    }

    /// The frame of a change; none where it does not concern the watch.
    fn change(&mut self, index: usize, change: &Change) -> Option<Vec<u8>> {
        match change {
            Change::Object(change) => self.object_change(change),
            // This is for the watches that are open when it happens.
            Change::CloseWatches(_) => {
                self.ended |= index >= self.opened_at;
                None
            }
        }
    }

    fn object_change(&self, change: &ObjectChange) -> Option<Vec<u8>> {
        let mine =
            change.collection == self.resource.full_name() && change.key.starts_with(&self.prefix);
        if !mine {
            return None;
        }
        let matches = |object: &Option<Arc<Object>>| {
            object
                .as_ref()
                .is_some_and(|object| self.selectors.match_object(&object.value()))
        };
        // An object that is selected no longer is as good as gone.
        match (matches(&change.before), matches(&change.after)) {
            (false, true) => Some(self.frame("ADDED", change.after.as_deref()?)),
            (true, true) => Some(self.frame("MODIFIED", change.after.as_deref()?)),
            (true, false) => {
                let last = change.gone.as_deref().or(change.before.as_deref())?;
                Some(self.frame("DELETED", last))
            }
            (false, false) => None,
        }
    }
}

impl Iterator for Watch {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(frame) = self.ready.pop_front() {
            return Some(frame);
        }
        let state = Arc::clone(&self.state);
        let mut store = state.store.lock().unwrap();
        loop {
            if self.ended || self.stop.is_stopped() {
                return None;
            }
            if let Some(change) = store.changes().get(self.position).cloned() {
                self.position += 1;
                if let Some(frame) = self.change(self.position - 1, &change) {
                    return Some(frame);
                }
                continue;
            }
            store = match self.ends_at {
                None => state.changed.wait(store).unwrap(),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    state.changed.wait_timeout(store, left).unwrap().0
                }
            };
        }
    }
}

fn revision(change: &Change) -> u64 {
    match change {
        Change::Object(change) => change.revision,
        Change::CloseWatches(revision) => *revision,
    }
}

fn json_frame(kind: &str, object: &Value) -> Vec<u8> {
    let event = json!({"type": kind, "object": object});
    reply::json_line(&event)
}
