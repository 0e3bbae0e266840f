//! The HTTP server: one request a connection, with a limit for everything that a client can send or delay.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, X_CONTENT_TYPE_OPTIONS};
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use prost::bytes::Bytes;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::history::{HistoryRequest, RecordedHistory};
use super::page::ReportPages;
use super::status::ExporterStatus;
use super::{Event, EventSender};

/// The most connections at the same time. For another one, the one that has been silent longest is closed.
const CONNECTIONS: usize = 256;
/// The most bytes of a request's head.
const LARGEST_HEAD: usize = 16 << 10;
/// A client has this long to send its request.
const TO_SEND: Duration = Duration::from_secs(5);
/// A client has at least this long to send its request, however many others connect.
const TO_SEND_IN_A_CROWD: Duration = Duration::from_millis(100);
/// The most connections that wait to be accepted. Others would have to try again, a second later.
#[cfg(unix)]
const BACKLOG: i32 = 4096;
/// A client has this long to receive its response, from the start of the connection.
const TO_RECEIVE: Duration = Duration::from_secs(120);
/// The longest wait for the loop that follows the cluster.
const TO_COMPUTE: Duration = Duration::from_secs(60);
/// When the server ends, responses have this long to be sent.
const TO_END: Duration = Duration::from_secs(5);
/// The pause after a connection could not be accepted, for example because there are no file descriptors.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// The path of stored runs.
const HISTORY: &str = "/api/v1/history";

const TEXT: &str = "text/plain; charset=utf-8";
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

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
            .all(|host| is_local(host.host(), own))
            && host.is_some()
    }
}

fn is_local(host: &str, own: &str) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address: Option<IpAddr> = bare.unwrap_or(host).parse().ok();
    address.is_some_and(|address| address.is_loopback())
        || [own, "localhost"]
            .iter()
            .any(|name| host.eq_ignore_ascii_case(name))
}

/// Listens on an address; without a host, on all addresses of the machine.
pub(super) fn listen(address: &str) -> io::Result<StdListener> {
    let listener = match address.strip_prefix(':') {
        None => StdListener::bind(address),
        // Without IPv6 there is only the second one.
        Some(port) => StdListener::bind(format!("[::]:{port}"))
            .or_else(|_| StdListener::bind(format!("0.0.0.0:{port}"))),
    }?;
    #[cfg(unix)]
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

impl HttpServer {
    pub(super) fn start(listener: StdListener, answers: Answers) -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the HTTP server")?;
        listener
            .set_nonblocking(true)
            .context("cannot start the HTTP server")?;
        let listener = {
            let _guard = runtime.enter();
            TcpListener::from_std(listener).context("cannot start the HTTP server")?
        };
        let (end, ended) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || serve(runtime, listener, answers, ended))
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

fn serve(runtime: Runtime, listener: TcpListener, answers: Answers, ended: oneshot::Receiver<()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let (ending, is_ending) = watch::channel(false);
    runtime.block_on(async move {
        {
            let accepting = accept(listener, answers, Arc::clone(&places), is_ending);
            let (mut accepting, mut ended) = (pin!(accepting), pin!(ended));
            poll_fn(|context| {
                if ended.as_mut().poll(context).is_ready() {
                    return Poll::Ready(());
                }
                accepting.as_mut().poll(context)
            })
            .await;
        }
        ending.send_replace(true);
        let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
        // What is not sent by then is cut off.
        let _ = timeout(TO_END, places.acquire_many(all)).await;
    });
    // A report may still be computed.
    runtime.shutdown_background();
}

/// The connections that have not sent their requests, in the order in which they were accepted.
#[derive(Default)]
struct SilentConnections(Mutex<BTreeMap<u64, (Instant, AbortHandle)>>);

impl SilentConnections {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, (Instant, AbortHandle)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the first one, once it has had time to send its request, unless there is another place by then.
    async fn make_place(&self, places: &Semaphore) {
        while places.available_permits() == 0 {
            let first = self.lock().first_key_value().map(|(_, (since, _))| *since);
            let Some(since) = first else { return };
            if let Some(left) = TO_SEND_IN_A_CROWD.checked_sub(since.elapsed()) {
                sleep(left).await;
                continue;
            }
            if let Some((_, (_, connection))) = self.lock().pop_first() {
                connection.abort();
            }
            return;
        }
    }
}

async fn accept(
    listener: TcpListener,
    answers: Answers,
    places: Arc<Semaphore>,
    is_ending: watch::Receiver<bool>,
) {
    let silent = Arc::new(SilentConnections::default());
    for number in 0.. {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AFTER_ERROR).await;
            continue;
        };
        silent.make_place(&places).await;
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let heard = Arc::clone(&silent);
        let has_sent = move || drop(heard.lock().remove(&number));
        let connection = connect(stream, answers.clone(), has_sent.clone(), is_ending.clone());
        let task = tokio::spawn(async move {
            // A slow client is cut off.
            let _ = timeout(TO_RECEIVE, connection).await;
            has_sent();
            drop(place);
        });
        silent
            .lock()
            .insert(number, (Instant::now(), task.abort_handle()));
    }
}

/// Answers the request of a connection.
async fn connect(
    stream: TcpStream,
    answers: Answers,
    has_sent: impl Fn(),
    mut is_ending: watch::Receiver<bool>,
) {
    let cut_off = Arc::new(Notify::new());
    let mut is_cut_off = pin!(cut_off.notified());
    let service = service_fn(|request: Request<Incoming>| {
        has_sent();
        let (answers, cut_off) = (answers.clone(), Arc::clone(&cut_off));
        async move { Ok::<_, Infallible>(answers.respond(&request, &cut_off).await) }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(TO_SEND)
            .max_buf_size(LARGEST_HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service)
    );
    let mut ending = pin!(is_ending.wait_for(|is_ending| *is_ending));
    let mut is_asked = false;
    // The client may be gone.
    poll_fn(|context| {
        if !is_asked && ending.as_mut().poll(context).is_ready() {
            is_asked = true;
            connection.as_mut().graceful_shutdown();
        }
        match connection.as_mut().poll(context) {
            Poll::Pending => is_cut_off.as_mut().poll(context),
            Poll::Ready(_) => Poll::Ready(()),
        }
    })
    .await;
}

impl Answers {
    async fn respond(
        &self,
        request: &Request<Incoming>,
        cut_off: &Arc<Notify>,
    ) -> Response<Full<Bytes>> {
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
        let problem = match path {
            "/healthz" => self.status.stuck(now),
            "/readyz" => self.status.unready(now),
            // Data that is out of date is better than none: it has its time.
            _ => self.status.reading(),
        };
        if let Some(problem) = problem {
            return line(StatusCode::SERVICE_UNAVAILABLE, &problem);
        }
        let (kind, body) = match path {
            "/metrics" => (METRICS, self.metrics().await),
            "/" => (HTML, self.pages.page(&self.events).await),
            HISTORY => match HistoryRequest::read(request.uri().query().unwrap_or_default()) {
                Ok(history) => (JSON, self.history(history, cut_off).await),
                Err(wrong) => return line(StatusCode::BAD_REQUEST, &wrong),
            },
            "/readyz" => {
                let warning = self.status.warning();
                let text = warning.map(|warning| format!("ok\nwarning: {warning}"));
                return line(StatusCode::OK, text.as_deref().unwrap_or("ok"));
            }
            _ => return line(StatusCode::OK, "ok"),
        };
        match body {
            Some(body) => response(StatusCode::OK, kind, body),
            None => line(StatusCode::SERVICE_UNAVAILABLE, "cannot compute this now"),
        }
    }

    async fn history(&self, request: HistoryRequest, cut_off: &Arc<Notify>) -> Option<Bytes> {
        let recorded = self.recorded.as_ref()?;
        let answer = recorded.answer(request, &self.events, cut_off);
        timeout(TO_COMPUTE, answer).await.ok()?
    }

    async fn metrics(&self) -> Option<Bytes> {
        let (reply, metrics) = oneshot::channel();
        self.events.send(Event::Metrics(reply)).ok()?;
        timeout(TO_COMPUTE, metrics).await.ok()?.ok()
    }
}

fn line(code: StatusCode, text: &str) -> Response<Full<Bytes>> {
    response(code, TEXT, Bytes::from(format!("{text}\n")))
}

fn response(code: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

#[cfg(all(test, unix))]
mod tests {
    use std::net::TcpStream;

    use super::*;

    /// With the usual number the operating system would drop the request of a probe that comes after many others.
    #[test]
    fn connections_wait_while_others_are_accepted() {
        let listener = listen("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(5));
        let waiting: Result<Vec<_>, _> = (0..300).map(connect).collect();
        assert_eq!(waiting.unwrap().len(), 300);
    }
}
