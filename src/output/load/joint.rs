//! The load of several contexts in one picture.

use std::io::{self, Write};
use std::sync::Arc;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::document::Bucket;
use super::heat_map::HeatMap;
use super::{ShownLoad, document, sentences, svg, text};
use crate::load::{JointLoad, LoadWindow, Peak, PeakParticipant};
use crate::output::contexts::{ContextAnswers, heading};
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::printable::{printable, shortened, width};
use crate::schedule::Zone;
use crate::text::Text;
use crate::words::{counted_in_groups, some_of};

pub(crate) struct ShownJointLoad<'a> {
    pub answers: &'a ContextAnswers<ShownLoad<'a>>,
    pub window: LoadWindow,
    pub joint: &'a JointLoad,
    pub zone: Arc<Zone>,
}

/// The widest bar of a context.
const BAR: u64 = 30;
/// The most names of a context at a peak, and how wide they may be.
const NAMES: (usize, usize) = (4, 100);

impl ShownJointLoad<'_> {
    /// `24 CronJobs of 2 contexts start 345 Jobs`
    fn summary(&self) -> String {
        let loads = || self.answers.each().map(|(_, shown)| &shown.load.summary);
        let cron_jobs: usize = loads().map(|sums| sums.cron_jobs).sum();
        let starts: u64 = loads().map(|sums| sums.starts).sum();
        format!(
            "{} in {}: {}",
            counted_in_groups(cron_jobs, "CronJob"),
            self.answers.counted(),
            counted_in_groups(starts, "start")
        )
    }

    fn heat_map(&self) -> HeatMap {
        HeatMap::of(self.window, &self.joint.buckets, &self.zone)
    }

    /// `30 starts at Mon 2026-03-02 01:00 UTC (first of 7 times)`
    fn peak_line(&self, peak: &Peak) -> Text {
        let times = sentences::first_of(peak);
        let at = sentences::local(&self.zone, peak.time);
        text!(
            "{} at {}{}",
            counted_in_groups(peak.count, "start"),
            at,
            times
        )
    }

    /// The starts of each context at a peak, and the names of its `CronJob`s.
    fn by_context(&self, peak: &Peak) -> Vec<(&str, u64, Vec<String>)> {
        let contexts = self.answers.contexts().iter().map(|context| {
            let of_it = |one: &&PeakParticipant| one.context.as_ref() == Some(&context.about.name);
            let found = || peak.cron_jobs.iter().filter(of_it);
            let names = found().map(|one| format!("{}/{}", one.namespace, one.name));
            let starts = found().map(|one| one.starts).sum();
            (context.about.name.as_str(), starts, names.collect())
        });
        contexts.filter(|(_, starts, _)| *starts > 0).collect()
    }
}

/// The heat map and the peaks of all contexts, and below them the proposal for each.
pub(super) fn joint_text(out: &mut dyn Write, shown: &ShownJointLoad<'_>) -> io::Result<()> {
    let mut page = TextPage::of_days(&shown.zone);
    page.line(styled(Meaning::Strong, shown.summary()));
    let window = shown.window;
    page.entry("Period", sentences::period(window, &shown.zone));
    if shown.joint.buckets.iter().any(|count| *count > 0) {
        let heat_map = shown.heat_map();
        text::heat_map(&mut page, &heat_map, &heat_map.title(window, &shown.zone));
        page.heading("Peaks");
        if shown.joint.peaks.is_empty() {
            let bucket = sentences::bucket(window.bucket_seconds());
            page.paragraph(2, format!("No two Jobs start within {bucket}."));
        }
    }
    for peak in &shown.joint.peaks {
        page.paragraph(2, shown.peak_line(peak));
        let contexts = shown.by_context(peak);
        let widest = contexts
            .iter()
            .map(|(name, ..)| width(&printable(name)))
            .max();
        let widest = widest.unwrap_or(0);
        for (name, starts, cron_jobs) in contexts {
            let name = printable(name);
            let gap = widest - width(&name);
            let length = usize::try_from((starts * BAR).div_ceil(peak.count.max(1))).unwrap_or(0);
            let who = shortened(&printable(&some_of(&cron_jobs, NAMES.0)), NAMES.1);
            let bar = styled(Meaning::Odd, "█".repeat(length));
            page.line(format_args!(
                "      {name}{:gap$}  {starts:>5}  {bar}  {who}",
                ""
            ));
        }
    }
    page.write(out)?;
    for context in shown.answers.contexts() {
        writeln!(out)?;
        heading(out, &context.about.name)?;
        let mut page = TextPage::default();
        if let Some(trouble) = context.trouble() {
            page.line(format_args!("  {}", styled(Meaning::Bad, trouble)));
        }
        if let Some(shown) = &context.answer {
            page.paragraph(2, sentences::summary(shown.load));
            if shown.load.summary.starts > 0 {
                text::proposal(&mut page, shown);
            }
        }
        page.write(out)?;
    }
    Ok(())
}

/// The picture of all contexts. The bar of each peak shows the share of each context.
pub(super) fn joint_svg(out: &mut dyn Write, shown: &ShownJointLoad<'_>) -> io::Result<()> {
    let heat_map = shown.heat_map();
    let lines = shown.joint.peaks.iter().map(|peak| {
        let shares = shown.by_context(peak).into_iter();
        let shares: Vec<_> = shares
            .map(|(name, starts, _)| (name.to_owned(), starts))
            .collect();
        let words: Vec<_> = shares
            .iter()
            .map(|(name, starts)| format!("{name} {starts}"))
            .collect();
        svg::FooterLine {
            text: format!("{}: {}", shown.peak_line(peak), words.join(", ")),
            shares,
        }
    });
    let lines: Vec<_> = lines.collect();
    let order: Vec<&str> = shown
        .answers
        .contexts()
        .iter()
        .map(|one| one.about.name.as_str())
        .collect();
    let what = svg::described(&heat_map, shown.window, &shown.zone);
    svg::picture(out, &shown.summary(), &what, &heat_map, &lines, &order)
}

/// The document about several contexts with what their starts have in common.
impl Serialize for ShownJointLoad<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let documents = self.answers.map(|_, shown| document(shown));
        let mut document = serde_json::to_value(documents).map_err(S::Error::custom)?;
        let buckets = self.joint.buckets.iter().enumerate();
        let buckets = buckets.map(|(bucket, count)| Bucket {
            start: self.window.start_of(bucket),
            count: *count,
        });
        document["from"] = json!(self.window.from());
        document["to"] = json!(self.window.to());
        document["bucketSeconds"] = json!(self.window.bucket_seconds());
        document["buckets"] = json!(buckets.collect::<Vec<_>>());
        document["peaks"] = json!(self.joint.peaks);
        document.serialize(serializer)
    }
}
