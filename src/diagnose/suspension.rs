//! Who suspended a `CronJob`, why, and until when.

use jiff::Timestamp;

use super::remedies::one_line;
use crate::model::{CronJob, ManagedField, ManualChange, SyncEffect, Tool};

/// The annotation in which `suspend --reason` says why.
pub(crate) const SUSPEND_REASON: &str = "cronjob-doctor/suspend-reason";

/// The annotation in which `suspend --until` records the planned end.
pub(crate) const SUSPENDED_UNTIL: &str = "cronjob-doctor/suspended-until";

/// The planned end of the suspension, if it is recorded. The annotation of an earlier suspension does not count:
/// a client that suspended the `CronJob` without writing annotations, or after that end, did not mean it.
pub(crate) fn suspended_until(cron_job: &CronJob) -> Option<Timestamp> {
    let until: Timestamp = cron_job.annotations.get(SUSPENDED_UNTIL)?.parse().ok()?;
    let owner = suspend_owner(cron_job);
    let is_stale = owner.is_some_and(|owner| {
        !owner.beside_spec || owner.time.is_some_and(|written| written > until)
    });
    (cron_job.spec.suspend == Some(true) && !is_stale).then_some(until)
}

/// Why a `CronJob` is suspended, if that is recorded.
pub(crate) fn suspend_reason(cron_job: &CronJob) -> Option<String> {
    let reason = cron_job.annotations.get(SUSPEND_REASON)?;
    let is_suspended = cron_job.spec.suspend == Some(true);
    Some(one_line(reason)).filter(|reason| is_suspended && !reason.is_empty())
}

/// What the next sync of the tool that manages a CronJob does to its suspension, or to its end, by the field
/// manager `writer`; `None` if no tool syncs it. `then` is the effect of an undone change.
pub(crate) fn undone_by_sync(
    cron_job: &CronJob,
    suspend: bool,
    then: &str,
    writer: &str,
) -> Option<String> {
    let effect = cron_job.sync_effect(ManualChange::Suspend(suspend), writer)?;
    let managed = cron_job.managed_by()?;
    let (who, sync) = (one_line(&managed.text()), managed.tool.next_sync());
    Some(match effect {
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
    })
}

/// What the next sync of the tool that manages a `CronJob` does to a new schedule that the field manager
/// `writer` sets; `None` if it keeps it.
pub(crate) fn schedule_undone_by_sync(cron_job: &CronJob, writer: &str) -> Option<String> {
    let effect = cron_job.sync_effect(ManualChange::Schedule, writer)?;
    let managed = cron_job
        .managed_by()
        .filter(|_| effect == SyncEffect::SetsBack)?;
    let (who, sync) = (one_line(&managed.text()), managed.tool.next_sync());
    Some(format!(
        "{who} manages spec.schedule: {sync} sets it back unless the manifest is changed, too."
    ))
}

/// Who owns `spec.suspend`. The time is that of the owner's last change, which can be a later one.
pub(crate) fn suspended_by(cron_job: &CronJob) -> Option<(&str, Timestamp)> {
    let owner = suspend_owner(cron_job)?;
    Some((&owner.manager, owner.time?))
}

/// What the last owner of `spec.suspend` wrote.
fn suspend_owner(cron_job: &CronJob) -> Option<&ManagedField> {
    let fields = cron_job.managed_fields.iter();
    fields
        .filter(|field| field.sets("suspend"))
        .max_by_key(|field| field.time)
}

/// Since when no other schedule, suspension or deadline can have been the reason that a run was not
/// started; `None` if that may be since the creation. The owner of such a field last wrote then.
pub(super) fn unchanged_since(cron_job: &CronJob) -> Option<Timestamp> {
    const DECIDING: [&str; 4] = ["schedule", "timeZone", "suspend", "startingDeadlineSeconds"];
    if cron_job.generation == Some(1) {
        return None;
    }
    let owns = |field: &&ManagedField| DECIDING.iter().any(|name| field.sets(name));
    let owners = cron_job.managed_fields.iter().filter(owns);
    let written = owners.filter_map(|field| field.time).max()?;
    let created = cron_job.creation_timestamp;
    created
        .is_none_or(|created| written > created)
        .then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn at(second: i64) -> Option<Timestamp> {
        Timestamp::from_second(second).ok()
    }

    #[test]
    fn planned_end_of_an_earlier_suspension_does_not_count() {
        let until = |suspend, fields: Option<(i64, Value)>| {
            let managed_fields = fields.map(|(time, fields)| {
                let mut field = ManagedField {
                    time: at(time),
                    ..ManagedField::default()
                };
                field.note_fields(&fields);
                field
            });
            let mut cron_job = CronJob {
                annotations: [(SUSPENDED_UNTIL, "1970-01-01T00:05:00Z")]
                    .into_iter()
                    .collect(),
                managed_fields: managed_fields.into_iter().collect(),
                ..CronJob::default()
            };
            cron_job.spec.suspend = Some(suspend);
            suspended_until(&cron_job)
        };
        let both = json!({"f:spec": {"f:suspend": {}}, "f:metadata": {"f:annotations": {}}});
        let alone = json!({"f:spec": {"f:suspend": {}}});
        assert_eq!(until(true, None), at(300));
        assert_eq!(until(false, None), None);
        assert_eq!(until(true, Some((100, both.clone()))), at(300));
        assert_eq!(until(true, Some((301, both))), None);
        assert_eq!(until(true, Some((100, alone))), None);
    }

    #[test]
    fn fields_written_after_creation_may_have_been_others() {
        let since = |generation, time, fields: &Value| {
            let mut field = ManagedField {
                time: at(time),
                ..ManagedField::default()
            };
            field.note_fields(fields);
            let cron_job = CronJob {
                creation_timestamp: at(100),
                generation,
                managed_fields: vec![field],
                ..CronJob::default()
            };
            unchanged_since(&cron_job)
        };
        let schedule = json!({"f:spec": {"f:schedule": {}, "f:jobTemplate": {}}});
        assert_eq!(since(Some(2), 100, &schedule), None);
        assert_eq!(since(Some(1), 500, &schedule), None);
        assert_eq!(since(Some(2), 500, &schedule), at(500));
        let resumed = json!({"f:spec": {"f:suspend": {}, "f:startingDeadlineSeconds": {}}});
        assert_eq!(since(None, 500, &resumed), at(500));
        let template = json!({"f:spec": {"f:jobTemplate": {}}});
        assert_eq!(since(Some(2), 500, &template), None);
    }
}
