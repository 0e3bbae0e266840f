//! Which missed slots are run, and which are not, in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::change::backfill::{Plan, Step, Why};
use crate::diagnose::{Facts, local};
use crate::output::actions::part;

/// A slot that is run, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillPrediction")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct StepDocument<'a> {
    /// The slot.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// The name of the Job that runs it.
    job_name: &'a str,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, from those releases that
    /// write it.
    scheduled_timestamp: Option<&'a str>,
    /// Whether it may have run already.
    may_have_run: bool,
    /// Why it was missed, in a word that does not change.
    cause: Option<&'static str>,
    /// The same in a sentence.
    reason: Option<&'a str>,
}

/// A step in documents.
pub fn prediction(facts: &Facts<'_>, step: &Step) -> Value {
    let missed = step.missed.as_ref();
    part(&StepDocument {
        scheduled_time: step.slot,
        local_time: local(facts, step.slot),
        job_name: &step.job_name,
        scheduled_timestamp: step.scheduled_timestamp.as_deref(),
        may_have_run: step.may_have_run,
        cause: missed.map(|missed| missed.code),
        reason: missed.map(|missed| missed.detail.as_str()),
    })
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillPlan")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct PlanDocument<'a> {
    /// How many slots are run.
    slots: usize,
    /// Slots that are not, and why.
    left_out: Vec<LeftOutDocument<'a>>,
    /// What comes of it.
    notes: Vec<NoteDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LeftOut")]
#[serde(rename_all = "camelCase")]
struct LeftOutDocument<'a> {
    /// The first of the slots.
    first: Timestamp,
    /// The last of them.
    last: Timestamp,
    /// How many there are.
    count: u64,
    /// The Job that has to do with it.
    job_name: Option<&'a str>,
    /// Why, in a word that does not change.
    cause: Why,
    /// The same in a sentence.
    reason: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillNote")]
struct NoteDocument<'a> {
    /// Which note: a word that does not change.
    code: &'static str,
    /// How much it matters.
    #[schemars(extend("enum" = ["warning", "info"]))]
    severity: &'static str,
    /// The note.
    text: &'a str,
}

impl<'a> From<&'a Plan> for PlanDocument<'a> {
    fn from(plan: &'a Plan) -> Self {
        let left_out = plan.left_out.iter().map(|left| LeftOutDocument {
            first: left.first,
            last: left.last,
            count: left.count,
            job_name: left.job_name.as_deref(),
            cause: left.why,
            reason: &left.detail,
        });
        let notes = plan.notes.iter().map(|note| NoteDocument {
            code: note.code,
            severity: if note.warning { "warning" } else { "info" },
            text: &note.text,
        });
        PlanDocument {
            slots: plan.steps.len(),
            left_out: left_out.collect(),
            notes: notes.collect(),
        }
    }
}
