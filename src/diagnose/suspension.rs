//! Who suspended or resumed a `CronJob`, and why.

use jiff::Timestamp;

use super::commands::one_line;
use crate::model::{CronJob, ManagedField};

/// The annotation in which `suspend --reason` says why.
pub const SUSPEND_REASON: &str = "cronjob-doctor/suspend-reason";

/// Why a `CronJob` is suspended, if somebody wrote it down.
pub(crate) fn suspend_reason(cron_job: &CronJob) -> Option<String> {
    let reason = cron_job.annotations.get(SUSPEND_REASON)?;
    let is_suspended = cron_job.spec.suspend == Some(true);
    Some(one_line(reason)).filter(|reason| is_suspended && !reason.is_empty())
}

/// Who owns `spec.suspend`. The time is that of the owner's last change, which can be a later one.
pub(super) fn suspended_by(cron_job: &CronJob) -> Option<(&str, Timestamp)> {
    let owns = |field: &&ManagedField| field.sets("suspend");
    let owner = cron_job
        .managed_fields
        .iter()
        .filter(owns)
        .max_by_key(|field| field.time)?;
    Some((&owner.manager, owner.time?))
}

/// Who resumed a `CronJob`, and when, if that shows.
///
/// A client that updates owns the fields whose value it changed. One that owns `spec.suspend` and
/// nothing else, where that is false, has set it to false, and wrote nothing later.
pub(crate) fn resumed(cron_job: &CronJob) -> Option<(&str, Timestamp)> {
    if cron_job.spec.suspend != Some(false) {
        return None;
    }
    let owner = cron_job.managed_fields.iter().find(|field| {
        let alone = field.of_spec.len() == 1 && !field.beside_spec;
        field.operation == "Update" && field.sets("suspend") && alone
    })?;
    let at = owner.time?;
    let created = cron_job.creation_timestamp?;
    (at > created).then_some((owner.manager.as_str(), at))
}

/// Since when the schedule is surely the one of now, and the `CronJob` not suspended; `None` if that
/// may be since its creation. Whoever owns the schedule wrote last at that moment.
pub(super) fn unchanged_since(cron_job: &CronJob) -> Option<Timestamp> {
    let owns = |field: &&ManagedField| field.sets("schedule") || field.sets("timeZone");
    let owners = cron_job.managed_fields.iter().filter(owns);
    let written = owners.filter_map(|field| field.time).max();
    let written = written.filter(|at| {
        let created = cron_job.creation_timestamp;
        cron_job.generation != Some(1) && created.is_none_or(|created| *at > created)
    });
    written.max(resumed(cron_job).map(|(_, at)| at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CronJobSpec;
    use serde_json::{Value, json};

    fn at(second: i64) -> Option<Timestamp> {
        Timestamp::from_second(second).ok()
    }

    fn entry(time: i64, fields: &Value) -> ManagedField {
        let mut field = ManagedField {
            manager: "kubectl".to_owned(),
            operation: "Update".to_owned(),
            time: at(time),
            ..ManagedField::default()
        };
        field.note_fields(fields);
        field
    }

    fn cron_job(generation: Option<i64>, managed_fields: Vec<ManagedField>) -> CronJob {
        CronJob {
            creation_timestamp: at(100),
            generation,
            managed_fields,
            spec: CronJobSpec {
                suspend: Some(false),
                ..CronJobSpec::default()
            },
            ..CronJob::default()
        }
    }

    #[test]
    fn who_owns_suspend_alone_has_resumed_it() {
        let alone = entry(900, &json!({"f:spec": {"f:suspend": {}}}));
        let resumed_by = |field: &ManagedField| {
            let cron_job = cron_job(Some(3), vec![field.clone()]);
            resumed(&cron_job).map(|(_, at)| at)
        };
        assert_eq!(resumed_by(&alone), at(900));
        let mut applied = alone.clone();
        applied.operation = "Apply".to_owned();
        assert_eq!(resumed_by(&applied), None, "it may have been false before");
        let among_others = entry(900, &json!({"f:spec": {"f:suspend": {}, "f:schedule": {}}}));
        assert_eq!(resumed_by(&among_others), None);
        let created_so = entry(100, &json!({"f:spec": {"f:suspend": {}}}));
        assert_eq!(resumed_by(&created_so), None);
    }

    #[test]
    fn schedule_written_after_creation_may_have_been_another() {
        let whole = |time| {
            entry(
                time,
                &json!({"f:spec": {"f:schedule": {}, "f:suspend": {}}}),
            )
        };
        let resumed = entry(900, &json!({"f:spec": {"f:suspend": {}}}));
        let since = |generation, fields| unchanged_since(&cron_job(generation, fields));
        assert_eq!(since(Some(2), vec![whole(100)]), None);
        assert_eq!(since(Some(1), vec![whole(500)]), None);
        assert_eq!(since(Some(2), vec![whole(500)]), at(500));
        assert_eq!(since(Some(3), vec![whole(500), resumed]), at(900));
        assert_eq!(since(None, vec![]), None);
    }
}
