//! Predicts the result of each change to a cluster, and builds the requests that make it.
//!
//! The predictions come from [`crate::controller::decide`], called with the `CronJob` as it would be
//! after the change. Nothing here sends requests or draws random numbers.

pub(crate) mod backfill;
mod first_start;
mod job;
mod job_progress;
mod other_writers;
mod overrides;
mod prediction;
mod requests;
mod reschedule;
mod resume;
mod suspend;
mod trigger;
mod trigger_words;
mod words;

use jiff::Timestamp;

use crate::diagnose::Facts;
use crate::forecast::Forecast;

pub use first_start::{FirstStart, NoStart};
pub(crate) use job::{
    JobFromTemplate, create_job, differs_from_template, is_suspended, manual_name, repeat_job,
    retry_name, set_ttl, suffix,
};
pub(crate) use job_progress::{JobEnd, JobProgress, JobUpdate};
pub(crate) use other_writers::{differences, reverted_by};
pub(crate) use overrides::{ChoiceReason, EnvChange, Overridden, Overrides, choose};
pub(crate) use prediction::Prediction;
pub(crate) use requests::{ExpectedChange, Request, merged};
pub use reschedule::{Application, ExtraKind, ExtraRun, MovedSchedule, Rescheduling};
pub use resume::{CatchUp, Resumption, quiet_deadline};
pub use suspend::Suspension;
pub(crate) use trigger::RetriedRun;
pub use trigger::{
    JobConsequences, JobDifferences, NextRun, Overlap, TriggerPrediction, predict_trigger,
    trigger_refusal,
};
pub(crate) use words::{unfinished, unless_finished};

/// The first run that is scheduled after now, unless nothing will start until something is changed.
fn next_run(facts: &Facts<'_>, forecast: &Forecast) -> Option<Timestamp> {
    forecast.next_start()?;
    let next = forecast.next_scheduled(facts.now);
    next.or_else(|| facts.next_run())
}
