//! From a request to an answer.

use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::access::{Attempt, Peer};
use super::faults::Fault;
use super::http::{Body, Request, Response};
use super::logs;
use super::protobuf;
use super::reading;
use super::reply::{self, Media};
use super::reviews;
use super::state::State;
use super::status::Status;
use super::stop::Stop;
use super::watching::Watch;
use super::writing;

/// Answers a request, as far as nothing goes wrong on purpose.
pub(crate) fn answer(
    state: &Arc<State>,
    stop: &Arc<Stop>,
    request: &Request,
    peer: &Peer,
) -> Response {
    let answer = answered(state, stop, request, peer);
    let mut response = answer.unwrap_or_else(|status| reply::status(&status, request));
    let settings = state.settings.lock().unwrap();
    for (condition, text) in &settings.warnings {
        if condition.fits_but_for_page(request) {
            response.headers.push(warning(text));
        }
    }
    response
}

/// The date that every answer has.
pub(crate) fn add_date(state: &State, response: &mut Response) {
    let settings = state.settings.lock().unwrap();
    if settings.sends_date {
        let date = settings.now.strftime("%a, %d %b %Y %H:%M:%S GMT");
        let header = ("Date".to_owned(), date.to_string());
        response.headers.push(header);
    }
}

/// A `Warning` header.
fn warning(text: &str) -> (String, String) {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    ("Warning".to_owned(), format!("299 - \"{quoted}\""))
}

fn answered(
    state: &Arc<State>,
    stop: &Arc<Stop>,
    request: &Request,
    peer: &Peer,
) -> Result<Response, Status> {
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
            return Err(Status::unknown_resource());
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
        ("get", "log") => logs::answer(state, stop, resource, &attempt, request),
        ("get", _) => {
            let store = state.store.lock().unwrap();
            let object = reading::get(&store, resource, &attempt)?;
            Ok(reply::object(200, resource, &object, media))
        }
        ("list", _) => {
            let store = state.store.lock().unwrap();
            let page = reading::list(&store, resource, &attempt, request)?;
            drop(store);
            thread::sleep(state.pace * u32::try_from(page.items.len()).unwrap());
            Ok(reply::list(resource, &page, media, request))
        }
        ("watch", _) => {
            let frames = Watch::start(state, stop, resource, &attempt, request);
            let content_type = match media {
                Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
                Media::Json => media.content_type(),
            };
            let mut response = reply::plain(200, content_type, Vec::new());
            response.body = Body::Pieces(Box::new(frames));
            Ok(response)
        }
        _ => writing::answer(state, resource, &attempt, request),
    }
}

/// The answer of a fault that has one of its own.
pub(crate) fn faulty(fault: &Fault, request: &Request) -> Option<Response> {
    let media = Media::accepted(request);
    match fault {
        Fault::Status(code) => Some(reply::status(&Status::of_code(*code), request)),
        Fault::Refusal {
            code,
            reason,
            message,
            cause,
        } => {
            let status = Status::denied(*code, reason, message, *cause);
            Some(reply::status(&status, request))
        }
        Fault::Expired => Some(reply::status(&reading::expired(request), request)),
        Fault::TooManyRequests { retry_after } => {
            let text = b"Too many requests, please try again later.\n".to_vec();
            let mut response = reply::plain(429, "text/plain; charset=utf-8", text);
            let header = ("Retry-After".to_owned(), retry_after.to_string());
            response.headers.push(header);
            Some(response)
        }
        Fault::Garbage => {
            let bytes: Vec<u8> = (0..=255).rev().collect();
            Some(reply::plain(200, media.content_type(), bytes))
        }
        Fault::WrongProtobuf => {
            // A field of 100 bytes, of which there are three.
            let bytes = protobuf::envelope("v1", "List", &[0x0a, 100, 1, 2, 3]);
            Some(reply::plain(200, Media::Protobuf.content_type(), bytes))
        }
        Fault::Html(code) => {
            let page = format!(
                "<html>\r\n<head><title>{code}</title></head>\r\n<body>\r\n<center><h1>{code}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
            );
            Some(reply::plain(*code, "text/html", page.into_bytes()))
        }
        Fault::Body(content_type, body) => {
            Some(reply::plain(200, content_type, body.as_bytes().to_vec()))
        }
        Fault::Hang
        | Fault::DripHead
        | Fault::DripBody
        | Fault::Hold
        | Fault::CutOff(_)
        | Fault::Reset
        | Fault::Preceded(_) => None,
    }
}

/// `/version`, as a server of that version answers it.
fn version(git_version: &str) -> Value {
    let mut numbers = git_version.trim_start_matches('v').split('.');
    json!({"major": numbers.next(), "minor": numbers.next(), "gitVersion": git_version})
}
