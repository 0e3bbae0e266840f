//! The machine-readable document.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Action, DryRun};
use crate::change::backfill::BackfillPlan;
use crate::model::UnreadResource;
use crate::output::envelope::{DocumentBody, DocumentHeader, Envelope};

/// The changes of `suspend`, `resume`, `trigger`, `backfill` and `load --apply` with `-o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Actions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionsDocument<'a> {
    #[serde(flatten)]
    header: &'a DocumentHeader,
    /// The value of `--dry-run`.
    dry_run: DryRun,
    /// The resources that could not be read; predictions that depend on them are conditional.
    lacks: &'a [UnreadResource],
    /// The changes, in order.
    items: &'a [Action],
    /// The plan of `backfill`; omitted by the other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a BackfillPlan>,
}

impl DocumentBody for ActionsDocument<'_> {
    const KIND: &'static str = "Actions";
}

pub(crate) fn document<'a>(
    header: &'a DocumentHeader,
    dry_run: DryRun,
    lacks: &'a [UnreadResource],
    items: &'a [Action],
    plan: Option<&'a BackfillPlan>,
) -> Envelope<ActionsDocument<'a>> {
    ActionsDocument {
        header,
        dry_run,
        lacks,
        items,
        plan,
    }
    .into()
}
