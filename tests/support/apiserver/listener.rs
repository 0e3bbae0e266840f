//! A socket, and a thread for everybody who comes.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustls::ServerConfig;

use super::certificates::Clients;
use super::connection;
use super::state::State;
use super::stop::Stop;

/// Who is connected.
#[derive(Default)]
struct Connections {
    open: Mutex<Vec<Connected>>,
    /// A thread has panicked, which its test must learn of.
    broken: AtomicBool,
}

/// Ends a connection with its thread, however that ends: others hold the socket, too.
struct HangUp(TcpStream);

impl Drop for HangUp {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// A connection and the thread that serves it.
struct Connected {
    stream: TcpStream,
    thread: JoinHandle<()>,
}

impl Connections {
    /// Takes one more, and lets go of those that have ended.
    fn add(&self, connected: Connected) {
        let mut open = self.open.lock().unwrap();
        for ended in open.extract_if(.., |connected| connected.thread.is_finished()) {
            self.join(ended);
        }
        open.push(connected);
    }

    fn close_all(&self) {
        let connections = std::mem::take(&mut *self.open.lock().unwrap());
        for connected in &connections {
            let _ = connected.stream.shutdown(Shutdown::Both);
        }
        for connected in connections {
            self.join(connected);
        }
    }

    fn join(&self, connected: Connected) {
        if connected.thread.join().is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }
}

/// A connection of some other test may have the port for a moment; no event shows when it is free.
fn bind(port: u16) -> TcpListener {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        match TcpListener::bind(("127.0.0.1", port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < end => {
                thread::sleep(Duration::from_millis(20));
            }
            bound => return bound.unwrap(),
        }
    }
}

/// A server that can be reached.
pub(crate) struct Listener {
    address: SocketAddr,
    stop: Arc<Stop>,
    state: Arc<State>,
    connections: Arc<Connections>,
    accepting: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens on that port of this machine; 0 is any that is free.
    pub(crate) fn start(
        port: u16,
        tls: Arc<ServerConfig>,
        state: Arc<State>,
        clients: Arc<Clients>,
    ) -> Listener {
        let socket = bind(port);
        let address = socket.local_addr().unwrap();
        let stop = Arc::new(Stop::default());
        let connections = Arc::new(Connections::default());
        let accepting = {
            let (stop, state) = (Arc::clone(&stop), Arc::clone(&state));
            let connections = Arc::clone(&connections);
            thread::spawn(move || accept(&socket, &tls, &state, &clients, &stop, &connections))
        };
        Listener {
            address,
            stop,
            state,
            connections,
            accepting: Some(accepting),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Ends every connection, and waits until all threads have ended.
    fn end(&mut self) {
        self.stop.stop();
        // Watches wait for the store, and must not miss that it is over.
        drop(self.state.store.lock());
        self.state.changed.notify_all();
        // Whoever waits for connections gets one, and sees.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        self.connections.close_all();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end();
        let broken = self.connections.broken.load(Ordering::Relaxed);
        assert!(
            !broken || thread::panicking(),
            "a thread of the server has panicked"
        );
    }
}

fn accept(
    socket: &TcpListener,
    tls: &Arc<ServerConfig>,
    state: &Arc<State>,
    clients: &Arc<Clients>,
    stop: &Arc<Stop>,
    connections: &Connections,
) {
    for stream in socket.incoming() {
        if stop.is_stopped() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let (Ok(handle), Ok(end)) = (stream.try_clone(), stream.try_clone()) else {
            continue;
        };
        let (tls, state) = (Arc::clone(tls), Arc::clone(state));
        let (clients, stop) = (Arc::clone(clients), Arc::clone(stop));
        let thread = thread::spawn(move || {
            let _end = HangUp(end);
            // Clients that break off are their tests' business.
            let _ = connection::serve(stream, tls, &state, &clients, &stop);
        });
        connections.add(Connected {
            stream: handle,
            thread,
        });
    }
}
