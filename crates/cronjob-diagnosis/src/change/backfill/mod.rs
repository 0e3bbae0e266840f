//! Plans to start missed runs: which ones, as which Jobs, and with which consequences.
//!
//! No run may start twice. So a Job gets the name and the annotation that the controller would have
//! given it, and a run is skipped if anything shows that it happened, if the controller is about to
//! start it, or if that can no longer be determined.

mod next_start;
mod notes;
mod selection;

use std::rc::Rc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::diagnose::{Facts, Input};
use crate::history::{HistoryEntry, HistoryError, RunReason};
use cronjob_controller::controller::Generation;
use cronjob_text::words::plural;

pub(crate) use notes::BackfillNote;

/// The selected runs. At least one of `since`, `scheduled_times` and `last` must be set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackfillSelection {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// The number of latest missed runs to start.
    pub last: Option<usize>,
    /// The runs with these scheduled times, and no others.
    pub scheduled_times: Vec<Timestamp>,
    /// Whether to include runs that may have happened already.
    pub include_unknown: bool,
    pub max: usize,
}

struct BackfillCandidate {
    scheduled_time: Timestamp,
    /// Shared, since most runs of a long window have the same entry.
    entry: Rc<HistoryEntry>,
    /// Whether it was selected by its time.
    named: bool,
}

/// Which missed runs are started, and which are not.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillPlan")]
#[serde(rename_all = "camelCase")]
pub struct BackfillPlan {
    /// The number of runs that are started.
    #[schemars(with = "usize")]
    #[serde(rename = "runs", serialize_with = "count")]
    pub steps: Vec<BackfillRun>,
    /// Selected runs that are not started, and why.
    pub left_out: Vec<LeftOutRuns>,
    /// What to know before the runs are started.
    pub notes: Vec<BackfillNote>,
}

/// A missed run to start.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillPrediction")]
#[serde(rename_all = "camelCase")]
pub struct BackfillRun {
    /// The scheduled time.
    #[serde(rename = "scheduledTime")]
    pub scheduled_time: Timestamp,
    /// The scheduled time in the time zone of the schedule.
    pub local_time: String,
    /// The name of its Job.
    pub job_name: String,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, if this version writes it.
    pub scheduled_timestamp: Option<String>,
    /// Whether the run may have happened already.
    pub may_have_run: bool,
    /// Why it was missed, or why it is unknown whether it was.
    #[schemars(with = "MissedReason<'static>")]
    #[serde(flatten, serialize_with = "missed_reason")]
    pub missed: Option<RunReason>,
}

#[derive(JsonSchema, Serialize)]
struct MissedReason<'a> {
    /// Why the run was missed, as a fixed identifier.
    cause: Option<&'a str>,
    /// Why the run was missed, in a sentence.
    reason: Option<&'a str>,
}

/// Consecutive runs that are skipped for the same reason.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "LeftOut")]
#[serde(rename_all = "camelCase")]
pub struct LeftOutRuns {
    /// The scheduled time of the first run.
    pub first: Timestamp,
    /// The scheduled time of the last run.
    pub last: Timestamp,
    /// The number of runs.
    pub count: u64,
    /// The Job that causes them to be skipped, if there is one.
    pub job_name: Option<String>,
    /// Why they are skipped, as a fixed identifier.
    #[serde(rename = "cause")]
    pub why: LeftOutReason,
    /// Why they are skipped, in a sentence.
    #[serde(rename = "reason")]
    pub detail: String,
}

fn count<S: Serializer>(steps: &[BackfillRun], serializer: S) -> Result<S::Ok, S::Error> {
    steps.len().serialize(serializer)
}

#[allow(clippy::ref_option, reason = "serde calls it so")]
fn missed_reason<S: Serializer>(
    reason: &Option<RunReason>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let reason = reason.as_ref();
    let reason = MissedReason {
        cause: reason.map(|reason| &*reason.code),
        reason: reason.map(|reason| &*reason.detail),
    };
    reason.serialize(serializer)
}

string_enum! {
    /// Why a run is not backfilled.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LeftOutReason {
        Ran = "ran",
        Running = "running",
        /// A Job of the name that it would get exists.
        NameTaken = "nameTaken",
        ControllerStarts = "controllerStarts",
        MayHaveRun = "mayHaveRun",
        /// The `CronJob` did not exist yet.
        NotCreated = "notCreated",
        /// More runs are selected than `--max` allows.
        BeyondMax = "beyondMax",
    }
}

pub fn plan(
    facts: &Facts<'_>,
    choice: &BackfillSelection,
) -> Result<BackfillPlan, BackfillRefusal> {
    check(&facts.input)?;
    let candidates = selection::candidates(facts, choice)?;
    let (steps, left_out) = selection::select(facts, choice, candidates);
    let notes = notes::notes(facts, &steps);
    Ok(BackfillPlan {
        steps,
        left_out,
        notes,
    })
}

/// Why no run can be backfilled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackfillRefusal {
    #[error("{}", nothing_chosen(*missed, *since, *first))]
    NothingChosen {
        /// The number of runs that could be started.
        missed: usize,
        since: Timestamp,
        first: Option<Timestamp>,
    },
    #[error(
        "{time} is not a scheduled time of {schedule:?}{}",
        nearest(scheduled_times)
    )]
    NotScheduled {
        time: Timestamp,
        schedule: String,
        /// The scheduled times before and after it.
        scheduled_times: Vec<Timestamp>,
    },
    #[error("the scheduled time {time} is in the future (now: {now})")]
    Future { time: Timestamp, now: Timestamp },
    #[error(transparent)]
    ScheduledTimes(#[from] HistoryError),
    #[error("Jobs were not read, so it is unknown which runs already happened")]
    NoJobs,
    /// The Jobs would be deleted together with the `CronJob`.
    #[error("being deleted since {0}; new Jobs would be deleted with it")]
    Deleted(Timestamp),
    /// A controller that marks its Jobs in another way.
    #[error(
        "backfill does not support the kubebuilder tutorial's controller: it marks its Jobs differently \
         and may start a backfilled run again"
    )]
    Tutorial,
}

/// Fails if no runs of the `CronJob` can be started, whichever are selected.
fn check(input: &Input<'_>) -> Result<(), BackfillRefusal> {
    if input.behavior().generation == Generation::Tutorial {
        return Err(BackfillRefusal::Tutorial);
    }
    if let Some(since) = input.cron_job.deletion_timestamp {
        return Err(BackfillRefusal::Deleted(since));
    }
    if !input.coverage.jobs_read {
        return Err(BackfillRefusal::NoJobs);
    }
    Ok(())
}

fn nothing_chosen(missed: usize, since: Timestamp, first: Option<Timestamp>) -> String {
    let (runs, latest) = plural(missed, ("run", ""), ("runs", " (--last 1: the latest one)"));
    match first {
        Some(first) => format!(
            "{missed} missed {runs} since {first}: specify which to start with --last N{latest}, \
             --since DURATION|TIME or --at TIME"
        ),
        None => format!(
            "no missed run is known since {since}: use --since DURATION|TIME to look further back, or \
             --at TIME to specify a run"
        ),
    }
}

fn nearest(scheduled_times: &[Timestamp]) -> String {
    match scheduled_times {
        [] => String::new(),
        [one] => format!("; the nearest is {one}"),
        [before, after, ..] => format!("; the nearest are {before} and {after}"),
    }
}
