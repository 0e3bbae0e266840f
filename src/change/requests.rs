//! The patches of CronJobs, and how to see that they were applied.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::resume::{CatchUp, Resumption};
use crate::diagnose::{SkippedRuns, SuspensionRecord};
use crate::duration::whole_second;
use crate::model::{
    CronJob, SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY, SUSPENDED_UNTIL, SUSPENSION_ANNOTATIONS,
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) subresource: Option<&'static str>,
    pub(crate) expected: ExpectedChange,
    /// `spec` or `status`.
    part: &'static str,
    fields: Value,
    /// Annotations about the suspension; null removes one.
    annotations: Map<String, Value>,
}

/// The change that a patch makes, by which it is recognized in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedChange {
    Suspend(bool),
    LastScheduleTime(Timestamp),
    Schedule(String),
}

impl fmt::Display for ExpectedChange {
    /// What was changed, once it is applied.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedChange::Suspend(suspend) => write!(f, "spec.suspend was set to {suspend}"),
            ExpectedChange::LastScheduleTime(time) => {
                write!(f, "status.lastScheduleTime was set to {time}")
            }
            ExpectedChange::Schedule(schedule) => {
                write!(f, "spec.schedule was set to {schedule:?}")
            }
        }
    }
}

impl ExpectedChange {
    pub(crate) fn apply_to(&self, cron_job: &mut CronJob) {
        match self {
            ExpectedChange::Suspend(suspend) => cron_job.spec.suspend = Some(*suspend),
            ExpectedChange::LastScheduleTime(time) => {
                cron_job.status.last_schedule_time = Some(*time);
            }
            ExpectedChange::Schedule(schedule) => cron_job.spec.schedule.clone_from(schedule),
        }
    }

    pub(crate) fn is_applied(&self, object: &Value) -> bool {
        let at = |pointer| object.pointer(pointer);
        match self {
            ExpectedChange::Suspend(wanted) => {
                let suspend = at("/spec/suspend").and_then(Value::as_bool);
                suspend.unwrap_or(false) == *wanted
            }
            ExpectedChange::LastScheduleTime(wanted) => {
                let time = at("/status/lastScheduleTime").and_then(Value::as_str);
                time.and_then(|time| time.parse().ok()) == Some(*wanted)
            }
            ExpectedChange::Schedule(wanted) => at("/spec/schedule") == Some(&json!(wanted)),
        }
    }
}

impl Request {
    /// Suspends a CronJob, and records who does so, when, why and until when in annotations. Those of an
    /// earlier suspension are removed.
    pub(crate) fn suspend(cron_job: &CronJob, record: &SuspensionRecord) -> Vec<Request> {
        let time = |time: Option<Timestamp>| time.map(|time| json!(whole_second(time)));
        let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
        let notes = [
            (SUSPEND_REASON, text(&record.reason)),
            (SUSPENDED_AT, time(record.at)),
            (SUSPENDED_BY, text(&record.user)),
            (SUSPENDED_UNTIL, time(record.until)),
        ];
        let mut annotations = no_suspension(cron_job);
        for (name, note) in notes {
            annotations.extend(note.map(|note| (name.to_owned(), note)));
        }
        vec![Request {
            annotations,
            ..Request::of_spec(ExpectedChange::Suspend(true), json!({ "suspend": true }))
        }]
    }

    /// Resumes a CronJob, after a change that skips missed runs if that is wanted, and records which ones.
    pub(crate) fn resume(cron_job: &CronJob, plan: &Resumption) -> Vec<Request> {
        let mut requests = Vec::new();
        let mut fields = json!({ "suspend": false });
        match plan.catch_up {
            CatchUp::Run => {}
            CatchUp::Status(scheduled_time) => {
                let fields = json!({ "lastScheduleTime": scheduled_time });
                requests.push(Request {
                    subresource: Some("status"),
                    part: "status",
                    ..Request::of_spec(ExpectedChange::LastScheduleTime(scheduled_time), fields)
                });
            }
            CatchUp::Deadline(seconds) => {
                fields = json!({ "suspend": false, "startingDeadlineSeconds": seconds });
            }
        }
        let mut annotations = no_suspension(cron_job);
        let skipped = plan.skipped_runs.iter().flat_map(SkippedRuns::annotations);
        annotations.extend(skipped.map(|(name, text)| (name.to_owned(), json!(text))));
        requests.push(Request {
            annotations,
            ..Request::of_spec(ExpectedChange::Suspend(false), fields)
        });
        requests
    }

    pub(crate) fn reschedule(schedule: &str) -> Vec<Request> {
        let expected = ExpectedChange::Schedule(schedule.to_owned());
        vec![Request::of_spec(expected, json!({ "schedule": schedule }))]
    }

    fn of_spec(expected: ExpectedChange, fields: Value) -> Self {
        Request {
            subresource: None,
            expected,
            part: "spec",
            fields,
            annotations: Map::new(),
        }
    }

    /// A merge patch for one version of the object: the API server rejects it for any other.
    pub(crate) fn patch(&self, version: &str) -> Value {
        let mut metadata = Map::new();
        if !version.is_empty() {
            metadata.insert("resourceVersion".to_owned(), version.into());
        }
        if !self.annotations.is_empty() {
            metadata.insert("annotations".to_owned(), json!(self.annotations));
        }
        json!({ "metadata": metadata, self.part: self.fields })
    }
}

/// Removes what a CronJob has of the annotations about a suspension.
fn no_suspension(cron_job: &CronJob) -> Map<String, Value> {
    let names = SUSPENSION_ANNOTATIONS.into_iter();
    names
        .filter(|name| cron_job.annotations.contains(name))
        .map(|name| (name.to_owned(), Value::Null))
        .collect()
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
