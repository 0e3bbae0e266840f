//! Responses: their headers, and bodies that are compressed at most once, however many clients ask for them.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    HeaderMap, HeaderName, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use prost::bytes::Bytes;
use tokio::sync::{OnceCell, OwnedSemaphorePermit};
use tokio::task::spawn_blocking;

/// A response. A page that another site shows in a frame, or reads as an image, gives nothing away.
pub(super) type HttpResponse = Response<Full<Bytes>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentType {
    Text,
    Metrics,
    Json,
    Html,
}

impl ContentType {
    fn value(self) -> &'static str {
        match self {
            ContentType::Text => "text/plain; charset=utf-8",
            ContentType::Metrics => "text/plain; version=0.0.4; charset=utf-8",
            ContentType::Json => "application/json",
            ContentType::Html => "text/html; charset=utf-8",
        }
    }

    fn policy(self) -> &'static str {
        match self {
            // The page has a policy for its scripts and style itself. This is what a page cannot set.
            ContentType::Html => "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            _ => "default-src 'none'; frame-ancestors 'none'",
        }
    }
}

/// A body that is sent to each client that asks for it.
pub(super) struct Document {
    kind: ContentType,
    plain: Bytes,
    gzipped: OnceCell<Bytes>,
}

impl Document {
    pub(super) fn new(kind: ContentType, plain: impl Into<Bytes>) -> Arc<Self> {
        Arc::new(Document {
            kind,
            plain: plain.into(),
            gzipped: OnceCell::new(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.plain.len()
    }

    /// The response to a client that sent these headers. It keeps its place until it was sent.
    pub(super) async fn response(
        &self,
        headers: &HeaderMap,
        place: OwnedSemaphorePermit,
    ) -> HttpResponse {
        let gzipped = if accepts_gzip(headers) {
            self.gzipped().await
        } else {
            None
        };
        let is_gzipped = gzipped.is_some();
        let bytes = gzipped.unwrap_or_else(|| self.plain.clone());
        let body = Bytes::from_owner(BodyInPlace {
            bytes,
            _place: place,
        });
        let mut response = response(StatusCode::OK, self.kind, body);
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_gzipped {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    async fn gzipped(&self) -> Option<Bytes> {
        let plain = self.plain.clone();
        let compress = || async {
            spawn_blocking(move || gzip(&plain))
                .await
                .ok()
                .flatten()
                .ok_or(())
        };
        self.gzipped.get_or_try_init(compress).await.ok().cloned()
    }
}

fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    let mut bytes = encoder.finish().ok()?;
    bytes.shrink_to_fit();
    Some(Bytes::from(bytes))
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter();
    let lists = lists.filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip")
            && weight.is_none_or(|weight| weight.is_ok_and(|weight| weight > 0.0))
    })
}

/// A body with its place among the responses that are being sent.
struct BodyInPlace {
    bytes: Bytes,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for BodyInPlace {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A response of a line of text.
pub(super) fn line(code: StatusCode, text: &str) -> HttpResponse {
    response(code, ContentType::Text, Bytes::from(format!("{text}\n")))
}

fn response(code: StatusCode, kind: ContentType, body: Bytes) -> HttpResponse {
    const ONLY_FOR_THIS_ORIGIN: HeaderName =
        HeaderName::from_static("cross-origin-resource-policy");
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, kind.value()),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, kind.policy()),
        (REFERRER_POLICY, "no-referrer"),
        (ONLY_FOR_THIS_ORIGIN, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn response_keeps_its_place_until_it_was_sent() {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let places = Arc::new(Semaphore::new(1));
            let document = Document::new(ContentType::Text, "ok");
            let place = Arc::clone(&places).try_acquire_owned().unwrap();
            let response = document.response(&HeaderMap::new(), place).await;
            assert_eq!(places.available_permits(), 0);
            drop(response);
            assert_eq!(places.available_permits(), 1);
        });
    }

    #[test]
    fn gzip_is_accepted_unless_its_weight_is_zero() {
        let accepts = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            accepts_gzip(&headers)
        };
        for value in ["gzip", "deflate, GZIP ;q=0.5", "br;q=1,gzip;q=0.001"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "br", "gzip;q=0", "gzip; q=0.000", "gzipped", "gzip;q=x"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
