//! Compares what was predicted with what happened.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use cronjob_controller::controller::{Decision, RecordedEvent};
use kube_model::{CronJob, Event};

/// What happened to a `CronJob` since a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    pub created: Vec<String>,
    pub deleted: Vec<String>,
    /// The events that were recorded about it, in order.
    pub events: Vec<Event>,
    /// `status.lastScheduleTime`.
    pub last_schedule_time: Option<Timestamp>,
}

/// A prediction compared with what was observed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct PredictionCheck {
    /// What is compared: `Job`, `deleted`, `event` or `lastScheduleTime`.
    pub what: &'static str,
    /// The prediction; null if there was none.
    pub predicted: Option<String>,
    /// What was observed; null if it was not.
    pub observed: Option<String>,
}

impl PredictionCheck {
    pub(crate) fn agrees(&self) -> bool {
        self.predicted == self.observed
    }
}

/// Compares what happened with what was predicted. `before` is the `CronJob` as it was.
pub fn compare(decision: &Decision, before: &CronJob, observed: &Observed) -> Vec<PredictionCheck> {
    let starts = decision.starts();
    let job = decision.job_name.clone().filter(|_| starts);
    let mut checks = pair_up("Job", job, &observed.created);
    checks.extend(pair_up(
        "deleted",
        decision.deleted_jobs.clone(),
        &observed.deleted,
    ));
    let predicted: Vec<String> = decision.events.iter().map(in_words).collect();
    let mut events: Vec<String> = Vec::new();
    for event in &observed.events {
        let event = worded(&event.r#type, &event.reason, event.own_message());
        // A second sync records the same again.
        if !(predicted.contains(&event) && events.contains(&event)) {
            events.push(event);
        }
    }
    checks.extend(pair_up("event", predicted, &events));
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let after = if decision.updates_status {
        decision.status_after.last_schedule_time
    } else {
        before.status.last_schedule_time
    };
    checks.push(PredictionCheck {
        what: "lastScheduleTime",
        predicted: time(after),
        observed: time(observed.last_schedule_time),
    });
    checks
}

/// Whether everything that was predicted has happened. More may still come.
pub fn is_fulfilled(checks: &[PredictionCheck]) -> bool {
    let mut predicted = checks.iter().filter(|check| check.predicted.is_some());
    predicted.all(PredictionCheck::agrees)
}

/// Whether something happened that was not predicted, or not what was. That a Job ended, and what
/// the controller cleans up then, can come at any time. An event that was not seen proves nothing:
/// the recorder drops those about an object that has many, 25 and then one every five minutes.
pub fn is_refuted(checks: &[PredictionCheck]) -> bool {
    const CLEANUP: [&str; 2] = ["Normal SawCompletedJob:", "Normal SuccessfulDelete:"];
    let is_cleanup = |check: &PredictionCheck| {
        let observed = check.observed.as_deref().unwrap_or_default();
        check.what == "event" && CLEANUP.iter().any(|start| observed.starts_with(start))
    };
    let cleaned_up = checks.iter().any(is_cleanup);
    checks.iter().any(|check| {
        let unforeseen = check.predicted.is_none();
        let aside = unforeseen && (is_cleanup(check) || (cleaned_up && check.what == "deleted"));
        !check.agrees() && !aside && !is_unseen_event(check)
    })
}

/// Whether an event was predicted and not seen.
pub fn is_unseen_event(check: &PredictionCheck) -> bool {
    check.what == "event" && check.observed.is_none()
}

fn in_words(event: &RecordedEvent) -> String {
    worded(event.r#type.as_str(), event.reason, &event.message)
}

fn worded(kind: &str, reason: &str, message: &str) -> String {
    format!("{kind} {reason}: {message}")
}

/// What is equal stands side by side; the rest alone.
fn pair_up(
    what: &'static str,
    predicted: impl IntoIterator<Item = String>,
    observed: &[String],
) -> Vec<PredictionCheck> {
    let check = |predicted, observed| PredictionCheck {
        what,
        predicted,
        observed,
    };
    let mut rest = observed.to_vec();
    let foretold = predicted.into_iter().map(|text| {
        let same = rest.iter().position(|seen| *seen == text);
        let seen = same.map(|index| rest.remove(index));
        check(Some(text), seen)
    });
    let mut checks: Vec<PredictionCheck> = foretold.collect();
    checks.extend(rest.into_iter().map(|text| check(None, Some(text))));
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use cronjob_controller::controller::{Controller, decide};
    use kube_model::testing::{self, at};

    fn hourly() -> CronJob {
        let mut cron_job = testing::cron_job("hourly");
        cron_job.creation_timestamp = Some(at("2026-11-21T00:10:00Z"));
        cron_job.spec.schedule = "0 * * * *".to_owned();
        cron_job.status.last_schedule_time = Some(at("2026-11-21T01:00:00Z"));
        cron_job
    }

    fn checks(observed: &Observed) -> Vec<PredictionCheck> {
        let controller = Controller::assumed();
        let decision = decide(&controller, &hourly(), &[], at("2026-11-21T02:00:00.1Z"));
        compare(&decision, &hourly(), observed)
    }

    fn event(reason: &str, message: &str) -> Event {
        Event {
            r#type: "Normal".to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..Event::default()
        }
    }

    #[test]
    fn predicted_start_is_fulfilled_by_job_event_and_status() {
        let nothing = Observed {
            last_schedule_time: Some(at("2026-11-21T01:00:00Z")),
            ..Observed::default()
        };
        assert!(!is_fulfilled(&checks(&nothing)) && is_refuted(&checks(&nothing)));
        let unseen = checks(&nothing).into_iter().filter(is_unseen_event);
        let unseen: Vec<&str> = unseen.map(|check| check.what).collect();
        assert_eq!(unseen, ["event"]);
        // The suffix is the minute of 2026-11-21T02:00:00Z since 1970.
        let started = Observed {
            created: vec!["hourly-29920440".to_owned()],
            events: vec![event("SuccessfulCreate", "Created job hourly-29920440")],
            last_schedule_time: Some(at("2026-11-21T02:00:00Z")),
            ..Observed::default()
        };
        let as_predicted = checks(&started);
        assert_eq!(as_predicted.len(), 3);
        assert!(is_fulfilled(&as_predicted) && !is_refuted(&as_predicted));
        let mut silent = started.clone();
        silent.events.clear();
        assert!(!is_fulfilled(&checks(&silent)) && !is_refuted(&checks(&silent)));
        let mut combined = started.clone();
        let message = &mut combined.events[0].message;
        message.insert_str(0, "(combined from similar events): ");
        assert_eq!(checks(&combined), as_predicted);
        let mut again = started.clone();
        again.events.extend(started.events.clone());
        assert_eq!(checks(&again), as_predicted, "a second sync");
        let mut more = started.clone();
        more.events.push(event(
            "SawCompletedJob",
            "Saw completed job: x, condition: Complete",
        ));
        assert!(!is_refuted(&checks(&more)), "Jobs end when they end");
        more.created.push("hourly-29920441".to_owned());
        assert!(is_fulfilled(&checks(&more)) && is_refuted(&checks(&more)));
    }
}
