//! One connection, from its handshake to its end.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::access::Peer;
use super::answering;
use super::certificates::Clients;
use super::faults::Fault;
use super::http::{self, Reader};
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
            Some(Fault::DripHead | Fault::DripBody) => {
                let is_head = matches!(fault, Some(Fault::DripHead));
                return drip(is_head, &mut stream, stop);
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
        let limit = match fault {
            Some(Fault::CutOff(bytes)) => Some(bytes),
            _ => None,
        };
        if !http::write(response, limit, &mut stream)? {
            return stream.sock.shutdown(Shutdown::Both);
        }
        if !request.keeps_alive() {
            break;
        }
    }
    stream.conn.send_close_notify();
    stream.flush()
}

/// Writes a response whose head or body does not end, until the server stops or the client breaks off.
fn drip(is_head: bool, stream: &mut Stream, stop: &Stop) -> io::Result<()> {
    let (start, drop) = if is_head {
        ("HTTP/1.1 200 OK\r\nX-Drip: ", "x")
    } else {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        (head, "1\r\n \r\n")
    };
    stream.write_all(start.as_bytes())?;
    while !stop.pause() {
        stream.write_all(drop.as_bytes())?;
        stream.flush()?;
    }
    Ok(())
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
