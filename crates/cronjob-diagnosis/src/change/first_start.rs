//! The first start of a `CronJob` that is resumed: late, after a running Job, or none.

use std::collections::HashSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use cronjob_controller::controller::{Controller, Decision, NameTaken, Outcome, decide};
use kube_model::{CronJob, Job};

/// What the controller does first with a `CronJob` that it may start again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "LateStartFields")]
pub enum FirstStart {
    Late(LateStart),
    NoStart(NoStart),
}

/// A missed run that starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateStart {
    pub scheduled_time: Timestamp,
    pub job_name: String,
    /// The running Jobs that it waits for (Forbid).
    pub starts_after: Vec<String>,
    pub deleted_jobs: Vec<String>,
}

/// The first start in documents, which have all fields in each case.
#[derive(Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LateStartFields {
    /// The scheduled time of the run that starts late; null if none does.
    scheduled_time: Option<Timestamp>,
    /// The name of its Job.
    job_name: Option<String>,
    /// The running Jobs that must finish first.
    starts_after: Vec<String>,
    /// The running Jobs that the controller deletes first.
    deleted_jobs: Vec<String>,
}

impl From<FirstStart> for LateStartFields {
    fn from(first_start: FirstStart) -> Self {
        match first_start {
            FirstStart::Late(late) => LateStartFields {
                scheduled_time: Some(late.scheduled_time),
                job_name: Some(late.job_name),
                starts_after: late.starts_after,
                deleted_jobs: late.deleted_jobs,
            },
            FirstStart::NoStart(_) => LateStartFields::default(),
        }
    }
}

/// Why a change leads to no start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStart {
    /// No run was missed that the controller could still start.
    NoneMissed,
    /// Runs were missed, but this release finds none of them.
    NoneFound,
    /// The last missed run is past the deadline.
    PastDeadline,
    /// More runs were missed than this release tolerates; it never starts one again.
    TooManyMissed,
    /// A Job with the name of the run exists.
    NameTaken {
        job: String,
        /// Whether the controller retries without success.
        in_vain: bool,
    },
    Impossible(Outcome),
}

impl FirstStart {
    /// What the controller does with the `CronJob` at a moment, which led to this decision.
    pub(super) fn of(
        controller: &Controller,
        cron_job: &CronJob,
        jobs: &[Job],
        decision: &Decision,
        now: Timestamp,
    ) -> Self {
        let past = decision
            .scheduled_time
            .filter(|scheduled_time| *scheduled_time <= now);
        let why = match (decision.outcome, past, &decision.job_name) {
            (Outcome::Start | Outcome::Replace, Some(scheduled_time), Some(job)) => {
                return FirstStart::Late(LateStart {
                    scheduled_time,
                    job_name: job.clone(),
                    starts_after: Vec::new(),
                    deleted_jobs: decision.replaced(cron_job),
                });
            }
            (Outcome::Blocked, ..) => {
                let running = decision.status_after.active.clone();
                match once_ended(controller, cron_job, jobs, running, now) {
                    Some(late) => return FirstStart::Late(late),
                    None => NoStart::NoneMissed,
                }
            }
            (Outcome::NoRunFound, ..) => NoStart::NoneFound,
            (Outcome::DeadlineExceeded, ..) => NoStart::PastDeadline,
            (Outcome::TooManyMissed, ..) => NoStart::TooManyMissed,
            (Outcome::NameTaken, _, Some(job)) => {
                let means_to_adopt = controller.behavior().name_taken == NameTaken::MeansToAdopt;
                NoStart::NameTaken {
                    job: job.clone(),
                    in_vain: means_to_adopt || decision.error.is_some(),
                }
            }
            (
                Outcome::Start
                | Outcome::Replace
                | Outcome::Wait
                | Outcome::AlreadyProcessed
                | Outcome::NameTaken,
                ..,
            ) => NoStart::NoneMissed,
            (other, ..) => NoStart::Impossible(other),
        };
        FirstStart::NoStart(why)
    }

    pub fn late(&self) -> Option<&LateStart> {
        match self {
            FirstStart::Late(late) => Some(late),
            FirstStart::NoStart(_) => None,
        }
    }

    /// The scheduled time of the run that starts late, immediately or after a running Job.
    pub fn late_time(&self) -> Option<Timestamp> {
        self.late().map(|late| late.scheduled_time)
    }

    /// For how long the late run is late, in seconds.
    pub(super) fn late_by(&self, now: Timestamp) -> Option<i64> {
        let scheduled_time = self.late_time()?;
        Some(now.as_second() - scheduled_time.as_second())
    }

    /// Whether moving `status.lastScheduleTime` makes a difference.
    pub fn is_worth_skipping(&self) -> bool {
        match self {
            FirstStart::Late(_) => true,
            FirstStart::NoStart(nothing) => {
                matches!(nothing, NoStart::TooManyMissed | NoStart::NameTaken { .. })
            }
        }
    }
}

/// The run that is started late once the running Jobs have finished, if nothing else happens.
fn once_ended(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    running: Vec<String>,
    now: Timestamp,
) -> Option<LateStart> {
    let (free, others) = freed(cron_job, jobs, &running);
    let decision = decide(controller, &free, &others, now);
    let starts = decision.starts();
    let scheduled_time = decision
        .scheduled_time
        .filter(|scheduled_time| starts && *scheduled_time <= now)?;
    Some(LateStart {
        scheduled_time,
        job_name: decision.job_name?,
        starts_after: running,
        deleted_jobs: Vec::new(),
    })
}

/// The `CronJob` and its Jobs without the running ones.
pub(super) fn freed(cron_job: &CronJob, jobs: &[Job], running: &[String]) -> (CronJob, Vec<Job>) {
    let mut free = cron_job.clone();
    free.status.active.clear();
    let namespace = &cron_job.namespace;
    let running: HashSet<&String> = running.iter().collect();
    let runs = |job: &&Job| job.namespace == *namespace && running.contains(&job.name);
    let others = jobs.iter().filter(|job| !runs(job));
    (free, others.cloned().collect())
}
