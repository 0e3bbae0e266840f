//! A small HTTPS client that hides nothing: what came over the wire is what a test sees.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;

/// Speaks to one server as one user.
pub(crate) struct Client {
    port: u16,
    config: Arc<ClientConfig>,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// An answer that is still coming.
pub(crate) struct Incoming {
    stream: StreamOwned<ClientConnection, TcpStream>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// What has come and is not yet read.
    raw: Vec<u8>,
    body: Vec<u8>,
}

impl Client {
    /// `url` is `https://127.0.0.1:` and a port; the certificate, if any, is one with its key.
    pub(crate) fn new(url: &str, authority: &str, certificate: Option<(&str, &str)>) -> Client {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap())
            .unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match certificate {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => config
                .with_client_auth_cert(
                    vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                    PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
                )
                .unwrap(),
        };
        Client {
            port: url.rsplit(':').next().unwrap().parse().unwrap(),
            config: Arc::new(config),
            headers: Vec::new(),
        }
    }

    /// The same, with one more header on each request.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Client {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", &[])
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        body: impl AsRef<[u8]>,
        headers: &[(&str, &str)],
    ) -> Answer {
        self.try_ask(method, path, body, headers).unwrap()
    }

    pub(crate) fn try_ask(
        &self,
        method: &str,
        path: &str,
        body: impl AsRef<[u8]>,
        headers: &[(&str, &str)],
    ) -> io::Result<Answer> {
        let mut incoming = self.open(method, path, body, headers)?;
        let length = incoming.length();
        while match length {
            Some(length) => incoming.body.len() < length,
            None => true,
        } {
            if !incoming.more()? {
                break;
            }
        }
        if length.is_some_and(|length| incoming.body.len() < length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Answer {
            status: incoming.status,
            headers: incoming.headers,
            body: incoming.body,
        })
    }

    /// Sends a request and reads the head of the answer.
    pub(crate) fn open(
        &self,
        method: &str,
        path: &str,
        body: impl AsRef<[u8]>,
        headers: &[(&str, &str)],
    ) -> io::Result<Incoming> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let connection = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        let own = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(headers.iter().copied()) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = body.as_ref();
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        stream.write_all(body)?;
        stream.flush()?;
        Incoming::read_head(stream)
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Incoming {
    fn read_head(stream: StreamOwned<ClientConnection, TcpStream>) -> io::Result<Incoming> {
        let mut incoming = Incoming {
            stream,
            status: 0,
            headers: Vec::new(),
            raw: Vec::new(),
            body: Vec::new(),
        };
        let end = loop {
            if let Some(end) = position(&incoming.raw, b"\r\n\r\n") {
                break end;
            }
            if incoming.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let head = String::from_utf8(incoming.raw[..end].to_vec()).unwrap();
        incoming.raw.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        incoming.status = status.parse().unwrap();
        incoming.headers = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(incoming)
    }

    fn length(&self) -> Option<usize> {
        find(&self.headers, "content-length").map(|text| text.parse().unwrap())
    }

    /// Reads some more of the body; false at its end.
    fn more(&mut self) -> io::Result<bool> {
        if self.length().is_some() {
            if self.raw.is_empty() && self.fill()? == 0 {
                return Ok(false);
            }
            self.body.append(&mut self.raw);
            return Ok(true);
        }
        loop {
            if let Some(end) = position(&self.raw, b"\r\n") {
                let size = std::str::from_utf8(&self.raw[..end]).unwrap();
                let size = usize::from_str_radix(size, 16).unwrap();
                if self.raw.len() >= end + 2 + size + 2 {
                    let chunk = self.raw.drain(..end + 2 + size + 2);
                    self.body.extend(chunk.skip(end + 2).take(size));
                    return Ok(size > 0);
                }
            }
            if self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// The next line of the body; `None` at its end.
    pub(crate) fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = position(&self.body, b"\n") {
                let line: Vec<u8> = self.body.drain(..=end).collect();
                return Ok(Some(String::from_utf8(line).unwrap()));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        let mut bytes = [0; 16 * 1024];
        let count = self.stream.read(&mut bytes)?;
        self.raw.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut found = headers
        .iter()
        .filter(|(key, _)| key.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.as_str())
}
