//! One request and its answer: within a deadline and a size, and repeated where that may help.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER, WARNING};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use kube::client::Body;
use prost::bytes::{Bytes, BytesMut};
use tokio::time::{Instant, sleep, timeout_at};

use super::address::without_credentials;
use super::ask::Ask;
use super::error::{ClusterError, seconds};
use super::interruption::Interruption;
use super::login::{LoggedIn, Login};
use super::status::Status;
use super::unreachable::unreachable;
use super::warning;

/// How often a request is tried.
const TRIES: u32 = 4;
/// The pause after the first try; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// A pause that the user should know of.
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// The rest of an error page explains nothing more.
const LARGEST_REFUSAL: usize = 1 << 20;

/// The way to the API server.
#[derive(Clone)]
pub(super) struct Transport {
    pub(super) login: Arc<Login>,
    /// The address of the server, for errors.
    pub(super) server: String,
    /// The proxy on the way, if there is one.
    pub(super) proxy: Option<String>,
    /// How long an answer may take, all tries together.
    pub(super) deadline: Option<Duration>,
    /// The signals that end the waiting for answers.
    pub(super) interruption: &'static Interruption,
    /// Told about each request, if somebody wants to know.
    pub(super) trace: Option<fn(&str)>,
    /// Told why an answer takes long, if somebody wants to know.
    pub(super) notice: Option<fn(&str)>,
}

/// What the server answered.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) body: Bytes,
    pub(super) is_protobuf: bool,
    /// The server's clock.
    pub(super) date: Option<Timestamp>,
    /// What it warns of.
    pub(super) warnings: Vec<String>,
}

/// A try that failed.
enum RequestFailure {
    /// For good.
    Final(ClusterError),
    /// It may go well the next time, after a pause that the server may choose.
    Passing(ClusterError, Option<Duration>),
}

impl Transport {
    /// Asks for something. Answers that will hardly be the same a moment later are asked for again.
    pub(super) async fn get(&self, uri: &str, accept: &str) -> Result<Response, ClusterError> {
        self.send(BytesMut::new(), &Ask::read(uri, accept)).await
    }

    /// Asks for a page of a list, into room that was used before. Long answers, one after the other,
    /// would leave holes as long as they are between what is kept of them.
    pub(super) async fn page_into(
        &self,
        room: BytesMut,
        uri: &str,
        accept: &str,
    ) -> Result<Response, ClusterError> {
        self.send(room, &Ask::list(uri, accept)).await
    }

    /// Asks for a change. It is asked for again only where the server says that it did nothing:
    /// whoever cannot tell from the error whether it was made has to look.
    pub(super) async fn change(&self, ask: &Ask<'_>) -> Result<Response, ClusterError> {
        self.send(BytesMut::new(), ask).await
    }

    async fn send(&self, mut room: BytesMut, ask: &Ask<'_>) -> Result<Response, ClusterError> {
        let mut tries = Tries::new(self, ask);
        loop {
            if self.interruption.is_over() {
                return Err(self.interrupted(ask, false));
            }
            let login = self.login.current().await;
            let attempt = tries.in_time(self.attempt(&mut room, ask, &login));
            let failure = match self.interruption.unless_over(attempt).await {
                None => return Err(self.interrupted(ask, true)),
                Some(Ok(answer)) => return Ok(answer),
                Some(Err(failure)) => failure,
            };
            tries.after(failure, &login).await?;
        }
    }

    /// The beginning of an answer that goes on: a watch or a log.
    pub(super) async fn stream(
        &self,
        uri: &str,
        accept: &str,
    ) -> Result<http::Response<Body>, ClusterError> {
        let ask = Ask::read(uri, accept);
        let mut tries = Tries::new(self, &ask);
        loop {
            let login = self.login.current().await;
            match tries.in_time(self.open(&ask, &login)).await {
                Ok(response) => return Ok(response),
                Err(failure) => tries.after(failure, &login).await?,
            }
        }
    }

    /// When an answer that is asked for now is late, unless no clock goes that far.
    fn end(&self) -> Option<Instant> {
        Instant::now().checked_add(self.deadline?)
    }

    async fn attempt(
        &self,
        room: &mut BytesMut,
        ask: &Ask<'_>,
        login: &LoggedIn,
    ) -> Result<Response, RequestFailure> {
        let response = self.open(ask, login).await?;
        let headers = response.headers();
        let is_protobuf = header(headers, &CONTENT_TYPE)
            .is_some_and(|value| value.starts_with(super::envelope::CONTENT_TYPE));
        let date = header(headers, &DATE).and_then(read_date);
        let warnings = warnings(headers);
        room.clear();
        match read_into(room, response.into_body(), ask.largest).await {
            Ok(true) => {}
            Ok(false) => {
                room.clear();
                let largest = ask.largest >> 20;
                let why = format!("larger than {largest} MiB");
                return Err(RequestFailure::Final(self.strange(&ask.name(), why)));
            }
            Err(error) => {
                let error = self.broken_off(&ask.name(), &error);
                return Err(RequestFailure::passing_if(ask.is_harmless, error));
            }
        }
        Ok(Response {
            body: std::mem::take(room).freeze(),
            is_protobuf,
            date,
            warnings,
        })
    }

    /// The head of an answer that is good news; its body is still to come.
    async fn open(
        &self,
        ask: &Ask<'_>,
        login: &LoggedIn,
    ) -> Result<http::Response<Body>, RequestFailure> {
        let request = ask.request().map_err(RequestFailure::Final)?;
        let begun = Instant::now();
        let response = login.client.clone().send(request).await.map_err(|error| {
            let way = match &self.proxy {
                Some(proxy) => format!("{} through proxy {proxy}", self.server),
                None => self.server.clone(),
            };
            let (error, passing) = unreachable(&way, &error);
            RequestFailure::passing_if(passing && ask.is_harmless, error)
        })?;
        let code = response.status();
        if let Some(trace) = self.trace {
            let milliseconds = begun.elapsed().as_millis();
            let (method, uri) = (&ask.method, without_token(ask.uri));
            trace(&format!(
                "{method} {}{uri} {code} in {milliseconds} ms",
                self.server
            ));
        }
        if code != StatusCode::UNAUTHORIZED {
            login.accept();
        }
        if code.is_success() {
            return Ok(response);
        }
        if let Some(place) = header(response.headers(), &LOCATION).filter(|_| code.is_redirection())
        {
            // What follows may be a secret of the login that it leads to.
            let place = place.split_once('?').map_or(place, |(place, _)| place);
            let place = without_credentials(place);
            let error = self.strange(&ask.name(), format!("redirect to {place}"));
            return Err(RequestFailure::Final(error));
        }
        let wanted = header(response.headers(), &RETRY_AFTER)
            .and_then(|seconds| seconds.parse().ok())
            .map(Duration::from_secs);
        let warnings = warnings(response.headers());
        let mut body = BytesMut::new();
        // The code says enough where the rest is lost.
        let _ = read_into(&mut body, response.into_body(), LARGEST_REFUSAL).await;
        let mut status = Status::read(code.as_u16(), &body.freeze());
        status.warnings = warnings;
        let error = ClusterError::Refused {
            status: Box::new(status),
        };
        let passing = code == StatusCode::TOO_MANY_REQUESTS
            || ask.is_harmless
                && matches!(
                    code,
                    StatusCode::INTERNAL_SERVER_ERROR
                        | StatusCode::BAD_GATEWAY
                        | StatusCode::SERVICE_UNAVAILABLE
                        | StatusCode::GATEWAY_TIMEOUT
                );
        Err(if passing {
            RequestFailure::Passing(error, wanted)
        } else {
            RequestFailure::Final(error)
        })
    }

    fn interrupted(&self, ask: &Ask<'_>, sent: bool) -> ClusterError {
        ClusterError::Interrupted {
            server: self.server.clone(),
            request: ask.name(),
            sent,
        }
    }

    fn timeout(&self, ask: &Ask<'_>) -> ClusterError {
        ClusterError::Timeout {
            server: self.server.clone(),
            request: ask.name(),
            deadline: self.deadline.unwrap_or_default(),
        }
    }

    /// An answer that ended too soon. The request is as [`Ask::name`] names it.
    pub(super) fn broken_off(
        &self,
        request: &str,
        error: &(dyn std::error::Error + 'static),
    ) -> ClusterError {
        ClusterError::BrokenOff {
            server: self.server.clone(),
            request: request.to_owned(),
            why: super::unreachable::deepest(error),
        }
    }

    /// What was read is nothing that Kubernetes says.
    pub(super) fn not_kubernetes(&self, uri: &str, why: impl Into<String>) -> ClusterError {
        self.strange(&Ask::read(uri, "").name(), why)
    }

    /// What was answered to a request is nothing that Kubernetes says.
    pub(super) fn strange(&self, request: &str, why: impl Into<String>) -> ClusterError {
        ClusterError::NotKubernetes {
            server: self.server.clone(),
            request: request.to_owned(),
            why: why.into(),
        }
    }
}

/// The tries of one request.
struct Tries<'a> {
    transport: &'a Transport,
    ask: &'a Ask<'a>,
    end: Option<Instant>,
    pause: Duration,
    number: u32,
    /// Whether new credentials were asked for.
    renewed: bool,
}

impl<'a> Tries<'a> {
    fn new(transport: &'a Transport, ask: &'a Ask<'a>) -> Self {
        Tries {
            transport,
            ask,
            end: transport.end(),
            pause: FIRST_PAUSE,
            number: 1,
            renewed: false,
        }
    }

    /// Waits for a try as long as there is time.
    async fn in_time<T>(
        &self,
        attempt: impl Future<Output = Result<T, RequestFailure>>,
    ) -> Result<T, RequestFailure> {
        let Some(end) = self.end else {
            return attempt.await;
        };
        let late = |_| RequestFailure::Final(self.transport.timeout(self.ask));
        timeout_at(end, attempt).await.map_err(late)?
    }

    /// Waits for the next try after one that failed, or says why there is none.
    async fn after(
        &mut self,
        failure: RequestFailure,
        login: &LoggedIn,
    ) -> Result<(), ClusterError> {
        let (error, wanted) = match failure {
            RequestFailure::Final(error) => return self.log_in_again(error, login).await,
            RequestFailure::Passing(error, wanted) => (error, wanted),
        };
        let wait = wanted.unwrap_or(self.pause);
        let next = Instant::now().checked_add(wait);
        let in_time = |end| next.is_some_and(|next| next < end);
        let in_time = self.end.is_none_or(in_time);
        if self.number == TRIES || !in_time {
            return Err(match (error, wanted) {
                (ClusterError::Refused { status }, Some(pause)) if !in_time => {
                    ClusterError::Later {
                        status,
                        pause,
                        deadline: self.transport.deadline.unwrap_or_default(),
                    }
                }
                (error, _) => error,
            });
        }
        if let Some(notice) = self.transport.notice.filter(|_| wait >= LONG_PAUSE) {
            notice(&format!("{error}; retrying in {}", seconds(wait)));
        }
        let waited = self.transport.interruption.unless_over(sleep(wait)).await;
        if waited.is_none() {
            return Err(error);
        }
        self.number += 1;
        self.pause *= 2;
        Ok(())
    }

    /// Asks for new credentials, once, if they are what the server does not accept.
    async fn log_in_again(
        &mut self,
        error: ClusterError,
        login: &LoggedIn,
    ) -> Result<(), ClusterError> {
        let Transport {
            login: current,
            deadline,
            interruption,
            ..
        } = self.transport;
        if self.renewed || !error.is_unauthorized() {
            return Err(error);
        }
        let renewed = interruption
            .unless_over(current.renew(login, *deadline))
            .await;
        if !renewed.transpose()?.unwrap_or(false) {
            return Err(error);
        }
        self.renewed = true;
        self.end = self.transport.end();
        Ok(())
    }
}

impl RequestFailure {
    fn passing_if(passing: bool, error: ClusterError) -> Self {
        if passing {
            RequestFailure::Passing(error, None)
        } else {
            RequestFailure::Final(error)
        }
    }
}

/// Reads a body, and says whether that was all of it or its beginning only. Each piece of it holds
/// on to the buffer that it was read into, which may be many times its size: so none is kept.
async fn read_into(
    room: &mut BytesMut,
    mut body: Body,
    largest: usize,
) -> Result<bool, kube::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            if data.len() > largest.saturating_sub(room.len()) {
                return Ok(false);
            }
            room.extend_from_slice(&data);
        }
    }
    Ok(true)
}

/// The address of a page without the token that says where it begins: it is long and tells nobody
/// anything.
fn without_token(uri: &str) -> String {
    match uri.split_once("continue=") {
        Some((front, rest)) => {
            let rest = rest.split_once('&').map_or("", |(_, rest)| rest);
            let separator = if rest.is_empty() { "" } else { "&" };
            format!("{front}continue=...{separator}{rest}")
        }
        None => uri.to_owned(),
    }
}

/// What the server warns of, whatever else it says.
fn warnings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(WARNING).iter();
    let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.flat_map(|value| warning::texts(&value)).collect()
}

fn header<'h>(headers: &'h HeaderMap, name: &http::HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// `Sat, 21 Nov 2026 02:13:08 GMT`
fn read_date(text: &str) -> Option<Timestamp> {
    let rfc2822 = jiff::fmt::rfc2822::DateTimeParser::new();
    rfc2822.parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::without_token;

    #[test]
    fn tokens_are_cut_out() {
        assert_eq!(without_token("/x?limit=5"), "/x?limit=5");
        assert_eq!(
            without_token("/x?limit=5&continue=abc"),
            "/x?limit=5&continue=..."
        );
        assert_eq!(
            without_token("/x?continue=abc&watch=true"),
            "/x?continue=...&watch=true"
        );
    }
}
