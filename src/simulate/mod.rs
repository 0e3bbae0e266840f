//! Runs a controller over time: what happens at each scheduled time, with outages, suspensions, edits
//! and long Jobs.
//!
//! It asks [`crate::controller::decide`] at each moment at which the controller would sync, applies the
//! decision, and continues with the next such moment. Nothing is decided here.

mod comparison;
mod initial_state;
mod job_durations;
mod plan;
mod run;
mod run_recorder;
mod simulated_cluster;
mod simulation;
mod simulator;
mod sync_timer;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

pub(crate) use comparison::{ReleaseDifference, SimulationDifferences};
pub use initial_state::{InitialState, initial_state};
pub use job_durations::Durations;
pub(crate) use plan::TimeSpan;
pub use plan::{PlannedEdit, SimulationPlan, TimeSpans};
pub use run::SimulatedStatus;
pub(crate) use run::{JobEnding, SimulatedRun};
pub use simulation::Simulation;
pub(crate) use simulation::{EventCount, RunGroup, SimulationSummary, group_runs};

use crate::controller::Controller;
use crate::model::{CronJob, Job};
use simulator::Simulator;

/// Runs a controller over time for one `CronJob`, which begins as it is given.
pub fn simulate(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    jobs: &[Job],
    plan: &SimulationPlan,
) -> Simulation {
    Simulator::new(controller, None, cron_job.clone(), jobs.to_vec(), plan).run()
}

/// Like [`simulate`], but the controller is replaced by another one in the upgrade of the plan, which reads the status
/// that the first one wrote.
pub fn simulate_upgrade(
    (old, new): (&Controller<'_>, &Controller<'_>),
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

/// Computes the results of all tasks in parallel, and returns them in order.
pub fn parallel_map<T: Sync, R: Send>(
    tasks: &[T],
    threads: usize,
    compute: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if threads < 2 || tasks.len() < 2 {
        return tasks.iter().map(compute).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(tasks.len()));
    thread::scope(|scope| {
        for _ in 0..threads.min(tasks.len()) {
            scope.spawn(|| {
                let mut own = Vec::new();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    own.push((index, compute(task)));
                }
                done.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .append(&mut own);
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::parallel_map;

    #[test]
    fn results_keep_the_order_of_the_tasks() {
        let tasks: Vec<u64> = (0..1000).collect();
        let expected: Vec<u64> = tasks.iter().map(|task| task * task).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(parallel_map(&tasks, threads, |task| task * task), expected);
        }
    }
}
