//! A simulation, in every format.

mod chart;
mod document;
mod text;
mod timeline;

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub(crate) use chart::svg;
pub(crate) use document::{SimulationDocument, csv, document};
pub(crate) use text::text;

use crate::controller::Release;
use crate::diagnose::local_time;
use crate::model::CronJob;
use crate::output::controller::ControllerDocument;
use crate::schedule::Zone;
use crate::simulate::{SimulatedRun, Simulation, TimeSpans};

/// What is common to all simulations of a call.
pub(crate) struct SimulationHeader {
    /// The controller.
    pub controller: ControllerDocument,
    /// What was assumed.
    pub given: Given,
}

/// What was assumed.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Given {
    /// When the controller is down.
    pub outages: TimeSpans,
    /// When `spec.suspend` is set.
    pub suspended: TimeSpans,
    /// Changes, and when they are made.
    pub edits: Vec<GivenEdit>,
    /// Changes that hold from the beginning.
    pub changes: Vec<String>,
    /// How long Jobs take, as it was given.
    pub job_duration: String,
    /// Which part of the Jobs fails, from 0 to 1.
    #[schemars(with = "f64")]
    #[serde(rename = "failRate", serialize_with = "part_of_one")]
    pub failures_per_million: u32,
}

/// Changes at a moment.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Edit")]
pub(crate) struct GivenEdit {
    /// When.
    pub at: Timestamp,
    /// What, as it was given.
    pub changes: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn part_of_one<S: Serializer>(per_million: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(f64::from(*per_million) / 1e6)
}

/// What was simulated.
pub(crate) struct SimulationSubject<'a> {
    /// The `CronJob` as it is at the beginning.
    pub cron_job: &'a CronJob,
    /// Whether it is one that somebody has, and not just a schedule.
    pub is_named: bool,
    /// The zone whose clock decides.
    pub zone: Arc<Zone>,
}

/// The simulations of one `CronJob`.
pub(crate) struct SimulatedCronJob<'a> {
    /// What was simulated.
    pub subject: SimulationSubject<'a>,
    /// The simulation of each release; the first is the one that was asked for, the others are
    /// compared with it.
    pub simulations: Vec<(Release, Simulation)>,
}

impl SimulationSubject<'_> {
    /// What it is called.
    fn name(&self) -> String {
        if self.is_named {
            format!("{}/{}", self.cron_job.namespace, self.cron_job.name)
        } else {
            self.cron_job.spec.schedule.clone()
        }
    }

    /// A moment on the clock that decides.
    fn local(&self, moment: Timestamp, format: &str) -> String {
        let zone = self.zone.time_zone().clone();
        moment.to_zoned(zone).strftime(format).to_string()
    }

    fn local_time(&self, moment: Timestamp) -> String {
        local_time(moment, self.zone.time_zone())
    }

    /// The day and the time of day on the clock that decides.
    fn day_and_time(&self, moment: Timestamp) -> String {
        let seconds = if moment.as_second() % 60 == 0 {
            ""
        } else {
            ":%S"
        };
        self.local(moment, &format!("%a %Y-%m-%d %H:%M{seconds}"))
    }

    /// The time of day, and the day where that is another one than that of another moment.
    fn time_beside(&self, moment: Timestamp, beside: Timestamp) -> String {
        let day = "%Y-%m-%d";
        if self.local(moment, day) != self.local(beside, day) {
            return self.day_and_time(moment);
        }
        let seconds = if moment.as_second() % 60 == 0 {
            ""
        } else {
            ":%S"
        };
        self.local(moment, &format!("%H:%M{seconds}"))
    }

    /// Why a run did not start in time, with moments in UTC.
    fn reason(run: &SimulatedRun) -> Option<String> {
        run.reason(&|moment| {
            // Fractions of a second are those of the controller's queue and explain nothing.
            let whole = Timestamp::from_second(moment.as_second()).unwrap_or(moment);
            whole.to_string()
        })
    }
}

/// The gist of a simulation: `2 of 168 runs lost, both silently; 1 late, by up to 5m12s`.
fn gist(simulation: &Simulation) -> String {
    let summary = &simulation.summary;
    let gone = summary.lost + summary.blocked;
    let mut parts = Vec::new();
    if gone > 0 {
        let silently = match (summary.silent, gone) {
            (0, 1) => ", as an event tells",
            (0, _) => ", none of them silently",
            (1, 1) => ", silently",
            (2, 2) => ", both silently",
            (silent, gone) if silent == gone => ", all silently",
            (silent, _) => &format!(", {silent} of them silently"),
        };
        parts.push(format!(
            "{gone} of {} {} lost{silently}",
            summary.runs,
            runs(summary.runs)
        ));
    }
    if summary.late > 0 {
        let delay = crate::duration::human(summary.max_delay_seconds.unwrap_or_default());
        let delay = if summary.late == 1 {
            format!("by {delay}")
        } else {
            format!("by up to {delay}")
        };
        let which = if gone > 0 {
            summary.late.to_string()
        } else {
            format!(
                "{} of {} {}",
                summary.late,
                summary.runs,
                runs(summary.runs)
            )
        };
        parts.push(format!("{which} late, {delay}"));
    }
    if summary.phantom > 0 {
        let times = if summary.phantom == 1 {
            "a time"
        } else {
            "times"
        };
        parts.push(format!(
            "{} started for {times} that the schedule does not contain",
            summary.phantom
        ));
    }
    if summary.replaced > 0 {
        parts.push(format!("{} replaced before their end", summary.replaced));
    }
    if summary.failed > 0 {
        parts.push(format!("{} failed", summary.failed));
    }
    if parts.is_empty() {
        return match summary.runs {
            0 => "no run in this time".to_owned(),
            1 => "the only run started in time".to_owned(),
            slots => format!("all {slots} runs started in time"),
        };
    }
    parts.join("; ")
}

fn runs(count: u64) -> &'static str {
    if count == 1 { "run" } else { "runs" }
}
