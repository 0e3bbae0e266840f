//! What resuming leads to, in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::change::{Ahead, CatchUp, Resumption, suspend_owner};
use crate::controller::Outcome;
use crate::diagnose::Facts;
use crate::output::actions::part;
use crate::output::actions::resume::{afterwards, in_sentences};

/// The prediction in documents.
pub fn prediction(facts: &Facts<'_>, resumption: &Resumption) -> Value {
    let (job, replaced, after) = match &resumption.ahead {
        Ahead::Late { job, replaced, .. } => (Some(job), replaced.as_slice(), &[][..]),
        Ahead::LateAfter { job, running, .. } => (Some(job), &[][..], running.as_slice()),
        Ahead::Nothing(_) => (None, &[][..], &[][..]),
    };
    let (method, last_schedule_time, deadline) = match resumption.catch_up {
        CatchUp::Run => ("run", None, None),
        CatchUp::Status(slot) => ("status", Some(slot), None),
        CatchUp::Deadline(seconds) => ("deadline", None, Some(seconds)),
    };
    part(&ResumptionDocument {
        outcome: resumption.decision.outcome,
        scheduled_time: resumption.ahead.late_slot(),
        job_name: job.map(String::as_str),
        late_seconds: resumption.late_by(facts.now),
        starts_after: after,
        deleted_jobs: replaced,
        missed: resumption.missed,
        last_missed: resumption.last_missed,
        skipped: resumption.skipped,
        next_run: resumption.next_run,
        next_run_condition: resumption.next_run_note.as_deref(),
        looks_at: resumption.effect.looks_at,
        catch_up: CatchUpDocument {
            method,
            last_schedule_time,
            starting_deadline_seconds: deadline,
        },
        afterwards: afterwards(facts, resumption),
        reverted_by: suspend_owner(facts.cron_job),
        text: in_sentences(facts, resumption),
    })
}

/// What resuming leads to, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ResumePrediction")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct ResumptionDocument<'a> {
    /// What the controller decides when it looks first.
    outcome: Outcome,
    /// The slot that it starts late.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job.
    job_name: Option<&'a str>,
    /// How late.
    late_seconds: Option<i64>,
    /// The running Jobs that it waits for.
    starts_after: &'a [String],
    /// The running Jobs that it deletes first.
    deleted_jobs: &'a [String],
    /// How many slots were missed.
    missed: u64,
    /// The last of them.
    last_missed: Option<Timestamp>,
    /// How many of them get no Job.
    skipped: u64,
    /// The first run that is scheduled after now, if one may start.
    next_run: Option<Timestamp>,
    /// What else has to hold for it.
    next_run_condition: Option<&'a str>,
    /// When the controller looks first.
    looks_at: Option<Timestamp>,
    /// What is changed beside `spec.suspend`.
    catch_up: CatchUpDocument,
    /// The command that undoes that when all is done.
    afterwards: Option<String>,
    /// Who also sets `spec.suspend` or manages the object, and may suspend it again.
    reverted_by: Option<String>,
    /// All that in sentences.
    text: String,
}

/// What is done about missed slots.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CatchUp")]
#[serde(rename_all = "camelCase")]
struct CatchUpDocument {
    /// `run`: nothing, so that the controller does what it does. `status`: `lastScheduleTime` is moved.
    /// `deadline`: `startingDeadlineSeconds` is set.
    #[schemars(extend("enum" = ["run", "status", "deadline"]))]
    method: &'static str,
    /// What `status.lastScheduleTime` is set to.
    last_schedule_time: Option<Timestamp>,
    /// What `spec.startingDeadlineSeconds` is set to.
    starting_deadline_seconds: Option<i64>,
}
