//! What containers write: GET of a pod's subresource `log`.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::ApiServer;
use super::access::Attempt;
use super::http::{Body, Request, Response};
use super::reading;
use super::reply;
use super::resources::Resource;
use super::state::State;
use super::status::Status;
use super::stop::Stop;

/// Namespace, pod and container.
type Place = (String, String, String);

/// What all containers have written that were started.
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

impl ApiServer {
    /// A container writes something; from then on it has been started.
    pub(crate) fn log(&self, namespace: &str, pod: &str, container: &str, text: &str) {
        self.logging(namespace, pod, container, |log| {
            log.text.extend_from_slice(text.as_bytes());
        });
    }

    /// A container writes no more.
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
        self.change(|_| change(self.state.logs.lock().unwrap().0.entry(place).or_default()));
    }
}

/// Answers with what a container has written, and with what it writes if that is wanted.
pub(crate) fn answer(
    state: &Arc<State>,
    stop: &Arc<Stop>,
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
    let mut response = reply::plain(200, "text/plain", Vec::new());
    if request.flag("previous") {
        let (_, pod, container) = &place;
        let previous = log.previous.clone().ok_or_else(|| {
            Status::bad_request(format!(
                "previous terminated container {container:?} in pod {pod:?} not found"
            ))
        })?;
        response.body = Body::Whole(wanted(&previous, request));
        return Ok(response);
    }
    response.body = if log.repeats > 0 {
        let (piece, repeats) = (log.text.clone(), log.repeats);
        Body::Pieces(Box::new((0..repeats).map(move |_| piece.clone())))
    } else if request.flag("follow") {
        Body::Pieces(Box::new(Following {
            state: Arc::clone(state),
            stop: Arc::clone(stop),
            place,
            position: 0,
        }))
    } else {
        Body::Whole(wanted(&log.text, request))
    };
    Ok(response)
}

/// The last lines of a log, and the first bytes of them.
fn wanted(text: &[u8], request: &Request) -> Vec<u8> {
    let number = |name| request.parameter(name).and_then(|text| text.parse().ok());
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let tail: usize = number("tailLines").unwrap_or(lines.len());
    let mut wanted = lines[lines.len().saturating_sub(tail)..].concat();
    wanted.truncate(number("limitBytes").unwrap_or(wanted.len()));
    wanted
}

/// The container that is meant, with the error of 1.36 where it is not clear.
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

/// A log that is followed: an iterator that waits for what is written next.
struct Following {
    state: Arc<State>,
    stop: Arc<Stop>,
    place: Place,
    position: usize,
}

impl Iterator for Following {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut store = self.state.store.lock().unwrap();
        loop {
            let logs = self.state.logs.lock().unwrap();
            let log = logs.0.get(&self.place)?;
            let more = log.text[self.position..].to_vec();
            let is_over = log.is_over || self.stop.is_stopped();
            drop(logs);
            if !more.is_empty() {
                self.position += more.len();
                return Some(more);
            }
            if is_over {
                return None;
            }
            store = self.state.changed.wait(store).unwrap();
        }
    }
}
