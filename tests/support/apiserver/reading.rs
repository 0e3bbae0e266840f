//! GET: one object, or a list of them page by page.

use std::ops::Bound;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::continue_token::Token;
use super::http::Request;
use super::objects::{self, Object};
use super::resources::Resource;
use super::routes::Route;
use super::selectors::Selectors;
use super::status::Status;
use super::store::{Objects, Store};

/// What a list came to.
pub(crate) struct Page {
    pub(crate) items: Vec<Arc<Object>>,
    pub(crate) metadata: Value,
}

const TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list \
    result. You can start a new list without the continue parameter, or use the continue token in \
    this response to retrieve the remainder of the results. Continuing with the provided token \
    results in an inconsistent list - objects that were created, modified, or deleted between the \
    time the first chunk was returned and now may show up in the list.";

/// One object by its name.
pub(crate) fn get(
    store: &Store,
    resource: &Resource,
    route: &Route,
) -> Result<Arc<Object>, Status> {
    let key = objects::key(resource, &route.namespace, &route.name);
    // Most scenes have objects without their namespaces.
    let collection = resource.full_name();
    if collection == "namespaces" && store.objects(&collection).is_empty() {
        return Ok(Arc::new(Object::plain(json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": route.name},
        }))));
    }
    store
        .get(&resource.full_name(), &key)
        .ok_or_else(|| Status::not_found(resource, &route.name))
}

/// A list, or the page of it that the request is about.
pub(crate) fn list(
    store: &mut Store,
    resource: &Resource,
    route: &Route,
    request: &Request,
) -> Result<Page, Status> {
    let selectors = Selectors::of(request, resource)?;
    let limit = limit(request)?;
    let token = match request.parameter("continue") {
        None | Some("") => None,
        Some(text) => Some(Token::decode(text)?),
    };
    let prefix = prefix(resource, route);
    let (revision, objects) = source(store, resource, request, token.as_ref())?;
    let start = token.map_or_else(
        || prefix.clone(),
        |token| format!("{prefix}{}", token.start),
    );
    let mut rest = range(&objects, &prefix, &start);
    let mut items = Vec::new();
    let mut last = String::new();
    let mut more = false;
    for (key, object) in rest.by_ref() {
        if !selectors.is_empty() && !selectors.match_object(&object.value()) {
            continue;
        }
        if limit.is_some_and(|limit| items.len() == limit) {
            more = true;
            break;
        }
        items.push(Arc::clone(object));
        key.clone_into(&mut last);
    }
    let remaining = (more && selectors.is_empty()).then(|| rest.count() + 1);
    let mut metadata = Map::new();
    metadata.insert("resourceVersion".to_owned(), json!(revision.to_string()));
    if more {
        store.keep_snapshot();
        let key = last.strip_prefix(&prefix).unwrap_or(&last);
        let token = Token::after(key, revision).encode();
        metadata.insert("continue".to_owned(), json!(token));
    }
    if let Some(remaining) = remaining {
        metadata.insert("remainingItemCount".to_owned(), json!(remaining));
    }
    Ok(Page {
        items,
        metadata: Value::Object(metadata),
    })
}

/// The answer to a token that is too old, with one that is good for the rest.
pub(crate) fn expired(token: Option<&Token>) -> Status {
    match token {
        Some(token) => {
            let inconsistent = Token {
                revision: None,
                start: token.start.clone(),
            };
            Status::expired(TOO_OLD).with_continue(inconsistent.encode())
        }
        None => Status::expired("The resourceVersion for the provided list is too old."),
    }
}

/// What all keys of a list begin with.
pub(crate) fn prefix(resource: &Resource, route: &Route) -> String {
    if resource.namespaced && !route.namespace.is_empty() {
        format!("{}/", route.namespace)
    } else {
        String::new()
    }
}

/// The objects with a prefix, from some key on.
pub(crate) fn range<'a>(
    objects: &'a Objects,
    prefix: &'a str,
    start: &str,
) -> impl Iterator<Item = (&'a String, &'a Arc<Object>)> {
    objects
        .range::<str, _>((Bound::Included(start), Bound::Unbounded))
        .take_while(move |(key, _)| key.starts_with(prefix))
}

fn limit(request: &Request) -> Result<Option<usize>, Status> {
    // From the server's cache, as version 0 asks for it, whole lists come only.
    if request.parameter("resourceVersion") == Some("0") {
        return Ok(None);
    }
    match request.parameter("limit") {
        None | Some("" | "0") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Status::bad_request(format!(
                "strconv.ParseInt: parsing {text:?}: invalid syntax"
            ))
        }),
    }
}

fn source(
    store: &Store,
    resource: &Resource,
    request: &Request,
    token: Option<&Token>,
) -> Result<(u64, Arc<Objects>), Status> {
    let collection = resource.full_name();
    let current = store.revision();
    let exact = request.parameter("resourceVersionMatch") == Some("Exact");
    let wanted = match token {
        Some(token) => token.revision,
        None => version(request)?.filter(|version| exact || *version > current),
    };
    match wanted {
        None => Ok((current, store.objects(&collection))),
        Some(version) if version > current => Err(Status::too_new(version, current)),
        Some(version) => match store.at(version, &collection) {
            Some(objects) => Ok((version, objects)),
            None => Err(expired(token)),
        },
    }
}

/// The resource version of a request, if it names a certain one.
pub(crate) fn version(request: &Request) -> Result<Option<u64>, Status> {
    match request.parameter("resourceVersion") {
        None | Some("" | "0") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Status::bad_request(format!(
                "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        }),
    }
}
