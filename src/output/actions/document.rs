//! The machine-readable document.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::{Action, DryRun, Effect};
use crate::output::API_VERSION;
use crate::output::next_runs::ControllerDocument;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    now: Timestamp,
    controller: &'a ControllerDocument,
    dry_run: &'static str,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    namespace: &'a str,
    name: &'a str,
    action: &'static str,
    applied: bool,
    object: &'a Value,
    prediction: &'a Value,
    observed: &'a Value,
    error: Option<&'a str>,
}

/// The document.
pub fn document<'a>(
    controller: &'a ControllerDocument,
    now: Timestamp,
    dry_run: DryRun,
    actions: &'a [Action],
) -> impl Serialize + 'a {
    Document {
        api_version: API_VERSION,
        kind: "Actions",
        now,
        controller,
        dry_run: dry_run.as_str(),
        items: actions.iter().map(Item::from).collect(),
    }
}

impl<'a> From<&'a Action> for Item<'a> {
    fn from(action: &'a Action) -> Self {
        Item {
            namespace: &action.namespace,
            name: &action.name,
            action: action.action,
            applied: action.effect == Effect::Done,
            object: &action.object,
            prediction: &action.prediction,
            observed: &action.observed,
            error: match &action.effect {
                Effect::Failed(why) => Some(why),
                _ => None,
            },
        }
    }
}
