//! GET: one object, or a list of them page by page.

use std::ops::Bound;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

use super::access::Attempt;
use super::http::Request;
use super::objects::{self, Object};
use super::resources::Resource;
use super::selectors::Selectors;
use super::status::Status;
use super::store::{Objects, Store};

/// One page of a list.
pub(crate) struct Page {
    pub(crate) items: Vec<Arc<Object>>,
    pub(crate) metadata: Value,
}

/// Where a list is continued, and the revision at which it began; 0 for any.
struct Token {
    revision: u64,
    start: String,
}

impl Token {
    fn encode(&self) -> String {
        BASE64.encode(format!("{} {}", self.revision, self.start))
    }

    fn decode(text: &str) -> Option<Token> {
        let text = String::from_utf8(BASE64.decode(text).ok()?).ok()?;
        let (revision, start) = text.split_once(' ')?;
        Some(Token {
            revision: revision.parse().ok()?,
            start: start.to_owned(),
        })
    }
}

/// One object by its name.
pub(crate) fn get(
    store: &Store,
    resource: &Resource,
    attempt: &Attempt,
) -> Result<Arc<Object>, Status> {
    let collection = resource.full_name();
    // Most tests have objects without their namespaces.
    if resource.kind == "Namespace" && store.objects(&collection).is_empty() {
        let metadata = json!({"metadata": {"name": attempt.name}});
        return Ok(Arc::new(Object::Plain(objects::typed(resource, metadata))));
    }
    let key = objects::key(resource, &attempt.namespace, &attempt.name);
    let found = store.get(&collection, &key);
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
    let limit = number(request, "limit").filter(|limit| *limit > 0);
    let prefix = prefix(attempt);
    let token = match request
        .parameter("continue")
        .filter(|text| !text.is_empty())
    {
        None => Token {
            revision: store.revision(),
            start: prefix.clone(),
        },
        Some(text) => Token::decode(text).ok_or_else(|| {
            Status::bad_request("invalid continue token: continue key is not valid")
        })?,
    };
    if token.revision > 0 && store.is_token_expired(token.revision) {
        return Err(expired(request));
    }
    let revision = match token.revision {
        0 => store.revision(),
        revision => revision,
    };
    let objects = store.objects(&resource.full_name());
    let mut selected = range(&objects, &prefix, &token.start)
        .filter(|(_, object)| selectors.is_empty() || selectors.match_object(&object.value()));
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let page: Vec<_> = selected
        .by_ref()
        .take(limit.unwrap_or(usize::MAX))
        .collect();
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    if let Some((next, _)) = selected.next() {
        let token = Token {
            revision,
            start: next.clone(),
        };
        metadata["continue"] = json!(token.encode());
        if selectors.is_empty() {
            metadata["remainingItemCount"] = json!(selected.count() + 1);
        }
    }
    let items = page.into_iter().map(|(_, object)| Arc::clone(object));
    Ok(Page {
        items: items.collect(),
        metadata,
    })
}

/// The answer to a token that is too old, with one that is good for the rest.
pub(crate) fn expired(request: &Request) -> Status {
    let status = Status::new(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result.",
    );
    let token = request.parameter("continue").and_then(Token::decode);
    match token {
        Some(token) => status.with_continue(
            Token {
                revision: 0,
                ..token
            }
            .encode(),
        ),
        None => status,
    }
}

/// What all keys of a list begin with.
pub(crate) fn prefix(attempt: &Attempt) -> String {
    if attempt.namespace.is_empty() {
        String::new()
    } else {
        format!("{}/", attempt.namespace)
    }
}

fn range<'a>(
    objects: &'a Objects,
    prefix: &'a str,
    start: &str,
) -> impl Iterator<Item = (&'a String, &'a Arc<Object>)> {
    objects
        .range::<str, _>((Bound::Included(start), Bound::Unbounded))
        .take_while(move |(key, _)| key.starts_with(prefix))
}

/// A parameter that is a number.
pub(crate) fn number(request: &Request, name: &str) -> Option<u64> {
    request.parameter(name)?.parse().ok()
}
