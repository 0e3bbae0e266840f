//! Objects for tests, in namespace `shop`.
#![allow(clippy::unwrap_used, reason = "a test fails where its input is wrong")]

use jiff::Timestamp;
use std::sync::Arc;

use crate::{
    Condition, ContainerEnd, ContainerReason, ContainerStatus, CronJob, Event, Job,
    ObjectReference, OwnerReference, Pod,
};

/// A time.
///
/// # Panics
///
/// If it is not one.
pub fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

pub fn at_second(second: i64) -> Option<Timestamp> {
    Timestamp::from_second(second).ok()
}

pub fn cron_job(name: &str) -> CronJob {
    CronJob {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        ..CronJob::default()
    }
}

/// A reference to the controller of an object.
pub fn owner(kind: &str, name: &str) -> OwnerReference {
    OwnerReference {
        kind: kind.to_owned(),
        name: name.to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    }
}

pub fn job(name: &str, cron_job: &str) -> Job {
    Job {
        namespace: "shop".into(),
        name: name.to_owned(),
        owner_references: Arc::new(vec![owner("CronJob", cron_job)]),
        ..Job::default()
    }
}

pub fn pod(name: &str, job: &str) -> Pod {
    Pod {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        owner_references: vec![owner("Job", job)],
        ..Pod::default()
    }
}

pub fn condition(r#type: &str, status: &str, reason: &str) -> Condition {
    Condition {
        r#type: r#type.into(),
        status: status.into(),
        reason: reason.into(),
        ..Condition::default()
    }
}

pub fn waiting(reason: &str, message: &str) -> ContainerStatus {
    ContainerStatus {
        waiting: Some(ContainerReason {
            reason: reason.to_owned(),
            message: message.to_owned(),
        }),
        ..ContainerStatus::default()
    }
}

pub fn ended(exit_code: i32, reason: &str) -> ContainerStatus {
    ContainerStatus {
        terminated: Some(ContainerEnd {
            exit_code,
            reason: reason.to_owned(),
            ..ContainerEnd::default()
        }),
        ..ContainerStatus::default()
    }
}

pub fn event(kind: &str, name: &str) -> Event {
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
