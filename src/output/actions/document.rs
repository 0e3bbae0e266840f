//! The machine-readable document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::observation::{ComparisonDocument, CourseDocument, RunningJobsDocument};
use super::reschedule::ReschedulingDocument;
use super::resume::ResumptionDocument;
use super::suspend::SuspensionDocument;
use super::trigger::TriggeringDocument;
use super::{Action, ActionEffect, DryRun};
use crate::change::backfill::{BackfillPlan, BackfillRun};
use crate::model::UnreadResource;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{DocumentBody, Envelope};

/// The changes of `suspend`, `resume`, `trigger`, `backfill` and `load --apply` with `-o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Actions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionsDocument<'a> {
    /// The current time.
    now: Timestamp,
    /// The simulated controller.
    controller: &'a ControllerDocument,
    /// The value of `--dry-run`.
    dry_run: DryRun,
    /// The resources that could not be read; predictions that depend on them are conditional.
    lacks: &'a [UnreadResource],
    /// The changes, in order.
    items: Vec<ActionDocument<'a>>,
    /// The plan of `backfill`; omitted by the other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a BackfillPlan>,
}

impl DocumentBody for ActionsDocument<'_> {
    const KIND: &'static str = "Actions";
}

/// A change of an object, made or only predicted.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Action")]
#[serde(rename_all = "camelCase")]
struct ActionDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// The name of the `CronJob`.
    name: &'a str,
    /// The kind of change.
    #[schemars(extend("enum" = ["suspend", "resume", "trigger", "retry", "backfill", "reschedule"]))]
    action: &'static str,
    /// Whether the change was made; null if no response was received, so that it may still be made.
    applied: Option<bool>,
    /// The object after the change; null if there is none to show.
    #[schemars(with = "Option<Map<String, Value>>")]
    object: &'a Value,
    /// The prediction, by kind of change; null if nothing was predicted.
    #[schemars(with = "Option<Prediction<'a>>")]
    prediction: &'a Value,
    /// What was observed after the change; null if the command did not wait.
    #[schemars(with = "Option<Observation<'a>>")]
    observed: &'a Value,
    /// Why the change was not made, or is not known to have been made.
    error: Option<&'a str>,
}

/// What was observed after a change.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only used in the schema")]
enum Observation<'a> {
    Comparison(ComparisonDocument<'a>),
    Course(CourseDocument<'a>),
    RunningJobs(RunningJobsDocument<'a>),
}

/// The prediction of a change. Kept as JSON from the point where it is made.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "only used in the schema"
)]
enum Prediction<'a> {
    Suspension(SuspensionDocument<'a>),
    Resumption(ResumptionDocument<'a>),
    Triggering(TriggeringDocument<'a>),
    Backfill(BackfillRun),
    Rescheduling(ReschedulingDocument<'a>),
}

pub(crate) fn document<'a>(
    controller: &'a ControllerDocument,
    now: Timestamp,
    dry_run: DryRun,
    lacks: &'a [UnreadResource],
    actions: &'a [Action],
    plan: Option<&'a BackfillPlan>,
) -> Envelope<ActionsDocument<'a>> {
    ActionsDocument {
        now,
        controller,
        dry_run,
        lacks,
        items: actions.iter().map(ActionDocument::from).collect(),
        plan,
    }
    .into()
}

impl<'a> From<&'a Action> for ActionDocument<'a> {
    fn from(action: &'a Action) -> Self {
        ActionDocument {
            namespace: &action.namespace,
            name: &action.name,
            action: action.action,
            applied: match action.effect {
                ActionEffect::Unknown(_) => None,
                _ => Some(action.effect == ActionEffect::Done),
            },
            object: &action.object,
            prediction: &action.prediction,
            observed: &action.observed,
            error: match &action.effect {
                ActionEffect::Failed(why) | ActionEffect::Unknown(why) => Some(why),
                _ => None,
            },
        }
    }
}
