//! One connection, from its handshake to its end.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::access::Peer;
use super::answering;
use super::certificates::Clients;
use super::faults::Fault;
use super::http::{self, Reader, Sink};
use super::state::State;
use super::stop::Stop;

type Stream = StreamOwned<ServerConnection, TcpStream>;

/// Answers request after request.
pub(crate) fn serve(
    stream: TcpStream,
    tls: Arc<ServerConfig>,
    state: &Arc<State>,
    clients: &Clients,
    stop: &Arc<Stop>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let connection = ServerConnection::new(tls).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let mut reader = Reader::new();
    while let Some(request) = reader.next(&mut stream)? {
        if stop.is_stopped() {
            break;
        }
        // Before the request is noted, so that who waits for it cannot change what strikes it.
        let fault = state.faults.strike(&request);
        state.log.note(&request);
        match fault {
            Some(Fault::Hang) => {
                stop.wait();
                return Ok(());
            }
            Some(Fault::Hold) => state.faults.wait_until_cleared(stop),
            Some(Fault::Reset) => return stream.sock.shutdown(Shutdown::Both),
            Some(Fault::Preceded(manager)) => {
                let mut earlier = request.clone();
                let manager = ("fieldManager".to_owned(), manager.to_owned());
                earlier.query.retain(|(name, _)| *name != manager.0);
                earlier.query.push(manager);
                answering::answer(state, stop, &earlier, &peer(&stream, clients));
            }
            _ => {}
        }
        let faulty = fault
            .as_ref()
            .and_then(|fault| answering::faulty(fault, &request));
        let mut response = match faulty {
            Some(response) => response,
            None => answering::answer(state, stop, &request, &peer(&stream, clients)),
        };
        answering::add_date(state, &mut response);
        let mut delivery = Delivery {
            stream: &mut stream,
            left: None,
        };
        if let Some(Fault::CutOff(bytes)) = fault {
            delivery.left = Some(bytes);
        }
        let cut = match http::write(response, request.method == "HEAD", &mut delivery) {
            Ok(()) => delivery.left == Some(0),
            Err(error) if error.kind() == io::ErrorKind::WriteZero => true,
            Err(error) => return Err(error),
        };
        stream.flush()?;
        if cut {
            return stream.sock.shutdown(Shutdown::Both);
        }
        if !request.keeps_alive() {
            break;
        }
    }
    stream.conn.send_close_notify();
    stream.flush()
}

/// Who the client's certificate says it is.
fn peer(stream: &Stream, clients: &Clients) -> Peer {
    let certificates = stream.conn.peer_certificates().unwrap_or_default();
    match certificates.first() {
        None => Peer::NoCertificate,
        Some(certificate) => clients
            .user(certificate)
            .map_or(Peer::BadCertificate, Peer::User),
    }
}

/// The way to the client, on which bytes may be slow, or lost.
struct Delivery<'a> {
    stream: &'a mut Stream,
    /// How many bytes of a body get through.
    left: Option<usize>,
}

impl Sink for Delivery<'_> {
    fn head(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    fn body(&mut self, before: &[u8], bytes: &[u8], after: &[u8]) -> io::Result<()> {
        self.stream.write_all(before)?;
        let through = self.left.map_or(bytes.len(), |left| left.min(bytes.len()));
        self.stream.write_all(&bytes[..through])?;
        if let Some(left) = &mut self.left {
            *left -= through;
            if through < bytes.len() {
                self.stream.flush()?;
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        self.stream.write_all(after)?;
        self.stream.flush()
    }
}
