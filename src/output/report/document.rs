//! A report as a document: those of the other verbs, beside what they come to.

use jiff::Timestamp;
use serde::Serialize;

use super::{Sheet, Source};
use crate::output::next_runs::ControllerDocument;
use crate::output::scan::Lacking;
use crate::output::version::TzdbVersion;
use crate::output::{API_VERSION, explain, history, load, scan};
use crate::report::{BOUNDS, Band, Frequency, Histogram, Lane, Past, Timeline};
use crate::survey::Row;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a, S, L, E, H> {
    api_version: &'static str,
    kind: &'static str,
    client_version: &'static str,
    now: Timestamp,
    clock: &'static str,
    source: &'a Source,
    controller: &'a ControllerDocument,
    tzdb: &'a TzdbVersion,
    lacks: &'a [Lacking],
    figures: FiguresDocument,
    timeline: TimelineDocument<'a>,
    scan: S,
    load: L,
    explanations: E,
    history: H,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FiguresDocument {
    findings: Vec<FrequencyDocument>,
    slots: u64,
    on_time: u64,
    late: u64,
    running: u64,
    skipped: u64,
    unknown: u64,
    succeeded: u64,
    failed: u64,
    overlaps: u64,
    delay_seconds: history::SpreadDocument,
    duration_seconds: history::SpreadDocument,
    delays: Vec<ClassDocument>,
    durations: Vec<ClassDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrequencyDocument {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    cron_jobs: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClassDocument {
    up_to_seconds: Option<i64>,
    count: u64,
}

#[derive(Serialize)]
struct TimelineDocument<'a> {
    from: Timestamp,
    to: Timestamp,
    items: Vec<LaneDocument<'a>>,
}

#[derive(Serialize)]
struct LaneDocument<'a> {
    namespace: &'a str,
    name: &'a str,
    outlook: &'static str,
    slots: u64,
    bands: Vec<BandDocument>,
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BandDocument {
    from: Timestamp,
    to: Timestamp,
    count: u64,
    every_seconds: Option<i64>,
}

/// The document.
pub fn document<'a>(sheet: &'a Sheet<'a>) -> impl Serialize + 'a {
    let (made, report) = (sheet.made, sheet.report);
    Document {
        api_version: API_VERSION,
        kind: "Report",
        client_version: env!("CARGO_PKG_VERSION"),
        now: made.now,
        clock: made.clock,
        source: &made.source,
        controller: &made.controller,
        tzdb: &made.tzdb,
        lacks: &made.lacks,
        figures: figures(&report.frequencies, &report.past),
        timeline: timeline(&report.timeline, &report.survey.rows),
        scan: scan::document(&sheet.scan),
        load: load::document(&sheet.shown),
        explanations: explain::document(&sheet.explained, &report.explanations),
        history: history::document(&sheet.looked_back, &report.histories),
    }
}

fn figures(frequencies: &[Frequency], past: &Past) -> FiguresDocument {
    let sums = past.summary;
    let found = frequencies.iter().map(|frequency| FrequencyDocument {
        code: frequency.code,
        severity: frequency.severity.as_str(),
        title: frequency.title,
        cron_jobs: frequency.count,
    });
    FiguresDocument {
        findings: found.collect(),
        slots: sums.slots,
        on_time: sums.on_time,
        late: sums.late,
        running: sums.running,
        skipped: sums.skipped,
        unknown: sums.unknown,
        succeeded: sums.succeeded,
        failed: sums.failed,
        overlaps: sums.overlaps,
        delay_seconds: sums.delay.into(),
        duration_seconds: sums.duration.into(),
        delays: classes(&past.delays),
        durations: classes(&past.durations),
    }
}

fn classes(histogram: &Histogram) -> Vec<ClassDocument> {
    let bounds = BOUNDS.into_iter().map(Some).chain([None]);
    let class = |(up_to_seconds, count)| ClassDocument {
        up_to_seconds,
        count,
    };
    bounds.zip(histogram.counts).map(class).collect()
}

fn timeline<'a>(timeline: &'a Timeline, rows: &'a [Row]) -> TimelineDocument<'a> {
    let lane = |(lane, row): (&Lane, &'a Row)| LaneDocument {
        namespace: &row.namespace,
        name: &row.name,
        outlook: lane.outlook.as_str(),
        slots: lane.slots,
        bands: lane.bands.iter().map(BandDocument::from).collect(),
        error: lane.problem.as_ref().map(ToString::to_string),
    };
    TimelineDocument {
        from: timeline.span.from(),
        to: timeline.span.to(),
        items: timeline.lanes.iter().zip(rows).map(lane).collect(),
    }
}

impl From<&Band> for BandDocument {
    fn from(band: &Band) -> Self {
        BandDocument {
            from: band.from,
            to: band.to,
            count: band.count,
            every_seconds: band.every,
        }
    }
}
