//! `serve` while many clients send or read nothing, and requests that are no good HTTP.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use crate::live::prelude::*;
use crate::live::serve::{Exporter, connect, rest_of};

fn send_to(exporter: &Exporter, count: usize, request: &str) -> Vec<TcpStream> {
    let connections = (0..count).map(|_| {
        let mut stream = connect(&exporter.address);
        stream.write_all(request.as_bytes()).unwrap();
        stream
    });
    connections.collect()
}

/// Whether the server has neither answered nor closed a connection.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = stream.read(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// A server that waits for one of them would answer the probe when it gives up, and close the newest one, too.
#[test]
fn half_requests_do_not_delay_a_probe() {
    let server = noon();
    let exporter = Exporter::ready(&server);
    let mut half = send_to(&exporter, 400, "GET /metrics HTTP/1.1\r\nHost: ");
    assert_eq!(exporter.get("/healthz").code, 200);
    assert!(is_open(&mut half[399]));
    assert_eq!(exporter.get("/metrics").code, 200);
    // All of them are cut off, without having been answered.
    for stream in &mut half {
        assert_lacks!(rest_of(stream), "200 OK");
    }
}

#[test]
fn clients_that_do_not_read_do_not_delay_a_probe() {
    let server = noon();
    let exporter = Exporter::ready(&server);
    assert_eq!(exporter.get("/").code, 200);
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", exporter.address);
    let deaf = send_to(&exporter, 300, &request);
    assert_eq!(exporter.get("/healthz").code, 200);
    assert_eq!(exporter.get("/metrics").code, 200);
    drop(deaf);
    assert_eq!(exporter.get("/").code, 200);
}

/// Each is answered once, also where it could be read as two requests.
#[test]
fn requests_that_are_no_good_http_are_answered_once() {
    let server = noon();
    let exporter = Exporter::ready(&server);
    let long = "x".repeat(20_000);
    let many = (0..200).map(|number| format!("X-{number}: 1\r\n"));
    let many: String = many.collect();
    let another = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let get = |rest: &str| format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{rest}\r\n");
    let post = |rest: &str| format!("POST /healthz HTTP/1.1\r\nHost: localhost\r\n{rest}");
    for (request, codes) in [
        (get(""), [200].as_slice()),
        (get("Range: bytes=0-1\r\n"), &[200]),
        (get("Upgrade: h2c\r\nConnection: upgrade\r\n"), &[200]),
        (get("") + another, &[200]),
        (get("Content-Length: 5\r\nContent-Length: 6\r\n"), &[400]),
        (get("Content-Length: -1\r\n"), &[400]),
        (get("Transfer-Encoding: identity\r\n"), &[400]),
        (get(&format!("X: {long}\r\n")), &[431]),
        (get(&many), &[431]),
        (get("Host: localhost\r\n"), &[421]),
        ("GET /healthz HTTP/1.1\r\n\r\n".to_owned(), &[421]),
        (
            "GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n".to_owned(),
            &[400],
        ),
        (
            "GET http://a@localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            &[421],
        ),
        (
            "GET http://attacker.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            &[421],
        ),
        (
            format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            &[414, 431],
        ),
        (
            "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n".to_owned(),
            &[400],
        ),
        ("\0\u{1}\r\n\r\n".to_owned(), &[400]),
        (post("Content-Length: 5\r\n\r\nabcde"), &[405]),
        (
            post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") + another,
            &[400, 405],
        ),
        (
            post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n") + another,
            &[400, 405],
        ),
        (
            "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            &[404],
        ),
        (
            "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            &[405],
        ),
    ] {
        let mut stream = connect(&exporter.address);
        // It may be answered before it is read to the end.
        let _ = stream.write_all(request.as_bytes());
        let response = rest_of(&mut stream);
        let shown = &request[..request.len().min(80)];
        assert_eq!(
            response.matches("HTTP/1.").count(),
            1,
            "{shown:?}: {response:?}"
        );
        let code: u16 = response.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(codes.contains(&code), "{shown:?}: {response:?}");
    }
}
