//! What happens to a `CronJob` that is suspended, in sentences and in documents.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::part;
use crate::change::{FirstStart, NoStart, Suspension, suspend_owner};
use crate::controller::Outcome;
use crate::diagnose::{Facts, ON_TIME, local};
use crate::duration::{exact, human};

/// A few sentences.
pub fn in_sentences(facts: &Facts<'_>, suspension: &Suspension) -> String {
    let mut sentences = Vec::new();
    if !suspension.running.is_empty() {
        let (names, go) = (suspension.running.join(", "), goes_on(&suspension.running));
        let if_running = if facts.jobs_are_unknown() {
            ", if still running (Jobs were not read)"
        } else {
            ""
        };
        sentences.push(format!("{names} {go} on{if_running}."));
    }
    if let Some(due) = suspension.due {
        let at = local(facts, due);
        sentences.push(format!("The run of {at} is due, and may start before."));
    }
    if let Some(pending) = suspension.pending {
        let at = local(facts, pending);
        sentences.push(format!(
            "The run of {at}, which is pending, is not started."
        ));
    }
    sentences.push(lost(facts, suspension));
    if let Some(then) = then(facts, suspension) {
        sentences.push(then);
    }
    if let Some(limit) = limit(facts, suspension) {
        sentences.push(limit);
    }
    if let Some(seconds) = suspension.deadline {
        sentences.push(format!(
            "Resumed with --catch-up=skip, it does not start that run; with a \
             startingDeadlineSeconds of {seconds}, only if it is resumed within {} of the scheduled \
             time.",
            exact(seconds)
        ));
    }
    if let Some(owner) = suspend_owner(facts.cron_job) {
        sentences.push(format!("{owner}: its next sync may resume it."));
    }
    sentences.join(" ")
}

fn goes_on(running: &[String]) -> &'static str {
    if running.len() == 1 { "goes" } else { "go" }
}

/// Which slots get no Job.
fn lost(facts: &Facts<'_>, suspension: &Suspension) -> String {
    match (suspension.lost, suspension.next_run) {
        (_, None) => "It would not have run again anyway.".to_owned(),
        (None, Some(next)) => {
            let away = human(next.as_second() - facts.now.as_second());
            format!(
                "Nothing starts from now on; the run of {} (in {away}) is the first that is missed.",
                local(facts, next)
            )
        }
        (Some(lost), _) => {
            let until = suspension.resumed_at;
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            match (lost.count, lost.first, lost.last) {
                (1, Some(first), _) => {
                    format!(
                        "1 slot{until} gets no Job, that of {}.",
                        local(facts, first)
                    )
                }
                (count, Some(first), Some(last)) if count > 0 => format!(
                    "{count} slots{until} get no Job, the first of {}, the last of {}.",
                    local(facts, first),
                    local(facts, last)
                ),
                _ => format!("No slot is missed{until}."),
            }
        }
    }
}

/// What being resumed leads to.
fn then(facts: &Facts<'_>, suspension: &Suspension) -> Option<String> {
    let (at, then) = (suspension.resumed_at?, suspension.then.as_ref()?);
    if suspension.lost.is_none() {
        return some_time(facts, &then.first_start);
    }
    Some(match &then.first_start {
        FirstStart::Late { slot, job, .. } | FirstStart::LateAfter { slot, job, .. } => {
            let others = if then.skipped > 0 {
                ", and nothing for the others"
            } else {
                ""
            };
            let when = match at.as_second() - slot.as_second() {
                late if late > ON_TIME => format!("at once, {} late", human(late)),
                _ => "on time".to_owned(),
            };
            format!("Resumed then, it starts {job} {when}{others}.")
        }
        FirstStart::NoStart(_) if then.missed == 0 => {
            "Resumed then, it starts nothing late.".to_owned()
        }
        FirstStart::NoStart(_) => "Resumed then, it starts nothing for what was missed.".to_owned(),
    })
}

/// What being resumed leads to, whenever that will be.
fn some_time(facts: &Facts<'_>, first_start: &FirstStart) -> Option<String> {
    let deadline = facts.cron_job.spec.starting_deadline_seconds;
    match (deadline, first_start) {
        (Some(seconds), _) => Some(format!(
            "Resumed within {} of a missed slot, it starts that run late; after that, nothing late.",
            exact(seconds)
        )),
        (None, FirstStart::Late { .. } | FirstStart::LateAfter { .. }) => {
            Some("Resumed later, it starts the last missed run at once, however late.".to_owned())
        }
        (None, FirstStart::NoStart(NoStart::NoneFound)) => Some(
            "Resumed later, this release may find none of the missed slots, and start nothing."
                .to_owned(),
        ),
        (None, FirstStart::NoStart(_)) => None,
    }
}

/// A warning of the controller that is further away worries nobody today.
const SOON: SignedDuration = SignedDuration::from_hours(7 * 24);

/// When the controller finds it too much.
fn limit(facts: &Facts<'_>, suspension: &Suspension) -> Option<String> {
    let at = suspension.crosses_limit_at?;
    let end = match (suspension.lost, suspension.resumed_at) {
        (Some(_), Some(end)) => end,
        _ if suspension.gives_up => at,
        _ => facts.now.checked_add(SOON).ok()?,
    };
    if at > end {
        return None;
    }
    let release = facts.controller.release;
    let what = if suspension.gives_up {
        format!("{release} then starts nothing any more")
    } else {
        "the controller then warns".to_owned()
    };
    let place = local(facts, at);
    Some(format!(
        "More than 100 slots will have been missed at {place}: {what}."
    ))
}

/// The prediction in documents.
pub(crate) fn document(facts: &Facts<'_>, suspension: &Suspension) -> Value {
    let then = suspension.then.as_ref();
    let late = then.and_then(|then| then.first_start.late_slot());
    let job = suspension.late().and_then(|first_start| match first_start {
        FirstStart::Late { job, .. } | FirstStart::LateAfter { job, .. } => Some(job),
        FirstStart::NoStart(_) => None,
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
pub(super) struct SuspensionDocument<'a> {
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
