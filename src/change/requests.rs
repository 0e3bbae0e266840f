//! The patches of CronJobs, and how to see that they were applied.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::resume::CatchUp;
use crate::diagnose::SUSPEND_REASON;
use crate::model::CronJob;

/// A patch of a CronJob.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) subresource: Option<&'static str>,
    pub(crate) check: Check,
    /// `spec` or `status`.
    part: &'static str,
    fields: Value,
    /// The annotation with the reason of the suspension; null to remove it.
    reason: Option<Value>,
}

/// How to see that a patch was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Suspend(bool),
    LastScheduleTime(Timestamp),
    Schedule(String),
}

impl fmt::Display for Check {
    /// What was changed, once it is applied.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::Suspend(suspend) => write!(f, "spec.suspend was set to {suspend}"),
            Check::LastScheduleTime(time) => {
                write!(f, "status.lastScheduleTime was set to {time}")
            }
            Check::Schedule(schedule) => write!(f, "spec.schedule was set to {schedule:?}"),
        }
    }
}

impl Check {
    /// Applies the patch to a CronJob.
    pub(crate) fn apply_to(&self, cron_job: &mut CronJob) {
        match self {
            Check::Suspend(suspend) => cron_job.spec.suspend = Some(*suspend),
            Check::LastScheduleTime(time) => cron_job.status.last_schedule_time = Some(*time),
            Check::Schedule(schedule) => cron_job.spec.schedule.clone_from(schedule),
        }
    }

    /// Whether an object shows the change.
    pub(crate) fn is_applied(&self, object: &Value) -> bool {
        let at = |pointer| object.pointer(pointer);
        match self {
            Check::Suspend(wanted) => {
                let suspend = at("/spec/suspend").and_then(Value::as_bool);
                suspend.unwrap_or(false) == *wanted
            }
            Check::LastScheduleTime(wanted) => {
                let time = at("/status/lastScheduleTime").and_then(Value::as_str);
                time.and_then(|time| time.parse().ok()) == Some(*wanted)
            }
            Check::Schedule(wanted) => at("/spec/schedule") == Some(&json!(wanted)),
        }
    }
}

impl Request {
    /// Suspends a CronJob, and records the reason in an annotation.
    pub(crate) fn suspend(reason: Option<&str>) -> Vec<Request> {
        vec![Request {
            subresource: None,
            check: Check::Suspend(true),
            part: "spec",
            fields: json!({ "suspend": true }),
            reason: reason.map(Value::from),
        }]
    }

    /// Resumes a CronJob, after a change that skips missed runs if that is wanted.
    pub(crate) fn resume(cron_job: &CronJob, catch_up: CatchUp) -> Vec<Request> {
        let mut requests = Vec::new();
        let mut fields = json!({ "suspend": false });
        match catch_up {
            CatchUp::Run => {}
            CatchUp::Status(scheduled_time) => requests.push(Request {
                subresource: Some("status"),
                check: Check::LastScheduleTime(scheduled_time),
                part: "status",
                fields: json!({ "lastScheduleTime": scheduled_time }),
                reason: None,
            }),
            CatchUp::Deadline(seconds) => {
                fields = json!({ "suspend": false, "startingDeadlineSeconds": seconds });
            }
        }
        let has_reason = cron_job.annotations.contains(SUSPEND_REASON);
        requests.push(Request {
            subresource: None,
            check: Check::Suspend(false),
            part: "spec",
            fields,
            reason: has_reason.then_some(Value::Null),
        });
        requests
    }

    /// Changes the schedule.
    pub(crate) fn reschedule(schedule: &str) -> Vec<Request> {
        vec![Request {
            subresource: None,
            check: Check::Schedule(schedule.to_owned()),
            part: "spec",
            fields: json!({ "schedule": schedule }),
            reason: None,
        }]
    }

    /// A merge patch for one version of the object: the API server rejects it for any other.
    pub(crate) fn patch(&self, version: &str) -> Value {
        let mut metadata = Map::new();
        if !version.is_empty() {
            metadata.insert("resourceVersion".to_owned(), version.into());
        }
        if let Some(reason) = &self.reason {
            metadata.insert("annotations".to_owned(), json!({ SUSPEND_REASON: reason }));
        }
        json!({ "metadata": metadata, self.part: self.fields })
    }
}

/// Makes a merge patch's changes to an object, as a server would (RFC 7396).
pub(crate) fn merged(object: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(fields) = object.as_object_mut() else {
        return;
    };
    for (name, change) in changes {
        if change.is_null() {
            fields.shift_remove(name);
        } else {
            merged(fields.entry(name.as_str()).or_insert(Value::Null), change);
        }
    }
}
