//! What happens to a `CronJob` that is resumed, in sentences and in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{next_run, part};
use crate::change::{CatchUp, FirstStart, NoStart, Resumption, suspend_owner};
use crate::controller::Outcome;
use crate::diagnose::{Facts, local, suspend_reason};
use crate::duration::human;

/// A few sentences.
pub fn in_sentences(facts: &Facts<'_>, resumption: &Resumption) -> String {
    let reason = suspend_reason(facts.cron_job);
    let reason = reason.map(|reason| format!("Suspended for this reason: {reason}."));
    let mut sentences = Vec::from_iter(reason);
    sentences.push(first_start(facts, resumption));
    match resumption.catch_up {
        CatchUp::Run => {}
        CatchUp::Status(slot) => {
            sentences.push(format!("status.lastScheduleTime is moved to {slot} first."));
        }
        CatchUp::Deadline(seconds) => sentences.push(format!(
            "startingDeadlineSeconds becomes {seconds}, and has to stay until the next run: taken \
             away before, the missed run starts at once."
        )),
    }
    if let Some(skipped) = skipped(resumption) {
        sentences.push(skipped);
    }
    let given_up = matches!(
        resumption.first_start,
        FirstStart::NoStart(NoStart::TooManyMissed | NoStart::Impossible(_))
    );
    if let Some(next) = resumption.next_run.filter(|_| !given_up) {
        let note = resumption.next_run_note.as_deref();
        sentences.push(next_run(facts, "", next, note));
    }
    if let Some(owner) = suspend_owner(facts.cron_job) {
        sentences.push(format!("{owner}: its next sync may suspend it again."));
    }
    sentences.join(" ")
}

/// What is to be done once the next run has started.
pub(crate) fn afterwards(facts: &Facts<'_>, resumption: &Resumption) -> Option<String> {
    let before = facts.cron_job.spec.starting_deadline_seconds;
    match resumption.catch_up {
        CatchUp::Deadline(_) => Some(
            facts
                .patch(&json!({ "startingDeadlineSeconds": before }))
                .into(),
        ),
        CatchUp::Run | CatchUp::Status(_) => None,
    }
}

/// What happens first.
fn first_start(facts: &Facts<'_>, resumption: &Resumption) -> String {
    let late = |slot: Timestamp| human(facts.ago(slot));
    let release = facts.controller.release;
    match &resumption.first_start {
        FirstStart::Late {
            slot,
            job,
            replaced,
        } => {
            let (when, at, late) = (soon(facts, resumption), local(facts, *slot), late(*slot));
            let mut text = format!("Starts {job} {when} for the slot of {at}, {late} late.");
            if !replaced.is_empty() {
                text.push_str(&format!(" Deletes {} first", replaced.join(", ")));
                text.push_str(if facts.jobs_are_unknown() {
                    ", if still running (Jobs were not read)."
                } else {
                    "."
                });
            }
            text
        }
        FirstStart::LateAfter { slot, job, running } if facts.jobs_are_unknown() => format!(
            "If {} is still running, as status.active says, starts nothing until it finishes \
             (concurrencyPolicy: Forbid), then {job} for the run scheduled at {}; otherwise starts {job} \
             immediately. Jobs were not read.",
            running.join(", "),
            local(facts, *slot),
        ),
        FirstStart::LateAfter { slot, job, running } => format!(
            "Starts nothing as long as {} runs (Forbid), and then {job} for the slot of {}, {} late \
             already.",
            running.join(", "),
            local(facts, *slot),
            late(*slot)
        ),
        FirstStart::NoStart(nothing) => match nothing {
            NoStart::NoneMissed if resumption.missed == 0 => {
                "Starts nothing: no slot was missed.".to_owned()
            }
            // The deadline that was chosen for it.
            NoStart::PastDeadline if resumption.catch_up != CatchUp::Run => {
                "Starts nothing late.".to_owned()
            }
            NoStart::NoneMissed => "Starts nothing late.".to_owned(),
            NoStart::NoneFound => format!(
                "Starts nothing, although slots were missed: {release} estimates how many, finds \
                 none, and records no event."
            ),
            NoStart::PastDeadline => {
                let last = resumption.last_missed;
                let last =
                    last.map_or_else(String::new, |last| format!(" of {}", local(facts, last)));
                format!(
                    "Starts nothing: the last missed slot{last} is past startingDeadlineSeconds."
                )
            }
            NoStart::TooManyMissed => format!(
                "Starts nothing any more: {} slots were missed, and {release} gives up above 100. \
                 --catch-up=skip mends that.",
                resumption.missed
            ),
            NoStart::NameTaken { job, in_vain } => {
                let then = if *in_vain {
                    ", and the controller tries in vain again and again until the next slot; \
                     --catch-up=skip spares it that"
                } else {
                    ""
                };
                format!("Starts nothing: a Job named {job} exists already{then}.")
            }
            NoStart::Impossible(outcome) => impossible(facts, *outcome),
        },
    }
}

fn impossible(facts: &Facts<'_>, outcome: Outcome) -> String {
    format!(
        "Starts nothing, now or later ({}): `{}` shows why.",
        outcome.as_str(),
        facts.doctor("explain")
    )
}

/// How soon the controller looks.
fn soon(facts: &Facts<'_>, resumption: &Resumption) -> String {
    let looks_at = resumption.effect.looks_at;
    let wait = looks_at.map_or(0, |at| at.as_second() - facts.now.as_second());
    if wait > 0 {
        format!("within {}", human(wait))
    } else {
        "at once".to_owned()
    }
}

fn skipped(resumption: &Resumption) -> Option<String> {
    let is_late = resumption.first_start.late_slot().is_some();
    let other = if is_late { "other " } else { "" };
    match resumption.skipped {
        0 => None,
        1 => Some(format!("1 {other}missed slot gets no Job.")),
        many => Some(format!("{many} {other}missed slots get no Job.")),
    }
}

/// The prediction in documents.
pub(crate) fn document(facts: &Facts<'_>, resumption: &Resumption) -> Value {
    let (job, replaced, after) = match &resumption.first_start {
        FirstStart::Late { job, replaced, .. } => (Some(job), replaced.as_slice(), &[][..]),
        FirstStart::LateAfter { job, running, .. } => (Some(job), &[][..], running.as_slice()),
        FirstStart::NoStart(_) => (None, &[][..], &[][..]),
    };
    let (method, last_schedule_time, deadline) = match resumption.catch_up {
        CatchUp::Run => ("run", None, None),
        CatchUp::Status(slot) => ("status", Some(slot), None),
        CatchUp::Deadline(seconds) => ("deadline", None, Some(seconds)),
    };
    part(&ResumptionDocument {
        outcome: resumption.decision.outcome,
        scheduled_time: resumption.first_start.late_slot(),
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
pub(super) struct ResumptionDocument<'a> {
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
