//! What can have happened to an object by the time of the answer to a request that creates or changes it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::access::Peer;
use super::answering;
use super::faults::Fate;
use super::reply::{self, Response};
use super::request::Request;
use super::state::State;
use super::status::Status;

/// The whole answer to a request that creates a Job, which has that result.
pub(crate) async fn create(
    state: &Arc<State>,
    request: &Request,
    peer: &Peer,
    fate: Fate,
) -> Response {
    let mut sent: Value = serde_json::from_slice(&request.body).unwrap();
    match fate {
        Fate::NotCreated => return reply::status(&Status::of_code(500), request),
        Fate::Taken => {
            let mut other = sent.clone();
            other["metadata"]["annotations"] = json!({});
            other["metadata"]["uid"] = json!("uid-of-the-other");
            put(state, &other);
        }
        Fate::Renamed => sent["metadata"]["name"] = json!("renamed-by-a-webhook"),
        Fate::Suspended => sent["spec"]["suspend"] = json!(true),
        Fate::Exists | Fate::Finished | Fate::Deleted => {}
    }
    let mut request = request.clone();
    request.body = sent.to_string().into_bytes();
    let response = answering::answer(state, &request, peer).await;
    let key = key(state, &sent);
    if fate == Fate::Finished {
        let stored = state.store.lock().unwrap().get(&key);
        let mut job = stored.unwrap().value().into_owned();
        job["status"] = json!({
            "succeeded": 1,
            "completionTime": state.now().to_string(),
            "conditions": [{
                "type": "Complete", "status": "True", "lastTransitionTime": state.now().to_string(),
            }],
        });
        put(state, &job);
    }
    if fate == Fate::Deleted {
        state.store.lock().unwrap().remove(&key);
        state.announce_change();
    }
    response
}

/// The request to change an object, without annotations.
pub(crate) fn without_annotations(request: &Request) -> Request {
    let mut sent: Value = serde_json::from_slice(&request.body).unwrap();
    sent["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("annotations");
    let mut request = request.clone();
    request.body = sent.to_string().into_bytes();
    request
}

fn put(state: &State, job: &Value) {
    let key = key(state, job);
    state.store.lock().unwrap().put(&key, job.clone());
    state.announce_change();
}

fn key(state: &State, job: &Value) -> String {
    let jobs = state.resource_of("batch/v1", "Job");
    let at = |field: &str| job["metadata"][field].as_str().unwrap_or_default();
    jobs.key(at("namespace"), at("name"))
}
