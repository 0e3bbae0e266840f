//! What the controller does first with a `CronJob` that it may start again.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::controller::{Controller, Decision, NameTaken, Outcome, decide};
use crate::model::{CronJob, Job};

/// What is ahead of a `CronJob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// A run for a slot that is over starts at once.
    Late {
        /// The slot.
        slot: Timestamp,
        /// The Job.
        job: String,
        /// The Jobs that are deleted to make room.
        replaced: Vec<String>,
    },
    /// A run for a slot that is over starts as soon as others have ended (Forbid).
    LateAfter {
        /// The slot.
        slot: Timestamp,
        /// The Job.
        job: String,
        /// What it waits for.
        running: Vec<String>,
    },
    /// Nothing starts before its time.
    Nothing(Nothing),
}

/// Why nothing starts before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// No slot was missed that the controller could make up for.
    Due,
    /// Slots were missed, and this release finds none of them.
    Found,
    /// The last slot is past the deadline.
    InTime,
    /// So many slots were missed that this release gives up, for good.
    Ever,
    /// A Job of the slot's name exists.
    Free {
        /// Its name.
        job: String,
        /// Whether the controller tries again and again.
        in_vain: bool,
    },
    /// It will not start anything at all, whatever the slot.
    Possible(Outcome),
}

impl Ahead {
    /// What the controller does with the `CronJob` at a moment, which led to this decision.
    pub(super) fn of(
        controller: &Controller<'_>,
        cron_job: &CronJob,
        jobs: &[Job],
        decision: &Decision,
        now: Timestamp,
    ) -> Self {
        let past = decision.scheduled_time.filter(|slot| *slot <= now);
        match (decision.outcome, past, &decision.job_name) {
            (Outcome::Start | Outcome::Replace, Some(slot), Some(job)) => Ahead::Late {
                slot,
                job: job.clone(),
                replaced: replaced(cron_job, decision),
            },
            (Outcome::Blocked, ..) => {
                let running = decision.status_after.active.clone();
                match once_ended(controller, cron_job, jobs, &running, now) {
                    Some((slot, job)) => Ahead::LateAfter { slot, job, running },
                    None => Ahead::Nothing(Nothing::Due),
                }
            }
            (Outcome::NoSlotFound, ..) => Ahead::Nothing(Nothing::Found),
            (Outcome::DeadlineExceeded, ..) => Ahead::Nothing(Nothing::InTime),
            (Outcome::TooManyMissed, ..) => Ahead::Nothing(Nothing::Ever),
            (Outcome::NameTaken, _, Some(job)) => {
                let means_to_adopt = controller.behaviour().name_taken == NameTaken::MeansToAdopt;
                Ahead::Nothing(Nothing::Free {
                    job: job.clone(),
                    in_vain: means_to_adopt || decision.error.is_some(),
                })
            }
            (
                Outcome::Start
                | Outcome::Replace
                | Outcome::Wait
                | Outcome::AlreadyProcessed
                | Outcome::NameTaken,
                ..,
            ) => Ahead::Nothing(Nothing::Due),
            (other, ..) => Ahead::Nothing(Nothing::Possible(other)),
        }
    }

    /// The slot of the run that starts late, at once or later.
    pub fn late_slot(&self) -> Option<Timestamp> {
        match self {
            Ahead::Late { slot, .. } | Ahead::LateAfter { slot, .. } => Some(*slot),
            Ahead::Nothing(_) => None,
        }
    }

    /// Whether moving `status.lastScheduleTime` makes a difference.
    pub fn is_worth_skipping(&self) -> bool {
        match self {
            Ahead::Late { .. } | Ahead::LateAfter { .. } => true,
            Ahead::Nothing(nothing) => matches!(nothing, Nothing::Ever | Nothing::Free { .. }),
        }
    }
}

/// The Jobs that the controller deletes because they run. Old ones that have ended are deleted on
/// the same occasion; nobody misses those.
fn replaced(cron_job: &CronJob, decision: &Decision) -> Vec<String> {
    let active = cron_job.status.active.iter();
    let active: HashSet<&str> = active.map(|active| active.name.as_str()).collect();
    let is_running = |job: &&String| active.contains(job.as_str());
    let running = decision.deleted_jobs.iter().filter(is_running);
    running.cloned().collect()
}

/// The slot that is started late once the running Jobs have ended, if nothing else happens.
fn once_ended(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    jobs: &[Job],
    running: &[String],
    now: Timestamp,
) -> Option<(Timestamp, String)> {
    let (free, others) = freed(cron_job, jobs, running);
    let decision = decide(controller, &free, &others, now);
    let starts = decision.starts();
    let slot = decision
        .scheduled_time
        .filter(|slot| starts && *slot <= now)?;
    Some((slot, decision.job_name?))
}

/// The `CronJob` and its Jobs without those that run.
pub(super) fn freed(cron_job: &CronJob, jobs: &[Job], running: &[String]) -> (CronJob, Vec<Job>) {
    let mut free = cron_job.clone();
    free.status.active.clear();
    let namespace = &cron_job.namespace;
    let running: HashSet<&String> = running.iter().collect();
    let runs = |job: &&Job| job.namespace == *namespace && running.contains(&job.name);
    let others = jobs.iter().filter(|job| !runs(job));
    (free, others.cloned().collect())
}
