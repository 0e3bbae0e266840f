//! What the tool that manages a `CronJob` does to a manual change of `spec.suspend`.

use crate::change::foreign_owner;
use crate::diagnose::{Facts, undone_by_sync};
use crate::model::{ManualChange, SyncEffect};

/// The effect of its next sync, and other clients that set the field. `then` is what each of them does to
/// the `CronJob`.
pub(super) fn undone(
    facts: &Facts<'_>,
    suspend: bool,
    then: &str,
    writer: &str,
) -> impl Iterator<Item = String> {
    let tool = undone_by_sync(&facts.cron_job, suspend, then, writer);
    let other = foreign_owner(&facts.cron_job, "suspend", writer);
    let other = other.map(|owner| {
        let may = then.replacen("s ", " ", 1);
        format!("{owner} sets spec.suspend and may {may}.")
    });
    tool.into_iter().chain(other)
}

/// What the next sync does to the change.
pub(super) fn effect(facts: &Facts<'_>, suspend: bool, writer: &str) -> Option<SyncEffect> {
    let change = ManualChange::Suspend(suspend);
    facts.cron_job.sync_effect(change, writer)
}
