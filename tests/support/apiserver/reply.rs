//! Values become answers, in the language that the client prefers.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::http::{Body, Request, Response};
use super::objects::Object;
use super::protobuf;
use super::reading::Page;
use super::resources::Resource;
use super::status::Status;

/// Larger bodies are compressed for clients that accept it.
const COMPRESSED_FROM: usize = 128 * 1024;

/// A language that objects can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Protobuf,
}

impl Media {
    /// For objects of a resource: custom ones have no protobuf.
    pub(crate) fn of(request: &Request, resource: &Resource) -> Media {
        if resource.has_protobuf {
            Media::accepted(request)
        } else {
            Media::Json
        }
    }

    pub(crate) fn accepted(request: &Request) -> Media {
        match request.header("accept") {
            Some(accept) if accept.contains(Media::Protobuf.content_type()) => Media::Protobuf,
            _ => Media::Json,
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// An object, in its resource's shape.
pub(crate) fn object(code: u16, resource: &Resource, object: &Object, media: Media) -> Response {
    let body = match media {
        Media::Protobuf => {
            let message = object.protobuf(resource);
            protobuf::envelope(&resource.api_version(), &resource.kind, &message)
        }
        Media::Json => json_line(&object.value()),
    };
    plain(code, media.content_type(), body)
}

/// A value of a type that is not stored.
pub(crate) fn value(code: u16, kind: &str, value: &Value, media: Media) -> Response {
    let body = match media {
        Media::Protobuf => {
            let api_version = value["apiVersion"].as_str().unwrap_or("v1");
            protobuf::envelope(api_version, kind, &protobuf::encode(kind, value))
        }
        Media::Json => json_line(value),
    };
    plain(code, media.content_type(), body)
}

pub(crate) fn status(status: &Status, request: &Request) -> Response {
    let media = Media::accepted(request);
    value(status.code, "Status", &status.value(), media)
}

pub(crate) fn list(resource: &Resource, page: &Page, media: Media, request: &Request) -> Response {
    let body = match media {
        Media::Protobuf => {
            let items = page.items.iter().map(|item| item.protobuf(resource));
            protobuf::list(resource, &page.metadata, items)
        }
        Media::Json => {
            let items = page.items.iter().map(|item| item.value().into_owned());
            json_line(&json!({
                "kind": format!("{}List", resource.kind),
                "apiVersion": resource.api_version(),
                "metadata": page.metadata,
                "items": items.collect::<Vec<_>>(),
            }))
        }
    };
    let is_synthetic = |item: &Object| matches!(item, Object::Synthetic(_));
    if page.items.iter().any(|item| is_synthetic(item)) {
        // To compress them without optimization takes longer than to send them.
        return plain(200, media.content_type(), body);
    }
    compressed(plain(200, media.content_type(), body), request)
}

fn compressed(mut response: Response, request: &Request) -> Response {
    let accepted = request.header("accept-encoding").unwrap_or_default();
    if let Body::Whole(body) = &mut response.body
        && body.len() > COMPRESSED_FROM
        && accepted.contains("gzip")
    {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        *body = encoder.finish().unwrap();
        let header = ("Content-Encoding".to_owned(), "gzip".to_owned());
        response.headers.push(header);
    }
    response
}

pub(crate) fn json_line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// Any body, called what it is.
pub(crate) fn plain(code: u16, content_type: &str, body: Vec<u8>) -> Response {
    Response {
        status: code,
        headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
        body: Body::Whole(body),
    }
}
