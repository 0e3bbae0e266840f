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

/// What is to be run, what is not, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The slots to run, oldest first.
    pub steps: Vec<Step>,
    /// The slots that were asked for and are not run, in order.
    pub left_out: Vec<LeftOut>,
    /// What is to be known before it begins.
    pub notes: Vec<Note>,
}

/// A slot to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The slot.
    pub slot: Timestamp,
    /// The name of its Job.
    pub job_name: String,
    /// What the Job is told of its slot, in the releases that do so.
    pub scheduled_timestamp: Option<String>,
    /// Why it was not run, or why nobody knows whether it was.
    pub missed: Option<RunReason>,
    /// Whether it may have run.
    pub may_have_run: bool,
}

/// Slots that follow each other and are left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// How many they are.
    pub count: u64,
    /// The Job that is in the way.
    pub job_name: Option<String>,
    /// Why, in a word.
    pub why: Why,
    /// Why, in a sentence.
    pub detail: String,
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

string_enum! {
    impl Why {
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
