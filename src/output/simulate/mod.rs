//! A simulation, in every format.

mod chart;
mod columns;
mod document;
mod fleet;
mod text;
mod timeline;

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use chart::svg;
use columns::SimulatedRow;
pub use document::SimulationDocument;
use document::document;
use fleet::{fleet, results};
use text::text;

use crate::output::answer::{Answer, Documented, Format, Formats, separated};
use crate::output::columns::csv_columns;
use crate::output::comparison::write_changes;
use crate::output::contexts::ContextAnswers;
use crate::output::controller::ControllerDocument;
use crate::output::csv;
use crate::output::lines::TextPage;
use crate::output::page_times::TimeColumn;
use cronjob_controller::controller::Release;
use cronjob_controller::simulate::{
    SimulatedRun, SimulatedStatus, Simulation, SimulationDifferences, SimulationSummary, TimeSpans,
};
use cronjob_diagnosis::diagnose::local_time;
use cronjob_manifest::validation::WriteChange;
use cronjob_text::duration::{self, human, whole_second};
use cronjob_text::words::{counted, listed, plural};
use kube_cron::Zone;
use kube_model::CronJob;

/// What `simulate` found.
pub(crate) struct SimulateAnswer<'a> {
    pub header: &'a SimulationHeader,
    pub items: &'a [SimulatedCronJob],
    pub with_headings: bool,
    /// Whether the text ends with how to show more.
    pub hints: bool,
}

impl Answer for SimulateAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answer| {
            match (answer.items.len(), answer.header.compared.is_empty()) {
                (0 | 1, _) => answer.text(out, false),
                (_, true) => results(out, answer),
                (_, false) => fleet(out, answer.header, answer.items),
            }
        })
        .and(Format::Wide, |out, answer| answer.text(out, true))
        .and_documents()
        .and(Format::Csv, |out, answer| {
            let (columns, headings) = (csv_columns::<SimulatedRow<'_>>(), answer.with_headings);
            let items = ContextAnswers::one(answer.items);
            csv::write(out, &columns, &items, headings, |items, records| {
                for item in *items {
                    for (release, simulation) in &item.simulations {
                        for row in SimulatedRow::all(&item.subject, *release, simulation) {
                            records.push(&row)?;
                        }
                    }
                }
                Ok(())
            })
        })
        .and(Format::Svg, |out, answer| {
            svg(out, answer.header, answer.items)
        })
    }
}

impl Documented for SimulateAnswer<'_> {
    fn document(&self) -> impl Serialize {
        document(self.header, self.items)
    }
}

impl SimulateAnswer<'_> {
    fn text(&self, out: &mut dyn Write, wide: bool) -> io::Result<()> {
        separated(out, self.items, |out, item| {
            text(out, self.header, item, wide)
        })
    }
}

/// What all simulations of a call have in common.
pub(crate) struct SimulationHeader {
    pub controller: ControllerDocument,
    pub compared: Vec<Release>,
    /// The beginning, unless a `CronJob` is created later.
    pub from: Timestamp,
    pub to: Timestamp,
    pub given: Assumptions,
}

impl SimulationHeader {
    /// In which of the simulations: `in 1.36`, or `with the upgrade`.
    fn in_version(&self, releases: &[Release]) -> String {
        let names = |releases: &[Release]| {
            let names: Vec<String> = releases.iter().map(Release::to_string).collect();
            listed(&names)
        };
        match (&self.given.upgrade, releases) {
            (None, _) => format!("in {}", names(releases)),
            (Some(upgrade), [release]) if *release == upgrade.release => {
                "with the upgrade".to_owned()
            }
            // It always comes second.
            (Some(_), [_]) => "without it".to_owned(),
            (Some(_), _) => "with and without the upgrade".to_owned(),
        }
    }

    /// The version or the versions of one of the simulations.
    fn version(&self, release: Release) -> String {
        match &self.given.upgrade {
            Some(upgrade) if release == upgrade.release => {
                format!("{}, then {release}", self.controller.kubernetes_version)
            }
            _ => release.to_string(),
        }
    }
}

/// The conditions of a simulation.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Given")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assumptions {
    /// When the controller is down.
    pub outages: TimeSpans,
    /// The upgrade of the controller; null without one. With an upgrade, `runs` and `summary` of the items are those
    /// with the upgrade, and `compared` and `differences` have those without it under the version before it.
    pub upgrade: Option<AssumedUpgrade>,
    /// When `spec.suspend` is true.
    pub suspended: TimeSpans,
    /// Changes during the simulation.
    pub edits: Vec<AssumedEdit>,
    /// Changes made before the simulation.
    pub changes: Vec<String>,
    /// How long Jobs take.
    pub job_duration: String,
}

impl Assumptions {
    /// Whether nothing keeps the controller from starting runs.
    fn is_undisturbed(&self) -> bool {
        let spans = [&self.outages, &self.suspended];
        self.upgrade.is_none()
            && self.edits.is_empty()
            && spans.iter().all(|spans| spans.iter().next().is_none())
    }
}

/// An upgrade of the controller during the simulation.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Upgrade")]
pub(crate) struct AssumedUpgrade {
    /// When the controller of the old version stops.
    pub from: Timestamp,
    /// When the controller of the new version starts.
    pub to: Timestamp,
    /// The new version.
    #[schemars(with = "String")]
    #[serde(rename = "kubernetesVersion")]
    pub release: Release,
}

/// Changes made at one time.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Edit")]
pub(crate) struct AssumedEdit {
    /// The time of the changes.
    pub at: Timestamp,
    /// The changes, as given on the command line.
    pub changes: Vec<String>,
}

/// The `CronJob` or the schedule that was simulated.
pub(crate) struct SimulationSubject {
    /// The `CronJob` at the beginning.
    pub cron_job: CronJob,
    /// Whether it is an actual `CronJob`, not a schedule from the command line.
    pub is_named: bool,
    /// The time zone of the schedule.
    pub zone: Arc<Zone>,
}

/// A status as shown to people.
fn status_label(status: SimulatedStatus) -> &'static str {
    match status {
        SimulatedStatus::Lost => "missed",
        SimulatedStatus::Phantom => "unscheduled start",
        SimulatedStatus::Started | SimulatedStatus::Late | SimulatedStatus::Blocked => {
            status.as_str()
        }
    }
}

/// The simulations of one `CronJob`.
pub(crate) struct SimulatedCronJob {
    pub subject: SimulationSubject,
    /// The simulation of each release; the others are compared with the first.
    pub simulations: Vec<(Release, Simulation)>,
    pub differences: SimulationDifferences,
    /// What the API servers of the other versions answer differently.
    pub writes: Vec<WriteChange>,
}

/// Adds what the API servers answer differently.
fn writes(page: &mut TextPage, header: &SimulationHeader, items: &[SimulatedCronJob]) {
    let changes = items.iter();
    let changes = changes.map(|item| (item.subject.name(), item.writes.as_slice()));
    write_changes(page, header.controller.kubernetes_version, changes);
}

impl SimulationSubject {
    /// Namespace and name, or the schedule.
    fn name(&self) -> String {
        if self.is_named {
            self.cron_job.full_name()
        } else {
            self.cron_job.spec.schedule.clone()
        }
    }

    /// A time in the time zone of the schedule.
    fn local(&self, moment: Timestamp, format: &str) -> String {
        let zone = self.zone.time_zone().clone();
        moment.to_zoned(zone).strftime(format).to_string()
    }

    fn local_time(&self, moment: Timestamp) -> String {
        local_time(moment, self.zone.time_zone())
    }

    /// Day and time in the time zone of the schedule.
    fn day_and_time(&self, moment: Timestamp) -> String {
        duration::local_time(moment, self.zone.time_zone(), "")
    }

    /// The time of day, preceded by the day if it is not that of `beside`.
    fn time_beside(&self, moment: Timestamp, beside: Timestamp) -> String {
        TimeColumn::in_zone(&self.zone).beside(moment, beside)
    }

    /// Why a run did not start on time, with times in UTC.
    fn reason(run: &SimulatedRun) -> Option<String> {
        run.reason(&|moment| {
            // Fractions of a second come from the controller's queue and explain nothing.
            whole_second(moment).to_string()
        })
    }
}

/// Whether nothing but runs on time happened.
fn is_on_time(summary: &SimulationSummary) -> bool {
    let other = [
        summary.lost,
        summary.blocked,
        summary.late,
        summary.phantom,
        summary.replaced,
        summary.failed,
    ];
    other.iter().all(|count| *count == 0)
}

/// `2 of 168 runs missed (both without an event); 1 late by 5m12s`.
fn summary_line(simulation: &Simulation) -> String {
    let summary = &simulation.summary;
    let gone = summary.lost + summary.blocked;
    let mut parts = Vec::new();
    if gone > 0 {
        let events = match (summary.silent, gone) {
            (0, 1) => " (with an event)",
            (0, _) => " (all with an event)",
            (1, 1) => " (without an event)",
            (2, 2) => " (both without an event)",
            (silent, gone) if silent == gone => " (all without an event)",
            (silent, _) => &format!(" ({silent} without an event)"),
        };
        let what = match (summary.lost, summary.blocked) {
            (_, 0) => "missed",
            (0, _) => "blocked",
            _ => "missed or blocked",
        };
        let suspended = simulation.runs.iter();
        let suspended = suspended.filter(|run| run.started_at.is_none() && run.is_suspended());
        let suspended = match suspended.count() as u64 {
            0 => String::new(),
            all if all == gone => " while suspended".to_owned(),
            some => format!(", {some} while suspended"),
        };
        parts.push(format!(
            "{gone} of {} {what}{suspended}{events}",
            counted(summary.runs, "run")
        ));
    }
    if summary.late > 0 {
        let delay = human(summary.max_delay_seconds.unwrap_or_default());
        let delay = format!("{} {delay}", plural(summary.late, "by", "by up to"));
        let which = if gone > 0 {
            summary.late.to_string()
        } else {
            format!("{} of {}", summary.late, counted(summary.runs, "run"))
        };
        parts.push(format!("{which} late {delay}"));
    }
    if summary.phantom > 0 {
        parts.push(match summary.phantom {
            1 => "1 start at an unscheduled time".to_owned(),
            many => format!("{many} starts at unscheduled times"),
        });
    }
    if summary.replaced > 0 {
        parts.push(format!("{} replaced before finishing", summary.replaced));
    }
    if summary.failed > 0 {
        parts.push(format!("{} failed", summary.failed));
    }
    if parts.is_empty() {
        return match summary.runs {
            0 => "no runs in this period".to_owned(),
            1 => "the only run started on time".to_owned(),
            2 => "both runs started on time".to_owned(),
            runs => format!("all {runs} runs started on time"),
        };
    }
    parts.join("; ")
}
