//! A report as a document: the documents of the other verbs, and sums over them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{EvidenceSource, ShownReport};
use crate::output::envelope::{DocumentBody, DocumentHeader, Envelope};
use crate::output::version::TzdbVersion;
use crate::output::{explain, history, load, scan};
use cronjob_diagnosis::report::{Figures, ReportTimeline, ReportedReliability};
use kube_model::UnreadResource;

/// The health, explanations, upcoming runs and history of many `CronJob`s: `report -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Report")]
#[serde(rename_all = "camelCase")]
pub struct ReportDocument<'a> {
    /// The version of this program.
    client_version: &'static str,
    #[serde(flatten)]
    header: &'a DocumentHeader,
    /// Where this time is from.
    #[schemars(extend("enum" = ["server", "flag", "machine"]))]
    clock: &'static str,
    /// Where the evidence is from.
    source: &'a EvidenceSource,
    /// The tz database in use.
    tzdb: &'a TzdbVersion,
    /// What could not be read.
    lacks: &'a [UnreadResource],
    /// Sums over all `CronJob`s.
    figures: &'a Figures,
    /// The upcoming runs.
    timeline: &'a ReportTimeline,
    /// The health of all `CronJob`s.
    scan: Envelope<&'a scan::Scan<'a>>,
    /// The Jobs that start at the same time.
    load: Envelope<load::LoadDocument<'a>>,
    /// The explanation of each `CronJob`.
    explanations: Envelope<explain::Explanations<'a>>,
    /// The past runs of each `CronJob`.
    history: Envelope<history::HistoryDocument<'a>>,
    /// How many of the due runs of each `CronJob` succeeded in time; null where the scheduled times cannot be
    /// computed. Only with --recorder.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reliability: &'a [Option<ReportedReliability>],
}

impl DocumentBody for ReportDocument<'_> {
    const ITEMS: &'static [&'static str] = &[];
}

pub(crate) fn document<'a>(shown: &'a ShownReport<'a>) -> Envelope<ReportDocument<'a>> {
    let ShownReport {
        context, report, ..
    } = shown;
    ReportDocument {
        client_version: env!("CARGO_PKG_VERSION"),
        header: &context.header,
        clock: context.clock,
        source: &context.source,
        tzdb: &context.tzdb,
        lacks: &context.lacks,
        figures: &report.figures,
        timeline: &report.timeline,
        scan: scan::document(&shown.scan),
        load: load::document(&shown.load),
        explanations: explain::document(&shown.explain, &context.lacks, None, || {
            report.explanations()
        }),
        // The report has the reliability elsewhere.
        history: history::document(&context.header, || report.past(), |_| None),
        reliability: &report.reliability,
    }
    .into()
}
