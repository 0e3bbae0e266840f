//! What containers write: GET of a pod's subresource `log`.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;

use futures_util::stream;
use serde_json::Value;

use super::ApiServer;
use super::access::Attempt;
use super::reading;
use super::reply::{self, Response};
use super::request::Request;
use super::resources::Resource;
use super::state::State;
use super::status::Status;

const TEXT: &str = "text/plain";

/// Namespace, pod and container.
type Place = (String, String, String);

/// What all started containers have written.
#[derive(Default)]
pub(crate) struct Logs(HashMap<Place, Log>);

#[derive(Default)]
struct Log {
    text: Vec<u8>,
    is_over: bool,
    /// What the container wrote before its last restart.
    previous: Option<Vec<u8>>,
    /// How often the text is repeated.
    repeats: usize,
}

impl Logs {
    /// What a container has written from a position on, or nothing at the end of the log.
    fn next(&self, place: &Place, start: usize) -> Poll<Option<Vec<u8>>> {
        match &self.0[place] {
            log if log.text.len() > start => Poll::Ready(Some(log.text[start..].to_vec())),
            log if log.is_over => Poll::Ready(None),
            _ => Poll::Pending,
        }
    }
}

impl ApiServer {
    /// A container writes something, and counts as started from then on.
    pub(crate) fn log(&self, namespace: &str, pod: &str, container: &str, text: &str) {
        self.logging(namespace, pod, container, |log| {
            log.text.extend_from_slice(text.as_bytes());
        });
    }

    /// A container stops writing.
    pub(crate) fn end_log(&self, namespace: &str, pod: &str, container: &str) {
        self.logging(namespace, pod, container, |log| log.is_over = true);
    }

    /// What a container wrote before its last restart.
    pub(crate) fn log_before_restart(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
        text: &str,
    ) {
        self.logging(namespace, pod, container, |log| {
            log.previous = Some(text.as_bytes().to_vec());
        });
    }

    /// Repeats what a container has written, for a log that is too large to be kept.
    pub(crate) fn repeat_log(&self, namespace: &str, pod: &str, container: &str, repeats: usize) {
        self.logging(namespace, pod, container, |log| log.repeats = repeats);
    }

    fn logging(&self, namespace: &str, pod: &str, container: &str, change: impl FnOnce(&mut Log)) {
        let place = [namespace, pod, container].map(str::to_owned).into();
        change(self.state.logs.lock().unwrap().0.entry(place).or_default());
        self.state.announce_change();
    }
}

/// Answers with what a container has written, and with what it writes later if the request follows the log.
pub(crate) fn answer(
    state: &Arc<State>,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Result<Response, Status> {
    let store = state.store.lock().unwrap();
    let pod = reading::get(&store, resource, attempt)?;
    drop(store);
    let container = container(&pod.value(), &attempt.name, request.parameter("container"))?;
    let place: Place = (attempt.namespace.clone(), attempt.name.clone(), container);
    let logs = state.logs.lock().unwrap();
    let Some(log) = logs.0.get(&place) else {
        let (_, pod, container) = &place;
        return Err(Status::bad_request(format!(
            "container {container:?} in pod {pod:?} is waiting to start: ContainerCreating"
        )));
    };
    if request.flag("previous") {
        let (_, pod, container) = &place;
        let previous = log.previous.as_ref().ok_or_else(|| {
            Status::bad_request(format!(
                "previous terminated container {container:?} in pod {pod:?} not found"
            ))
        })?;
        return Ok(reply::plain(200, TEXT, wanted(previous, request)));
    }
    if log.repeats > 0 {
        let pieces = std::iter::repeat_n(log.text.clone(), log.repeats);
        return Ok(reply::streamed(TEXT, stream::iter(pieces)));
    }
    if !request.flag("follow") {
        return Ok(reply::plain(200, TEXT, wanted(&log.text, request)));
    }
    drop(logs);
    let pieces = stream::unfold(
        (Arc::clone(state), place, 0),
        |(state, place, start)| async move {
            let piece = state.until(|| state.logs.lock().unwrap().next(&place, start));
            let piece = piece.await?;
            let end = start + piece.len();
            Some((piece, (state, place, end)))
        },
    );
    Ok(reply::streamed(TEXT, pieces))
}

/// The last lines of a log, and the first bytes of them.
fn wanted(text: &[u8], request: &Request) -> Vec<u8> {
    let number = |name| Some(usize::try_from(request.number(name)?).unwrap());
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let tail = number("tailLines").unwrap_or(lines.len());
    let mut wanted = lines[lines.len().saturating_sub(tail)..].concat();
    wanted.truncate(number("limitBytes").unwrap_or(wanted.len()));
    wanted
}

/// The requested container, or the error of 1.36 if it is not clear which one.
fn container(pod: &Value, name: &str, wanted: Option<&str>) -> Result<String, Status> {
    let lists = ["initContainers", "containers"].into_iter();
    let all: Vec<&str> = lists
        .filter_map(|list| pod["spec"][list].as_array())
        .flatten()
        .filter_map(|container| container["name"].as_str())
        .collect();
    match (wanted, all.as_slice()) {
        (Some(wanted), all) if all.contains(&wanted) => Ok(wanted.to_owned()),
        (None, [only]) => Ok((*only).to_owned()),
        (Some(wanted), _) => Err(Status::bad_request(format!(
            "container {wanted} is not valid for pod {name}"
        ))),
        (None, all) => Err(Status::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all.join(" ")
        ))),
    }
}
