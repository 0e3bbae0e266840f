//! The listener, and each connection from its TLS handshake to its end.

use std::error::Error;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use http::HeaderValue;
use http::header::CONNECTION;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

use super::access::Peer;
use super::answering;
use super::fates;
use super::faults::{Break, Fault, NextConnection};
use super::reply::{self, Response};
use super::request::Request;
use super::state::State;

/// The time between two bytes of a response that does not end.
pub(crate) const DRIP: Duration = Duration::from_millis(50);

/// Why a connection ends without a complete response.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("the client has ended the connection")]
    Client(#[from] hyper::Error),
    #[error("the test wants no response")]
    Reset,
    #[error("the test wants a head that does not end")]
    Drip,
    #[error("the test wants half a head")]
    Head,
}

/// Remembers that a task has panicked, so that the test fails.
struct PanicGuard(Arc<State>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.has_panicked.store(true, Ordering::Relaxed);
        }
    }
}

/// Listens on a port of this machine, where 0 is any free one, and returns the port. Dropping the runtime ends all
/// connections.
pub(crate) fn listen(port: u16, tls: TlsAcceptor, state: Arc<State>) -> (Runtime, u16) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let socket = runtime.block_on(bind(port));
    let port = socket.local_addr().unwrap().port();
    runtime.spawn(async move {
        let refuses = || state.settings.lock().unwrap().next_connection == NextConnection::Refused;
        let mut refusal = pin!(state.until_true(refuses));
        while let Either::Left((accepted, _)) = select(pin!(socket.accept()), &mut refusal).await {
            if let Ok((stream, _)) = accepted {
                // That a client ends a connection early is not an error here; its test checks it.
                tokio::spawn(serve(stream, tls.clone(), Arc::clone(&state)));
            }
        }
        drop(socket);
        state.settings.lock().unwrap().is_closed = true;
        state.announce_change();
    });
    (runtime, port)
}

/// A connection of another test can hold the port for a moment; no event shows when it is free.
async fn bind(port: u16) -> TcpListener {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < end => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            bound => return bound.unwrap(),
        }
    }
}

async fn serve(stream: TcpStream, tls: TlsAcceptor, state: Arc<State>) -> io::Result<()> {
    let _guard = PanicGuard(Arc::clone(&state));
    stream.set_nodelay(true)?;
    let next = std::mem::take(&mut state.settings.lock().unwrap().next_connection);
    if next == NextConnection::EndsBeforeTls {
        return Ok(());
    }
    let mut stream = tls.accept(stream).await?;
    if let NextConnection::EndsAfter(bytes) = next {
        stream.read_exact(&mut vec![0; bytes]).await?;
        return Ok(());
    }
    let peer = state.authority.peer(stream.get_ref().1.peer_certificates());
    let service = service_fn(|request| respond(&state, &peer, request));
    let mut connection = http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    let ended = (&mut connection).await;
    let reason = ended.as_ref().err().and_then(|error| error.source());
    let reason = reason.and_then(<dyn Error>::downcast_ref);
    if !matches!(reason, Some(Broken::Drip | Broken::Head)) {
        return Ok(());
    }
    let is_half = matches!(reason, Some(Broken::Head));
    // hyper writes a head as a whole.
    let mut stream = connection.into_parts().io.into_inner();
    stream.write_all(b"HTTP/1.1 200 OK\r\nX-Drip: ").await?;
    if is_half {
        return stream.flush().await;
    }
    loop {
        stream.write_all(b"x").await?;
        stream.flush().await?;
        tokio::time::sleep(DRIP).await;
    }
}

/// Answers a request, unless the test wants a fault.
async fn respond(
    state: &Arc<State>,
    peer: &Peer,
    request: http::Request<Incoming>,
) -> Result<Response, Broken> {
    let request = Request::read(request).await?;
    // Before the request is recorded, so that a test that waits for it cannot change what happens to it.
    let fault = state.faults.strike(&request);
    state.record(&request);
    match &fault {
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Reset) => return Err(Broken::Reset),
        Some(Fault::DripHead) => return Err(Broken::Drip),
        Some(Fault::Hold) => state.until_true(|| state.faults.are_cleared()).await,
        Some(Fault::Preceded(manager)) => {
            let mut earlier = request.clone();
            earlier.query.retain(|(name, _)| name != "fieldManager");
            earlier
                .query
                .push(("fieldManager".to_owned(), (*manager).to_owned()));
            answering::answer(state, &earlier, peer).await;
        }
        Some(Fault::Creation(fate, breaks)) => {
            let response = fates::create(state, &request, peer, *fate).await;
            return match breaks {
                Break::Nowhere => Ok(response),
                Break::BeforeAnswer => Err(Broken::Reset),
                Break::InHead => Err(Broken::Head),
                Break::InBody => Ok(reply::cut_off(response, 10).await),
                Break::Timeout => std::future::pending().await,
            };
        }
        Some(Fault::Ignored) => {
            let mut read = request.clone();
            read.method = "GET".to_owned();
            read.path = read.path.trim_end_matches("/status").to_owned();
            return Ok(answering::answer(state, &read, peer).await);
        }
        Some(Fault::WithoutAnnotations) => {
            let changed = fates::without_annotations(&request);
            return Ok(answering::answer(state, &changed, peer).await);
        }
        Some(Fault::Before(next)) => {
            state.settings.lock().unwrap().next_connection = *next;
            state.announce_change();
            if *next == NextConnection::Refused {
                let is_closed = || state.settings.lock().unwrap().is_closed;
                state.until_true(is_closed).await;
            }
        }
        _ => {}
    }
    let faulty = fault
        .as_ref()
        .and_then(|fault| answering::faulty(fault, &request));
    let mut response = match faulty {
        Some(response) => response,
        None => answering::answer(state, &request, peer).await,
    };
    answering::add_date(state, &mut response);
    if state.settings.lock().unwrap().closes_connections {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    match fault {
        Some(Fault::CutOff(bytes)) => Ok(reply::cut_off(response, bytes).await),
        _ => Ok(response),
    }
}
