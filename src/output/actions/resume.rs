//! What happens to a `CronJob` that is resumed, in sentences and in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::summary::all_and_some;
use super::{next_run, part, sync};
use crate::change::{CatchUp, FirstStart, NoStart, Resumption, reverted_by};
use crate::controller::Outcome;
use crate::diagnose::{Facts, SuspensionRecord, action_time, local};
use crate::duration::human;
use crate::model::{ManualChange, SyncEffect};
use crate::words::counted;

/// A few sentences. The change is made as the field manager `writer`.
pub fn in_sentences(facts: &Facts<'_>, resumption: &Resumption, writer: &str) -> String {
    sentences(facts, resumption, writer).join(" ")
}

/// The same, each of them understandable by itself.
pub(crate) fn sentences(facts: &Facts<'_>, resumption: &Resumption, writer: &str) -> Vec<String> {
    let record = SuspensionRecord::of(&facts.cron_job).unwrap_or_default();
    let by_whom = record.user.as_ref().and_then(|_| record.sentence(facts));
    let reason = record.reason;
    let reason = reason.map(|reason| format!("Reason for the suspension: {reason}."));
    let until = record.until;
    let until = until.map(|until| {
        format!(
            "Planned end of the suspension: {}.",
            action_time(facts, until)
        )
    });
    let mut sentences: Vec<String> = by_whom.into_iter().chain(reason).chain(until).collect();
    let is_late = resumption.first_start.late_time().is_some();
    let skipped = skipped(resumption);
    sentences.extend(skipped.clone().filter(|_| !is_late));
    sentences.push(first_start(facts, resumption));
    sentences.extend(skipped.filter(|_| is_late));
    match resumption.catch_up {
        CatchUp::Run => {}
        CatchUp::Status(scheduled_time) => {
            sentences.push(format!(
                "(Sets status.lastScheduleTime to {scheduled_time} before resuming.)"
            ));
        }
        CatchUp::Deadline(seconds) => sentences.push(format!(
            "Sets startingDeadlineSeconds to {seconds}. Keep it until the next run has started: if \
             you remove it earlier, the missed run starts immediately."
        )),
    }
    let given_up = matches!(
        resumption.first_start,
        FirstStart::NoStart(NoStart::TooManyMissed | NoStart::Impossible(_))
    );
    if let Some(next) = resumption.next_run.filter(|_| !given_up) {
        let note = resumption.next_run_note.as_deref();
        sentences.push(next_run(facts, "Next run", next, note));
    }
    sentences.extend(sync::undone(facts, false, "suspends it again", writer));
    sentences
}

/// What resuming many CronJobs leads to.
#[derive(Debug, Default)]
pub(crate) struct ResumptionTotals {
    cron_jobs: usize,
    /// The CronJobs that start a missed run: immediately, or after a running Job.
    late: usize,
    /// The missed runs that are not started.
    skipped: u64,
    /// The CronJobs that never start a run again.
    given_up: usize,
}

impl ResumptionTotals {
    pub(crate) fn add(&mut self, resumption: &Resumption) {
        self.cron_jobs += 1;
        self.late += usize::from(resumption.first_start.late_time().is_some());
        self.skipped = self.skipped.saturating_add(resumption.skipped);
        let given_up = NoStart::TooManyMissed;
        self.given_up += usize::from(resumption.first_start == FirstStart::NoStart(given_up));
    }

    /// `running` is the number of CronJobs that are not suspended.
    pub(crate) fn in_words(&self, running: usize) -> String {
        let mut parts = vec![all_and_some(
            self.cron_jobs,
            running,
            "will be resumed",
            "not suspended",
        )];
        if self.late > 0 {
            parts.push(format!("{} will start a missed run late", self.late));
        }
        if self.given_up > 0 {
            parts.push(format!("{} will never start a run again", self.given_up));
        }
        let skipped = counted(self.skipped, "missed run");
        match (self.skipped, self.late) {
            (0, 0) => parts.push("no run was missed".to_owned()),
            (0, _) => {}
            _ => parts.push(format!("{skipped} will not be started")),
        }
        format!("{}.", parts.join("; "))
    }
}

/// The command to run once the next run has started.
pub(crate) fn afterwards(facts: &Facts<'_>, resumption: &Resumption) -> Option<String> {
    let before = facts.cron_job.spec.starting_deadline_seconds;
    match resumption.catch_up {
        CatchUp::Deadline(_) => Some(
            facts
                .patch(&json!({ "startingDeadlineSeconds": before }))
                .to_string(),
        ),
        CatchUp::Run | CatchUp::Status(_) => None,
    }
}

fn first_start(facts: &Facts<'_>, resumption: &Resumption) -> String {
    let late = |scheduled_time: Timestamp| human(facts.ago(scheduled_time));
    let release = facts.controller.release;
    match &resumption.first_start {
        FirstStart::Late {
            scheduled_time,
            job,
            replaced,
        } => {
            let (when, at, late) = (
                soon(facts, resumption),
                local(facts, *scheduled_time),
                late(*scheduled_time),
            );
            let mut text =
                format!("Starts {job} {when} for the run scheduled at {at} ({late} late).");
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
        FirstStart::LateAfter {
            scheduled_time,
            job,
            running,
        } if facts.jobs_are_unknown() => format!(
            "Starts {job} for the run scheduled at {}: immediately, or when {} finishes if it is still \
             running (concurrencyPolicy: Forbid; it is in status.active, and Jobs were not read).",
            local(facts, *scheduled_time),
            running.join(", "),
        ),
        FirstStart::LateAfter {
            scheduled_time,
            job,
            running,
        } => format!(
            "Starts nothing while {} is running (concurrencyPolicy: Forbid). Then starts {job} for \
             the run scheduled at {} (already {} late).",
            running.join(", "),
            local(facts, *scheduled_time),
            late(*scheduled_time)
        ),
        FirstStart::NoStart(nothing) => match nothing {
            NoStart::NoneMissed if resumption.missed == 0 => "No run was missed.".to_owned(),
            // The deadline that was chosen for it.
            NoStart::PastDeadline if resumption.catch_up != CatchUp::Run => {
                "No missed run starts.".to_owned()
            }
            NoStart::NoneMissed => "No missed run starts.".to_owned(),
            NoStart::NoneFound => format!(
                "No missed run starts: Kubernetes {release} estimates which one is the latest, finds \
                 none, and records no event."
            ),
            NoStart::PastDeadline => {
                let last = resumption.last_missed;
                let last = last.map_or_else(String::new, |last| {
                    format!(", scheduled at {},", local(facts, last))
                });
                format!(
                    "No missed run starts: the last one{last} is past its \
                     startingDeadlineSeconds."
                )
            }
            NoStart::TooManyMissed => format!(
                "Never starts a run again: {} runs were missed, and Kubernetes {release} gives up \
                 above 100. Resume with --catch-up=skip instead.",
                resumption.missed
            ),
            NoStart::NameTaken { job, in_vain } => {
                let then = if *in_vain {
                    ". The controller retries without success until the next run is due; to avoid \
                     that, resume with --catch-up=skip"
                } else {
                    ""
                };
                format!("No missed run starts: a Job named {job} already exists{then}.")
            }
            NoStart::Impossible(outcome) => impossible(facts, *outcome),
        },
    }
}

fn impossible(facts: &Facts<'_>, outcome: Outcome) -> String {
    format!(
        "Starts nothing, now or later ({}). To see why, run `{}`.",
        outcome.in_words(),
        facts.doctor("explain")
    )
}

/// How soon the controller syncs the CronJob.
fn soon(facts: &Facts<'_>, resumption: &Resumption) -> String {
    let syncs_at = resumption.effect.syncs_at;
    let wait = syncs_at.map_or(0, |at| at.as_second() - facts.now.as_second());
    if wait > 0 {
        format!("within {}", human(wait))
    } else {
        "immediately".to_owned()
    }
}

fn skipped(resumption: &Resumption) -> Option<String> {
    let is_late = resumption.first_start.late_time().is_some();
    if resumption.first_start == FirstStart::NoStart(NoStart::TooManyMissed) {
        return None;
    }
    match resumption.skipped {
        0 => None,
        1 if is_late => Some("Will not start the other missed run.".to_owned()),
        many if is_late => Some(format!("Will not start the other {many} missed runs.")),
        1 => Some("1 run was missed.".to_owned()),
        many => Some(format!("{many} runs were missed.")),
    }
}

pub(crate) fn document(facts: &Facts<'_>, resumption: &Resumption, writer: &str) -> Value {
    let (job, replaced, after) = match &resumption.first_start {
        FirstStart::Late { job, replaced, .. } => (Some(job), replaced.as_slice(), &[][..]),
        FirstStart::LateAfter { job, running, .. } => (Some(job), &[][..], running.as_slice()),
        FirstStart::NoStart(_) => (None, &[][..], &[][..]),
    };
    let (method, last_schedule_time, deadline) = match resumption.catch_up {
        CatchUp::Run => ("run", None, None),
        CatchUp::Status(scheduled_time) => ("status", Some(scheduled_time), None),
        CatchUp::Deadline(seconds) => ("deadline", None, Some(seconds)),
    };
    part(&ResumptionDocument {
        outcome: resumption.decision.outcome,
        scheduled_time: resumption.first_start.late_time(),
        job_name: job.map(String::as_str),
        late_seconds: resumption.late_by(facts.now),
        starts_after: after,
        deleted_jobs: replaced,
        missed: resumption.missed,
        last_missed: resumption.last_missed,
        skipped: resumption.skipped,
        next_run: resumption.next_run,
        next_run_condition: resumption.next_run_note.as_deref(),
        syncs_at: resumption.effect.syncs_at,
        catch_up: CatchUpDocument {
            method,
            last_schedule_time,
            starting_deadline_seconds: deadline,
        },
        afterwards: afterwards(facts, resumption),
        reverted_by: reverted_by(&facts.cron_job, ManualChange::Suspend(false), writer),
        sync_effect: sync::effect(facts, false, writer),
        text: in_sentences(facts, resumption, writer),
    })
}

/// The prediction for a resumed `CronJob`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ResumePrediction")]
#[serde(rename_all = "camelCase")]
pub(super) struct ResumptionDocument<'a> {
    /// The outcome of the first sync.
    outcome: Outcome,
    /// The scheduled time of the run that starts late; null if none does.
    scheduled_time: Option<Timestamp>,
    /// The name of its Job.
    job_name: Option<&'a str>,
    /// How late it starts, in seconds.
    late_seconds: Option<i64>,
    /// The running Jobs that must finish first.
    starts_after: &'a [String],
    /// The running Jobs that the controller deletes first.
    deleted_jobs: &'a [String],
    /// The number of missed runs.
    missed: u64,
    /// The scheduled time of the last missed run.
    last_missed: Option<Timestamp>,
    /// The number of missed runs that are not started.
    skipped: u64,
    /// The scheduled time of the first run after now; null if none may start.
    next_run: Option<Timestamp>,
    /// What that run depends on.
    next_run_condition: Option<&'a str>,
    /// The time of the first sync.
    syncs_at: Option<Timestamp>,
    /// What is changed in addition to `spec.suspend`.
    catch_up: CatchUpDocument,
    /// The command that restores `startingDeadlineSeconds` after the next run has started.
    afterwards: Option<String>,
    /// The tool or field manager that sets `spec.suspend` or manages the object, and may suspend it again.
    reverted_by: Option<String>,
    /// What the next sync of the tool that manages the object does to this change; null without one.
    sync_effect: Option<SyncEffect>,
    /// The prediction in sentences.
    text: String,
}

/// How missed runs are handled.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CatchUp")]
#[serde(rename_all = "camelCase")]
struct CatchUpDocument {
    /// Left to the controller (`run`), or skipped with `lastScheduleTime` or `startingDeadlineSeconds`.
    #[schemars(extend("enum" = ["run", "status", "deadline"]))]
    method: &'static str,
    /// The new value of `status.lastScheduleTime`.
    last_schedule_time: Option<Timestamp>,
    /// The new value of `spec.startingDeadlineSeconds`.
    starting_deadline_seconds: Option<i64>,
}
