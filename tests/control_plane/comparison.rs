//! Compares a prediction with what the controller did.

use std::time::Instant;

use crate::control_plane::prelude::*;

/// The annotation of a Job with its scheduled time.
const SCHEDULED_TIMESTAMP: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// Allows for the clocks of the queue and of the server, and for the rounding of both.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// What `explain` said, and when.
pub(crate) struct Prediction {
    now: Timestamp,
    /// The same moment, on the test's own clock.
    made: Instant,
    pub(crate) decision: Value,
}

impl Prediction {
    pub(crate) fn new(now: &Value, decision: Value) -> Prediction {
        Prediction {
            now: now.text().parse().unwrap(),
            made: Instant::now(),
            decision,
        }
    }
}

/// What the controller was seen to do with a `CronJob`.
pub(crate) struct Seen<'a> {
    /// The events of the namespace, in order.
    pub(crate) events: &'a [Value],
    /// The Jobs of the namespace.
    pub(crate) before: &'a [Value],
    pub(crate) after: &'a [Value],
    /// The `CronJob` afterwards.
    pub(crate) cron_job: &'a Value,
    pub(crate) syncs: &'a [SyncEnd],
    pub(crate) records_success_later: bool,
}

impl Seen<'_> {
    /// The events that the controller recorded, without those that a second sync repeated.
    fn recorded(&self) -> Vec<String> {
        let name = &self.cron_job["metadata"]["name"];
        let about = |event: &&Value| {
            event["involvedObject"]["name"] == *name
                && event["involvedObject"]["kind"] == "CronJob"
                && event["source"]["component"] == "cronjob-controller"
        };
        let mut lines: Vec<String> = self.events.iter().filter(about).map(line).collect();
        lines.dedup();
        lines
    }

    /// The new Jobs of the `CronJob`.
    fn created(&self) -> Vec<&Value> {
        let uid = &self.cron_job["metadata"]["uid"];
        let is_old = |job: &Value| self.before.iter().any(|old| name(old) == name(job));
        let is_ours = |job: &Value| job["metadata"]["ownerReferences"][0]["uid"] == *uid;
        let jobs = self.after.iter();
        jobs.filter(|job| !is_old(job) && is_ours(job)).collect()
    }

    /// Whether a Job of this name existed before and no longer does.
    fn is_deleted(&self, job: &Value) -> bool {
        let there = |jobs: &[Value]| jobs.iter().any(|other| name(other) == job);
        there(self.before) && !there(self.after)
    }
}

fn name(object: &Value) -> &Value {
    &object["metadata"]["name"]
}

/// An event in one line, from the API or from a prediction.
fn line(event: &Value) -> String {
    let text = |field: &str| event[field].text();
    format!("{} {} {}", text("type"), text("reason"), text("message"))
}

/// The differences between a prediction and what was seen.
pub(crate) fn differences(outcome: &str, prediction: &Prediction, seen: &Seen<'_>) -> Vec<String> {
    let decision = &prediction.decision;
    let mut wrong = Vec::new();
    let mut same = |what: &str, predicted: String, seen: String| {
        if predicted != seen {
            wrong.push(format!("{what}: predicted {predicted}, seen {seen}"));
        }
    };
    if !outcome.is_empty() {
        same("outcome", text(&decision["outcome"]), outcome.to_owned());
    }
    let events: Vec<String> = list(&decision["events"]).iter().map(line).collect();
    let mut recorded = seen.recorded();
    // A second sync may repeat some events of the first one, and may report a Job as missing that the first one
    // deleted.
    let deleted = list(&decision["deletedJobs"]).iter().map(text);
    let missing: Vec<String> = deleted
        .map(|job| format!("Normal MissingJob Active job went missing: {job}"))
        .collect();
    let again = |event: &String| {
        missing.contains(event) || events.contains(event) && !event.contains(" Successful")
    };
    if recorded.len() > events.len() && recorded[events.len()..].iter().all(again) {
        recorded.truncate(events.len());
    }
    same("events", format!("{events:#?}"), format!("{recorded:#?}"));

    let created = seen.created();
    let starts = ["start", "replace"].contains(&text(&decision["outcome"]).as_str());
    let expected = starts.then(|| vec![text(&decision["jobName"])]);
    let names: Vec<String> = created.iter().map(|job| text(name(job))).collect();
    let expected = expected.unwrap_or_default();
    same("Jobs", format!("{expected:?}"), format!("{names:?}"));
    for job in created {
        let annotation = &job["metadata"]["annotations"][SCHEDULED_TIMESTAMP];
        let predicted = text(&decision["scheduledTimestamp"]);
        same("annotation", predicted, text(annotation));
    }
    for job in list(&decision["deletedJobs"]) {
        let deleted = Some(job).filter(|job| seen.is_deleted(job));
        same("deleted", text(job), deleted.map(text).unwrap_or_default());
    }

    let (predicted, status) = (&decision["statusAfter"], &seen.cron_job["status"]);
    for field in ["lastScheduleTime", "lastSuccessfulTime"] {
        // Before 1.31, a success is recorded by the sync after the one that sees that the Job has finished.
        let is_later = seen.records_success_later && field == "lastSuccessfulTime";
        if !is_later || !predicted[field].is_null() {
            same(field, text(&predicted[field]), text(&status[field]));
        }
    }
    let active: Vec<String> = list(&predicted["active"]).iter().map(text).collect();
    let now = list(&status["active"]).iter().map(|job| text(&job["name"]));
    let now: Vec<String> = now.collect();
    same("active", format!("{active:?}"), format!("{now:?}"));

    if let Some(difference) = wake_difference(prediction, seen) {
        wrong.push(difference);
    }
    wrong
}

/// The time of the next sync is only in the log.
fn wake_difference(prediction: &Prediction, seen: &Seen<'_>) -> Option<String> {
    let decision = &prediction.decision;
    let sync = seen.syncs.first();
    let wakes_at: Option<Timestamp> = decision["wakesAt"].as_str().map(|at| at.parse().unwrap());
    let error = decision["error"].as_str();
    let fits = match (wakes_at, error, sync) {
        (None, None, None) => true,
        (None, Some(error), Some(SyncEnd::Failed(why))) => why == error,
        (Some(at), None, Some(SyncEnd::Again(after))) => {
            let after: SignedDuration = after.parse().unwrap();
            let expected = at.duration_since(prediction.now);
            let took = SignedDuration::try_from(prediction.made.elapsed()).unwrap();
            (expected - took - TOLERANCE..=expected + TOLERANCE).contains(&after)
        }
        _ => false,
    };
    (!fits).then(|| format!("wakesAt: predicted {wakes_at:?} {error:?}, the log shows {sync:?}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
