//! What a Job leads to that is started by hand, in documents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::change::{After, Choice, Meeting, Overrides, Prospect};
use crate::controller::{Outcome, RecordedEvent};
use crate::diagnose::Facts;
use crate::output::actions::part;
use crate::output::actions::trigger::in_sentences;

/// The prediction in documents.
pub fn prediction(
    facts: &Facts<'_>,
    prospect: &Prospect,
    changed: Option<(&Choice, &Overrides)>,
) -> Value {
    let look = &prospect.look;
    let starts = look.starts();
    let next = prospect.next_run.as_ref();
    part(&TriggeringDocument {
        job_name: &prospect.job_name,
        container: changed.map(|(choice, _)| choice.name.as_str()),
        starts_pods: !prospect.starts_no_pods,
        running: &prospect.running,
        look: LookDocument {
            outcome: look.outcome,
            events: &look.events,
            scheduled_time: look.scheduled_time.filter(|_| starts),
            job_name: look.job_name.as_deref().filter(|_| starts),
            deleted_jobs: &look.deleted_jobs,
        },
        takes_name_of_slot: prospect.takes_slot,
        on_success: (&prospect.after_success).into(),
        on_failure: (&prospect.after_failure).into(),
        next_run: next.map(|next| NextDocument {
            scheduled_time: next.at,
            in_seconds: next.in_seconds,
            usual_duration_seconds: next.usual_seconds,
            near: next.is_near,
            if_still_running: match next.meeting {
                Meeting::Beside => "beside",
                Meeting::Blocked => "waits",
                Meeting::Replaced => "replaces",
            },
            condition: next.note.as_deref(),
        }),
        text: in_sentences(facts, prospect, changed),
    })
}

/// What triggering leads to, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TriggerPrediction")]
#[serde(rename_all = "camelCase")]
pub(in crate::output::actions) struct TriggeringDocument<'a> {
    /// The name of the Job.
    job_name: &'a str,
    /// The container that is changed; null where none is.
    container: Option<&'a str>,
    /// Whether the Job starts pods at once; not where its template is suspended.
    starts_pods: bool,
    /// The Jobs that run already.
    running: &'a [String],
    /// What the controller does when it sees the Job.
    look: LookDocument<'a>,
    /// A slot that the controller has not come to and whose Job it would call the same.
    takes_name_of_slot: Option<Timestamp>,
    /// What happens after it succeeded.
    on_success: AfterDocument<'a>,
    /// What happens after it failed.
    on_failure: AfterDocument<'a>,
    /// The next run by the schedule.
    next_run: Option<NextDocument<'a>>,
    /// All that in sentences.
    text: String,
}

/// What the controller does when it sees the Job.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Look")]
#[serde(rename_all = "camelCase")]
struct LookDocument<'a> {
    /// What it does.
    outcome: Outcome,
    /// The events that it records, in order.
    events: &'a [RecordedEvent],
    /// The slot that it starts.
    scheduled_time: Option<Timestamp>,
    /// The name of the Job that it starts.
    job_name: Option<&'a str>,
    /// The running Jobs that it deletes first.
    deleted_jobs: &'a [String],
}

/// What happens after a Job that was started by hand.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "After")]
#[serde(rename_all = "camelCase")]
struct AfterDocument<'a> {
    /// The older Jobs that are deleted because of it.
    deleted_jobs: &'a [String],
    /// Whether it is deleted itself.
    deletes_itself: bool,
    /// Whether `status.lastSuccessfulTime` is moved.
    notes_success: bool,
}

/// The next run by the schedule.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NextAfterTrigger")]
#[serde(rename_all = "camelCase")]
struct NextDocument<'a> {
    /// Its slot.
    scheduled_time: Timestamp,
    /// How far away it is.
    in_seconds: i64,
    /// How long a run usually takes; null where none is known.
    usual_duration_seconds: Option<i64>,
    /// Whether the two may meet.
    near: bool,
    /// What happens if they do: both run, it waits, or it replaces this one.
    #[schemars(extend("enum" = ["beside", "waits", "replaces"]))]
    if_still_running: &'static str,
    /// What else has to hold for it.
    condition: Option<&'a str>,
}

impl<'a> From<&'a After> for AfterDocument<'a> {
    fn from(after: &'a After) -> Self {
        AfterDocument {
            deleted_jobs: &after.deleted,
            deletes_itself: after.deletes_itself,
            notes_success: after.notes_success,
        }
    }
}
