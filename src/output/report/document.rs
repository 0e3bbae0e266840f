//! A report as a document: those of the other verbs, beside what they come to.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Sheet, Source};
use crate::diagnose::Severity;
use crate::history::Percentiles;
use crate::model::UnreadResource;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{DocumentBody, Envelope};
use crate::output::version::TzdbVersion;
use crate::output::{explain, history, load, scan};
use crate::report::{BOUNDS, Band, Frequency, Histogram, Lane, Outlook, Past, Timeline};
use crate::survey::Row;

/// All that the other verbs tell, together: `report -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Report")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document<'a> {
    /// The version of this program.
    client_version: &'static str,
    /// The moment that is taken for now.
    now: Timestamp,
    /// Whose clock says so.
    #[schemars(extend("enum" = ["server", "flag", "machine"]))]
    clock: &'static str,
    /// Where the evidence is from.
    source: &'a Source,
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// The tz database in use.
    tzdb: &'a TzdbVersion,
    /// What could not be read, so that the report goes without.
    lacks: &'a [UnreadResource],
    /// What it all comes to.
    figures: FiguresDocument,
    /// The coming runs, drawn together.
    timeline: TimelineDocument<'a>,
    /// The health of all `CronJob`s.
    scan: Envelope<&'a scan::Scan<'a>>,
    /// What they start together.
    load: Envelope<load::LoadDocument<'a>>,
    /// Each of them explained.
    explanations: Envelope<explain::Explanations<'a>>,
    /// What became of their runs.
    history: Envelope<history::HistoryDocument<'a>>,
}

impl DocumentBody for Document<'_> {
    const KIND: &'static str = "Report";
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Figures")]
#[serde(rename_all = "camelCase")]
struct FiguresDocument {
    /// How often what was found.
    findings: Vec<FrequencyDocument>,
    /// How many past runs there are.
    runs: u64,
    /// How many started within ten seconds.
    on_time: u64,
    /// How many started later.
    late: u64,
    /// How many were run later by somebody else than the controller, as `backfill` does.
    backfilled: u64,
    /// How many run still.
    running: u64,
    /// How many did not start.
    skipped: u64,
    /// Of how many the evidence does not tell.
    unknown: u64,
    /// How many succeeded.
    succeeded: u64,
    /// How many failed.
    failed: u64,
    /// How many began while another one ran.
    overlaps: u64,
    /// How late they started.
    delay_seconds: Percentiles,
    /// How long they took.
    duration_seconds: Percentiles,
    /// How many were how late.
    delays: Vec<ClassDocument>,
    /// How many took how long.
    durations: Vec<ClassDocument>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Frequency")]
#[serde(rename_all = "camelCase")]
struct FrequencyDocument {
    /// Which finding.
    code: &'static str,
    /// How bad it is.
    severity: Severity,
    /// What is wrong, in a few words.
    title: &'static str,
    /// How many `CronJob`s have it.
    cron_jobs: usize,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "HistogramClass")]
#[serde(rename_all = "camelCase")]
struct ClassDocument {
    /// Its upper bound; null for the last, which has none.
    up_to_seconds: Option<i64>,
    /// How many are in it, and not in one before it.
    count: u64,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Timeline")]
struct TimelineDocument<'a> {
    /// Where it begins.
    from: Timestamp,
    /// Where it ends.
    to: Timestamp,
    /// A lane for each `CronJob`.
    items: Vec<LaneDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Lane")]
struct LaneDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// What will happen to its runs.
    outlook: Outlook,
    /// How many runs it has in that time.
    runs: u64,
    /// The runs; many in a row are one band.
    bands: Vec<BandDocument>,
    /// Why nothing can be said about its runs.
    error: Option<String>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Band")]
#[serde(rename_all = "camelCase")]
struct BandDocument {
    /// The first slot of the band.
    from: Timestamp,
    /// The last.
    to: Timestamp,
    /// How many there are.
    count: u64,
    /// How far apart they are; null where there is one, or they are not even.
    every_seconds: Option<i64>,
}

/// The document.
pub(crate) fn document<'a>(sheet: &'a Sheet<'a>) -> Envelope<Document<'a>> {
    let (made, report) = (sheet.made, sheet.report);
    Document {
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
        explanations: explain::document(&sheet.explained, &made.lacks, &report.explanations),
        history: history::document(&sheet.looked_back, &report.histories),
    }
    .into()
}

fn figures(frequencies: &[Frequency], past: &Past) -> FiguresDocument {
    let sums = past.summary;
    let found = frequencies.iter().map(|frequency| FrequencyDocument {
        code: frequency.code,
        severity: frequency.severity,
        title: frequency.title,
        cron_jobs: frequency.count,
    });
    FiguresDocument {
        findings: found.collect(),
        runs: sums.runs,
        on_time: sums.on_time,
        late: sums.late,
        backfilled: sums.backfilled,
        running: sums.running,
        skipped: sums.skipped,
        unknown: sums.unknown,
        succeeded: sums.succeeded,
        failed: sums.failed,
        overlaps: sums.overlaps,
        delay_seconds: sums.delay_seconds,
        duration_seconds: sums.duration_seconds,
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
        outlook: lane.outlook,
        runs: lane.runs,
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
