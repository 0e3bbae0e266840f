//! Since when the schedule is what it is, and when the `CronJob` was resumed.

use jiff::Timestamp;

use kube_model::CronJob;

/// What is known about changes of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScheduleChange {
    /// It is the one that the `CronJob` was created with.
    AtCreation,
    /// Its owner last wrote at this time; before that, it may have been different.
    UpTo(Timestamp),
    /// The spec was changed this often since the creation, at unknown times.
    SomeTime {
        /// `metadata.generation`.
        generation: i64,
    },
    /// Whether it was changed is unknown.
    Unknown,
}

/// When the schedule or its zone was written last.
pub(super) fn last_schedule_change(cron_job: &CronJob) -> ScheduleChange {
    if cron_job.is_unchanged() {
        return ScheduleChange::AtCreation;
    }
    let generation = cron_job.generation;
    let owners = cron_job.schedule_owners();
    let schedule_change = owners.filter_map(|field| field.time).max();
    match (schedule_change, generation) {
        (Some(schedule_change), _)
            if cron_job
                .creation_timestamp
                .is_some_and(|at| schedule_change <= at) =>
        {
            ScheduleChange::AtCreation
        }
        (Some(schedule_change), _) => ScheduleChange::UpTo(schedule_change),
        (None, Some(generation)) if generation > 1 => ScheduleChange::SomeTime { generation },
        (None, _) => ScheduleChange::Unknown,
    }
}

/// Who resumed a `CronJob`, and when, if that shows.
///
/// A client that updates owns the fields whose value it changed. One that owns `spec.suspend` and
/// nothing else, where that is false, has set it to false, and wrote nothing later.
pub(super) fn resumed(cron_job: &CronJob) -> Option<(&str, Timestamp)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::ManagedField;
    use kube_model::testing::at_second as at;
    use serde_json::{Value, json};

    fn entry(time: i64, fields: &Value) -> ManagedField {
        let mut field = ManagedField {
            manager: "kubectl".to_owned(),
            operation: "Update".to_owned(),
            time: at(time),
            ..ManagedField::default()
        };
        field.note_fields(&serde_json::from_value(fields.clone()).unwrap());
        field
    }

    fn cron_job(generation: Option<i64>, managed_fields: Vec<ManagedField>) -> CronJob {
        let mut cron_job = CronJob {
            creation_timestamp: at(100),
            generation,
            managed_fields,
            ..CronJob::default()
        };
        cron_job.spec.suspend = Some(false);
        cron_job
    }

    #[test]
    fn managed_fields_limit_the_time_of_the_last_schedule_change() {
        let whole = || entry(100, &json!({"f:spec": {"f:schedule": {}, "f:suspend": {}}}));
        let zone = || entry(300, &json!({"f:spec": {"f:timeZone": {}}}));
        let suspend = || entry(900, &json!({"f:spec": {"f:suspend": {}}}));
        let later = ScheduleChange::UpTo(at(300).unwrap());
        let unknown_time = ScheduleChange::SomeTime { generation: 4 };
        for (generation, fields, expected) in [
            (
                Some(3),
                vec![whole(), suspend()],
                ScheduleChange::AtCreation,
            ),
            (Some(3), vec![whole(), zone()], later),
            (Some(1), vec![zone()], ScheduleChange::AtCreation),
            (Some(4), vec![], unknown_time),
            (None, vec![suspend()], ScheduleChange::Unknown),
        ] {
            let found = last_schedule_change(&cron_job(generation, fields));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn manager_of_suspend_alone_has_resumed_the_cronjob() {
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
}
