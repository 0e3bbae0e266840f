//! A controller run over time: what would become of each slot, with outages, suspensions, edits
//! and long Jobs.
//!
//! It asks [`crate::controller::decide`] at each moment at which the controller would look, does
//! what was decided, and goes on to the next such moment. Nothing is decided here.

mod alarm;
mod beginning;
mod chance;
mod comparison;
mod drive;
mod events;
mod ledger;
mod many;
mod plan;
mod reason;
mod run;
mod simulation;
mod slots;
mod stretches;
mod world;

pub use beginning::{Before, beginning};
pub use chance::Durations;
pub use comparison::{Parting, partings};
pub use many::side_by_side;
pub use plan::{Edit, Plan, Spans};
pub use run::{Cause, Ending, Fate, Run, Status, Why};
pub use simulation::{Simulation, Summary};
pub use slots::timetable;
pub use stretches::{Stretch, stretches};

use crate::controller::Controller;
use crate::model::{CronJob, Job};
use drive::Drive;

/// Runs a controller over time for one `CronJob`, which begins as it is given.
pub fn simulate(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    jobs: &[Job],
    plan: &Plan,
) -> Simulation {
    Drive::new(controller, cron_job.clone(), jobs.to_vec(), plan).run()
}
