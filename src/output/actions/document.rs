//! The machine-readable document.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::observation::{ComparisonDocument, CourseDocument};
use super::reschedule::ReschedulingDocument;
use super::resume::ResumptionDocument;
use super::suspend::SuspensionDocument;
use super::trigger::TriggeringDocument;
use super::{Action, ActionEffect, DryRun};
use crate::change::backfill::{BackfillPlan, BackfillRun};
use crate::model::UnreadResource;
use crate::output::controller::ControllerDocument;
use crate::output::envelope::{DocumentBody, Envelope};

/// What was done to a cluster, or would be: `suspend`, `resume`, `trigger`, `backfill` and
/// `load --apply` with `-o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Actions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionsDocument<'a> {
    /// The moment that is taken for now.
    now: Timestamp,
    /// The controller that is modelled.
    controller: &'a ControllerDocument,
    /// How far changes go.
    dry_run: DryRun,
    /// What could not be read; predictions that depend on it are conditional.
    lacks: &'a [UnreadResource],
    /// What was done, or would be, in order.
    items: Vec<ActionDocument<'a>>,
    /// Which missed runs `backfill` starts, and which it does not; left out by the other verbs.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a BackfillPlan>,
}

impl DocumentBody for ActionsDocument<'_> {
    const KIND: &'static str = "Actions";
}

/// What was done to an object, or would be.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Action")]
#[serde(rename_all = "camelCase")]
struct ActionDocument<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// The verb.
    #[schemars(extend("enum" = ["suspend", "resume", "trigger", "backfill", "reschedule"]))]
    action: &'static str,
    /// Whether it was done; null where that is unknown, since no answer came, and it may still be done.
    applied: Option<bool>,
    /// The object as the server has it now, or would; null where there is none to show.
    #[schemars(with = "Option<Map<String, Value>>")]
    object: &'a Value,
    /// What it would lead to, by verb; null where nothing was predicted.
    #[schemars(with = "Option<Prediction<'a>>")]
    prediction: &'a Value,
    /// What was then seen, by verb; null where nobody looked.
    #[schemars(with = "Option<Observation<'a>>")]
    observed: &'a Value,
    /// Why it could not be done, or is not known to have been.
    error: Option<&'a str>,
}

/// What was seen after a change.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "it stands in the schema only")]
enum Observation<'a> {
    Comparison(ComparisonDocument<'a>),
    Course(CourseDocument<'a>),
}

/// What a change would lead to. Known where it is decided on, and kept as it will be written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "it stands in the schema only"
)]
enum Prediction<'a> {
    Suspension(SuspensionDocument<'a>),
    Resumption(ResumptionDocument<'a>),
    Triggering(TriggeringDocument<'a>),
    Backfill(BackfillRun),
    Rescheduling(ReschedulingDocument<'a>),
}

/// The document.
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
