//! Questions that a user asks about itself: may I?

use serde_json::{Value, json};

use super::access::{Attempt, Identity};
use super::http::{Request, Response};
use super::managed_fields;
use super::negotiation;
use super::objects;
use super::reply;
use super::resources::Resource;
use super::state::State;
use super::status::Status;
use super::writing::object_in;

pub(crate) fn answer(
    state: &State,
    resource: &Resource,
    identity: &Identity,
    request: &Request,
) -> Result<Response, Status> {
    if request.method != "POST" {
        return Err(Status::method_not_allowed());
    }
    let media = negotiation::negotiate(request, Some(resource), false)?;
    let spec = object_in(request, resource)?["spec"].take();
    let mut answer = json!({"metadata": {}, "spec": spec});
    let attempt = attempt(&identity.user, &answer["spec"]["resourceAttributes"]);
    answer["status"] = json!({"allowed": state.access.allows(identity, &attempt)});
    managed_fields::note_creation(&mut answer, resource, request, state.now());
    // Reviews are shown with their type in front, as all objects are.
    let answer = objects::typed(resource, answer);
    Ok(reply::value(201, &resource.kind, &answer, media, request))
}

fn attempt(user: &str, attributes: &Value) -> Attempt {
    let text = |name: &str| attributes[name].as_str().unwrap_or_default().to_owned();
    Attempt {
        user: user.to_owned(),
        verb: text("verb"),
        group: text("group"),
        resource: text("resource"),
        subresource: text("subresource"),
        namespace: text("namespace"),
        name: text("name"),
        path: String::new(),
    }
}
