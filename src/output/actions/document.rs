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
pub struct ActionsDocument<'a> {
    #[serde(flatten)]
    pub(crate) header: &'a DocumentHeader,
    /// The value of `--dry-run`.
    pub(crate) dry_run: DryRun,
    /// The resources that could not be read; predictions that depend on them are conditional.
    pub(crate) lacks: &'a [UnreadResource],
    /// The changes, in order.
    pub(crate) items: &'a [Action],
    /// The plan of `backfill`; omitted by the other commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<&'a BackfillPlan>,
}

impl DocumentBody for ActionsDocument<'_> {}
