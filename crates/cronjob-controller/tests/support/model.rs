//! `CronJob`s and Jobs as the controller sees them, with what most tests need.

use jiff::Timestamp;
use kube_model::{Condition, CronJob, CronJobSpec, Job, ObjectReference, OwnerReference};
use std::sync::Arc;

/// A timestamp, or a time of the day on which everything happens.
pub(crate) fn at(time: &str) -> Timestamp {
    match time.len() {
        5 => at(&format!("2026-03-10T{time}:00Z")),
        _ => time.parse().unwrap(),
    }
}

pub(crate) fn cron_job(name: &str, schedule: &str) -> CronJob {
    CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        uid: "1".to_owned(),
        generation: Some(1),
        creation_timestamp: Some(at("2026-01-01T00:00:00Z")),
        spec: CronJobSpec {
            schedule: schedule.to_owned(),
            successful_jobs_history_limit: Some(3),
            failed_jobs_history_limit: Some(1),
            ..CronJobSpec::default()
        },
        ..CronJob::default()
    }
}

pub(crate) fn owner(kind: &str, name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: "batch/v1".to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        controller: Some(true),
    }
}

/// A Job that the controller started when it was scheduled, and that runs.
pub(crate) fn job(cron_job: &str, scheduled_time: Timestamp) -> Job {
    let name = format!("{cron_job}-{}", scheduled_time.as_second() / 60);
    Job {
        namespace: "shop".into(),
        uid: name.clone(),
        name,
        creation_timestamp: Some(scheduled_time),
        start_time: Some(scheduled_time),
        owner_references: Arc::new(vec![owner("CronJob", cron_job, "1")]),
        ..Job::default()
    }
}

pub(crate) fn ended(job: Job, r#type: &str, end: Timestamp) -> Job {
    let condition = Condition {
        r#type: r#type.into(),
        status: "True".into(),
        last_transition_time: Some(end),
        ..Condition::default()
    };
    Job {
        completion_time: (r#type == "Complete").then_some(end),
        conditions: vec![condition],
        ..job
    }
}

/// A Job as `status.active` lists it, or the `CronJob` of an event.
pub(crate) fn reference(kind: &str, name: &str, uid: &str) -> ObjectReference {
    ObjectReference {
        kind: kind.to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
    }
}

pub(crate) fn active(job: &Job) -> ObjectReference {
    reference("Job", &job.name, &job.uid)
}
