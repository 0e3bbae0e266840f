//! The first start of a `CronJob` that is resumed: late, after a running Job, or none.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::controller::{Controller, Decision, NameTaken, Outcome, decide};
use crate::model::{CronJob, Job};

/// What the controller does first with a `CronJob` that it may start again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstStart {
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
    NoStart(NoStart),
}

/// Why nothing starts before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStart {
    /// No slot was missed that the controller could make up for.
    NoneMissed,
    /// Slots were missed, and this release finds none of them.
    NoneFound,
    /// The last slot is past the deadline.
    PastDeadline,
    /// So many slots were missed that this release gives up, for good.
    TooManyMissed,
    /// A Job of the slot's name exists.
    NameTaken {
        /// Its name.
        job: String,
        /// Whether the controller tries again and again.
        in_vain: bool,
    },
    /// It will not start anything at all, whatever the slot.
    Impossible(Outcome),
}

impl FirstStart {
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
            (Outcome::Start | Outcome::Replace, Some(slot), Some(job)) => FirstStart::Late {
                slot,
                job: job.clone(),
                replaced: replaced(cron_job, decision),
            },
            (Outcome::Blocked, ..) => {
                let running = decision.status_after.active.clone();
                match once_ended(controller, cron_job, jobs, &running, now) {
                    Some((slot, job)) => FirstStart::LateAfter { slot, job, running },
                    None => FirstStart::NoStart(NoStart::NoneMissed),
                }
            }
            (Outcome::NoSlotFound, ..) => FirstStart::NoStart(NoStart::NoneFound),
            (Outcome::DeadlineExceeded, ..) => FirstStart::NoStart(NoStart::PastDeadline),
            (Outcome::TooManyMissed, ..) => FirstStart::NoStart(NoStart::TooManyMissed),
            (Outcome::NameTaken, _, Some(job)) => {
                let means_to_adopt = controller.behavior().name_taken == NameTaken::MeansToAdopt;
                FirstStart::NoStart(NoStart::NameTaken {
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
            ) => FirstStart::NoStart(NoStart::NoneMissed),
            (other, ..) => FirstStart::NoStart(NoStart::Impossible(other)),
        }
    }

    /// The slot of the run that starts late, at once or later.
    pub fn late_slot(&self) -> Option<Timestamp> {
        match self {
            FirstStart::Late { slot, .. } | FirstStart::LateAfter { slot, .. } => Some(*slot),
            FirstStart::NoStart(_) => None,
        }
    }

    /// Whether moving `status.lastScheduleTime` makes a difference.
    pub fn is_worth_skipping(&self) -> bool {
        match self {
            FirstStart::Late { .. } | FirstStart::LateAfter { .. } => true,
            FirstStart::NoStart(nothing) => {
                matches!(nothing, NoStart::TooManyMissed | NoStart::NameTaken { .. })
            }
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
