//! The prediction for a new schedule, in sentences and in documents.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::part;
use crate::change::{ExtraRun, Rescheduling};
use crate::diagnose::{Facts, local};
use crate::duration::{exact, human};
use crate::output::load::sentences;

/// A few sentences.
pub(crate) fn in_sentences(facts: &Facts<'_>, plan: &Rescheduling) -> String {
    let later = exact(i64::from(plan.minutes) * 60);
    let mut text = format!(
        "Changes the schedule from {} to {} ({later} later).",
        plan.was, plan.schedule
    );
    if let Some(run) = &plan.extra_run {
        text.push_str(&format!(" If applied now, it {}.", extra_run(facts, run)));
    }
    if let Some(next) = plan.next_run {
        let distance = human(next.as_second() - facts.now.as_second());
        text.push_str(&format!(
            " Next run of the new schedule: {} (in {distance}).",
            local(facts, next)
        ));
    }
    text
}

/// `runs a second time at …`, `starts …`.
pub(crate) fn extra_run(facts: &Facts<'_>, run: &ExtraRun) -> String {
    sentences::in_words(run, &|at| local(facts, at))
}

/// The prediction in documents.
pub(crate) fn document(facts: &Facts<'_>, plan: &Rescheduling) -> Value {
    part(&ReschedulingDocument {
        plan,
        text: in_sentences(facts, plan),
    })
}

/// The prediction for a new schedule.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ReschedulePrediction")]
pub(super) struct ReschedulingDocument<'a> {
    #[serde(flatten)]
    plan: &'a Rescheduling,
    /// The prediction in sentences.
    text: String,
}
