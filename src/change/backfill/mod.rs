//! Missed slots that are to be run after all: which, as which Jobs, and what comes of it.
//!
//! No slot may run twice. So a Job gets the name and the annotation that the controller would have
//! given it, and a slot is left out if anything shows that it ran, if the controller is about to
//! start it, or if nobody can know any more.

mod choice;
mod foretold;
mod limits;
mod refusal;
mod sift;
mod taken;

use std::rc::Rc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::diagnose::Facts;
use crate::history::{HistoryEntry, RunReason};

pub use foretold::Note;
pub use refusal::Refusal;

/// Which slots are asked for. At least one of `since`, `slots` and `last` says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
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
struct Candidate {
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
pub struct Plan {
    /// How many runs are started.
    #[schemars(with = "usize")]
    #[serde(rename = "runs", serialize_with = "count")]
    pub steps: Vec<Step>,
    /// Missed runs that are not started, and why.
    pub left_out: Vec<LeftOut>,
    /// What comes of it.
    pub notes: Vec<Note>,
}

/// A missed run to start.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "BackfillPrediction")]
#[serde(rename_all = "camelCase")]
pub struct Step {
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
    pub why: Why,
    /// The same in a sentence.
    #[serde(rename = "reason")]
    pub detail: String,
}

fn count<S: Serializer>(steps: &[Step], serializer: S) -> Result<S::Ok, S::Error> {
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
pub enum Why {
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

json_names! {
    Why {
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
pub fn plan(facts: &Facts<'_>, choice: &Choice) -> Result<Plan, Refusal> {
    refusal::check(facts)?;
    let candidates = choice::candidates(facts, choice)?;
    let (steps, left_out) = sift::sift(facts, choice, candidates);
    let notes = foretold::notes(facts, &steps);
    Ok(Plan {
        steps,
        left_out,
        notes,
    })
}
