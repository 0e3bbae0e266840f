//! Runs a controller over time: what happens at each scheduled time, with outages, suspensions, edits
//! and long Jobs.
//!
//! It asks [`crate::controller::decide`] at each moment at which the controller would sync, applies the
//! decision, and continues with the next such moment. Nothing is decided here.

mod comparison;
mod initial_state;
mod plan;
mod run;
mod run_recorder;
mod simulated_cluster;
mod simulation;
mod simulator;
mod sync_timer;

pub use comparison::{ReleaseDifference, SimulationDifferences};
pub use initial_state::{InitialState, initial_state};
pub use plan::TimeSpan;
pub use plan::{PlannedEdit, SimulationPlan, TimeSpans};
pub use run::SimulatedStatus;
pub use run::{JobEnding, SimulatedRun};
pub use simulated_cluster::outlasting_jobs;
pub use simulation::Simulation;
pub use simulation::{EventCount, RunGroup, SimulationSummary, group_runs};

use crate::controller::Controller;
use kube_model::{CronJob, Job};
use simulator::Simulator;

/// Runs a controller over time for one `CronJob`, which begins as it is given.
pub fn simulate(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    plan: &SimulationPlan,
) -> Simulation {
    Simulator::new(controller, None, cron_job.clone(), jobs.to_vec(), plan).run()
}

/// Like [`simulate`], but the controller is replaced by another one in the upgrade of the plan, which reads the status
/// that the first one wrote.
pub fn simulate_upgrade(
    old: &Controller,
    new: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    plan: &SimulationPlan,
) -> Simulation {
    let mut cron_job = cron_job.clone();
    // What the API server of the old version did not store, the new controller does not find.
    if !old.behavior().time_zone_field {
        cron_job.spec.time_zone = None;
    }
    Simulator::new(old, Some(new), cron_job, jobs.to_vec(), plan).run()
}
