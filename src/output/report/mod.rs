//! The report: an HTML page, and the same as a document.
//!
//! The page is self-contained: it makes no requests, and its content security policy forbids them. Counts, lists
//! and charts need no script. The explanations of the `CronJob`s are packed, and a script unfolds them. The page also
//! contains the document, which can be saved.

mod contexts;
mod document;
mod explanation;
mod findings;
mod history;
mod markup;
mod overview;
mod page;
mod past_runs;
mod reliability;
mod starts;
mod summary;
mod timeline;
mod week;

use std::io::Write;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use contexts::html_of_several;
pub use document::ReportDocument;
use document::document;
pub(crate) use page::html;

use super::answer::{Answer, Documented, Format, Formats};
use super::contexts::ContextAnswers;
use super::envelope::{DocumentHeader, ReadHeader};
use super::explain::ExplainHeader;
use super::load::ShownLoad;
use super::scan::Scan;
use super::version::TzdbVersion;
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_diagnosis::report::Report;
use cronjob_diagnosis::survey::ScanSelection;
use kube_cron::Zone;
use kube_model::{ObjectKey, UnreadResource};

/// When and from what a report is made.
pub(crate) struct ReportContext {
    pub header: DocumentHeader,
    /// Where its time is from: `server`, `flag` or `machine`.
    pub clock: &'static str,
    pub tzdb: TzdbVersion,
    pub source: EvidenceSource,
    pub lacks: Vec<UnreadResource>,
    pub selection: ScanSelection,
    /// The time zone of the days and hours shown.
    pub zone: Arc<Zone>,
    /// The start of the commands shown.
    pub kubectl: Kubectl,
    /// Other CronJobs that are recorded, with when the recorder noticed that they were deleted.
    pub deleted: Vec<(ObjectKey, Timestamp)>,
}

/// Where the evidence of a report is from.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Source")]
pub(crate) struct EvidenceSource {
    /// Name of the cluster; `None` for files.
    #[serde(skip)]
    pub cluster: Option<String>,
    /// URL of the API server; null for files.
    pub server: Option<String>,
    /// Namespace; null for all namespaces.
    pub namespace: Option<String>,
    /// Files and directories given with `-f`.
    pub files: Vec<String>,
}

pub(crate) struct ShownReport<'a> {
    context: &'a ReportContext,
    report: &'a Report,
    scan: Scan<'a>,
    load: ShownLoad<'a>,
    explain: ExplainHeader,
}

impl<'a> ShownReport<'a> {
    pub(crate) fn new(context: &'a ReportContext, report: &'a Report) -> Self {
        let controller = &context.header.controller;
        ShownReport {
            scan: Scan {
                read: ReadHeader {
                    header: context.header.clone(),
                    lacks: context.lacks.clone(),
                },
                display: None,
                context: None,
                selection: context.selection.clone(),
                report: &report.survey,
            },
            load: ShownLoad {
                controller: controller.clone(),
                members: &report.members,
                load: &report.load,
                application: &report.application,
                zone: Arc::clone(&context.zone),
                kubectl: &context.kubectl,
            },
            explain: ExplainHeader::new(context.header.clone()),
            context,
            report,
        }
    }
}

/// The reports of contexts.
pub(crate) struct ReportAnswer<'a> {
    pub shown: ContextAnswers<ShownReport<'a>>,
    /// Whether the page is the short one for the body of a mail.
    pub is_summary: bool,
}

impl Answer for ReportAnswer<'_> {
    fn formats() -> Formats<Self> {
        let page = |out: &mut dyn Write, answer: &Self| match answer.shown.as_one() {
            _ if answer.is_summary => summary::write_page(out, &answer.shown),
            Some(shown) => html(out, shown),
            None => html_of_several(out, answer.shown.contexts()),
        };
        Formats::default_of(Format::Html, page).and_documents()
    }
}

impl Documented for ReportAnswer<'_> {
    fn document(&self) -> impl Serialize {
        self.shown.map(|_, shown| document(shown))
    }
}
