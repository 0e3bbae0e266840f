//! Values become answers, in the language that the client prefers.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::gojson;
use super::http::{Body, Request, Response};
use super::negotiation::{self, Media};
use super::objects::{self, Object};
use super::protobuf;
use super::reading::Page;
use super::resources::Resource;
use super::status::Status;

/// Larger bodies are compressed for clients that like it.
const COMPRESSED_FROM: usize = 128 * 1024;
/// Pieces of long lists are collected until they are worth a chunk.
const PIECE: usize = 64 * 1024;

/// An object, in its resource's shape.
pub(crate) fn object(
    code: u16,
    resource: &Resource,
    object: &Object,
    media: Media,
    request: &Request,
) -> Response {
    let body = match media {
        Media::Protobuf => protobuf::envelope(
            &resource.api_version(),
            &resource.kind,
            &objects::item_protobuf(resource, object),
        ),
        Media::Json | Media::Yaml => json_text(&object.value(), request),
    };
    whole(code, media.content_type(), body, request)
}

/// A value of a type that is no resource's: discovery and the like.
pub(crate) fn value(
    code: u16,
    message: &str,
    value: &Value,
    media: Media,
    request: &Request,
) -> Response {
    let body = match media {
        Media::Protobuf => {
            let api_version = value["apiVersion"].as_str().unwrap_or("v1");
            protobuf::envelope(api_version, message, &protobuf::encode(message, value))
        }
        Media::Json | Media::Yaml => json_text(value, request),
    };
    whole(code, media.content_type(), body, request)
}

/// JSON that is always indented, as for what is no API object.
pub(crate) fn raw_json(code: u16, value: &Value) -> Response {
    let body = gojson::pretty(value).into_bytes();
    plain(code, "application/json", body)
}

/// A refusal. One that cannot be said in the client's language is said in JSON.
pub(crate) fn status(status: &Status, request: &Request) -> Response {
    let mut response = match negotiation::for_errors(request) {
        Some(media) => value(status.code, "Status", &status.value(), media, request),
        None => raw_json(status.code, &status.value()),
    };
    if let Some(seconds) = status.retry_after {
        let header = ("Retry-After".to_owned(), seconds.to_string());
        response.headers.push(header);
    }
    response
}

/// A list.
pub(crate) fn list(resource: &Resource, page: Page, media: Media, request: &Request) -> Response {
    let lazy = page
        .items
        .iter()
        .any(|item| matches!(item.as_ref(), Object::Made(_)));
    if media == Media::Protobuf {
        let pieces = protobuf_pieces(resource, page);
        return pieces_or_whole(lazy, pieces, media, request);
    }
    let mut head = json!({
        "kind": format!("{}List", resource.kind),
        "apiVersion": resource.api_version(),
        "metadata": page.metadata,
        "items": [],
    });
    if resource.message.is_none() {
        head.sort_all_objects();
    }
    if negotiation::wants_pretty(request) {
        head["items"] = page
            .items
            .iter()
            .map(|item| {
                let item = objects::item_json(resource, item);
                serde_json::from_slice::<Value>(&item).unwrap()
            })
            .collect();
        let body = gojson::pretty(&head).into_bytes();
        return whole(200, media.content_type(), body, request);
    }
    let text = gojson::compact(&head) + "\n";
    let (opening, end) = text.split_once("[]").unwrap();
    let (opening, end) = (format!("{opening}["), format!("]{end}"));
    let resource = resource.clone();
    let items = page.items.into_iter().enumerate();
    let items = items.map(move |(index, item)| {
        let mut bytes = Vec::new();
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend(objects::item_json(&resource, &item));
        bytes
    });
    let pieces = std::iter::once(opening.into_bytes())
        .chain(items)
        .chain(std::iter::once(end.into_bytes()));
    pieces_or_whole(lazy, pieces, media, request)
}

fn protobuf_pieces(resource: &Resource, page: Page) -> impl Iterator<Item = Vec<u8>> + use<> {
    // Ordinary items are encoded here and now, made ones when they are sent.
    let items: Vec<Item> = page
        .items
        .into_iter()
        .map(|item| match item.as_ref() {
            Object::Made(_) => Item::Made(item),
            Object::Plain(_) => Item::Ready(objects::item_protobuf(resource, &item)),
        })
        .collect();
    let lengths: Vec<usize> = items.iter().map(Item::length).collect();
    let (opening, end) = protobuf::list_opening(
        &resource.api_version(),
        &format!("{}List", resource.kind),
        &protobuf::encode("ListMeta", &page.metadata),
        &lengths,
    );
    let items = items.into_iter().map(|item| {
        let mut bytes = protobuf::item_opening(item.length());
        bytes.extend(item.bytes());
        bytes
    });
    std::iter::once(opening)
        .chain(items)
        .chain(std::iter::once(end))
}

enum Item {
    Ready(Vec<u8>),
    Made(Arc<Object>),
}

impl Item {
    fn length(&self) -> usize {
        match self {
            Item::Ready(bytes) => bytes.len(),
            Item::Made(object) => match object.as_ref() {
                Object::Made(made) => made.protobuf_length(),
                Object::Plain(_) => 0,
            },
        }
    }

    fn bytes(self) -> Vec<u8> {
        match self {
            Item::Ready(bytes) => bytes,
            Item::Made(object) => match object.as_ref() {
                Object::Made(made) => made.protobuf(),
                Object::Plain(_) => Vec::new(),
            },
        }
    }
}

fn pieces_or_whole(
    lazy: bool,
    mut pieces: impl Iterator<Item = Vec<u8>> + 'static,
    media: Media,
    request: &Request,
) -> Response {
    if !lazy {
        let body = pieces.collect::<Vec<_>>().concat();
        return whole(200, media.content_type(), body, request);
    }
    let collected = std::iter::from_fn(move || {
        let mut bytes = pieces.next()?;
        while bytes.len() < PIECE {
            match pieces.next() {
                Some(more) => bytes.extend(more),
                None => break,
            }
        }
        Some(bytes)
    });
    let mut response = plain(200, media.content_type(), Vec::new());
    response.body = Body::Pieces(Box::new(collected));
    response
}

fn json_text(value: &Value, request: &Request) -> Vec<u8> {
    if negotiation::wants_pretty(request) {
        gojson::pretty(value).into_bytes()
    } else {
        (gojson::compact(value) + "\n").into_bytes()
    }
}

fn whole(code: u16, content_type: &str, body: Vec<u8>, request: &Request) -> Response {
    let takes_gzip = request.header("accept-encoding").is_some_and(|accepted| {
        accepted
            .split(',')
            .any(|encoding| encoding.trim() == "gzip")
    });
    if !takes_gzip || body.len() <= COMPRESSED_FROM {
        return plain(code, content_type, body);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&body).unwrap();
    let mut response = plain(code, content_type, encoder.finish().unwrap());
    response.headers.extend([
        ("Content-Encoding".to_owned(), "gzip".to_owned()),
        ("Vary".to_owned(), "Accept-Encoding".to_owned()),
    ]);
    response
}

/// Any body, called what it is.
pub(crate) fn plain(code: u16, content_type: &str, body: Vec<u8>) -> Response {
    Response {
        status: code,
        headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
        body: Body::Whole(body),
    }
}
