//! The HTTP server: one request a connection, with a limit for everything that a client can send or delay.
//!
//! The limits are those of the libraries: hyper's timer for the head of a request, tokio's timers and semaphores.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use http::header::{ALLOW, HOST};
use http::uri::Authority;
use http::{HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use super::history::{HistoryRequest, RecordedHistory};
use super::page::ReportPages;
use super::response::{Document, HttpResponse, line};
use super::run_counts::RunCounts;
use super::status::ExporterStatus;
use super::{Event, EventSender, ask};

/// The most connections at the same time. Others wait to be accepted.
const CONNECTIONS: usize = 512;
/// The most connections that wait to be accepted. Others would have to try again, a second later.
#[cfg(unix)]
const BACKLOG: i32 = 4096;
/// The most documents that are computed or sent at the same time, so that slow clients leave connections for probes.
const DOCUMENTS: usize = 64;
/// A request waits so long for its turn among them.
const TO_WAIT: Duration = Duration::from_secs(5);
/// The most bytes of a request's head.
const LARGEST_HEAD: usize = 16 << 10;
/// A client has this long to send its request.
const TO_SEND: Duration = Duration::from_secs(2);
/// A client has this long to receive its response, from the start of the connection.
const TO_RECEIVE: Duration = Duration::from_secs(60);
/// The longest wait for a document.
const TO_COMPUTE: Duration = Duration::from_secs(30);
/// When the server ends, responses have this long to be sent.
const TO_END: Duration = Duration::from_secs(5);
/// The pause after a connection could not be accepted, for example because there are no file descriptors.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// The path of stored runs.
const HISTORY: &str = "/api/v1/history";

/// A server that listens, and does not answer yet.
pub(super) struct Listening {
    runtime: Runtime,
    listener: TcpListener,
    pub(super) address: SocketAddr,
}

/// A running server. It ends when this is dropped, after its responses were sent.
pub(super) struct HttpServer {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone)]
pub(super) struct Answers {
    pub(super) status: Arc<ExporterStatus>,
    pub(super) events: EventSender,
    pub(super) pages: ReportPages,
    /// The runs that are stored, with `--record`.
    pub(super) recorded: Option<RecordedHistory>,
    /// The hosts that requests may name.
    pub(super) hosts: Hosts,
    documents: Arc<Semaphore>,
}

/// The hosts that requests may name. A page of another site can let its own name lead to this machine, and would
/// then read what only this machine may reach.
#[derive(Clone)]
pub(super) enum Hosts {
    /// Other machines reach the address by names that are not known.
    Any,
    /// `localhost`, loopback addresses, and the name to listen on.
    Loopback(Arc<str>),
}

impl Hosts {
    /// The hosts of a server that listens on `address`, which was given as text.
    pub(super) fn of(given: &str, address: SocketAddr) -> Self {
        if !address.ip().is_loopback() {
            return Hosts::Any;
        }
        let name = given.rsplit_once(':').map_or(given, |(name, _)| name);
        Hosts::Loopback(Arc::from(name))
    }

    fn allow(&self, request: &Request<Incoming>) -> bool {
        let Hosts::Loopback(own) = self else {
            return true;
        };
        let mut hosts = request.headers().get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let host = Authority::try_from(host.as_bytes()).ok();
        host.iter()
            .chain(request.uri().authority())
            .all(|host| is_local(host, own))
            && host.is_some()
    }
}

fn is_local(authority: &Authority, own: &str) -> bool {
    // What is before the @ is a user, not a host.
    if authority.as_str().contains('@') {
        return false;
    }
    let host = authority.host();
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address: Option<IpAddr> = bare.unwrap_or(host).parse().ok();
    address.is_some_and(|address| address.is_loopback())
        || [own, "localhost"]
            .iter()
            .any(|name| host.eq_ignore_ascii_case(name))
}

impl Listening {
    /// Listens on an address; without a host, on all addresses of the machine.
    pub(super) fn on(address: &str) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async {
            match address.strip_prefix(':') {
                None => TcpListener::bind(address).await,
                // Without IPv6 there is only the second one.
                Some(port) => match TcpListener::bind(format!("[::]:{port}")).await {
                    Err(_) => TcpListener::bind(format!("0.0.0.0:{port}")).await,
                    listener => listener,
                },
            }
        })?;
        #[cfg(unix)]
        rustix::net::listen(&listener, BACKLOG)?;
        Ok(Listening {
            address: listener.local_addr()?,
            runtime,
            listener,
        })
    }

    pub(super) fn serve(
        self,
        answers: Answers,
        counts: Option<RunCounts>,
    ) -> anyhow::Result<HttpServer> {
        let (end, ended) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || serve(self.runtime, self.listener, answers, counts, ended))
            .context("cannot start the HTTP server")?;
        Ok(HttpServer {
            end: Some(end),
            thread: Some(thread),
        })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic was printed.
            let _ = thread.join();
        }
    }
}

fn serve(
    runtime: Runtime,
    listener: TcpListener,
    answers: Answers,
    counts: Option<RunCounts>,
    ended: oneshot::Receiver<()>,
) {
    runtime.block_on(async move {
        if let (Some(counts), Some(recorded)) = (counts, &answers.recorded) {
            tokio::spawn(counts.keep(recorded.clone(), answers.events.clone()));
        }
        let connections = Arc::new(GracefulShutdown::new());
        let accepting = tokio::spawn(accept(listener, answers, Arc::clone(&connections)));
        let _ = ended.await;
        accepting.abort();
        let _ = accepting.await;
        if let Some(connections) = Arc::into_inner(connections) {
            // What is not sent by then is cut off.
            let _ = timeout(TO_END, connections.shutdown()).await;
        }
    });
    // A report may still be computed.
    runtime.shutdown_background();
}

async fn accept(listener: TcpListener, answers: Answers, connections: Arc<GracefulShutdown>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AFTER_ERROR).await;
            continue;
        };
        let answers = answers.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let answers = answers.clone();
            async move { Ok::<_, Infallible>(answers.respond(&request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(TO_SEND)
            .max_buf_size(LARGEST_HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // A slow client is cut off. One that is gone is no error.
            let _ = timeout(TO_RECEIVE, connection).await;
            drop(place);
        });
    }
}

impl Answers {
    pub(super) fn new(
        status: Arc<ExporterStatus>,
        events: EventSender,
        recorded: Option<RecordedHistory>,
        hosts: Hosts,
    ) -> Self {
        Answers {
            status,
            events,
            pages: ReportPages::default(),
            recorded,
            hosts,
            documents: Arc::new(Semaphore::new(DOCUMENTS)),
        }
    }

    async fn respond(&self, request: &Request<Incoming>) -> HttpResponse {
        if !self.hosts.allow(request) {
            let text = "misdirected request: the header Host must be localhost, a loopback address, or the name in --listen";
            return line(StatusCode::MISDIRECTED_REQUEST, text);
        }
        let path = request.uri().path();
        let is_history = path == HISTORY && self.recorded.is_some();
        if !is_history && !matches!(path, "/" | "/metrics" | "/healthz" | "/readyz") {
            let text = match &self.recorded {
                Some(_) => {
                    "not found: this server has /, /metrics, /api/v1/history, /healthz and /readyz"
                }
                None => "not found: this server has /, /metrics, /healthz and /readyz",
            };
            return line(StatusCode::NOT_FOUND, text);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = line(StatusCode::METHOD_NOT_ALLOWED, "method not allowed");
            let allowed = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(ALLOW, allowed);
            return response;
        }
        let now = Instant::now();
        match path {
            "/healthz" => return probe(self.status.stuck(now), None),
            "/readyz" => return probe(self.status.unready(now), self.status.warning(now)),
            _ => {}
        }
        // Data that is out of date is better than none: it has its time.
        if let Some(problem) = self.status.reading() {
            return line(StatusCode::SERVICE_UNAVAILABLE, &problem);
        }
        let place = Arc::clone(&self.documents).acquire_owned();
        let Ok(Ok(place)) = timeout(TO_WAIT, place).await else {
            let text = "too many responses are being sent: try again later";
            return line(StatusCode::SERVICE_UNAVAILABLE, text);
        };
        let document = self.document(path, request.uri().query().unwrap_or_default());
        match timeout(TO_COMPUTE, document).await {
            Ok(Ok(document)) => document.response(request.headers(), place).await,
            Ok(Err((code, why))) => line(code, &why),
            Err(_) => {
                let text = format!("not computed within {} seconds", TO_COMPUTE.as_secs());
                line(StatusCode::SERVICE_UNAVAILABLE, &text)
            }
        }
    }

    /// What is at a path, or why it is not.
    async fn document(
        &self,
        path: &str,
        query: &str,
    ) -> Result<Arc<Document>, (StatusCode, String)> {
        let found = match (path, &self.recorded) {
            ("/metrics", _) => ask(&self.events, Event::Metrics).await,
            (HISTORY, Some(recorded)) => {
                let request = HistoryRequest::read(query);
                let request = request.map_err(|wrong| (StatusCode::BAD_REQUEST, wrong))?;
                recorded.answer(request, &self.events).await
            }
            _ => self.pages.page(&self.events).await,
        };
        found.map_err(|why| (StatusCode::SERVICE_UNAVAILABLE, why))
    }
}

/// The response to a probe.
fn probe(problem: Option<String>, warning: Option<String>) -> HttpResponse {
    match (problem, warning) {
        (Some(problem), _) => line(StatusCode::SERVICE_UNAVAILABLE, &problem),
        (None, Some(warning)) => line(StatusCode::OK, &format!("ok\nwarning: {warning}")),
        (None, None) => line(StatusCode::OK, "ok"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::net::TcpStream;

    use super::*;

    /// With the usual number the operating system would drop the request of a probe that comes after many others.
    #[test]
    fn connections_wait_while_others_are_accepted() {
        let listening = Listening::on("127.0.0.1:0").unwrap();
        let connect = |_| TcpStream::connect_timeout(&listening.address, Duration::from_secs(5));
        let waiting: Result<Vec<_>, _> = (0..300).map(connect).collect();
        assert_eq!(waiting.unwrap().len(), 300);
    }
}
