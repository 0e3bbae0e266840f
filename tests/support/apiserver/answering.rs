//! From a request to an answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::discovery;
use super::faults::Fault;
use super::http::{Body, Request, Response};
use super::identity::{self, Peer};
use super::logs;
use super::negotiation::{self, Media};
use super::reading;
use super::reply;
use super::resources::Resource;
use super::reviews;
use super::routes::Route;
use super::selectors::Selectors;
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
    let mut response = answered(state, stop, request, peer).unwrap_or_else(|status| {
        let mut response = reply::status(&status, request);
        if status.code == 403 {
            let header = ("X-Content-Type-Options".to_owned(), "nosniff".to_owned());
            response.headers.push(header);
        }
        response
    });
    let settings = state.settings.lock().unwrap();
    for (condition, text) in &settings.warnings {
        if condition.fits_but_for_page(request) {
            response.headers.push(warning(text));
        }
    }
    response
}

/// What every answer bears.
pub(crate) fn add_common_headers(state: &State, response: &mut Response) {
    let number = state.answers.fetch_add(1, Ordering::Relaxed);
    let settings = state.settings.lock().unwrap();
    let mut add = |name: &str, value: String| response.headers.push((name.to_owned(), value));
    add("Audit-Id", format!("00000000-0000-4000-a000-{number:012x}"));
    add("Cache-Control", "no-cache, private".to_owned());
    add(
        "X-Kubernetes-Pf-Flowschema-Uid",
        "00000000-0000-4000-b000-000000000001".to_owned(),
    );
    add(
        "X-Kubernetes-Pf-Prioritylevel-Uid",
        "00000000-0000-4000-b000-000000000002".to_owned(),
    );
    if settings.tells_time {
        let date = settings.now.strftime("%a, %d %b %Y %H:%M:%S GMT");
        add("Date", date.to_string());
    }
}

/// A `Warning` header.
pub(crate) fn warning(text: &str) -> (String, String) {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    ("Warning".to_owned(), format!("299 - \"{quoted}\""))
}

fn answered(
    state: &Arc<State>,
    stop: &Arc<Stop>,
    request: &Request,
    peer: &Peer,
) -> Result<Response, Status> {
    let identity = identity::authenticate(&state.access, request, peer)?;
    let route = Route::of(request);
    let resource = state.resource(&route.group, &route.version, &route.resource);
    let selected = resource.and_then(|resource| {
        let selectors = Selectors::of(request, resource).ok()?;
        selectors.name().map(str::to_owned)
    });
    let attempt = route.attempt(&identity.user, &request.path, selected.as_deref());
    state.access.check(&identity, &attempt)?;
    let Some(resource) = resource else {
        return if state.serves(&route.group, &route.version) {
            Err(Status::unknown_resource())
        } else {
            Ok(discovery::answer(state, request))
        };
    };
    if !resource.stored {
        return reviews::answer(state, resource, &identity, request);
    }
    if (route.subresource.as_str(), route.verb.as_str()) == ("log", "get")
        && resource.full_name() == "pods"
    {
        return logs::answer(state, stop, resource, &route, request);
    }
    if !matches!(
        (route.subresource.as_str(), resource.has_status),
        ("", _) | ("status", true)
    ) {
        return Err(Status::unknown_resource());
    }
    let is_list = route.name.is_empty();
    let media = negotiation::negotiate(request, Some(resource), is_list)?;
    match route.verb.as_str() {
        "get" => {
            let store = state.store.lock().unwrap();
            let object = reading::get(&store, resource, &route)?;
            drop(store);
            Ok(reply::object(200, resource, &object, media, request))
        }
        "list" => {
            let mut store = state.store.lock().unwrap();
            let page = reading::list(&mut store, resource, &route, request)?;
            drop(store);
            Ok(reply::list(resource, page, media, request))
        }
        "watch" => watch(state, stop, resource, &route, request, media),
        _ => writing::answer(state, resource, &route, request, media),
    }
}

fn watch(
    state: &Arc<State>,
    stop: &Arc<Stop>,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    let frames = Watch::start(state, stop, resource, route, request, media)?;
    let content_type = if media == Media::Protobuf {
        "application/vnd.kubernetes.protobuf;stream=watch"
    } else {
        "application/json"
    };
    let mut response = reply::plain(200, content_type, Vec::new());
    response.body = Body::Pieces(Box::new(frames));
    Ok(response)
}

/// The answer of a fault that has one of its own.
pub(crate) fn faulty(fault: &Fault, request: &Request) -> Option<Response> {
    let media = negotiation::for_errors(request).unwrap_or(Media::Json);
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
        Fault::Expired => {
            let token = request.parameter("continue");
            let token = token.and_then(|text| super::continue_token::Token::decode(text).ok());
            Some(reply::status(&reading::expired(token.as_ref()), request))
        }
        Fault::TooManyRequests { retry_after } => {
            let text = b"Too many requests, please try again later.\n".to_vec();
            let mut response = reply::plain(429, "text/plain; charset=utf-8", text);
            response.headers.extend([
                ("Retry-After".to_owned(), retry_after.to_string()),
                ("X-Content-Type-Options".to_owned(), "nosniff".to_owned()),
            ]);
            Some(response)
        }
        Fault::Garbage => {
            let bytes: Vec<u8> = (0..=255).rev().collect();
            Some(reply::plain(200, media.content_type(), bytes))
        }
        Fault::WrongProtobuf => {
            // A field of 100 bytes, of which there are three.
            let bytes = super::protobuf::envelope("v1", "List", &[0x0a, 100, 1, 2, 3]);
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
        Fault::Hang | Fault::Hold | Fault::CutOff(_) | Fault::Reset | Fault::Preceded(_) => None,
    }
}

/// `/version`, as a server of that version tells it.
pub(crate) fn version(git_version: &str) -> Value {
    let mut numbers = git_version.trim_start_matches('v').split('.');
    let major = numbers.next().unwrap_or_default();
    let minor: String = numbers.next().unwrap_or_default().to_owned();
    let before = minor
        .parse::<u32>()
        .map_or_else(|_| minor.clone(), |number| (number - 1).to_string());
    json!({
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": before,
        "gitVersion": git_version,
        "gitCommit": "$Format:%H$",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "go1.26.6",
        "compiler": "gc",
        "platform": "linux/amd64",
    })
}
