//! `GET /api/v1/history`: the document of `history -o json`, from what is stored and what is left in the cluster.

use std::ops::Range;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use percent_encoding::percent_decode_str;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::page::ReportInput;
use super::response::{ContentType, Document};
use super::{Event, EventSender, ask};
use crate::cli::world::document_header;
use crate::output::history::page;
use crate::recorder::{RunStore, StoreError, is_possible_name};
use cronjob_controller::controller::Controller;
use cronjob_controller::upcoming::timetable;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow};
use cronjob_text::duration::later;
use kube_model::{CronJob, CronJobEvidence, CronJobRecord, ObjectKey, RunKind, StoredRun};

/// The most runs, Jobs and watched intervals of a response, of about 600 bytes each: another page follows.
const MOST_ROWS: usize = 1_000;
/// What a `CronJob` needs in a response beside its runs, in rows.
const ROWS_OF_CRON_JOB: usize = 2;

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
}

impl RecordedHistory {
    pub(super) fn new(store: RunStore) -> Self {
        RecordedHistory {
            store: Arc::new(Mutex::new(store)),
        }
    }

    /// Reads from the store, in a thread that may wait; `None` if that fails.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&RunStore) -> Result<T, StoreError>,
    ) -> Option<T> {
        read(&self.store.blocking_lock()).ok()
    }

    /// The document, or why there is none.
    pub(super) async fn answer(
        &self,
        request: HistoryRequest,
        events: &EventSender,
    ) -> Result<Arc<Document>, String> {
        let store = Arc::clone(&self.store).lock_owned().await;
        let input = ask(events, Event::Report).await?;
        let answer = spawn_blocking(move || compute(&store, &request, &input)).await;
        let answer = answer.map_err(|error| error.to_string())?;
        answer.map_err(|error| format!("cannot read recorded runs: {error}"))
    }
}

fn compute(
    store: &RunStore,
    request: &HistoryRequest,
    input: &ReportInput,
) -> Result<Arc<Document>, StoreError> {
    let basis = &input.world.basis;
    let controller = &basis.controller;
    let intervals = store.intervals()?;
    let (mut parts, mut rows, mut next) = (Vec::new(), 0, None);
    for key in store.names(request.namespace.as_deref())? {
        let from = request.next.as_ref();
        let within = from.and_then(|next| next.since);
        let from = from.map(|next| (&next.namespace, &next.name));
        let place = (&key.namespace, &key.name);
        let is_begun = from == Some(place);
        let is_before = from.is_some_and(|from| place < from) || is_begun && within.is_none();
        if is_before
            || request
                .name
                .as_ref()
                .is_some_and(|wanted| *wanted != key.name)
        {
            continue;
        }
        let remainder = Remainder {
            store,
            intervals: &intervals,
            since: within.filter(|_| is_begun).or(request.since),
            until: request.until,
            most: MOST_ROWS.saturating_sub(rows).max(1),
        };
        let part = remainder.read(&key, input, controller)?;
        rows += part.rows;
        let rest = part.rest;
        parts.push(part);
        if rest.is_some() || rows >= MOST_ROWS {
            next = Some(Position {
                namespace: key.namespace,
                name: key.name,
                since: rest,
            });
            break;
        }
    }
    let header = document_header(basis);
    let items: Vec<CronJobHistory<'_>> = parts
        .iter()
        .map(|part| CronJobHistory::of(input.world.facts(&part.evidence), &part.window))
        .collect();
    let mut body = Vec::new();
    // Writing into memory does not fail.
    let _ = crate::output::json(
        &mut body,
        &page(&header, &items, next.map(|next| next.text())),
    );
    // It may take a client long to receive it.
    body.shrink_to_fit();
    Ok(Document::new(ContentType::Json, body))
}

/// What still fits on a page, of a `CronJob`.
struct Remainder<'a> {
    store: &'a RunStore,
    intervals: &'a [Range<Timestamp>],
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    most: usize,
}

/// What a page has of a `CronJob`.
struct Part {
    evidence: CronJobEvidence,
    window: HistoryWindow,
    /// Where the next page continues, if there is more.
    rest: Option<Timestamp>,
    rows: usize,
}

impl Remainder<'_> {
    fn read(
        &self,
        key: &ObjectKey,
        input: &ReportInput,
        controller: &Controller,
    ) -> Result<Part, StoreError> {
        let now = input.world.basis.now;
        let (namespace, name) = (&key.namespace, &key.name);
        // By namespace and name.
        let found = input.all_evidence.binary_search_by(|one| {
            let of = &one.cron_job;
            (&of.namespace, &of.name).cmp(&(namespace, name))
        });
        let known = found.ok().and_then(|index| input.all_evidence.get(index));
        let mut evidence = match known {
            Some(known) => CronJobEvidence::clone(known),
            None => self.store.last_known(namespace, name)?,
        };
        let since = self.since.unwrap_or(Timestamp::MIN);
        let record = self
            .store
            .record(namespace, name, self.intervals, since, self.most)?;
        let mut until = self.until;
        if known.is_none() {
            evidence.cron_job.set_gone(now);
            until = until.into_iter().chain(record.last_seen()).min();
        }
        let is_within = |at: &Timestamp| until.is_none_or(|until| *at <= until);
        let first = first_time(&evidence, &record).filter(is_within);
        let since = match self.since {
            Some(since) => Some(first.map_or(since, |first| since.max(first))),
            None => record.begins(),
        };
        // Most scheduled times have a stored run, but not those at which the recorder was not watching.
        let (mut times, mut full_at) = (0, None);
        if let Some(since) = since {
            let end = until.unwrap_or(now).min(now);
            for at in scheduled_times(controller, &evidence.cron_job, since, end) {
                if times == self.most {
                    full_at = Some(at);
                    break;
                }
                times += 1;
            }
        }
        let is_wanted = |at: &Timestamp| self.until.is_none_or(|until| *at <= until);
        let rest = record.cut_at.filter(is_wanted);
        let rest = rest.into_iter().chain(full_at).min();
        let is_scheduled = |run: &&StoredRun| run.kind == RunKind::Scheduled;
        let scheduled = record.runs.iter().filter(is_scheduled).count();
        let others = record.runs.len() - scheduled;
        let watched = record.watched.iter().filter(|one| Some(one.end) > since);
        let rows = times.max(scheduled) + others + evidence.jobs.len() + watched.count();
        // What was left out is on the next page.
        let last = rest.map(|rest| later(rest, SignedDuration::from_secs(-1)));
        evidence.record = Some(Arc::new(record));
        Ok(Part {
            evidence,
            window: HistoryWindow {
                since,
                until: last.into_iter().chain(until).min(),
            },
            rest,
            rows: rows + ROWS_OF_CRON_JOB,
        })
    }
}

/// The first time that is known of a `CronJob`.
fn first_time(one: &CronJobEvidence, record: &CronJobRecord) -> Option<Timestamp> {
    let created = one.jobs.iter().map(|job| job.creation_timestamp);
    let of_cron_job = [
        record.begins(),
        one.cron_job.creation_timestamp,
        one.cron_job.status.last_schedule_time,
    ];
    created.chain(of_cron_job).flatten().min()
}

/// The scheduled times from one time until another.
pub(super) fn scheduled_times(
    controller: &Controller,
    cron_job: &CronJob,
    since: Timestamp,
    until: Timestamp,
) -> impl Iterator<Item = Timestamp> {
    let before = later(since, SignedDuration::from_secs(-1));
    let anchor = cron_job.anchor().filter(|anchor| *anchor < before);
    let timetable = timetable(controller, cron_job).ok();
    let mut at = timetable
        .as_ref()
        .map(|timetable| anchor.map_or(before, |anchor| timetable.search_start(anchor, before)));
    let times = std::iter::from_fn(move || {
        let next = timetable.as_ref()?.next(at?).ok().flatten();
        // A search that does not advance has found all.
        at = next.filter(|next| Some(*next) > at);
        at
    });
    times
        .skip_while(move |at| *at < since)
        .take_while(move |at| *at <= until)
}
