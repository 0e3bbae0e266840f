//! The patches of CronJobs, and how to see that they were applied.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::resume::{CatchUp, Resumption};
use crate::diagnose::{SkippedRuns, SuspensionRecord};
use cronjob_text::duration::whole_second;
use kube_model::{
    CronJob, SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY, SUSPENDED_UNTIL, SUSPENSION_ANNOTATIONS,
};

/// A request that changes an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub expected: ExpectedChange,
    /// Annotations about the suspension; null removes one.
    annotations: Map<String, Value>,
}

/// The field that a patch sets, by which the change is recognized in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedChange {
    Suspend(bool),
    LastScheduleTime(Timestamp),
    StartingDeadlineSeconds(i64),
}

impl fmt::Display for ExpectedChange {
    /// What was changed, once it is applied.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, field) = self.place();
        write!(f, "{part}.{field} was set to {}", shown(&self.value()))
    }
}

impl ExpectedChange {
    /// `spec` or `status`, and the name of the field.
    fn place(&self) -> (&'static str, &'static str) {
        match self {
            ExpectedChange::Suspend(_) => ("spec", "suspend"),
            ExpectedChange::LastScheduleTime(_) => ("status", "lastScheduleTime"),
            ExpectedChange::StartingDeadlineSeconds(_) => ("spec", "startingDeadlineSeconds"),
        }
    }

    fn value(&self) -> Value {
        match self {
            ExpectedChange::Suspend(suspend) => json!(suspend),
            ExpectedChange::LastScheduleTime(time) => json!(time),
            ExpectedChange::StartingDeadlineSeconds(seconds) => json!(seconds),
        }
    }

    pub fn subresource(&self) -> Option<&'static str> {
        let (part, _) = self.place();
        (part == "status").then_some(part)
    }

    pub fn apply_to(&self, cron_job: &mut CronJob) {
        match self {
            ExpectedChange::Suspend(suspend) => cron_job.spec.suspend = Some(*suspend),
            ExpectedChange::LastScheduleTime(time) => {
                cron_job.status.last_schedule_time = Some(*time);
            }
            ExpectedChange::StartingDeadlineSeconds(seconds) => {
                cron_job.spec.starting_deadline_seconds = Some(*seconds);
            }
        }
    }

    pub fn is_applied(&self, object: &Value) -> bool {
        let stored = self.stored_in(object);
        match self {
            ExpectedChange::Suspend(false) => stored != Some(&json!(true)),
            ExpectedChange::LastScheduleTime(wanted) => {
                let time = stored.and_then(Value::as_str);
                time.and_then(|time| time.parse().ok()) == Some(*wanted)
            }
            ExpectedChange::Suspend(true) | ExpectedChange::StartingDeadlineSeconds(_) => {
                stored == Some(&self.value())
            }
        }
    }

    fn stored_in<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        let (part, field) = self.place();
        object.get(part)?.get(field)
    }

    /// What an object has instead, if this change is not applied to it: `spec.suspend false instead of true`.
    pub fn stored_instead(&self, object: &Value) -> Option<String> {
        if self.is_applied(object) {
            return None;
        }
        let (part, field) = self.place();
        let stored = self.stored_in(object).filter(|stored| !stored.is_null());
        let stored = stored.map_or_else(|| "unset".to_owned(), shown);
        let wanted = shown(&self.value());
        Some(format!("{part}.{field} {stored} instead of {wanted}"))
    }
}

/// A value as in YAML: a text without quotes.
fn shown(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

impl Request {
    /// Suspends a CronJob, and records who does so, when, why and until when in annotations. Those of an
    /// earlier suspension are removed.
    pub fn suspend(cron_job: &CronJob, record: &SuspensionRecord) -> Vec<Request> {
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
            expected: ExpectedChange::Suspend(true),
            annotations,
        }]
    }

    /// Resumes a CronJob, after a request that skips missed runs if that is wanted, and records which ones.
    pub fn resume(cron_job: &CronJob, plan: &Resumption) -> Vec<Request> {
        let skip = match plan.catch_up {
            CatchUp::Run => None,
            CatchUp::Status(time) => Some(ExpectedChange::LastScheduleTime(time)),
            CatchUp::Deadline(seconds) => Some(ExpectedChange::StartingDeadlineSeconds(seconds)),
        };
        let skip = skip.map(|expected| Request {
            expected,
            annotations: Map::new(),
        });
        let mut annotations = no_suspension(cron_job);
        let skipped = plan.skipped_runs.iter().flat_map(SkippedRuns::annotations);
        annotations.extend(skipped.map(|(name, text)| (name.to_owned(), json!(text))));
        let resume = Request {
            expected: ExpectedChange::Suspend(false),
            annotations,
        };
        skip.into_iter().chain([resume]).collect()
    }

    /// A merge patch for one version of the object: the API server rejects it for any other.
    pub fn patch(&self, version: &str) -> Value {
        let mut metadata = Map::new();
        if !version.is_empty() {
            metadata.insert("resourceVersion".to_owned(), version.into());
        }
        if !self.annotations.is_empty() {
            metadata.insert("annotations".to_owned(), json!(self.annotations));
        }
        let (part, field) = self.expected.place();
        json!({ "metadata": metadata, part: { field: self.expected.value() } })
    }

    /// The annotations that were asked for and that an object does not have.
    pub fn lost_annotations(&self, object: &Value) -> Vec<&str> {
        let stored = object.pointer("/metadata/annotations");
        let is_lost = |(name, text): &(&String, &Value)| {
            !text.is_null() && stored.and_then(|stored| stored.get(name.as_str())) != Some(text)
        };
        let lost = self.annotations.iter().filter(is_lost);
        lost.map(|(name, _)| name.as_str()).collect()
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
pub fn merged(object: &mut Value, patch: &Value) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::testing::at;

    const TIME: &str = "2026-03-10T08:00:00Z";

    fn changes() -> [ExpectedChange; 4] {
        [
            ExpectedChange::Suspend(true),
            ExpectedChange::Suspend(false),
            ExpectedChange::LastScheduleTime(at(TIME)),
            ExpectedChange::StartingDeadlineSeconds(60),
        ]
    }

    /// A field that is unset is `false`.
    #[test]
    fn change_is_recognized_in_the_object() {
        let applied = |object: &Value| changes().map(|change| change.is_applied(object));
        let object = json!({
            "spec": {"suspend": true, "startingDeadlineSeconds": 60},
            "status": {"lastScheduleTime": "2026-03-10T09:00:00+01:00"},
        });
        assert_eq!(applied(&object), [true, false, true, true]);
        let other = json!({
            "spec": {"suspend": false, "startingDeadlineSeconds": 61},
            "status": {"lastScheduleTime": "2026-03-10T08:00:01Z"},
        });
        assert_eq!(applied(&other), [false, true, false, false]);
        let unset = json!({"spec": {}});
        assert_eq!(applied(&unset), [false, true, false, false]);
    }

    #[test]
    fn value_that_is_stored_instead_is_named() {
        let [suspend, resume, time, deadline] = changes();
        let object = json!({"spec": {"suspend": false, "startingDeadlineSeconds": null}});
        let instead = |change: ExpectedChange| change.stored_instead(&object);
        let expected = "spec.suspend false instead of true";
        assert_eq!(instead(suspend).as_deref(), Some(expected));
        assert_eq!(instead(resume), None);
        let expected = format!("status.lastScheduleTime unset instead of {TIME}");
        assert_eq!(instead(time), Some(expected));
        let expected = "spec.startingDeadlineSeconds unset instead of 60";
        assert_eq!(instead(deadline).as_deref(), Some(expected));
    }

    #[test]
    fn only_the_last_schedule_time_is_in_the_status() {
        let parts = changes().map(|change| change.subresource());
        assert_eq!(parts, [None, None, Some("status"), None]);
        let texts = changes().map(|change| change.to_string());
        assert_eq!(texts[0], "spec.suspend was set to true");
        let expected = format!("status.lastScheduleTime was set to {TIME}");
        assert_eq!(texts[2], expected);
    }

    /// As in the examples of RFC 7396.
    #[test]
    fn patch_is_merged_as_the_server_does() {
        let after = |mut object: Value, patch: Value| {
            merged(&mut object, &patch);
            object
        };
        let object = json!({"a": "b", "c": {"d": "e", "f": "g"}});
        let patch = json!({"a": "z", "c": {"f": null}});
        assert_eq!(after(object, patch), json!({"a": "z", "c": {"d": "e"}}));
        let nested = json!({"a": {"bb": {"ccc": null}}});
        assert_eq!(after(json!({}), nested), json!({"a": {"bb": {}}}));
        let list = after(json!({"a": [{"b": "c"}]}), json!({"a": [1]}));
        assert_eq!(list, json!({"a": [1]}));
        assert_eq!(after(json!([1, 2]), json!({"a": "b"})), json!({"a": "b"}));
    }
}
