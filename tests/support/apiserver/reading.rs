//! GET: one object, or a list of them page by page.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

use super::access::Attempt;
use super::objects::{self, Object};
use super::request::Request;
use super::resources::Resource;
use super::selectors::Selectors;
use super::status::Status;
use super::store::Store;

/// One page of a list.
pub(crate) struct Page {
    pub(crate) items: Vec<Arc<Object>>,
    pub(crate) metadata: Value,
}

/// A token to continue a list at a key. The revision is that at which the list began, or 0 for any.
fn token(revision: u64, key: &str) -> String {
    BASE64.encode(format!("{revision} {key}"))
}

fn read_token(token: &str) -> Option<(u64, String)> {
    let text = String::from_utf8(BASE64.decode(token).ok()?).ok()?;
    let (revision, key) = text.split_once(' ')?;
    Some((revision.parse().ok()?, key.to_owned()))
}

/// One object by its name.
pub(crate) fn get(
    store: &Store,
    resource: &Resource,
    attempt: &Attempt,
) -> Result<Arc<Object>, Status> {
    // Most tests add objects without their namespaces.
    let all = resource.key("", "");
    if resource.kind == "Namespace" && store.range(&all, &all).next().is_none() {
        let metadata = json!({"metadata": {"name": attempt.name}});
        return Ok(Arc::new(Object::Plain(objects::typed(resource, metadata))));
    }
    let found = store.get(&resource.key(&attempt.namespace, &attempt.name));
    found.ok_or_else(|| Status::not_found(resource, &attempt.name))
}

/// A list, or the page of it that the request is about.
pub(crate) fn list(
    store: &Store,
    resource: &Resource,
    attempt: &Attempt,
    request: &Request,
) -> Result<Page, Status> {
    let selectors = Selectors::of(request);
    let prefix = resource.key(&attempt.namespace, "");
    let given = request.parameter("continue");
    let (revision, start) = match given.filter(|token| !token.is_empty()) {
        None => (store.revision(), prefix.clone()),
        Some(token) => read_token(token).ok_or_else(|| {
            Status::bad_request("invalid continue token: continue key is not valid")
        })?,
    };
    if (1..store.oldest()).contains(&revision) {
        return Err(expired(request));
    }
    let revision = match revision {
        0 => store.revision(),
        revision => revision,
    };
    let mut selected = store
        .range(&prefix, &start)
        .filter(|(_, object)| selectors.is_empty() || selectors.match_object(&object.value()));
    let limit = request.number("limit").filter(|limit| *limit > 0);
    let limit = limit.map_or(usize::MAX, |limit| limit.try_into().unwrap());
    let items = selected.by_ref().map(|(_, object)| Arc::clone(object));
    let items = items.take(limit).collect();
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    if let Some((next, _)) = selected.next() {
        metadata["continue"] = json!(token(revision, next));
        if selectors.is_empty() {
            metadata["remainingItemCount"] = json!(selected.count() + 1);
        }
    }
    Ok(Page { items, metadata })
}

/// The answer to a token that is too old, with a token for the rest of the list.
pub(crate) fn expired(request: &Request) -> Status {
    let status = Status::new(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result.",
    );
    match request.parameter("continue").and_then(read_token) {
        Some((_, start)) => status.with_continue(&token(0, &start)),
        None => status,
    }
}
