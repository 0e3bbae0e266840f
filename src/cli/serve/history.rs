//! `GET /api/v1/history`: the document of `history -o json`, from what is stored and what is left in the cluster.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use percent_encoding::percent_decode_str;
use prost::bytes::Bytes;
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::task::spawn_blocking;

use super::page::ReportInput;
use super::response_places::{ResponsePlace, ResponsePlaces};
use super::{Event, EventSender};
use crate::cli::complain;
use crate::cli::world::document_header;
use crate::diagnose::Facts;
use crate::duration::later;
use crate::history::{CronJobHistory, HistoryWindow};
use crate::model::{CronJobEvidence, ObjectKey};
use crate::output::history::page;
use crate::recorder::{RunStore, StoreError, is_possible_name};

/// The most runs of a response: another page follows.
const MOST_RUNS: usize = 20_000;
/// The most CronJobs of a response.
const MOST_CRON_JOBS: usize = 500;
/// The most responses that are computed or sent at the same time: a slow client keeps one of them in memory.
const MOST_RESPONSES: usize = 4;
/// A client has at least this long to receive its response, however many others wait.
const TO_RECEIVE_IN_A_CROWD: Duration = Duration::from_secs(3);

/// What a request asks for. Each parameter is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HistoryRequest {
    namespace: Option<String>,
    name: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    next: Option<Position>,
}

/// Where a page begins: after a `CronJob`, or within its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    namespace: String,
    name: String,
    since: Option<Timestamp>,
}

impl HistoryRequest {
    /// Reads the query of a request.
    pub(super) fn read(query: &str) -> Result<Self, String> {
        let mut request = HistoryRequest::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8();
            let value = value
                .map_err(|_| format!("{name}: not UTF-8"))?
                .into_owned();
            let time = || {
                value
                    .parse()
                    .map_err(|_| format!("{name}: must be a time in RFC 3339"))
            };
            let is_place = matches!(name, "namespace" | "name");
            let has_dots = name == "namespace" && (value.contains('.') || value.len() > 63);
            if is_place && (has_dots || !is_possible_name(&value)) {
                return Err(format!("{name}: not a valid name"));
            }
            match name {
                "namespace" => request.namespace = Some(value),
                "name" => request.name = Some(value),
                "since" => request.since = Some(time()?),
                "until" => request.until = Some(time()?),
                "continue" => {
                    let next = Position::read(&value);
                    request.next = Some(next.ok_or("continue: not a value of this server")?);
                }
                _ => {
                    let known = "namespace, name, since, until and continue";
                    return Err(format!(
                        "unknown parameter {name}: this server knows {known}"
                    ));
                }
            }
        }
        Ok(request)
    }
}

impl Position {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '/');
        let (namespace, name) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let since = parts.next().map(str::parse).transpose().ok()?;
        Some(Position {
            namespace,
            name,
            since,
        })
    }

    fn text(&self) -> String {
        let since = self
            .since
            .map_or_else(String::new, |since| format!("/{since}"));
        format!("{}/{}{since}", self.namespace, self.name)
    }
}

/// Answers from the file of the recorder. One answer is computed at a time.
#[derive(Clone)]
pub(super) struct RecordedHistory {
    store: Arc<Mutex<RunStore>>,
    places: ResponsePlaces,
}

/// A response that keeps its place until it was sent.
struct SentBody {
    bytes: Bytes,
    _place: ResponsePlace,
}

impl AsRef<[u8]> for SentBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl RecordedHistory {
    pub(super) fn new(store: RunStore) -> Self {
        RecordedHistory {
            store: Arc::new(Mutex::new(store)),
            places: ResponsePlaces::new(MOST_RESPONSES, TO_RECEIVE_IN_A_CROWD),
        }
    }

    /// The document; `None` if it cannot be computed. `cut_off` is notified if a slow client must make place.
    pub(super) async fn answer(
        &self,
        request: HistoryRequest,
        events: &EventSender,
        cut_off: &Arc<Notify>,
    ) -> Option<Bytes> {
        let mut place = self.places.take().await?;
        let store = Arc::clone(&self.store).lock_owned().await;
        let (reply, input) = oneshot::channel();
        events.send(Event::Report(reply)).ok()?;
        let input = input.await.ok()?;
        let answer = spawn_blocking(move || compute(&store, &request, &input))
            .await
            .ok()?;
        let answer =
            answer.map_err(|error| complain(&format!("cannot read recorded runs: {error}")));
        let bytes = answer.ok()?;
        place.begin_sending(cut_off);
        Some(Bytes::from_owner(SentBody {
            bytes,
            _place: place,
        }))
    }
}

fn compute(
    store: &RunStore,
    request: &HistoryRequest,
    input: &ReportInput,
) -> Result<Bytes, StoreError> {
    let basis = &input.world.basis;
    let controller = basis.controller();
    let intervals = store.intervals()?;
    let mut all_evidence = Vec::new();
    let (mut count, mut next) = (0, None);
    for ObjectKey { namespace, name } in store.names(request.namespace.as_deref())? {
        let from = request
            .next
            .as_ref()
            .map(|next| (&next.namespace, &next.name));
        let within = request.next.as_ref().and_then(|next| next.since);
        let is_begun = from == Some((&namespace, &name));
        let is_before =
            from.is_some_and(|from| (&namespace, &name) < from) || is_begun && within.is_none();
        if is_before || request.name.as_ref().is_some_and(|wanted| *wanted != name) {
            continue;
        }
        let since = within.filter(|_| is_begun).or(request.since);
        let remaining = MOST_RUNS.saturating_sub(count).max(1);
        let record = store.record(
            &namespace,
            &name,
            &intervals,
            since.unwrap_or(Timestamp::MIN),
            remaining,
        )?;
        let is_wanted = |at: &Timestamp| request.until.is_none_or(|until| *at <= until);
        let rest = record.cut_at.filter(is_wanted);
        count += record.runs.len();
        // By namespace and name.
        let found = input.all_evidence.binary_search_by(|one| {
            let of = &one.cron_job;
            (&of.namespace, &of.name).cmp(&(&namespace, &name))
        });
        let known = found.ok().and_then(|index| input.all_evidence.get(index));
        let mut one = match known {
            Some(known) => CronJobEvidence::clone(known),
            None => store.last_known(&namespace, &name)?,
        };
        // What was left out is on the next page.
        let last = rest.map(|rest| later(rest, SignedDuration::from_secs(-1)));
        let mut ends = vec![last, request.until];
        if known.is_none() {
            one.cron_job.set_gone(basis.now);
            ends.push(record.last_seen());
        }
        let until = ends.into_iter().flatten().min();
        one.record = Some(Arc::new(record));
        let since = since.or(one.record.as_ref().and_then(|record| record.begins()));
        all_evidence.push((one, HistoryWindow { since, until }));
        let is_full = all_evidence.len() >= MOST_CRON_JOBS || count >= MOST_RUNS;
        if rest.is_some() || is_full {
            next = Some(Position {
                namespace,
                name,
                since: rest,
            });
            break;
        }
    }
    let header = document_header(basis);
    let items: Vec<CronJobHistory<'_>> = all_evidence
        .iter()
        .map(|(one, window)| {
            let (coverage, now) = (input.world.coverage, basis.now);
            let facts = Facts::of(&controller, &basis.kubectl, one, coverage, now);
            CronJobHistory::of(facts, window)
        })
        .collect();
    let mut body = Vec::new();
    // Writing into memory does not fail.
    let _ = crate::output::json(
        &mut body,
        &page(&header, &items, next.map(|next| next.text())),
    );
    // It may take a client long to receive it.
    body.shrink_to_fit();
    Ok(Bytes::from(body))
}
