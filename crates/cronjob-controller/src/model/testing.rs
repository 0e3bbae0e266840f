//! Objects for tests, in namespace `shop`.

use jiff::Timestamp;
use std::sync::Arc;

use crate::model::{
    Condition, ContainerEnd, ContainerReason, ContainerStatus, CronJob, Event, Job,
    ObjectReference, OwnerReference, Pod,
};

pub(crate) fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

pub(crate) fn at_second(second: i64) -> Option<Timestamp> {
    Timestamp::from_second(second).ok()
}

pub(crate) fn cron_job(name: &str) -> CronJob {
    CronJob {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        ..CronJob::default()
    }
}

/// A reference to the controller of an object.
pub(crate) fn owner(kind: &str, name: &str) -> OwnerReference {
    OwnerReference {
        kind: kind.to_owned(),
        name: name.to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    }
}

pub(crate) fn job(name: &str, cron_job: &str) -> Job {
    Job {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        owner_references: Arc::new(vec![owner("CronJob", cron_job)]),
        ..Job::default()
    }
}

pub(crate) fn pod(name: &str, job: &str) -> Pod {
    Pod {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        owner_references: vec![owner("Job", job)],
        ..Pod::default()
    }
}

pub(crate) fn condition(r#type: &str, status: &str, reason: &str) -> Condition {
    Condition {
        r#type: r#type.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        ..Condition::default()
    }
}

pub(crate) fn waiting(reason: &str, message: &str) -> ContainerStatus {
    ContainerStatus {
        waiting: Some(ContainerReason {
            reason: reason.to_owned(),
            message: message.to_owned(),
        }),
        ..ContainerStatus::default()
    }
}

pub(crate) fn ended(exit_code: i32, reason: &str) -> ContainerStatus {
    ContainerStatus {
        terminated: Some(ContainerEnd {
            exit_code,
            reason: reason.to_owned(),
            ..ContainerEnd::default()
        }),
        ..ContainerStatus::default()
    }
}

pub(crate) fn event(kind: &str, name: &str) -> Event {
    Event {
        name: format!("{name}.1"),
        involved_object: ObjectReference {
            kind: kind.to_owned(),
            namespace: "shop".to_owned(),
            name: name.to_owned(),
            ..ObjectReference::default()
        },
        ..Event::default()
    }
}
