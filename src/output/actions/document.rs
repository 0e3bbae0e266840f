//! The machine-readable document.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Action, manifests};
use crate::output::DryRun;
use crate::output::answer::{Answer, Documented, Format, Formats};
use crate::output::envelope::{DocumentBody, DocumentHeader, Envelope};
use cronjob_diagnosis::change::backfill::BackfillPlan;
use kube_model::UnreadResource;

/// The changes of `suspend`, `resume`, `trigger` and `backfill` with `-o json`.
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

/// Lines of text and names are written while the changes are made.
impl Answer for ActionsDocument<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|_, _| Ok(()))
            .and_documents()
            .and(Format::Name, |_, _| Ok(()))
    }
}

/// The changes of verbs that create one Job for each `CronJob`: they can also write the manifests of the Jobs.
pub(crate) struct JobActions<'a>(pub(crate) ActionsDocument<'a>);

impl Answer for JobActions<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|_, _| Ok(()))
            .and_documents()
            .and(Format::Name, |_, _| Ok(()))
            .and(Format::Job, |out, actions| manifests(out, actions.0.items))
    }
}

impl Documented for JobActions<'_> {
    fn document(&self) -> impl Serialize {
        Envelope::from(&self.0)
    }
}
