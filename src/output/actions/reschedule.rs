//! The prediction for a new schedule, in sentences and in documents.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::part;
use crate::change::{ExtraRun, Rescheduling};
use crate::diagnose::{Facts, local, schedule_undone_by_sync};
use crate::duration::{exact, human};
use crate::model::{ManualChange, SyncEffect};
use crate::output::load::sentences;

pub(crate) fn in_sentences(facts: &Facts<'_>, plan: &Rescheduling, writer: &str) -> String {
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
    if let Some(undone) = schedule_undone_by_sync(&facts.cron_job, writer) {
        text.push_str(&format!(" {undone}"));
    }
    text
}

/// `runs a second time at …`, `starts …`.
pub(crate) fn extra_run(facts: &Facts<'_>, run: &ExtraRun) -> String {
    sentences::in_words(run, &|at| local(facts, at))
}

pub(crate) fn document(facts: &Facts<'_>, plan: &Rescheduling, writer: &str) -> Value {
    part(&ReschedulingDocument {
        plan,
        sync_effect: facts.cron_job.sync_effect(ManualChange::Schedule, writer),
        text: in_sentences(facts, plan, writer),
    })
}

/// The prediction for a new schedule.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ReschedulePrediction")]
#[serde(rename_all = "camelCase")]
pub(super) struct ReschedulingDocument<'a> {
    #[serde(flatten)]
    plan: &'a Rescheduling,
    /// What the next sync of the tool that manages the object does to this change; null without one.
    sync_effect: Option<SyncEffect>,
    /// The prediction in sentences.
    text: String,
}
