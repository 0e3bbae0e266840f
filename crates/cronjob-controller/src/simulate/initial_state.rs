//! The state of the `CronJob` at the beginning of a simulation.

use jiff::{SignedDuration, Timestamp};

use crate::controller::{Controller, Generation};
use crate::upcoming::timetable;
use kube_model::{CronJob, Job, JobResult, Texts};

/// The assumed state at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialState {
    /// The state that was read, including missed runs.
    AsFound,
    /// The last run was started on time, and no Job is running.
    AllStarted,
}

/// The `CronJob`, its Jobs and the beginning of a simulation. That is `from`, or the creation of the `CronJob` if
/// that is later.
pub fn initial_state(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    from: Timestamp,
    before: InitialState,
) -> (CronJob, Vec<Job>, Timestamp) {
    let mut cron_job = cron_job.clone();
    let mut jobs = jobs.to_vec();
    fill_in(controller, &mut cron_job, from);
    let from = from.max(cron_job.creation_timestamp.unwrap_or(from));
    match before {
        // If no Jobs were read, the running ones are taken from the status.
        InitialState::AsFound if jobs.is_empty() => jobs = cron_job.assumed_jobs(),
        InitialState::AsFound => {}
        InitialState::AllStarted => {
            jobs.clear();
            cron_job.status.active.clear();
            let last = last_scheduled_time(controller, &cron_job, from);
            cron_job.status.last_schedule_time = last;
            if let Some(last) = last
                && controller.behavior().generation == Generation::Tutorial
            {
                jobs.push(job_of_last_run(controller, &cron_job, last));
            }
        }
    }
    (cron_job, jobs, from)
}

/// Sets the fields that the API server would set.
fn fill_in(controller: &Controller, cron_job: &mut CronJob, from: Timestamp) {
    // A manifest is assumed to be applied right before the first scheduled time.
    let just_before = from
        .checked_sub(SignedDuration::from_secs(1))
        .unwrap_or(from);
    cron_job.creation_timestamp = Some(cron_job.known_creation().unwrap_or(just_before));
    if cron_job.uid.is_empty() {
        cron_job.uid = "simulated".to_owned();
    }
    if controller.behavior().generation != Generation::Tutorial {
        let spec = &mut cron_job.spec;
        spec.successful_jobs_history_limit.get_or_insert(3);
        spec.failed_jobs_history_limit.get_or_insert(1);
    }
}

/// The last scheduled time before the beginning, as long as the `CronJob` was there and not suspended.
fn last_scheduled_time(
    controller: &Controller,
    cron_job: &CronJob,
    from: Timestamp,
) -> Option<Timestamp> {
    let noted = cron_job
        .status
        .last_schedule_time
        .filter(|last| *last <= from);
    if cron_job.spec.suspend == Some(true) {
        return noted;
    }
    let timetable = timetable(controller, cron_job).ok()?;
    let base = noted.or(cron_job.creation_timestamp)?;
    let just_before = from.checked_sub(SignedDuration::from_nanos(1)).ok()?;
    let counted = timetable.count(base, just_before);
    counted.ok().and_then(|count| count.last).or(noted)
}

/// A finished Job by which the kubebuilder book's controller knows the last scheduled time.
fn job_of_last_run(controller: &Controller, cron_job: &CronJob, scheduled_time: Timestamp) -> Job {
    let name = format!("{}-{}", cron_job.name, scheduled_time.as_second());
    let text = scheduled_time.to_string();
    let mut job = Job {
        annotations: [(controller.scheduled_time_annotation(), text.as_str())]
            .into_iter()
            .collect::<Texts>(),
        start_time: Some(scheduled_time),
        ..cron_job.job_named(name.clone(), name)
    };
    job.finish(JobResult::Succeeded, scheduled_time);
    job
}
