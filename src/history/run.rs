//! A run, by its Job or by what the events remember of it.

use jiff::Timestamp;

use crate::diagnose::PastRun;
use crate::model::JobResult;

/// A run, by its Job or by what the events remember of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The name of its Job.
    pub job_name: String,
    /// When the Job was created.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// How it ended; `None` if nothing tells.
    pub result: Option<RunResult>,
    /// How long after its slot it was created.
    pub delay_seconds: Option<i64>,
    /// How long it took from its creation to its end.
    pub duration_seconds: Option<i64>,
    /// Why it failed, in the words of the Job: the reason, and the message.
    pub failure: Option<(String, String)>,
    /// What removed the Job, if it is gone: then the rest is told by events.
    pub gone: Option<Gone>,
    /// Whether somebody else than the controller made the Job for its slot.
    pub backfilled: bool,
}

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunResult {
    /// Its Job is complete.
    Succeeded,
    /// Its Job failed.
    Failed,
    /// Its Job is not finished.
    Running,
}

json_names! {
    RunResult {
        Succeeded = "succeeded",
        Failed = "failed",
        Running = "running",
    }
}

impl From<JobResult> for RunResult {
    fn from(result: JobResult) -> Self {
        match result {
            JobResult::Succeeded => RunResult::Succeeded,
            JobResult::Failed => RunResult::Failed,
        }
    }
}

/// How a Job went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// Nothing tells.
    Somehow,
    /// The controller deleted it.
    Deleted(Timestamp),
    /// The controller deleted it while it ran, for the next one.
    Replaced(Timestamp),
    /// The controller found that it was no longer there while it counted as running.
    Missing(Timestamp),
}

impl Run {
    pub(super) fn of(run: &PastRun<'_>) -> Self {
        let result = run.job.result().map_or(RunResult::Running, RunResult::from);
        let failure = run.failure();
        Run {
            job_name: run.job.name.clone(),
            started_at: run.job.creation_timestamp,
            finished_at: run.finished_at(),
            result: Some(result),
            delay_seconds: slot(run).and(run.delay_seconds()),
            duration_seconds: run.duration_seconds(),
            failure: failure.map(|failure| (failure.reason.clone(), failure.message.clone())),
            gone: None,
            backfilled: run.backfilled,
        }
    }
}

/// The slot that a run is that of; `None` for what somebody made by hand.
pub(super) fn slot(run: &PastRun<'_>) -> Option<Timestamp> {
    run.slot.filter(|_| run.controlled && !run.by_hand())
}

/// The slot that the controller started a run for.
pub(super) fn started_slot(run: &PastRun<'_>) -> Option<Timestamp> {
    run.slot.filter(|_| run.is_by_controller())
}
