//! The health of many `CronJob`s, in every format.

pub(crate) mod causes;
mod columns;
mod markdown;
mod prometheus;
#[cfg(feature = "cluster")]
pub(crate) mod served;
pub(crate) mod text;

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use columns::ScanRow;
use markdown::markdown;
use prometheus::prometheus;

pub(crate) use causes::causes;
pub(crate) use text::text;
pub(super) use text::{NEVER, NOTHING, summary_in_words};

use super::answer::{Answer, Documented, Format, Formats};
use super::columns::csv_columns;
use super::contexts::{self, ContextAnswers};
use super::csv;
use super::envelope::{DocumentBody, Envelope, ReadHeader};
use super::style::Meaning;
use cronjob_diagnosis::survey::{Health, RowOrder, ScanSelection, SurveyReport};
use cronjob_text::printable::printable;
use kube_cron::Zone;

/// What `scan` found.
pub(crate) struct ScanAnswer<'a> {
    pub scans: ContextAnswers<Scan<'a>>,
    pub layout: Layout,
    /// The command that explains the most severe row.
    pub next: Option<String>,
}

impl Answer for ScanAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, scan| scan.table(out, false))
            .and(Format::Wide, |out, scan| scan.table(out, true))
            .and_documents()
            .and(Format::Name, |out, scan| {
                let mut scans = scan.scans.each();
                scans.try_for_each(|(_, scan)| names(out, scan))
            })
            .and(Format::Csv, |out, scan| {
                let (columns, headings) = (csv_columns::<ScanRow<'_>>(), scan.layout.headings);
                csv::write(out, &columns, &scan.scans, headings, |scan, records| {
                    let mut rows = scan.report.rows.iter();
                    rows.try_for_each(|row| records.push(&ScanRow { row, scan }))
                })
            })
            .and(Format::Markdown, |out, scan| {
                contexts::markdown_sections(out, &scan.scans, markdown)
            })
            .and(Format::Prometheus, |out, scan| prometheus(out, &scan.scans))
    }
}

impl Documented for ScanAnswer<'_> {
    fn document(&self) -> impl Serialize {
        self.scans.map(|_, scan| document(scan))
    }
}

impl ScanAnswer<'_> {
    fn table(&self, out: &mut dyn Write, wide: bool) -> io::Result<()> {
        let layout = Layout {
            wide,
            ..self.layout
        };
        // Those who read a pipe are programs.
        let next = self.next.as_deref();
        let next = next.filter(|_| layout.headings && !wide && layout.width.is_some());
        text(out, &self.scans, layout, next)
    }
}

/// How the table is laid out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    pub wide: bool,
    /// The width of the terminal, if it is one: as many columns as fit are shown.
    pub width: Option<usize>,
    /// Whether a line that is wider than the terminal continues in another one.
    pub wraps: bool,
    /// The lines of the terminal, if what does not fit may be left out: healthy rows.
    pub height: Option<usize>,
    /// With the namespaces even if there is only one.
    pub namespaces: bool,
    /// The column that the rows are sorted by; it is shown then.
    pub order: RowOrder,
    /// With the line of headings, and the one that sums up.
    pub headings: bool,
}

pub(super) fn meaning(health: Health) -> Meaning {
    match health {
        Health::Ok | Health::Info => Meaning::Plain,
        Health::Warning => Meaning::Odd,
        Health::Error => Meaning::Bad,
    }
}

/// The health of many `CronJob`s: `scan -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScanReport")]
pub struct Scan<'a> {
    #[serde(flatten)]
    pub(crate) read: ReadHeader,
    /// The time zone that times are shown in, if not in UTC.
    #[serde(skip)]
    pub(crate) display: Option<Arc<Zone>>,
    /// The context, if several were asked for.
    #[serde(skip)]
    pub(crate) context: Option<&'a str>,
    /// Which `CronJob`s were selected.
    pub(crate) selection: ScanSelection,
    /// The rows and their summary.
    #[serde(flatten)]
    pub(crate) report: &'a SurveyReport,
}

impl Scan<'_> {
    fn now(&self) -> Timestamp {
        self.read.header.now
    }
}

impl DocumentBody for Scan<'_> {
    const TOTALS: Option<&'static str> = Some("summary");
}

pub(super) fn document<'a>(scan: &'a Scan<'a>) -> Envelope<&'a Scan<'a>> {
    scan.into()
}

/// The names, in the order of the rows, as kubectl's `-o name` has them.
fn names(out: &mut dyn Write, scan: &Scan<'_>) -> io::Result<()> {
    for row in &scan.report.rows {
        writeln!(out, "{}", printable(&row.resource_name()))?;
    }
    Ok(())
}
