//! Requests without TLS through an HTTP proxy, which gets the address of each request, as in Go. kube would ask it
//! for a tunnel, which proxies usually allow for TLS only.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::PROXY_AUTHORIZATION;
use http::uri::Scheme;
use http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::{Client, Config};
use tower::{BoxError, ServiceExt as _, service_fn};

use super::address::take_credentials;

struct Forwarded<S>(S);

/// Whether requests are sent through an HTTP proxy without a tunnel.
pub(super) fn is_used(config: &Config) -> bool {
    let proxy = config.proxy_url.as_ref().and_then(Uri::scheme_str);
    config.cluster_url.scheme() == Some(&Scheme::HTTP) && matches!(proxy, Some("http" | "https"))
}

/// A client that sends its requests through the proxy.
pub(super) fn client(mut config: Config) -> Result<Client, kube::Error> {
    let mut proxy = config.proxy_url.take().unwrap_or_default();
    if let Some((user, password)) = take_credentials(&mut proxy) {
        let credentials = BASE64_STANDARD.encode(format!("{user}:{password}"));
        if let Ok(value) = HeaderValue::try_from(format!("Basic {credentials}")) {
            config.headers.push((PROXY_AUTHORIZATION, value));
        }
    }
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    let connector = config.rustls_https_connector_with_connector(connector)?;
    // Every connection leads to the proxy, whatever the address of the request is.
    let connector = service_fn(move |_: Uri| {
        let connection = connector.clone().oneshot(proxy.clone());
        Box::pin(async { connection.await.map(Forwarded) })
    });
    let client: HttpClient<_, Body> = HttpClient::builder(TokioExecutor::new()).build(connector);
    let client = client.map_err(BoxError::from);
    let namespace = config.default_namespace.clone();
    let client = ClientBuilder::new(client, namespace).with_layer(&config.extra_headers_layer()?);
    Ok(match config.auth_layer()? {
        Some(login) => client
            .with_layer(&login)
            .with_layer(&config.base_uri_layer())
            .build(),
        None => client.with_layer(&config.base_uri_layer()).build(),
    })
}

impl<S> Connection for Forwarded<S> {
    fn connected(&self) -> Connected {
        Connected::new().proxy(true)
    }
}

impl<S: Read + Unpin> Read for Forwarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: Write + Unpin> Write for Forwarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
