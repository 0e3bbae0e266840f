//! The report: an HTML page, and the same as a document.
//!
//! The page is self-contained: it makes no requests, and its content security policy forbids them. Counts, lists
//! and charts need no script. The explanation of each `CronJob` is made by the script from the document, which
//! the page contains, so that page and document cannot disagree.

mod document;
mod history;
mod markup;
mod overview;
mod page;
mod starts;
mod timeline;

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use document::{Document, document};
pub(crate) use page::html;

use super::controller::ControllerDocument;
use super::explain;
use super::history::HistoryHeader;
use super::load::ShownLoad;
use super::scan::Scan;
use super::version::TzdbVersion;
use crate::kubectl::Kubectl;
use crate::model::UnreadResource;
use crate::report::Report;
use crate::schedule::Zone;

/// Under which circumstances a report was made.
pub(crate) struct Circumstances {
    /// The moment taken for now.
    pub now: Timestamp,
    /// Whose clock says so: `server`, `flag` or `machine`.
    pub clock: &'static str,
    /// The controller.
    pub controller: ControllerDocument,
    /// The tz database.
    pub tzdb: TzdbVersion,
    /// Where the evidence is from.
    pub source: Source,
    /// What could not be read.
    pub lacks: Vec<UnreadResource>,
    /// The zone whose days and hours are shown.
    pub zone: Arc<Zone>,
    /// How the cluster is reached.
    pub kubectl: Kubectl,
}

/// Where the evidence of a report is from.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub(crate) struct Source {
    /// The address of the server; `None` for files.
    pub server: Option<String>,
    /// The namespace that was looked at; `None` for all.
    pub namespace: Option<String>,
    /// The files that were named.
    pub files: Vec<String>,
}

/// A report, with what it holds for.
pub(crate) struct Sheet<'a> {
    made: &'a Circumstances,
    report: &'a Report<'a>,
    scan: Scan<'a>,
    shown: ShownLoad<'a>,
    explained: explain::ExplainHeader,
    looked_back: HistoryHeader,
}

impl<'a> Sheet<'a> {
    /// A report, and under which circumstances it was made.
    pub(crate) fn new(made: &'a Circumstances, report: &'a Report<'a>) -> Self {
        let controller = || made.controller.clone();
        Sheet {
            scan: Scan {
                controller: controller(),
                now: made.now,
                lacks: made.lacks.clone(),
                report: &report.survey,
            },
            shown: ShownLoad {
                controller: controller(),
                members: &report.members,
                load: &report.load,
                application: &report.application,
                zone: Arc::clone(&made.zone),
                kubectl: &made.kubectl,
            },
            explained: explain::ExplainHeader {
                controller: controller(),
                now: made.now,
            },
            looked_back: HistoryHeader {
                controller: controller(),
                now: made.now,
            },
            made,
            report,
        }
    }
}
