//! What a new schedule leads to, in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::change::Rescheduling;
use crate::diagnose::Facts;
use crate::output::actions::part;
use crate::output::actions::reschedule::in_sentences;
use crate::output::load::ExtraRunDocument;

/// The prediction in documents.
pub fn prediction(facts: &Facts<'_>, plan: &Rescheduling) -> Value {
    part(&ReschedulingDocument {
        schedule: &plan.was,
        new_schedule: &plan.schedule,
        later_seconds: plan.minutes * 60,
        next_run: plan.next_run,
        extra_run: plan.extra_run.as_ref().map(ExtraRunDocument::from),
        text: in_sentences(facts, plan),
    })
}

/// What a new schedule leads to, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ReschedulePrediction")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct ReschedulingDocument<'a> {
    /// `spec.schedule` before the change.
    schedule: &'a str,
    /// And after it.
    new_schedule: &'a str,
    /// How much later each run starts.
    later_seconds: u32,
    /// The next run of the new schedule.
    next_run: Option<Timestamp>,
    /// The run that is started beside those of the schedule; null where there is none.
    extra_run: Option<ExtraRunDocument<'a>>,
    /// All that in sentences.
    text: String,
}
