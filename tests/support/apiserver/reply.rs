//! Converts values to responses, in the media type that the client prefers.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, Stream, StreamExt as _};
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Body as _, Bytes, Frame};
use serde_json::{Value, json};

use super::objects::Object;
use super::protobuf;
use super::reading::Page;
use super::request::Request;
use super::resources::Resource;
use super::status::Status;

/// The API server sends shorter bodies with their length, and others in chunks.
const LONGEST_WITH_LENGTH: usize = 4096;
/// Larger bodies are compressed for clients that accept it.
const COMPRESSED_FROM: usize = 128 * 1024;

/// A response whose body may be made while it is sent.
pub(crate) type Response = http::Response<UnsyncBoxBody<Bytes, io::Error>>;

/// A media type of objects.
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

/// A stored object.
pub(crate) fn object(code: u16, resource: &Resource, object: &Object, media: Media) -> Response {
    let body = match media {
        Media::Protobuf => object.envelope(resource),
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
    value(status.code(), "Status", status.value(), media)
}

pub(crate) fn list(resource: &Resource, page: &Page, media: Media, request: &Request) -> Response {
    let mut body = match media {
        Media::Protobuf => protobuf::list(resource, &page.metadata, &page.items),
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
    let accepted = request.header("accept-encoding").unwrap_or_default();
    let is_synthetic = |item: &Object| matches!(item, Object::Synthetic(_));
    let is_compressed = body.len() > COMPRESSED_FROM
        && accepted.contains("gzip")
        // To compress these without optimization takes longer than to send them.
        && !page.items.iter().any(|item| is_synthetic(item));
    if is_compressed {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&body).unwrap();
        body = encoder.finish().unwrap();
    }
    let mut response = plain(200, media.content_type(), body);
    if is_compressed {
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(CONTENT_ENCODING, gzip);
    }
    response
}

pub(crate) fn json_line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// A response with that body and content type.
pub(crate) fn plain(code: u16, content_type: &str, body: Vec<u8>) -> Response {
    let mut response = http::Response::builder()
        .status(code)
        .header(CONTENT_TYPE, content_type);
    if body.len() >= LONGEST_WITH_LENGTH {
        response = response.header(TRANSFER_ENCODING, "chunked");
    }
    let body = Full::from(body).map_err(|never| match never {});
    response.body(body.boxed_unsync()).unwrap()
}

/// A response whose pieces are sent as they are made.
pub(crate) fn streamed(
    content_type: &str,
    pieces: impl Stream<Item = Vec<u8>> + Send + 'static,
) -> Response {
    let frames = pieces.map(|piece| Ok(Frame::data(piece.into())));
    plain(200, content_type, Vec::new()).map(|_| StreamBody::new(frames).boxed_unsync())
}

/// Ends the connection after that many bytes of the body.
pub(crate) async fn cut_off(response: Response, bytes: usize) -> Response {
    let (mut head, mut body) = response.into_parts();
    if let Some(length) = body.size_hint().exact()
        && !head.headers.contains_key(TRANSFER_ENCODING)
    {
        head.headers.insert(CONTENT_LENGTH, length.into());
    }
    let mut start = Vec::new();
    while start.len() < bytes {
        let Some(frame) = body.frame().await else {
            break;
        };
        start.extend(frame.unwrap().into_data().unwrap());
    }
    let is_whole = start.len() < bytes;
    start.truncate(bytes);
    let start = stream::once(async { Ok(Frame::data(start.into())) });
    let end = stream::once(async move {
        // In the meantime, hyper sends the start.
        tokio::task::yield_now().await;
        Err(io::ErrorKind::ConnectionAborted.into())
    });
    let frames = start.chain(end.take(usize::from(!is_whole)));
    http::Response::from_parts(head, StreamBody::new(frames).boxed_unsync())
}
