//! Missed slots that are to be run after all: which, as which Jobs, and what comes of it.
//!
//! No slot may run twice. So a Job gets the name and the annotation that the controller would have
//! given it, and a slot is left out if anything shows that it ran, if the controller is about to
//! start it, or if nobody can know any more.

mod next_start;
mod notes;
mod selection;

use std::rc::Rc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::controller::Generation;
use crate::diagnose::Facts;
use crate::history::{HistoryEntry, HistoryError, RunReason};

pub(crate) use notes::BackfillNote;

/// Which slots are asked for. At least one of `since`, `slots` and `last` says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackfillSelection {
    /// Those from this moment on.
    pub since: Option<Timestamp>,
    /// Those up to this moment.
    pub until: Option<Timestamp>,
    /// The last so many of the missed ones.
    pub last: Option<usize>,
    /// These and no others.
    pub slots: Vec<Timestamp>,
    /// Those, too, of which nobody knows whether they ran.
    pub include_unknown: bool,
    /// At most so many.
    pub max: usize,
}

/// A slot that is asked for, and what became of it.
struct BackfillCandidate {
    slot: Timestamp,
    /// Of months of minutes most share one.
    entry: Rc<HistoryEntry>,
    /// Whether it was asked for by its time.
    named: bool,
}

/// Which missed runs are started, and which are not.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillPlan")]
#[serde(rename_all = "camelCase")]
pub struct BackfillPlan {
    /// How many runs are started.
    #[schemars(with = "usize")]
    #[serde(rename = "runs", serialize_with = "count")]
    pub steps: Vec<BackfillRun>,
    /// Missed runs that are not started, and why.
    pub left_out: Vec<LeftOut>,
    /// What comes of it.
    pub notes: Vec<BackfillNote>,
}

/// A missed run to start.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillPrediction")]
#[serde(rename_all = "camelCase")]
pub struct BackfillRun {
    /// The scheduled time.
    #[serde(rename = "scheduledTime")]
    pub slot: Timestamp,
    /// The same in the time zone of the schedule.
    pub local_time: String,
    /// The name of the Job that runs it.
    pub job_name: String,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, from those releases that
    /// write it.
    pub scheduled_timestamp: Option<String>,
    /// Whether it may have run already.
    pub may_have_run: bool,
    /// Why it was not run, or why it is not known whether it was.
    #[schemars(with = "MissedReason<'static>")]
    #[serde(flatten, serialize_with = "missed_reason")]
    pub missed: Option<RunReason>,
}

#[derive(JsonSchema, Serialize)]
struct MissedReason<'a> {
    /// Why it was missed, in a word that does not change.
    cause: Option<&'static str>,
    /// The same in a sentence.
    reason: Option<&'a str>,
}

/// Neighboring missed runs that are left out for one reason.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The scheduled time of the first of them.
    pub first: Timestamp,
    /// That of the last.
    pub last: Timestamp,
    /// How many there are.
    pub count: u64,
    /// The Job that has to do with it.
    pub job_name: Option<String>,
    /// Why, in a word that does not change.
    #[serde(rename = "cause")]
    pub why: LeftOutReason,
    /// The same in a sentence.
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
        cause: reason.map(|reason| reason.code),
        reason: reason.map(|reason| reason.detail.as_str()),
    };
    reason.serialize(serializer)
}

/// Why a slot is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftOutReason {
    /// It ran.
    Ran,
    /// It runs.
    Running,
    /// There is a Job of the name that it would get.
    NameTaken,
    /// The controller starts it.
    ControllerStarts,
    /// It may have run.
    MayHaveRun,
    /// The `CronJob` did not exist.
    NotCreated,
    /// There are more slots than may be run.
    BeyondMax,
}

string_enum! {
    impl pub LeftOutReason {
        Ran = "ran",
        Running = "running",
        NameTaken = "nameTaken",
        ControllerStarts = "controllerStarts",
        MayHaveRun = "mayHaveRun",
        NotCreated = "notCreated",
        BeyondMax = "beyondMax",
    }
}

/// Plans to run missed slots.
pub fn plan(
    facts: &Facts<'_>,
    choice: &BackfillSelection,
) -> Result<BackfillPlan, BackfillRefusal> {
    check(facts)?;
    let candidates = selection::candidates(facts, choice)?;
    let (steps, left_out) = selection::select(facts, choice, candidates);
    let notes = notes::notes(facts, &steps);
    Ok(BackfillPlan {
        steps,
        left_out,
        notes,
    })
}

/// Why nothing is planned at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackfillRefusal {
    /// Nothing says which slots are meant.
    #[error("{}", nothing_chosen(*missed, *since, *first))]
    NothingChosen {
        /// So many slots could be run.
        missed: usize,
        /// Of those from this moment on.
        since: Timestamp,
        /// The oldest that could be run.
        first: Option<Timestamp>,
    },
    /// A time that is no slot.
    #[error("{time} is no slot of the schedule {schedule:?}{}", nearest(slots))]
    NotASlot {
        /// The time.
        time: Timestamp,
        /// The schedule.
        schedule: String,
        /// The slots before and after it.
        slots: Vec<Timestamp>,
    },
    /// A time that has not come.
    #[error("the slot {time} has not come yet: it is {now}")]
    Future {
        /// The time.
        time: Timestamp,
        /// The moment.
        now: Timestamp,
    },
    /// The slots cannot be had.
    #[error(transparent)]
    Slots(#[from] HistoryError),
    /// Nobody knows what ran.
    #[error("without its Jobs nobody can tell which slots ran already")]
    NoJobs,
    /// Whatever is made now goes with it.
    #[error("it is being deleted since {0}, and its Jobs go with it")]
    Deleted(Timestamp),
    /// A controller that marks its Jobs in another way.
    #[error(
        "the kubebuilder book's controller marks its Jobs in a way of its own, and may run a slot \
         again that was run like this"
    )]
    Tutorial,
}

/// What no choice of slots would help.
fn check(facts: &Facts<'_>) -> Result<(), BackfillRefusal> {
    if facts.behavior().generation == Generation::Tutorial {
        return Err(BackfillRefusal::Tutorial);
    }
    if let Some(since) = facts.cron_job.deletion_timestamp {
        return Err(BackfillRefusal::Deleted(since));
    }
    if !facts.coverage.jobs_read {
        return Err(BackfillRefusal::NoJobs);
    }
    Ok(())
}

fn nothing_chosen(missed: usize, since: Timestamp, first: Option<Timestamp>) -> String {
    let (slots, it) = if missed == 1 {
        ("slot", "it")
    } else {
        ("slots", "the newest of them")
    };
    match first {
        Some(first) => format!(
            "{missed} missed {slots} since {first}: choose with --last N (--last 1 is {it}), \
             --since DURATION|TIME or --slot TIME"
        ),
        None => format!(
            "no slot since {since} is known to have been missed: --since DURATION|TIME looks \
             further back, --slot TIME names one"
        ),
    }
}

fn nearest(slots: &[Timestamp]) -> String {
    match slots {
        [] => String::new(),
        [one] => format!("; the nearest is {one}"),
        [before, after, ..] => format!("; the nearest are {before} and {after}"),
    }
}
