//! POST, PATCH and DELETE, which are all that our client sends.

mod creating;
mod defaults;
mod deleting;
mod patching;
mod updating;
mod validation;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::negotiation::Media;
use super::resources::Resource;
use super::routes::Route;
use super::state::State;
use super::status::Status;

/// Answers a request that changes something.
pub(crate) fn answer(
    state: &State,
    resource: &Resource,
    route: &Route,
    request: &Request,
    media: Media,
) -> Result<Response, Status> {
    match route.verb.as_str() {
        "create" if route.name.is_empty() => {
            creating::create(state, resource, route, request, media)
        }
        "delete" => deleting::delete(state, resource, route, request, media),
        "patch" => updating::patch(state, resource, route, request, media),
        _ => Err(Status::method_not_allowed()),
    }
}

/// Whether the request wants to know only what would happen.
fn is_dry_run(request: &Request) -> Result<bool, Status> {
    match request.parameter("dryRun") {
        None | Some("") => Ok(false),
        Some("All") => Ok(true),
        Some(other) => Err(Status::bad_request(format!(
            "dryRun: Unsupported value: {other:?}: supported values: \"All\""
        ))),
    }
}

/// The object in a request's body.
pub(super) fn object_in(request: &Request, resource: &Resource) -> Result<Value, Status> {
    let value: Value = serde_json::from_slice(&request.body)
        .map_err(|error| Status::bad_request(format!("json parse error: {error}")))?;
    let api_version = value["apiVersion"].as_str().unwrap_or_default();
    if !api_version.is_empty() && api_version != resource.api_version() {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            resource.api_version()
        )));
    }
    let kind = value["kind"].as_str().unwrap_or_default();
    if !kind.is_empty() && kind != resource.kind {
        let (expected, version) = (&resource.kind, resource.api_version());
        return Err(Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {expected}: converting ({api_version}.{kind}) to ({version}.{expected}): unknown conversion"
        )));
    }
    Ok(value)
}

/// Metadata in the order in which a server shows it, without what is empty.
fn ordered_metadata(metadata: &Value) -> Value {
    const ORDER: [&str; 15] = [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ];
    let mut ordered = json!({});
    for name in ORDER {
        let empty = match metadata.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::Object(map)) => map.is_empty(),
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        };
        if !empty {
            ordered[name] = metadata[name].clone();
        }
    }
    ordered
}

/// Whether changes of the spec are counted.
fn counts_generations(resource: &Resource) -> bool {
    !matches!(resource.plural.as_str(), "events" | "namespaces")
}
