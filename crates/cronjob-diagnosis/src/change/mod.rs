//! Predicts the result of each change to a cluster, and builds the requests that make it.
//!
//! The predictions come from [`cronjob_controller::controller::decide`], called with the `CronJob` as it would be
//! after the change. Nothing here sends requests or draws random numbers.

pub mod backfill;
mod container_choice;
pub mod differences;
mod first_start;
mod job;
mod job_progress;
mod other_writers;
mod requests;
mod reschedule;
mod resume;
mod suspend;
mod trigger;
mod wanted_job;
mod words;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use backfill::BackfillRun;

use crate::diagnose::Facts;
use cronjob_controller::forecast::Forecast;
use cronjob_text::text::Text;

pub use container_choice::choose;
pub use first_start::{FirstStart, NoStart};
pub use job::{JobFromTemplate, create_job, stored_instead, suffix};
pub use job_progress::{JobEnd, JobProgress, JobUpdate};
pub use other_writers::{differences, reverted_by};
pub use requests::{ExpectedChange, Request, merged};
pub use reschedule::{Application, ExtraKind, ExtraRun, MovedSchedule, extra_run};
pub use resume::{CatchUp, Resumption, quiet_deadline};
pub use suspend::Suspension;
pub use trigger::{JobConsequences, NextRun, Overlap, TriggerPrediction, trigger_refusal};
pub use wanted_job::{EnvChange, JobDraft, RetriedRun, WantedJob};
use words::PredictionSentence;
pub use words::{unfinished, unless_finished};

/// The first run that is scheduled after now, unless nothing will start until something is changed.
fn next_run(facts: &Facts<'_>, forecast: &Forecast) -> Option<Timestamp> {
    forecast.next_start()?;
    let next = forecast.next_scheduled(facts.input.now);
    next.or_else(|| facts.next_run())
}

/// The prediction of a change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Prediction {
    Suspension(Box<Suspension>),
    Resumption(Box<Resumption>),
    Trigger(Box<TriggerPrediction>),
    Backfill(BackfillRun),
}

impl From<Suspension> for Prediction {
    fn from(suspension: Suspension) -> Self {
        Prediction::Suspension(Box::new(suspension))
    }
}

impl From<Resumption> for Prediction {
    fn from(resumption: Resumption) -> Self {
        Prediction::Resumption(Box::new(resumption))
    }
}

impl From<TriggerPrediction> for Prediction {
    fn from(trigger: TriggerPrediction) -> Self {
        Prediction::Trigger(Box::new(trigger))
    }
}

impl Prediction {
    pub fn text(&self) -> Text {
        match self {
            Prediction::Suspension(suspension) => suspension.text.clone(),
            Prediction::Resumption(resumption) => resumption.text.clone(),
            Prediction::Trigger(trigger) => trigger.text.clone(),
            // Its table has the runs.
            Prediction::Backfill(_) => Text::default(),
        }
    }

    /// The sentences for a summary of many, each of them understandable by itself.
    pub fn sentences(&self) -> &[PredictionSentence] {
        match self {
            Prediction::Suspension(suspension) => &suspension.sentences,
            Prediction::Resumption(resumption) => &resumption.sentences,
            Prediction::Trigger(_) | Prediction::Backfill(_) => &[],
        }
    }

    /// A command to run before or after the change, with when to run it.
    pub fn command(&self) -> Option<(&'static str, &str)> {
        match self {
            Prediction::Resumption(resumption) => {
                Some(("Afterwards, run", resumption.afterwards.as_deref()?))
            }
            Prediction::Trigger(trigger) => Some((
                "Save the logs of the failed Job first",
                trigger.save_logs.as_deref()?,
            )),
            _ => None,
        }
    }
}
