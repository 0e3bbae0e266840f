//! The logs of containers, read piece by piece, so that their size does not matter.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use kube::client::Body;
use prost::bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ClusterError;
use super::resource::{object_path, with_parameters};
use super::session::Session;
use super::transport::Transport;
use crate::objects::LogSource;
use kube_objects::query::Resource;

/// The number of pieces that may wait to be written. If there are more, reading from the server pauses.
const WAITING_PIECES: usize = 8;

/// The most bytes of the end of a log that are returned.
const MOST_KEPT: usize = 64 << 10;
/// The most bytes that are read to find the end of a log.
const MOST_READ: u64 = 1 << 20;

/// Which part of a log to read. The default is all that the container has written so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Wait for more until the container ends.
    pub follow: bool,
    /// The log before the last restart of the container.
    pub previous: bool,
    pub tail: Option<u64>,
    /// The most bytes that the server sends.
    pub limit_bytes: Option<u64>,
}

/// A piece of a log. While it exists, it counts as waiting.
#[derive(Debug)]
pub struct LogPiece {
    pub text: Bytes,
    _place: Option<OwnedSemaphorePermit>,
}

/// A log that is read piece by piece.
pub struct LogStream<'s> {
    session: &'s Session,
    log: OpenLog,
}

impl LogStream<'_> {
    /// The next piece; `None` at the end. Unless the log is followed, waits no longer than the request timeout.
    pub fn piece(&mut self) -> Result<Option<Bytes>, ClusterError> {
        let log = &mut self.log;
        let (transport, request) = (log.transport.clone(), log.request.clone());
        let deadline = transport.deadline().filter(|_| !log.follows);
        let piece = transport.until(deadline, &request, log.piece());
        self.session.wait(piece)?
    }
}

impl Session {
    pub fn log(
        &self,
        source: &LogSource,
        options: &LogOptions,
    ) -> Result<LogStream<'_>, ClusterError> {
        let log = self.wait(OpenLog::open(&self.transport, source, options))?;
        Ok(LogStream { session: self, log })
    }

    /// The last lines of a log, and whether something before them was left out.
    pub fn log_end(
        &self,
        source: &LogSource,
        previous: bool,
        lines: u64,
    ) -> Result<(String, bool), ClusterError> {
        let options = LogOptions {
            previous,
            tail: Some(lines),
            limit_bytes: Some(MOST_READ),
            ..LogOptions::default()
        };
        let mut stream = self.log(source, &options)?;
        let mut text = Vec::new();
        let (mut read, mut truncated) = (0, false);
        while let Some(piece) = stream.piece()? {
            read += u64::try_from(piece.len()).unwrap_or(u64::MAX);
            text.extend_from_slice(&piece);
            if let Some(extra) = text.len().checked_sub(MOST_KEPT).filter(|extra| *extra > 0) {
                text.drain(..extra);
                truncated = true;
            }
            if read >= MOST_READ {
                truncated = true;
                break;
            }
        }
        Ok((String::from_utf8_lossy(&text).into_owned(), truncated))
    }
}

/// A log whose first bytes may be read.
pub(super) struct OpenLog {
    transport: Transport,
    request: String,
    body: Body,
    follows: bool,
}

impl OpenLog {
    pub(super) async fn open(
        transport: &Transport,
        source: &LogSource,
        options: &LogOptions,
    ) -> Result<Self, ClusterError> {
        let path = object_path(&Resource::pods(), &source.namespace, &source.pod);
        let path = format!("{path}/log");
        let uri = options.uri(&path, &source.container);
        let response = transport.stream(&uri, "*/*").await?;
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        if let Some(found) = content_type.filter(|found| !found.starts_with("text/plain")) {
            let why = format!("expected text/plain, found {found}");
            return Err(transport.not_kubernetes(&path, why));
        }
        Ok(OpenLog {
            transport: transport.clone(),
            request: format!("GET {path}"),
            body: response.into_body(),
            follows: options.follow,
        })
    }

    /// The next piece; `None` at the end.
    pub(super) async fn piece(&mut self) -> Result<Option<Bytes>, ClusterError> {
        while let Some(frame) = self.body.frame().await {
            let broken_off = |error| self.transport.broken_off(&self.request, &error);
            if let Ok(data) = frame.map_err(broken_off)?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}

impl LogOptions {
    fn uri(&self, path: &str, container: &str) -> String {
        let flag = |is_set: bool| is_set.then_some("true");
        let tail = self.tail.map(|lines| lines.to_string());
        let limit_bytes = self.limit_bytes.map(|bytes| bytes.to_string());
        let parameters = [
            ("container", Some(container)),
            ("follow", flag(self.follow)),
            ("previous", flag(self.previous)),
            ("tailLines", tail.as_deref()),
            ("limitBytes", limit_bytes.as_deref()),
        ];
        with_parameters(path, &parameters)
    }
}

/// How many pieces of a log may wait.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Semaphore>);

impl Default for Places {
    fn default() -> Self {
        Places(Arc::new(Semaphore::new(WAITING_PIECES)))
    }
}

impl Places {
    /// Waits until the piece may wait for its turn.
    pub(super) async fn take(&self, text: Bytes) -> LogPiece {
        let place = Arc::clone(&self.0).acquire_owned().await;
        LogPiece {
            text,
            _place: place.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_of_the_api() {
        let uri = |options: LogOptions| options.uri("/x/log", "a b");
        assert_eq!(uri(LogOptions::default()), "/x/log?container=a%20b");
        let all = LogOptions {
            follow: true,
            previous: true,
            tail: Some(0),
            limit_bytes: Some(5),
        };
        assert_eq!(
            uri(all),
            "/x/log?container=a%20b&follow=true&previous=true&tailLines=0\
             &limitBytes=5"
        );
    }
}
