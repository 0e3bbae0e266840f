//! What the tool that manages a `CronJob` does to a manual change of `spec.suspend`.

use crate::change::foreign_owner;
use crate::diagnose::Facts;
use crate::model::{ManualChange, SyncEffect, Tool};

/// The effect of its next sync, and other clients that set the field. `then` is what each of them does to
/// the `CronJob`.
pub(super) fn undone(
    facts: &Facts<'_>,
    suspend: bool,
    then: &str,
    writer: &str,
) -> impl Iterator<Item = String> {
    let cron_job = facts.cron_job;
    let effect = effect(facts, suspend, writer);
    let tool = cron_job.managed_by().zip(effect).map(|(managed, effect)| {
        let (who, sync) = (managed.text(), managed.tool.next_sync());
        match effect {
            SyncEffect::SetsBack => {
                let healed = match managed.tool {
                    Tool::ArgoCd => ". With self-heal, Argo CD syncs within seconds",
                    _ => "",
                };
                format!("{who} manages spec.suspend: {sync} {then}{healed}.")
            }
            SyncEffect::Keeps => {
                format!("{who} manages this CronJob, but {sync} will not undo this.")
            }
            SyncEffect::Unknown => {
                let condition = if suspend && cron_job.is_taken_over(writer) {
                    "unless its manifest states spec.suspend: true".to_owned()
                } else {
                    format!("if its manifest states spec.suspend: {}", !suspend)
                };
                format!("{who} manages this CronJob: {condition}, {sync} {then}.")
            }
        }
    });
    let other = foreign_owner(cron_job, "suspend", writer);
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
