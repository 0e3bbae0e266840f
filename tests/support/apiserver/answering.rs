//! From a request to an answer.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use http::HeaderValue;
use http::header::{DATE, RETRY_AFTER, WARNING};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::access::{Attempt, Peer};
use super::connection::DRIP;
use super::faults::Fault;
use super::logs;
use super::protobuf;
use super::reading;
use super::reply::{self, Media, Response};
use super::request::Request;
use super::reviews;
use super::state::State;
use super::status::Status;
use super::watching;
use super::writing;

/// Answers a request without faults.
pub(crate) async fn answer(state: &Arc<State>, request: &Request, peer: &Peer) -> Response {
    let answer = answered(state, request, peer).await;
    let mut response = answer.unwrap_or_else(|status| reply::status(&status, request));
    let settings = state.settings.lock().unwrap();
    for (condition, text) in &settings.warnings {
        if condition.fits_but_for_page(request) {
            response.headers_mut().append(WARNING, warning(text));
        }
    }
    response
}

/// The date that every answer has.
pub(crate) fn add_date(state: &State, response: &mut Response) {
    let settings = state.settings.lock().unwrap();
    if settings.sends_date {
        let date = settings.now.strftime("%a, %d %b %Y %H:%M:%S GMT");
        let date = HeaderValue::from_maybe_shared(date.to_string()).unwrap();
        response.headers_mut().insert(DATE, date);
    }
}

/// The value of a `Warning` header.
fn warning(text: &str) -> HeaderValue {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    HeaderValue::from_maybe_shared(format!("299 - \"{quoted}\"")).unwrap()
}

async fn answered(state: &Arc<State>, request: &Request, peer: &Peer) -> Result<Response, Status> {
    let user = state.access.authenticate(request, peer)?;
    let attempt = Attempt::of(request, &user);
    let mut checked = attempt.clone();
    if let Some(selector) = request.parameter("fieldSelector") {
        // A list of the one object with some name counts as a request for that name.
        let name = selector.strip_prefix("metadata.name=");
        checked.name = name.unwrap_or_default().to_owned();
    }
    state.access.check(&checked)?;
    if request.path == "/version" {
        let version = version(&state.settings.lock().unwrap().git_version);
        return Ok(reply::value(200, "Info", &version, Media::Json));
    }
    let Some(resource) = state.resource(&attempt) else {
        if state.serves(&attempt.group, &attempt.version) {
            return Err(Status::of_code(404));
        }
        // As Go's HTTP server answers for paths that it does not know.
        let text = b"404 page not found\n".to_vec();
        return Ok(reply::plain(404, "text/plain; charset=utf-8", text));
    };
    if resource.is_review() {
        return reviews::answer(&state.access, resource, &user, request);
    }
    let media = Media::of(request, resource);
    match (attempt.verb.as_str(), attempt.subresource.as_str()) {
        ("get", "log") => logs::answer(state, resource, &attempt, request),
        ("get", _) => {
            let object = reading::get(&state.store.lock().unwrap(), resource, &attempt)?;
            let accept = request.header("accept").unwrap_or_default();
            if accept.contains("as=PartialObjectMetadata") {
                let metadata = object.value()["metadata"].clone();
                let kind = "PartialObjectMetadata";
                let partial =
                    json!({"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": metadata});
                return Ok(reply::value(200, kind, &partial, Media::Json));
            }
            Ok(reply::object(200, resource, &object, media))
        }
        ("list", _) => {
            let page = reading::list(&state.store.lock().unwrap(), resource, &attempt, request)?;
            let pause = state.pace * u32::try_from(page.items.len()).unwrap();
            if !pause.is_zero() {
                sleep(pause).await;
            }
            Ok(reply::list(resource, &page, media, request))
        }
        ("watch", _) => Ok(watching::answer(state, resource, &attempt, request)),
        _ => writing::answer(state, resource, &attempt, request),
    }
}

/// The response to a request with a fault, if the fault determines it.
pub(crate) fn faulty(fault: &Fault, request: &Request) -> Option<Response> {
    let media = Media::accepted(request);
    Some(match fault {
        Fault::Status(code) => reply::status(&Status::of_code(*code), request),
        Fault::Refusal {
            code,
            reason,
            message,
            cause,
        } => reply::status(&Status::denied(*code, reason, message, *cause), request),
        Fault::Expired => reply::status(&reading::expired(request), request),
        Fault::TooManyRequests { retry_after } => {
            let text = b"Too many requests, please try again later.\n".to_vec();
            let mut response = reply::plain(429, "text/plain; charset=utf-8", text);
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, (*retry_after).into());
            response
        }
        Fault::DripBody => {
            let blanks = stream::repeat(b" ".to_vec());
            let blanks = blanks.then(async |blank| {
                sleep(DRIP).await;
                blank
            });
            reply::streamed(media.content_type(), blanks)
        }
        Fault::Garbage => reply::plain(200, media.content_type(), (0..=255).rev().collect()),
        Fault::WrongProtobuf => {
            // A field of 100 bytes, of which there are three.
            let bytes = protobuf::envelope("v1", "List", &[0x0a, 100, 1, 2, 3]);
            reply::plain(200, Media::Protobuf.content_type(), bytes)
        }
        Fault::Html(code) => {
            let page = format!(
                "<html>\r\n<head><title>{code}</title></head>\r\n<body>\r\n<center><h1>{code}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
            );
            reply::plain(*code, "text/html", page.into_bytes())
        }
        Fault::Body(content_type, body) => reply::plain(200, content_type, (*body).into()),
        _ => return None,
    })
}

/// `/version`, as a server of that version answers it.
fn version(git_version: &str) -> Value {
    let mut numbers = git_version.trim_start_matches('v').split('.');
    json!({"major": numbers.next(), "minor": numbers.next(), "gitVersion": git_version})
}
