//! Questions that a user asks about itself: who am I, and may I?

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
    let mut answer = if resource.kind == "SelfSubjectReview" {
        let user = json!({"username": identity.user, "groups": ["system:authenticated"]});
        json!({"metadata": {}, "status": {"userInfo": user}})
    } else {
        let attempt = attempt(&identity.user, &spec["resourceAttributes"]);
        let allowed = state.access.allows(identity, &attempt);
        json!({"metadata": {}, "spec": spec, "status": {"allowed": allowed}})
    };
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
