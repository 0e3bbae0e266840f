//! The machine-readable document.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Action, DryRun};
use crate::change::backfill::BackfillPlan;
use crate::model::UnreadResource;
use crate::output::envelope::{DocumentBody, DocumentHeader};

/// The changes of `suspend`, `resume`, `trigger`, `backfill` and `load --apply` with `-o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Actions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionsDocument<'a> {
    #[serde(flatten)]
    pub header: &'a DocumentHeader,
    /// The value of `--dry-run`.
    pub dry_run: DryRun,
    /// The resources that could not be read; predictions that depend on them are conditional.
    pub lacks: &'a [UnreadResource],
    /// The changes, in order.
    pub items: &'a [Action],
    /// The plan of `backfill`; omitted by the other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<&'a BackfillPlan>,
}

impl DocumentBody for ActionsDocument<'_> {
    const KIND: &'static str = "Actions";
}
