//! The past runs of `CronJob`s, in every format.

mod markdown;
mod text;

use std::borrow::Cow;
use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Answer, Documented, Format, Formats, separated};
use super::contexts::{self, ContextAnswers};
use super::csv::{optional, record};
use super::each::Each;
use super::envelope::{DocumentBody, DocumentHeader, Envelope};
use crate::diagnose::local_time;
use crate::history::{
    CronJobHistory, History, RecordedRun, Reliability, RunReason, RunSource, RunStatus,
};
use crate::model::CronJob;

use markdown::markdown;
pub(super) use text::percentiles_text;
pub use text::text;

/// What `history` found.
pub(crate) struct HistoryAnswer<'a> {
    pub past: ContextAnswers<ContextHistory<'a>>,
    pub with_headings: bool,
}

/// The past runs of the `CronJob`s of a context.
pub(crate) struct ContextHistory<'a> {
    pub header: &'a DocumentHeader,
    /// They are computed while they are written: a recorder may have stored millions.
    pub items: Each<'a, CronJobHistory<'a>>,
}

impl Answer for HistoryAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, history| history.text(out, false))
            .and(Format::Wide, |out, history| history.text(out, true))
            .and_documents()
            .and(Format::Csv, |out, history| {
                let headings = history.with_headings;
                contexts::csv(out, &history.past, headings, |out, past, headings| {
                    csv(out, past.items.iter(), headings)
                })
            })
            .and(Format::Markdown, |out, history| {
                contexts::markdown_sections(out, &history.past, |out, past| {
                    markdown(out, past.header, past.items.iter())
                })
            })
    }
}

impl Documented for HistoryAnswer<'_> {
    fn document(&self) -> impl Serialize {
        self.past
            .map(|_, past| document(past.header, || past.items.iter()))
    }
}

impl HistoryAnswer<'_> {
    fn text(&self, out: &mut dyn Write, wide: bool) -> io::Result<()> {
        contexts::sections(out, &self.past, |out, past| {
            separated(out, past.items.iter(), |out, item| {
                text(out, &item, wide, self.with_headings)
            })
        })
    }
}

/// What happened to past runs: `history -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "History")]
#[serde(rename_all = "camelCase")]
pub struct HistoryDocument<'a> {
    #[serde(flatten)]
    header: &'a DocumentHeader,
    /// The past runs of each `CronJob`.
    items: Each<'a, HistoryItem<'a>>,
    /// The value of `continue` for the next page, if there is one; only from the recorder's API.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl DocumentBody for HistoryDocument<'_> {}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Past")]
#[serde(rename_all = "camelCase")]
struct HistoryItem<'a> {
    /// The namespace of the `CronJob`.
    namespace: String,
    /// The name of the `CronJob`.
    name: String,
    /// `spec.schedule`
    schedule: String,
    /// `spec.timeZone`
    time_zone: Option<String>,
    #[serde(flatten)]
    history: Cow<'a, History>,
    /// How many of the due runs succeeded in time; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    reliability: Option<Reliability>,
}

impl<'a> HistoryItem<'a> {
    fn new(
        cron_job: &CronJob,
        history: Cow<'a, History>,
        reliability: Option<Reliability>,
    ) -> Self {
        HistoryItem {
            reliability,
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            schedule: cron_job.spec.schedule.clone(),
            time_zone: cron_job.spec.time_zone.clone(),
            history,
        }
    }
}

/// The document for all CronJobs of one call, whose histories are made while they are written.
fn document<'a, 'h, I: Iterator<Item = CronJobHistory<'h>> + 'a>(
    header: &'a DocumentHeader,
    histories: impl Fn() -> I + 'a,
) -> Envelope<HistoryDocument<'a>> {
    with_reliability(header, histories, Reliability::of)
}

/// A document that another one may follow. Figures of a part of the runs would mislead.
pub(crate) fn page<'a>(
    header: &'a DocumentHeader,
    items: &'a [CronJobHistory<'a>],
    next: Option<String>,
) -> Envelope<HistoryDocument<'a>> {
    let past = |item: &'a CronJobHistory<'a>| {
        HistoryItem::new(
            &item.facts.input.cron_job,
            Cow::Borrowed(&item.history),
            None,
        )
    };
    HistoryDocument {
        header,
        items: Each::of(move || items.iter().map(past)),
        next,
    }
    .into()
}

/// The same for a report, which has the reliability elsewhere.
pub(super) fn document_of_report<'a, I: Iterator<Item = CronJobHistory<'a>> + 'a>(
    header: &'a DocumentHeader,
    histories: impl Fn() -> I + 'a,
) -> Envelope<HistoryDocument<'a>> {
    with_reliability(header, histories, |_| None)
}

fn with_reliability<'a, 'h, I: Iterator<Item = CronJobHistory<'h>> + 'a>(
    header: &'a DocumentHeader,
    histories: impl Fn() -> I + 'a,
    reliability: fn(&CronJobHistory<'_>) -> Option<Reliability>,
) -> Envelope<HistoryDocument<'a>> {
    let past = move |item: CronJobHistory<'h>| {
        let reliability = reliability(&item);
        HistoryItem::new(
            &item.facts.input.cron_job,
            Cow::Owned(item.history),
            reliability,
        )
    };
    HistoryDocument {
        header,
        items: Each::of(move || histories().map(past)),
        next: None,
    }
    .into()
}

const HEADINGS: &str = "namespace,name,kind,scheduledTime,localTime,status,jobName,startedAt,finishedAt,\
    result,delaySeconds,durationSeconds,cause,reason";

/// What differs between the records of a `CronJob`.
struct Record<'a> {
    kind: &'static str,
    scheduled_time: Option<Timestamp>,
    status: Option<RunStatus>,
    run: Option<&'a RecordedRun>,
    reason: Option<&'a RunReason>,
    source: Option<RunSource>,
}

/// Comma-separated values: a record for each scheduled time and each other Job. `kind` is `scheduled`,
/// `offSchedule` or `manual`. With a recorder there is a last column with the source.
pub fn csv<'a>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = CronJobHistory<'a>>,
    with_headings: bool,
) -> io::Result<()> {
    let mut items = items.into_iter().peekable();
    let first = items.peek();
    let with_source = first.is_some_and(|item| item.history.recorded.is_some());
    if with_headings {
        let source = with_source.then_some("source");
        record(out, HEADINGS.split(',').chain(source))?;
    }
    for item in items {
        let history = &item.history;
        let scheduled = history.runs.iter().map(|(at, entry)| Record {
            kind: "scheduled",
            scheduled_time: Some(at),
            status: Some(entry.known_status()),
            run: entry.run.as_ref(),
            reason: entry.known_reason(),
            source: entry.source,
        });
        let off_schedule = history.off_schedule.iter().map(|stray| Record {
            kind: "offSchedule",
            scheduled_time: Some(stray.scheduled_time),
            status: None,
            run: Some(&stray.run),
            reason: Some(&stray.reason),
            source: stray.run.source,
        });
        let manual = history.manual.iter().map(|run| Record {
            kind: "manual",
            scheduled_time: None,
            status: None,
            run: Some(run),
            reason: None,
            source: run.source,
        });
        for one in scheduled.chain(off_schedule).chain(manual) {
            write_record(out, &item, &one, with_source)?;
        }
    }
    Ok(())
}

fn write_record(
    out: &mut dyn Write,
    item: &CronJobHistory<'_>,
    one: &Record<'_>,
    with_source: bool,
) -> io::Result<()> {
    let run = one.run;
    let zone = item.facts.zone().time_zone();
    let local = one.scheduled_time.map(|at| local_time(at, zone));
    let result = run.and_then(RecordedRun::known_result);
    let source = one.source.map_or("", |source| source.as_str());
    record(
        out,
        [
            item.facts.input.cron_job.namespace.as_str(),
            &item.facts.input.cron_job.name,
            one.kind,
            &optional(one.scheduled_time),
            &optional(local),
            one.status.map_or("", |status| status.as_str()),
            run.map_or("", |run| &run.job_name),
            &optional(run.and_then(|run| run.started_at)),
            &optional(run.and_then(|run| run.finished_at)),
            result.map_or("", |result| result.as_str()),
            &optional(run.and_then(|run| run.delay_seconds)),
            &optional(run.and_then(|run| run.duration_seconds)),
            one.reason.map_or("", |reason| &*reason.code),
            one.reason.map_or("", |reason| &reason.detail),
        ]
        .into_iter()
        .chain(with_source.then_some(source)),
    )
}
