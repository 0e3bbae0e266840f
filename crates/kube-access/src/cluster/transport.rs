//! Sends requests with a timeout and a size limit, and retries them where that may help.

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
use super::api_request::ApiRequest;
use super::deadline::{Deadline, TimeLimit};
use super::error::{ClusterError, seconds};
use super::interruption::Interruption;
use super::login::{LoggedIn, Login};
use super::status::Status;
use super::unreachable::unreachable;
use super::warning;

/// The most attempts of a request.
const TRIES: u32 = 4;
/// The pause after the first attempt; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The shortest pause that is reported.
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// How much of an error page is read.
const LARGEST_REFUSAL: usize = 1 << 20;

#[derive(Clone)]
pub(super) struct Transport {
    pub(super) login: Arc<Login>,
    /// The address of the server, for messages.
    pub(super) server: String,
    pub(super) proxy: Option<String>,
    /// The request timeout, for all attempts together.
    pub(super) timeout: Option<TimeLimit>,
    /// The end of all requests about one of several contexts.
    pub(super) context_end: Option<Deadline>,
    pub(super) interruption: &'static Interruption,
    /// Called with a log line for each request.
    pub(super) trace: Option<fn(&str)>,
    /// Called with the reason why a response takes long.
    pub(super) notice: Option<fn(&str)>,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) body: Bytes,
    pub(super) is_protobuf: bool,
    pub(super) date: Option<Timestamp>,
    pub(super) warnings: Vec<String>,
}

enum RequestFailure {
    Final(ClusterError),
    /// Retrying may help, after a pause that the server may choose.
    Passing(ClusterError, Option<Duration>),
}

impl Transport {
    pub(super) async fn get(&self, uri: &str, accept: &str) -> Result<Response, ClusterError> {
        self.send(&ApiRequest::read(uri, accept)).await
    }

    /// Sends a request, and again after temporary errors. A change is sent again only if the server reports that nothing
    /// was done: otherwise the caller has to check whether the change was made.
    pub(super) async fn send(
        &self,
        api_request: &ApiRequest<'_>,
    ) -> Result<Response, ClusterError> {
        self.send_into(BytesMut::new(), api_request).await
    }

    /// Sends a request as [`Self::send`] does, into an existing buffer. A new buffer per page of a list would fragment
    /// the heap between the objects that are kept.
    pub(super) async fn send_into(
        &self,
        mut buffer: BytesMut,
        api_request: &ApiRequest<'_>,
    ) -> Result<Response, ClusterError> {
        let mut tries = Tries::new(self, api_request);
        loop {
            if self.interruption.is_over() {
                return Err(self.interrupted(api_request, false));
            }
            let login = self.login.current().await;
            let attempt = tries.in_time(self.attempt(&mut buffer, api_request, &login));
            let failure = match self.interruption.unless_over(attempt).await {
                None => return Err(self.interrupted(api_request, true)),
                Some(Ok(answer)) => return Ok(answer),
                Some(Err(failure)) => failure,
            };
            tries.after(failure, &login).await?;
        }
    }

    /// Opens a stream: a watch or a log.
    pub(super) async fn stream(
        &self,
        uri: &str,
        accept: &str,
    ) -> Result<http::Response<Body>, ClusterError> {
        let api_request = ApiRequest::read(uri, accept);
        let mut tries = Tries::new(self, &api_request);
        loop {
            let login = self.login.current().await;
            match tries.in_time(self.open(&api_request, &login)).await {
                Ok(response) => return Ok(response),
                Err(failure) => tries.after(failure, &login).await?,
            }
        }
    }

    /// When a request that is sent now times out.
    pub(super) fn deadline(&self) -> Option<Deadline> {
        let of_request = self.timeout.and_then(TimeLimit::deadline);
        Deadline::earliest([of_request, self.context_end])
    }

    async fn attempt(
        &self,
        buffer: &mut BytesMut,
        api_request: &ApiRequest<'_>,
        login: &LoggedIn,
    ) -> Result<Response, RequestFailure> {
        let response = self.open(api_request, login).await?;
        let headers = response.headers();
        let is_protobuf = header(headers, &CONTENT_TYPE)
            .is_some_and(|value| value.starts_with(super::wire::CONTENT_TYPE));
        let date = header(headers, &DATE).and_then(read_date);
        let warnings = warnings(headers);
        buffer.clear();
        match read_into(buffer, response.into_body(), api_request.largest).await {
            Ok(true) => {}
            Ok(false) => {
                buffer.clear();
                let largest = api_request.largest >> 20;
                let why = format!("larger than {largest} MiB");
                return Err(RequestFailure::Final(
                    self.strange(&api_request.name(), why),
                ));
            }
            Err(error) => {
                let error = self.broken_off(&api_request.name(), &error);
                return Err(RequestFailure::of(error, api_request.is_harmless, None));
            }
        }
        Ok(Response {
            body: std::mem::take(buffer).freeze(),
            is_protobuf,
            date,
            warnings,
        })
    }

    /// The headers of a successful response; its body is not read yet.
    async fn open(
        &self,
        api_request: &ApiRequest<'_>,
        login: &LoggedIn,
    ) -> Result<http::Response<Body>, RequestFailure> {
        let request = api_request.request().map_err(RequestFailure::Final)?;
        let begun = Instant::now();
        let response = login.client.clone().send(request).await.map_err(|error| {
            let way = match &self.proxy {
                Some(proxy) => format!("{} through proxy {proxy}", self.server),
                None => self.server.clone(),
            };
            let (error, passing) = unreachable(&way, &error);
            RequestFailure::of(error, passing && api_request.is_harmless, None)
        })?;
        let code = response.status();
        if let Some(trace) = self.trace {
            let milliseconds = begun.elapsed().as_millis();
            let (method, uri) = (&api_request.method, without_token(api_request.uri));
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
            // The query may contain secrets.
            let place = place.split_once('?').map_or(place, |(place, _)| place);
            let place = without_credentials(place);
            let error = self.strange(&api_request.name(), format!("redirect to {place}"));
            return Err(RequestFailure::Final(error));
        }
        let wanted = header(response.headers(), &RETRY_AFTER)
            .and_then(|seconds| seconds.parse().ok())
            .map(Duration::from_secs);
        let warnings = warnings(response.headers());
        let mut body = BytesMut::new();
        // The code is sufficient if the body is lost.
        let _ = read_into(&mut body, response.into_body(), LARGEST_REFUSAL).await;
        let mut status = Status::read(code.as_u16(), &body.freeze());
        status.warnings = warnings;
        let error = ClusterError::Refused {
            status: Box::new(status),
        };
        let passing = code == StatusCode::TOO_MANY_REQUESTS
            || api_request.is_harmless
                && matches!(
                    code,
                    StatusCode::INTERNAL_SERVER_ERROR
                        | StatusCode::BAD_GATEWAY
                        | StatusCode::SERVICE_UNAVAILABLE
                        | StatusCode::GATEWAY_TIMEOUT
                );
        Err(RequestFailure::of(error, passing, wanted))
    }

    fn interrupted(&self, api_request: &ApiRequest<'_>, sent: bool) -> ClusterError {
        ClusterError::Interrupted {
            server: self.server.clone(),
            request: api_request.name(),
            sent,
        }
    }

    /// The output of the future, or an error at the deadline. The request is as [`ApiRequest::name`] names it.
    pub(super) async fn until<T>(
        &self,
        deadline: Option<Deadline>,
        request: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, ClusterError> {
        let Some(Deadline { end, limit }) = deadline else {
            return Ok(future.await);
        };
        timeout_at(end, future)
            .await
            .map_err(|_| ClusterError::Timeout {
                server: self.server.clone(),
                request: request.to_owned(),
                limit,
            })
    }

    /// The error of a response that was cut off. The request is as [`ApiRequest::name`] names it.
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

    /// The error of an unexpected response to a GET request.
    pub(super) fn not_kubernetes(&self, uri: &str, why: impl Into<String>) -> ClusterError {
        self.strange(&ApiRequest::read(uri, "").name(), why)
    }

    /// The error of an unexpected response to a request.
    pub(super) fn strange(&self, request: &str, why: impl Into<String>) -> ClusterError {
        ClusterError::NotKubernetes {
            server: self.server.clone(),
            request: request.to_owned(),
            why: why.into(),
        }
    }
}

struct Tries<'a> {
    transport: &'a Transport,
    api_request: &'a ApiRequest<'a>,
    deadline: Option<Deadline>,
    pause: Duration,
    number: u32,
    renewed: bool,
}

impl<'a> Tries<'a> {
    fn new(transport: &'a Transport, api_request: &'a ApiRequest<'a>) -> Self {
        Tries {
            transport,
            api_request,
            deadline: transport.deadline(),
            pause: FIRST_PAUSE,
            number: 1,
            renewed: false,
        }
    }

    /// Waits for an attempt until the timeout.
    async fn in_time<T>(
        &self,
        attempt: impl Future<Output = Result<T, RequestFailure>>,
    ) -> Result<T, RequestFailure> {
        let name = self.api_request.name();
        let attempt = self.transport.until(self.deadline, &name, attempt);
        attempt.await.map_err(RequestFailure::Final)?
    }

    /// Waits for the next attempt, or returns the error if there is none.
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
        let is_late = |deadline: &Deadline| next.is_none_or(|next| next >= deadline.end);
        let late = self.deadline.filter(is_late);
        if self.number == TRIES || late.is_some() {
            return Err(match (error, wanted, late) {
                (ClusterError::Refused { status }, Some(pause), Some(Deadline { limit, .. })) => {
                    ClusterError::Later {
                        status,
                        pause,
                        limit,
                    }
                }
                (error, ..) => error,
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

    /// Renews the credentials once if the server rejected them.
    async fn log_in_again(
        &mut self,
        error: ClusterError,
        login: &LoggedIn,
    ) -> Result<(), ClusterError> {
        let Transport {
            login: current,
            interruption,
            ..
        } = self.transport;
        let is_rejected = error.status().is_some_and(|status| status.code == 401);
        if self.renewed || !is_rejected {
            return Err(error);
        }
        let renewed = interruption
            .unless_over(current.renew(login, self.transport.deadline()))
            .await;
        if !renewed.transpose()?.unwrap_or(false) {
            return Err(error);
        }
        self.renewed = true;
        self.deadline = self.transport.deadline();
        Ok(())
    }
}

impl RequestFailure {
    fn of(error: ClusterError, passing: bool, wanted: Option<Duration>) -> Self {
        if passing {
            RequestFailure::Passing(error, wanted)
        } else {
            RequestFailure::Final(error)
        }
    }
}

/// Reads a body, and returns whether it was complete. Each chunk keeps the buffer that it was read
/// into alive, which may be many times its size, so chunks are copied.
async fn read_into(
    buffer: &mut BytesMut,
    mut body: Body,
    largest: usize,
) -> Result<bool, kube::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            if data.len() > largest.saturating_sub(buffer.len()) {
                return Ok(false);
            }
            buffer.extend_from_slice(&data);
        }
    }
    Ok(true)
}

/// The address of a page without the continue token, which is long and meaningless.
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
    fn continue_tokens_are_cut_out_of_traced_addresses() {
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
