//! What the server tells about itself: its version, its health, its resources.

use serde_json::Value;

use super::answering;
use super::http::{Request, Response};
use super::negotiation;
use super::reply;
use super::resources;
use super::routes::Route;
use super::state::State;
use super::status::Status;

/// Answers for a path that is no resource's.
pub(crate) fn answer(state: &State, route: &Route, request: &Request) -> Result<Response, Status> {
    if !route.resource.is_empty() {
        let known = resources::resource_list(&state.resources, &route.group, &route.version);
        return match known {
            Some(_) => Err(Status::unknown_resource()),
            None => Ok(page_not_found()),
        };
    }
    let resources = &state.resources;
    let parts: Vec<&str> = request
        .path
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let (message, value) = match parts.as_slice() {
        ["version"] => {
            let settings = state.settings.lock().unwrap();
            return Ok(reply::raw_json(
                200,
                &answering::version(&settings.git_version),
            ));
        }
        ["healthz" | "livez" | "readyz"] => {
            let text = "text/plain; charset=utf-8";
            return Ok(reply::plain(200, text, b"ok".to_vec()));
        }
        ["api"] => {
            let settings = state.settings.lock().unwrap();
            let versions = resources::core_versions(&settings.address);
            ("APIVersions", Some(versions))
        }
        ["apis"] => ("APIGroupList", Some(resources::group_list(resources))),
        ["apis", group] => ("APIGroup", resources::group(resources, group)),
        ["api", version] => (
            "APIResourceList",
            resources::resource_list(resources, "", version),
        ),
        ["apis", group, version] => (
            "APIResourceList",
            resources::resource_list(resources, group, version),
        ),
        _ => ("", None),
    };
    match value {
        Some(value) => told(message, &value, request),
        None => Ok(page_not_found()),
    }
}

fn told(message: &str, value: &Value, request: &Request) -> Result<Response, Status> {
    let media = negotiation::negotiate(request, None, false)?;
    Ok(reply::value(200, message, value, media, request))
}

/// What Go's HTTP server says of paths that it does not know.
fn page_not_found() -> Response {
    let text = b"404 page not found\n".to_vec();
    reply::plain(404, "text/plain; charset=utf-8", text)
}
