//! WATCH: changes of the objects of a resource, as they happen.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::access::Attempt;
use super::objects::Object;
use super::protobuf;
use super::reply::{self, Media, Response};
use super::request::Request;
use super::resources::Resource;
use super::selectors::Selectors;
use super::state::State;
use super::status::Status;
use super::store::{Change, Store};

/// How long a watch lasts without another limit.
const LONGEST: u64 = 3600;

/// One watch that is open.
struct Watch {
    state: Arc<State>,
    resource: Resource,
    /// The prefix of the keys of its objects.
    prefix: String,
    selectors: Selectors,
    media: Media,
    /// The index of the next change.
    position: usize,
    /// How often watches were closed before this one was opened.
    closings: usize,
}

/// Answers with all changes since a resource version, and with those to come.
pub(crate) fn answer(
    state: &Arc<State>,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Response {
    let media = Media::of(request, resource);
    let content_type = match media {
        Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        Media::Json => media.content_type(),
    };
    let version = request.number("resourceVersion").unwrap();
    let store = state.store.lock().unwrap();
    if version < store.oldest() {
        let oldest = store.oldest();
        let why = format!("too old resource version: {version} ({oldest})");
        let status = Status::new(410, "Expired", why);
        let frame = match media {
            Media::Protobuf => {
                let message = protobuf::encode("Status", status.value());
                protobuf::watch_event("ERROR", &protobuf::envelope("v1", "Status", &message))
            }
            Media::Json => json_frame("ERROR", status.value()),
        };
        return reply::plain(200, content_type, frame);
    }
    let changes = store.changes();
    let watch = Watch {
        state: Arc::clone(state),
        resource: resource.clone(),
        prefix: resource.key(&attempt.namespace, ""),
        selectors: Selectors::of(request),
        media,
        position: changes.partition_point(|change| change.revision <= version),
        closings: store.closings().0,
    };
    drop(store);
    let seconds = request.number("timeoutSeconds").unwrap_or(LONGEST);
    let end = Instant::now() + Duration::from_secs(seconds);
    let frames = stream::unfold(watch, move |mut watch| async move {
        let state = Arc::clone(&watch.state);
        let next = state.until(|| watch.advance(&state.store.lock().unwrap()));
        let frame = timeout_at(end, next).await.ok()??;
        Some((frame, watch))
    });
    reply::streamed(content_type, frames)
}

impl Watch {
    /// The next frame, or none at the end of the watch.
    fn advance(&mut self, store: &Store) -> Poll<Option<Vec<u8>>> {
        let (closings, closed_at) = store.closings();
        let is_closed = closings > self.closings;
        while let Some(change) = store.changes().get(self.position) {
            if is_closed && self.position >= closed_at {
                break;
            }
            self.position += 1;
            if let Some(frame) = self.frame_of(change) {
                return Poll::Ready(Some(frame));
            }
        }
        if is_closed {
            Poll::Ready(None)
        } else {
            Poll::Pending
        }
    }

    /// The frame of a change; none if it is about other objects.
    fn frame_of(&self, change: &Change) -> Option<Vec<u8>> {
        if !change.key.starts_with(&self.prefix) {
            return None;
        }
        let matches = |object: &Option<Arc<Object>>| {
            object
                .as_ref()
                .is_some_and(|object| self.selectors.match_object(&object.value()))
        };
        // An object that is no longer selected is deleted, as far as the client can see.
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

    fn frame(&self, kind: &str, object: &Object) -> Vec<u8> {
        match self.media {
            Media::Protobuf => protobuf::watch_event(kind, &object.envelope(&self.resource)),
            Media::Json => json_frame(kind, &object.value()),
        }
    }
}

fn json_frame(kind: &str, object: &Value) -> Vec<u8> {
    reply::json_line(&json!({"type": kind, "object": object}))
}
