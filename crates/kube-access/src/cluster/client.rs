//! The HTTP client of a login: with its proxy, TLS and credentials. kube would read the certificates of the system for
//! each client, and refuse a server whose certificate is its own authority.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::PROXY_AUTHORIZATION;
use http::uri::Scheme;
use http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::{Client, Config};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _, service_fn};
use tower_http::decompression::DecompressionLayer;

use super::address::take_credentials;
use super::tls;

/// A connection to a proxy that gets the address of each request.
struct Forwarded<S>(S);

/// A client that sends its requests through the proxy of the configuration, if there is one.
pub(super) fn client(mut config: Config) -> Result<Client, kube::Error> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    let tls = tls::settings(&config)?;
    let Some(mut proxy) = config.proxy_url.take() else {
        return of_connector(https(http, tls, &config)?, config);
    };
    if proxy.scheme_str() == Some("socks5") {
        let connector = https(SocksV5::new(proxy, http), tls, &config)?;
        return of_connector(connector, config);
    }
    let login = take_credentials(&mut proxy).and_then(|(user, password)| {
        let credentials = BASE64_STANDARD.encode(format!("{user}:{password}"));
        HeaderValue::try_from(format!("Basic {credentials}")).ok()
    });
    let to_proxy = https(http, tls.clone(), &config)?;
    if config.cluster_url.scheme() == Some(&Scheme::HTTP) {
        let login = login.map(|login| (PROXY_AUTHORIZATION, login));
        config.headers.extend(login);
        return of_connector(forwarded(to_proxy, proxy), config);
    }
    let tunnel = Tunnel::new(proxy, to_proxy);
    let tunnel = match login {
        Some(login) => tunnel.with_auth(login),
        None => tunnel,
    };
    of_connector(https(tunnel, tls, &config)?, config)
}

/// Connects to addresses with and without TLS.
fn https<C>(
    connector: C,
    tls: ClientConfig,
    config: &Config,
) -> Result<HttpsConnector<C>, kube::Error> {
    let builder = HttpsConnectorBuilder::new().with_tls_config(tls);
    let builder = builder.https_or_http();
    let builder = match &config.tls_server_name {
        Some(name) => {
            let name = ServerName::try_from(name.clone());
            let name = name.map_err(|error| kube::Error::Service(error.into()))?;
            builder.with_server_name_resolver(FixedServerNameResolver::new(name))
        }
        None => builder,
    };
    Ok(builder.enable_http1().wrap_connector(connector))
}

/// Connects to an HTTP proxy that gets requests without TLS, with their addresses, as in Go. kube would ask it for a
/// tunnel, which proxies usually allow for TLS only.
fn forwarded(
    connector: HttpsConnector<HttpConnector>,
    proxy: Uri,
) -> impl Service<
    Uri,
    Response = Forwarded<<HttpsConnector<HttpConnector> as Service<Uri>>::Response>,
    Error = BoxError,
    Future: Send + 'static,
> + Clone
+ Send
+ Sync
+ 'static {
    // Every connection leads to the proxy, whatever the address of the request is.
    service_fn(move |_: Uri| {
        let connection = connector.clone().oneshot(proxy.clone());
        Box::pin(async { connection.await.map(Forwarded) })
    })
}

fn of_connector<C>(connector: C, config: Config) -> Result<Client, kube::Error>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let mut connector = TimeoutConnector::new(connector);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    let http: HttpClient<_, Body> = HttpClient::builder(TokioExecutor::new()).build(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(DecompressionLayer::new().gzip(!config.disable_compression))
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    Ok(ClientBuilder::new(service, config.default_namespace).build())
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
