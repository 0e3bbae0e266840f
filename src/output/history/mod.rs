//! The past runs of `CronJob`s, in every format.

mod columns;
mod markdown;
mod text;

use std::borrow::Cow;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Answer, Documented, Format, Formats, separated};
use super::columns::{ListingColumn, csv_columns};
use super::contexts::{self, ContextAnswers};
use super::csv::{self, Records};
use super::each::Each;
use super::envelope::{DocumentBody, DocumentHeader, Envelope};
use cronjob_diagnosis::history::{CronJobHistory, History, Reliability};
use kube_model::CronJob;

use columns::HistoryRow;
use markdown::markdown;
pub use text::text;
use text::{View, overview};
pub(super) use text::{percentiles_text, starts_in_words, worded};

/// What `history` found.
pub(crate) struct HistoryAnswer<'a> {
    pub past: ContextAnswers<ContextHistory<'a>>,
    /// Whether a recorder was asked, too.
    pub is_recorded: bool,
    pub with_headings: bool,
    /// Whether the text has a line for each `CronJob`.
    pub is_overview: bool,
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
                let (columns, headings) = (columns(history.is_recorded), history.with_headings);
                csv::write(out, &columns, &history.past, headings, |past, records| {
                    let mut items = past.items.iter();
                    items.try_for_each(|item| write_runs(&item, records))
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
            .map(|_, past| document(past.header, || past.items.iter(), Reliability::of))
    }
}

impl HistoryAnswer<'_> {
    fn text(&self, out: &mut dyn Write, wide: bool) -> io::Result<()> {
        contexts::sections(out, &self.past, |out, past| {
            if self.is_overview && !wide {
                return overview(
                    out,
                    past.items.iter(),
                    (self.is_recorded, self.with_headings),
                );
            }
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

/// A document that another one may follow. Figures of a part of the runs would mislead.
#[cfg(feature = "cluster")]
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

/// The document for all CronJobs of one call, whose histories are made while they are written.
pub(super) fn document<'a, 'h, I: Iterator<Item = CronJobHistory<'h>> + 'a>(
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

/// The columns of CSV. Only with a recorder, there is one with the source.
fn columns(is_recorded: bool) -> Vec<&'static ListingColumn<HistoryRow<'static>>> {
    let mut columns = csv_columns::<HistoryRow<'_>>();
    columns.retain(|column| is_recorded || column.in_csv() != Some(HistoryRow::SOURCE));
    columns
}

/// The past runs of one `CronJob` as comma-separated values.
pub fn csv(out: &mut dyn Write, item: &CronJobHistory<'_>) -> io::Result<()> {
    let columns = columns(item.history.recorded.is_some());
    csv::write(
        out,
        &columns,
        &ContextAnswers::one(item),
        true,
        |item, records| write_runs(item, records),
    )
}

fn write_runs(
    item: &CronJobHistory<'_>,
    records: &mut Records<'_, HistoryRow<'static>>,
) -> io::Result<()> {
    let view = View::wide(item);
    let mut rows = HistoryRow::all(&view);
    rows.try_for_each(|row| records.push(&row))
}
