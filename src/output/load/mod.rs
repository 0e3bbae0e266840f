//! The load of `CronJob`s that start at the same time, in every format.

mod document;
pub(crate) mod heat_map;
pub(crate) mod sentences;
pub(crate) mod svg;
mod text;

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

pub use document::LoadDocument;
pub(super) use document::document;
use svg::svg;
use text::text;

use self::heat_map::HeatMap;
use super::answer::{Answer, Documented, Format, Formats};
use super::columns::{Listing, ListingColumn, csv_columns};
use super::contexts::ContextAnswers;
use super::controller::ControllerDocument;
use super::csv;
use cronjob_diagnosis::change::Application;
use cronjob_diagnosis::diagnose::patch_command;
use cronjob_diagnosis::kubectl::{Command, Kubectl};
use cronjob_diagnosis::load::{Load, LoadMember, ScheduleSuggestion, rounded};
use kube_cron::Zone;

/// What `load` found.
pub(crate) struct LoadAnswer<'a> {
    pub shown: ShownLoad<'a>,
    pub with_headings: bool,
}

impl Answer for LoadAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answer| {
            if answer.shown.members.is_empty() {
                return Ok(());
            }
            text(out, &answer.shown)
        })
        .and_documents()
        .and(Format::Csv, |out, answer| {
            buckets(out, &answer.shown, answer.with_headings)
        })
        .and(Format::Svg, |out, answer| svg(out, &answer.shown))
    }
}

impl Documented for LoadAnswer<'_> {
    fn document(&self) -> impl Serialize {
        document(&self.shown)
    }
}

pub(crate) struct ShownLoad<'a> {
    pub controller: ControllerDocument,
    pub members: &'a [LoadMember],
    pub load: &'a Load,
    /// The effect of applying the proposal now.
    pub application: &'a Application,
    /// The time zone of the output.
    pub zone: Arc<Zone>,
    /// The kubectl flags that select the cluster.
    pub kubectl: &'a Kubectl,
}

impl<'a> ShownLoad<'a> {
    /// Namespace and name of a member.
    fn name(&self, member: usize) -> (&'a str, &'a str) {
        self.members.get(member).map_or(("", ""), LoadMember::name)
    }

    pub(crate) fn heat_map(&self) -> HeatMap {
        HeatMap::of(self.load.window, &self.load.buckets, &self.zone)
    }

    /// The command that applies a suggestion.
    pub(crate) fn command(&self, suggestion: &ScheduleSuggestion) -> Command {
        let (namespace, name) = self.name(suggestion.member);
        let spec = json!({ "schedule": suggestion.schedule });
        patch_command(self.kubectl, namespace, name, &spec)
    }
}

/// Comma-separated values: a record for each bucket.
fn buckets(out: &mut dyn Write, shown: &ShownLoad<'_>, with_headings: bool) -> io::Result<()> {
    let columns = csv_columns::<BucketRow>();
    let shown = ContextAnswers::one(shown);
    csv::write(out, &columns, &shown, with_headings, |shown, records| {
        let load = shown.load;
        let counts = load.buckets.iter().zip(&load.delays).enumerate();
        counts
            .map(|(bucket, (count, delay))| BucketRow {
                start: load.window.start_of(bucket),
                count: *count,
                last_start_delay: rounded(*delay),
            })
            .try_for_each(|row| records.push(&row))
    })
}

struct BucketRow {
    start: Timestamp,
    count: u64,
    last_start_delay: f64,
}

impl Listing for BucketRow {
    type Row<'a> = BucketRow;
    type Shown = ();
    const COLUMNS: &'static [ListingColumn<Self>] = &[
        ListingColumn::<Self>::new(|it| it.start.into()).csv(0, "start"),
        ListingColumn::<Self>::new(|it| it.count.into()).csv(1, "count"),
        ListingColumn::<Self>::new(|it| it.last_start_delay.to_string().into())
            .csv(2, "lastStartDelaySeconds"),
    ];
}
