//! What a change would lead to, before it is made: the prediction that each verb shows which
//! changes a cluster, and what it then sends.
//!
//! The answers are those of [`crate::controller::decide`], asked about the `CronJob` as it would
//! be. Nothing here talks to a cluster, and whatever is random comes from outside.

pub mod backfill;
mod container;
mod course;
mod env;
mod first_start;
mod job;
mod meanwhile;
mod names;
mod overrides;
mod owner;
mod requests;
mod reschedule;
mod resume;
mod suspend;
mod trigger;

use jiff::Timestamp;

use crate::diagnose::Facts;
use crate::forecast::Forecast;

pub use container::{Choice, NoContainer, Why, choose};
pub use course::{Course, Ending, Happening};
pub use env::EnvChange;
pub use first_start::{FirstStart, NoStart};
pub use job::{Making, Unmakeable, is_suspended, make};
pub use meanwhile::differences;
pub use names::{manual_name, suffix};
pub use overrides::{OverrideError, Overrides};
pub use owner::{field_owner, suspend_owner};
pub use requests::{Check, Request, merged};
pub use reschedule::{Application, ExtraKind, ExtraRun, Later, Rescheduling};
pub use resume::{CatchUp, Resumption, quiet_deadline};
pub use suspend::{Lost, Suspension};
pub use trigger::{After, Meeting, NextRun, Prospect, Refusal, foresee, refusal};

/// The first run that is scheduled after now, unless nothing will start until something is changed.
fn next_run(facts: &Facts<'_>, forecast: &Forecast) -> Option<Timestamp> {
    forecast.next_start()?;
    let next = forecast.next_scheduled(facts.now);
    next.or_else(|| facts.next_run())
}
