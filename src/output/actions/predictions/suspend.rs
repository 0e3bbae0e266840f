//! What suspending leads to, in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::change::{Ahead, Suspension, suspend_owner};
use crate::controller::Outcome;
use crate::diagnose::Facts;
use crate::output::actions::part;
use crate::output::actions::suspend::in_sentences;

/// The prediction in documents.
pub fn prediction(facts: &Facts<'_>, suspension: &Suspension) -> Value {
    let then = suspension.then.as_ref();
    let late = then.and_then(|then| then.ahead.late_slot());
    let job = suspension.late().and_then(|ahead| match ahead {
        Ahead::Late { job, .. } | Ahead::LateAfter { job, .. } => Some(job),
        Ahead::Nothing(_) => None,
    });
    part(&SuspensionDocument {
        running: &suspension.running,
        due: suspension.due,
        pending: suspension.pending,
        first_missed: suspension.next_run,
        missed: suspension.lost.map(|lost| lost.count),
        last_missed: suspension.lost.and_then(|lost| lost.last),
        crosses_limit_at: suspension.crosses_limit_at,
        resumed_at: suspension.resumed_at,
        if_resumed: then.map(|then| IfResumedDocument {
            outcome: then.decision.outcome,
            scheduled_time: late,
            job_name: job.map(String::as_str),
            late_seconds: suspension.resumed_at.and_then(|at| then.late_by(at)),
            skipped: then.skipped,
        }),
        suggested_deadline_seconds: suspension.deadline,
        reverted_by: suspend_owner(facts.cron_job),
        text: in_sentences(facts, suspension),
    })
}

/// What suspending leads to, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SuspendPrediction")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct SuspensionDocument<'a> {
    /// Its Jobs that run, and go on.
    running: &'a [String],
    /// A run that is due already, and may start before the controller hears of the change.
    due: Option<Timestamp>,
    /// A run that was due before and waits, for the running Job or for the next attempt: it is not started.
    pending: Option<Timestamp>,
    /// The first scheduled time after now whose run is missed.
    first_missed: Option<Timestamp>,
    /// How many slots get no Job until it is resumed; null where no end is given.
    missed: Option<u64>,
    /// The last of them.
    last_missed: Option<Timestamp>,
    /// The slot with which too many will have been missed.
    crosses_limit_at: Option<Timestamp>,
    /// When it is taken to be resumed: at the given end, or right before the second slot.
    resumed_at: Option<Timestamp>,
    /// What the controller then does, if what runs now has ended.
    if_resumed: Option<IfResumedDocument<'a>>,
    /// A `startingDeadlineSeconds` that would keep it from starting what is long past.
    suggested_deadline_seconds: Option<i64>,
    /// Who also sets `spec.suspend` or manages the object, and may resume it.
    reverted_by: Option<String>,
    /// All that in sentences.
    text: String,
}

/// What the controller does when a `CronJob` is resumed.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "IfResumed")]
#[serde(rename_all = "camelCase")]
struct IfResumedDocument<'a> {
    /// What it does.
    outcome: Outcome,
    /// The slot that it starts late.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job.
    job_name: Option<&'a str>,
    /// How late.
    late_seconds: Option<i64>,
    /// How many missed slots get no Job.
    skipped: u64,
}
