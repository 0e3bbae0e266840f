//! What the controllers' own code answered: every recorded case, events and their order included.

use crate::support::differences::assert_none;
use crate::support::json::{Json, owner_reference};
use crate::support::recorded::{cases, controller, evidence};
use cronjob_controller::controller::{Decision, Outcome, RepeatedSync, decide};
use jiff::Timestamp;
use kube_model::{CronJob, Job};
use serde_json::{Value, json};

#[test]
fn every_recorded_decision_of_1_36() {
    let text = include_str!("vectors/decide.jsonl");
    let controller = controller("1.36");
    let mut wrong = Vec::new();
    for (line, case) in cases(text) {
        let (cron_job, jobs) = evidence(&case["cronJob"], &case["jobs"]);
        let now = case["now"].text().parse().unwrap();
        let decision = decide(&controller, &cron_job, &jobs, now);
        let got = as_recorded(&decision, &case["expect"]);
        if got != case["expect"] {
            wrong.push(format!("line {line}: {case}\n  got {got}"));
        }
    }
    assert_eq!(text.lines().count(), 1500, "a case was left out");
    assert_none(&wrong);
}

fn events(decision: &Decision) -> Vec<String> {
    let events = decision.events.iter();
    let text = events.map(|event| {
        format!(
            "{} {} {}",
            event.r#type.as_str(),
            event.reason,
            event.message
        )
    });
    text.collect()
}

/// The decision in the form of the recorded answers.
fn as_recorded(decision: &Decision, expect: &Value) -> Value {
    if decision.outcome == Outcome::Hangs {
        return json!({"hang": true});
    }
    let mut got = json!({});
    got["events"] = json!(events(decision));
    got["requeueAfterNs"] = json!(decision.requeue_after);
    got["updateStatus"] = json!(decision.updates_status);
    got["active"] = json!(decision.status_after.active);
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            got[name] = json!(value);
        }
    };
    let status = &decision.status_after;
    let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
    put("lastScheduleTime", text(status.last_schedule_time));
    put("lastSuccessfulTime", text(status.last_successful_time));
    if matches!(decision.outcome, Outcome::Start | Outcome::Replace) {
        put("createdJob", decision.job_name.clone());
        put("scheduledTimestamp", decision.scheduled_timestamp.clone());
    }
    if !decision.deleted_jobs.is_empty() {
        got["deletedJobs"] = json!(decision.deleted_jobs);
    }
    // These are answers of mostRecentScheduleTime itself, also where the sync ends before it is called.
    let fields = ["earliest", "mostRecent", "missed", "mostRecentError"];
    if let Some(missed) = decision.missed {
        got["earliest"] = json!(missed.since.unwrap().to_string());
        got["missed"] = json!(missed.class.as_str());
        if let Some(scheduled_time) = missed.scheduled_time {
            got["mostRecent"] = json!(scheduled_time.to_string());
        }
        if decision.outcome == Outcome::InvalidSchedule {
            got["mostRecentError"] =
                json!("time difference between two schedules is less than 1 second");
        }
    } else {
        for field in fields {
            if let Some(value) = expect.get(field) {
                got[field] = value.clone();
            }
        }
    }
    got
}

#[test]
fn every_recorded_choice_of_every_release() {
    let text = include_str!("vectors/variants.jsonl");
    let releases = ["1.17", "1.21", "1.24", "1.25.9", "1.27.1", "1.27.4", "1.36"];
    let controllers: Vec<_> = releases
        .map(|release| (release, controller(release)))
        .into();
    let mut wrong = Vec::new();
    for (line, case) in cases(text) {
        let (cron_job, jobs) = blocked(&case["cronJob"]);
        let now = case["now"].text().parse().unwrap();
        for (release, controller) in &controllers {
            // The checks before the choice of the scheduled time were not run.
            if cron_job.spec.time_zone.as_deref() == Some("Mars/Base") {
                continue;
            }
            let decision = decide(controller, &cron_job, &jobs, now);
            let got = choice(&decision, release);
            let expected = &case["expect"][release];
            if got != *expected {
                let cron_job = &case["cronJob"];
                wrong.push(format!(
                    "line {line} {release}: {cron_job} at {now}\n  got {got}\n  not {expected}"
                ));
            }
        }
    }
    assert_eq!(text.lines().count(), 1500, "a case was left out");
    assert_none(&wrong);
}

/// The functions were called directly, without the prefix that the events add to their errors.
fn failure(decision: &Decision, message: &str, polls: bool) -> Value {
    if polls {
        let before = "Cannot determine if job needs to be started: ";
        return json!({"error": message.strip_prefix(before).unwrap()});
    }
    let kind = if decision.outcome == Outcome::InvalidSchedule {
        "invalid"
    } else {
        "unparseable"
    };
    let (_, inner) = message.split_once(" : ").unwrap();
    json!({"errorKind": kind, "error": inner})
}

/// The functions were called with the status as it was, and a start changes it: a running Job and
/// `concurrencyPolicy: Forbid` stop the sync right after them.
pub(crate) fn blocked(cron_job: &Value) -> (CronJob, Vec<Job>) {
    let mut cron_job = cron_job.clone();
    cron_job["metadata"]["namespace"] = json!("team");
    cron_job["metadata"]["uid"] = json!("cj-uid");
    cron_job["spec"]["concurrencyPolicy"] = json!("Forbid");
    cron_job["status"]["active"] =
        json!([{"kind": "Job", "namespace": "team", "name": "running", "uid": "job-uid"}]);
    let owner = owner_reference("CronJob", &cron_job["metadata"]["name"], "cj-uid");
    let job = json!({"metadata": {
        "name": "running", "namespace": "team", "uid": "job-uid", "ownerReferences": [owner],
    }});
    evidence(&cron_job, &json!([job]))
}

fn choice(decision: &Decision, release: &str) -> Value {
    let polls = release == "1.17";
    match decision.outcome {
        Outcome::Hangs => return json!({"hang": true}),
        Outcome::Panics => return json!({"panic": true}),
        _ => {}
    }
    let mut got = json!({});
    let reasons = "TooManyMissedTimes FailedNeedsStart InvalidSchedule UnparseableSchedule";
    let mut events = decision.events.iter().zip(events(decision));
    let event = events.find(|(event, _)| reasons.split(' ').any(|reason| reason == event.reason));
    match decision.outcome {
        Outcome::InvalidSchedule | Outcome::UnparseableSchedule | Outcome::TooManyMissed => {
            return failure(decision, &event.unwrap().0.message, polls);
        }
        _ => {}
    }
    if let Some(scheduled_time) = decision.scheduled_time {
        got["scheduledTime"] = json!(scheduled_time.to_string());
    }
    if polls {
        if let (Some(missed), Some(_)) = (decision.missed, decision.scheduled_time) {
            got["missed"] = json!(missed.estimate);
        }
    } else {
        got["requeueAfterNs"] = json!(decision.requeue_after);
        if let Some((_, event)) = event {
            got["event"] = json!(event);
        }
    }
    got
}

/// A watcher decides with the same code, also when it syncs one CronJob after another.
#[test]
fn repeated_sync_decides_as_a_single_one() {
    let text = include_str!("vectors/decide.jsonl");
    for release in ["1.20", "1.24", "1.27.1", "1.36"] {
        let controller = controller(release);
        let mut watcher = RepeatedSync::new(&controller);
        for (line, case) in cases(text).step_by(3) {
            let (cron_job, jobs) = evidence(&case["cronJob"], &case["jobs"]);
            let now = case["now"].text().parse().unwrap();
            let mut expected = Decision {
                steps: Vec::new(),
                scheduled_timestamp: None,
                ..decide(&controller, &cron_job, &jobs, now)
            };
            for event in &mut expected.events {
                event.message.clear();
            }
            assert_eq!(watcher.decide(&cron_job, &jobs, now), expected, "{line}");
            assert_eq!(watcher.decide(&cron_job, &jobs, now), expected, "{line}");
        }
    }
}
