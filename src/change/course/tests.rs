//! What is told of a Job's course, and what is not.

use super::*;
use crate::model::{ContainerEnd, ContainerReason, JobCondition, ObjectReference, OwnerReference};
use jiff::Timestamp;

fn at(second: i64) -> Option<Timestamp> {
    Timestamp::from_second(second).ok()
}

fn job() -> Job {
    Job {
        name: "a".to_owned(),
        uid: "1".to_owned(),
        creation_timestamp: at(100),
        ..Job::default()
    }
}

fn over(kind: &str, reason: &str) -> Job {
    let condition = JobCondition {
        r#type: kind.to_owned(),
        status: "True".to_owned(),
        reason: reason.to_owned(),
        last_transition_time: at(130),
        ..JobCondition::default()
    };
    Job {
        conditions: vec![condition],
        ..job()
    }
}

fn pod(name: &str, phase: &str, status: ContainerStatus) -> Pod {
    let owner = OwnerReference {
        kind: "Job".to_owned(),
        name: "a".to_owned(),
        uid: "1".to_owned(),
        ..OwnerReference::default()
    };
    Pod {
        name: name.to_owned(),
        phase: phase.to_owned(),
        owner_references: vec![owner],
        containers: vec![ContainerStatus {
            name: "main".to_owned(),
            ..status
        }],
        ..Pod::default()
    }
}

fn waits(reason: &str) -> ContainerStatus {
    ContainerStatus {
        waiting: Some(ContainerReason {
            reason: reason.to_owned(),
            message: "why".to_owned(),
        }),
        ..ContainerStatus::default()
    }
}

fn ended(exit_code: i32, reason: &str) -> ContainerStatus {
    ContainerStatus {
        terminated: Some(ContainerEnd {
            exit_code,
            reason: reason.to_owned(),
            ..ContainerEnd::default()
        }),
        ..ContainerStatus::default()
    }
}

fn told(happening: Option<Happening>) -> Option<(String, String, String)> {
    match happening? {
        Happening::Pod {
            phase,
            reason,
            message,
            ..
        } => Some((phase, reason, message)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_state_of_a_pod_is_told_once() {
    let mut course = Course::of(job());
    let mut set = |phase: &str, status| told(course.set_pod(&pod("a-x", phase, status)));
    let is = |phase: &str, reason: &str, message: &str| {
        Some((phase.to_owned(), reason.to_owned(), message.to_owned()))
    };
    assert_eq!(
        set("Pending", ContainerStatus::default()),
        is("Pending", "", "")
    );
    assert_eq!(set("Pending", ContainerStatus::default()), None);
    assert_eq!(
        set("Pending", waits("ErrImagePull")),
        is("Pending", "ErrImagePull", "why")
    );
    assert_eq!(
        set("Pending", waits("ImagePullBackOff")),
        is("Pending", "ImagePullBackOff", "why")
    );
    assert_eq!(set("Pending", waits("ErrImagePull")), None);
    assert_eq!(
        set("Running", ContainerStatus::default()),
        is("Running", "", "")
    );
    assert_eq!(
        set("Succeeded", ended(0, "Completed")),
        is("Succeeded", "", "")
    );
}

#[test]
fn pods_of_others_are_no_news() {
    let mut course = Course::of(job());
    let mut other = pod("a-x", "Pending", ContainerStatus::default());
    other.owner_references[0].uid = "2".to_owned();
    assert_eq!(course.set_pod(&other), None);
    assert_eq!(course.pods().count(), 0);
    let namesake = Job {
        uid: "2".to_owned(),
        ..over("Complete", "")
    };
    assert_eq!(course.set_job(&namesake), None);
    course.remove_job(&namesake);
    assert_eq!(course.ending(), None);
}

#[test]
fn endings() {
    let ending = |job: &Job| {
        let mut course = Course::of(super::tests::job());
        course.set_job(job);
        course.ending()
    };
    assert_eq!(ending(&job()), None);
    let seconds = Some(30);
    assert_eq!(ending(&over("SuccessCriteriaMet", "")), None);
    assert_eq!(
        ending(&over("Complete", "")),
        Some(Ending::Complete { seconds })
    );
    assert_eq!(
        ending(&over("Failed", "DeadlineExceeded")),
        Some(Ending::Failed {
            seconds,
            reason: "DeadlineExceeded".to_owned(),
            message: String::new(),
        })
    );
    let mut course = Course::of(job());
    course.remove_job(&job());
    assert_eq!(course.ending(), Some(Ending::Gone));
    // One that was deleted after it was over was over.
    course.remove_job(&over("Complete", ""));
    assert_eq!(course.ending(), Some(Ending::Complete { seconds }));
}

#[test]
fn a_job_that_is_suspended() {
    let mut course = Course::of(job());
    let suspended = Job {
        suspend: Some(true),
        ..job()
    };
    assert_eq!(course.set_job(&suspended), Some(Happening::Suspended));
    assert_eq!(course.set_job(&suspended), None);
}

#[test]
fn warnings_about_the_job() {
    let mut course = Course::of(job());
    let mut event = Event {
        r#type: "Warning".to_owned(),
        reason: "FailedCreate".to_owned(),
        message: "exceeded quota".to_owned(),
        involved_object: ObjectReference {
            kind: "Job".to_owned(),
            uid: "1".to_owned(),
            ..ObjectReference::default()
        },
        ..Event::default()
    };
    let warning = Happening::Warning {
        reason: "FailedCreate".to_owned(),
        message: "exceeded quota".to_owned(),
    };
    assert_eq!(course.set_event(&event), Some(warning));
    assert_eq!(course.set_event(&event), None, "once is enough");
    event.message = "other".to_owned();
    event.involved_object.uid = "2".to_owned();
    assert_eq!(course.set_event(&event), None, "of an earlier namesake");
    event.involved_object.uid = "1".to_owned();
    event.reason = "BackoffLimitExceeded".to_owned();
    assert_eq!(course.set_event(&event), None, "the end tells of it");
}

#[test]
fn logs_are_read_once_a_start() {
    let mut course = Course::of(job());
    let mut unread = |phase: &str, status| {
        course.set_pod(&pod("a-x", phase, status));
        course.unread("main").len()
    };
    assert_eq!(unread("Pending", waits("ContainerCreating")), 0);
    assert_eq!(unread("Pending", ContainerStatus::default()), 0);
    assert_eq!(unread("Running", ContainerStatus::default()), 1);
    assert_eq!(unread("Running", ContainerStatus::default()), 0);
    assert_eq!(unread("Running", ended(1, "Error")), 0);
    let again = ContainerStatus {
        restart_count: 1,
        ..ContainerStatus::default()
    };
    assert_eq!(unread("Running", again), 1);
    assert_eq!(course.unread("other").len(), 0);
}

#[test]
fn pods_that_ended_unseen() {
    let mut course = Course::of(job());
    let failed = Job { failed: 1, ..job() };
    course.set_job(&failed);
    assert!(course.misses_pods());
    course.set_pod(&pod("a-x", "Failed", ended(1, "Error")));
    assert_eq!(course.unread("main"), ["a-x"]);
    assert!(!course.misses_pods());
}
