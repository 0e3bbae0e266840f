//! The reviews that users request about themselves: their name, and whether they have a permission.

use serde_json::{Value, json};

use super::access::{Access, Attempt};
use super::objects;
use super::reply::{self, Media, Response};
use super::request::Request;
use super::resources::Resource;
use super::status::Status;
use super::writing::body;

pub(crate) fn answer(
    access: &Access,
    resource: &Resource,
    user: &str,
    request: &Request,
) -> Result<Response, Status> {
    let spec = body(request)?["spec"].take();
    let status = if resource.kind == "SelfSubjectReview" {
        json!({"userInfo": {"username": user, "groups": ["system:authenticated"]}})
    } else {
        let attempt = attempt(user, &spec["resourceAttributes"]);
        json!({"allowed": access.allows(&attempt)})
    };
    let answer = objects::typed(resource, json!({"metadata": {}, "status": status}));
    Ok(reply::value(
        201,
        &resource.kind,
        &answer,
        Media::of(request, resource),
    ))
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
        ..Attempt::default()
    }
}
