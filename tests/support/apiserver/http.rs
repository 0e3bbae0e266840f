//! HTTP/1.1, as much of it as clients of an API server speak.

use std::io::{self, Read, Write};
use std::time::Instant;

use http::StatusCode;
use serde_json::Value;

/// The API server answers shorter bodies with a length, and longer ones in chunks.
const LONGEST_WITH_LENGTH: usize = 4096;
const CHUNK: usize = 32 * 1024;
const LONGEST_HEAD: usize = 64 * 1024;

/// One request, read to its end.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    /// Names as the client wrote them.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// When it came in.
    pub(crate) at: Instant,
}

/// One answer. `Content-Length` or `Transfer-Encoding` follow from the body.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

/// What an answer says.
pub(crate) enum Body {
    Whole(Vec<u8>),
    /// Pieces that are made when it is their turn, each sent as one chunk.
    Pieces(Box<dyn Iterator<Item = Vec<u8>>>),
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Request {
        Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Vec::new(),
            at: Instant::now(),
        }
    }

    /// Every value of a header, whose name may have any case.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let named = self
            .headers
            .iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).first().copied()
    }

    /// The body, which has to be JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `GET /apis/batch/v1/jobs`, with `watch` in place of GET where it is one.
    pub(crate) fn line(&self) -> String {
        let method = if self.is_watch() {
            "watch"
        } else {
            &self.method
        };
        format!("{method} {}", self.path)
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.flag("watch")
    }

    /// The first value of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.query.iter().filter(|(key, _)| key == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// Whether a parameter says yes, as the API server reads it.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.parameter(name), Some("1" | "true" | "True" | "TRUE"))
    }

    pub(crate) fn keeps_alive(&self) -> bool {
        !self
            .header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads requests from a connection, one after the other.
pub(crate) struct Reader {
    buffer: Vec<u8>,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        Reader { buffer: Vec::new() }
    }

    /// The next request; `None` when the client has hung up.
    pub(crate) fn next(&mut self, stream: &mut impl Read) -> io::Result<Option<Request>> {
        let Some(end) = self.fill_until_blank_line(stream)? else {
            return Ok(None);
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        self.buffer.drain(..end + 4);
        let mut request = parse_head(&head).ok_or_else(|| broken("request line"))?;
        assert_eq!(request.header("transfer-encoding"), None);
        if let Some(length) = request.header("content-length") {
            let length = length.parse().map_err(|_| broken("Content-Length"))?;
            request.body = self.exactly(stream, length)?;
        }
        Ok(Some(request))
    }

    fn fill_until_blank_line(&mut self, stream: &mut impl Read) -> io::Result<Option<usize>> {
        loop {
            let mut windows = self.buffer.windows(4);
            if let Some(end) = windows.position(|window| window == b"\r\n\r\n") {
                return Ok(Some(end));
            }
            if self.buffer.len() > LONGEST_HEAD {
                return Err(broken("head, which is too long"));
            }
            if self.fill(stream)? == 0 {
                return Ok(None);
            }
        }
    }

    fn exactly(&mut self, stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < length {
            if self.fill(stream)? == 0 {
                return Err(broken("body, which ends early"));
            }
        }
        Ok(self.buffer.drain(..length).collect())
    }

    fn fill(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        let mut bytes = [0; 16 * 1024];
        match stream.read(&mut bytes) {
            Ok(count) => {
                self.buffer.extend_from_slice(&bytes[..count]);
                Ok(count)
            }
            // A client that goes without TLS's goodbye has gone all the same.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            Err(error) => Err(error),
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("broken {what}"))
}

fn parse_head(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    Some(Request {
        query: query
            .replace('+', " ")
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (percent_decoded(name), percent_decoded(value)))
            .collect(),
        headers,
        ..Request::new(method, &percent_decoded(path))
    })
}

fn percent_decoded(text: &str) -> String {
    let text = percent_encoding::percent_decode_str(text);
    text.decode_utf8_lossy().into_owned()
}

/// Writes an answer, and of its body no more than a limit; returns whether it ended before that.
pub(crate) fn write(
    response: Response,
    limit: Option<usize>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let status = StatusCode::from_u16(response.status).unwrap();
    let reason = status.canonical_reason().unwrap_or("Status");
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let (length, pieces): (_, Box<dyn Iterator<Item = Vec<u8>>>) = match response.body {
        Body::Whole(body) if body.len() < LONGEST_WITH_LENGTH => {
            (Some(body.len()), Box::new(std::iter::once(body)))
        }
        Body::Whole(body) => {
            let chunks: Vec<_> = body.chunks(CHUNK).map(<[u8]>::to_vec).collect();
            (None, Box::new(chunks.into_iter()))
        }
        Body::Pieces(pieces) => (None, pieces),
    };
    match length {
        Some(length) => head.push_str(&format!("Content-Length: {length}\r\n\r\n")),
        None => head.push_str("Transfer-Encoding: chunked\r\n\r\n"),
    }
    out.write_all(head.as_bytes())?;
    out.flush()?;
    let mut left = limit.unwrap_or(usize::MAX);
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let written = &piece[..left.min(piece.len())];
        if length.is_none() {
            out.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
        }
        out.write_all(written)?;
        left -= written.len();
        if written.len() == piece.len() && length.is_none() {
            out.write_all(b"\r\n")?;
        }
        out.flush()?;
        if left == 0 {
            return Ok(false);
        }
    }
    if length.is_none() {
        out.write_all(b"0\r\n\r\n")?;
        out.flush()?;
    }
    Ok(true)
}
