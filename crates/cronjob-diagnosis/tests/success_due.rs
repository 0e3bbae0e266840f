//! When the next success is due, derived manually.

use serde_json::{Value, json};

use crate::support::json::{list, merge};
use crate::support::weekdays::{after_the_week, cron_job, job};
use crate::support::world::explained;

fn due_in(objects: &[Value], now: &str, release: &str) -> Option<String> {
    let due = explained(&list(objects), release, now)["successDue"].take();
    due.as_str().map(str::to_owned)
}

fn due(objects: &[Value], now: &str) -> String {
    due_in(objects, now, "1.36").unwrap_or_default()
}

const SATURDAY: &str = "2026-03-07T12:00:00Z";

/// The success is due on Monday at 09:00, plus twice four minutes, and five minutes for the start.
#[test]
fn success_on_friday_makes_the_next_one_due_on_monday() {
    let week = after_the_week(|_| {});
    assert_eq!(due(&week, SATURDAY), "2026-03-09T09:13:00Z");
    // It stays due while runs are missed, fail or are late.
    for now in ["2026-03-09T09:12:59Z", "2026-03-11T12:00:00Z"] {
        assert_eq!(due(&week, now), "2026-03-09T09:13:00Z");
    }
    // A run that is running was due at the same time.
    let mut running = week.clone();
    running.push(job("2026-03-09T09:00:02Z", None));
    let now = "2026-03-09T09:05:00Z";
    assert_eq!(due(&running, now), "2026-03-09T09:13:00Z");
    // Runs that are not started in time are missed, too.
    let strict = after_the_week(|cron_job| {
        cron_job["spec"]["startingDeadlineSeconds"] = json!(60);
    });
    let now = "2026-03-09T18:00:00Z";
    assert_eq!(due(&strict, now), "2026-03-09T09:13:00Z");
}

#[test]
fn failed_run_does_not_count_as_success() {
    let mut failed = after_the_week(|cron_job| {
        cron_job["status"]["lastScheduleTime"] = json!("2026-03-11T09:00:00Z");
    });
    failed.push(job("2026-03-11T09:00:00Z", Some((10, "Failed"))));
    let now = "2026-03-11T12:00:00Z";
    assert_eq!(due(&failed, now), "2026-03-09T09:13:00Z");
}

/// In New York until the 8th: midnight is at 05:00 UTC.
#[test]
fn success_of_a_daily_run_is_due_in_its_time_zone() {
    let daily = after_the_week(|cron_job| {
        let spec = json!({"schedule": "@daily", "timeZone": "America/New_York"});
        merge(&mut cron_job["spec"], &spec);
    });
    assert_eq!(due(&daily, "2026-03-06T12:00:00Z"), "2026-03-07T05:13:00Z");
}

#[test]
fn duration_is_stated_or_usual_or_an_hour() {
    let stated = |annotations: Value| {
        let week = after_the_week(|cron_job| cron_job["metadata"]["annotations"] = annotations);
        due(&week, SATURDAY)
    };
    let max = json!({"cronjob-doctor/max-duration": "30m"});
    assert_eq!(stated(max), "2026-03-09T09:35:00Z");
    let invalid = json!({"cronjob-doctor/max-duration": "often"});
    assert_eq!(stated(invalid), "2026-03-09T09:13:00Z");
    // 74 hours after Friday 09:04, whatever the schedule is.
    let within =
        json!({"cronjob-doctor/success-within": "74h", "cronjob-doctor/max-duration": "30m"});
    assert_eq!(stated(within), "2026-03-09T11:04:00Z");
    // Four runs are too few for a usual duration.
    let mut week = after_the_week(|_| {});
    week.remove(1);
    assert_eq!(due(&week, SATURDAY), "2026-03-09T10:05:00Z");
}

#[test]
fn success_of_cronjob_that_does_not_have_to_run_is_not_due() {
    for changed in [
        json!({"spec": {"suspend": true}}),
        json!({"spec": {"schedule": "0 0 31 2 *"}}),
        json!({"metadata": {"deletionTimestamp": "2026-03-07T11:00:00Z"}}),
    ] {
        let week = after_the_week(|cron_job| merge(cron_job, &changed));
        assert_eq!(due(&week, SATURDAY), "", "{changed}");
    }
    let mut manifest = cron_job("", "");
    manifest.as_object_mut().unwrap().remove("status");
    let metadata = manifest["metadata"].as_object_mut().unwrap();
    metadata.remove("creationTimestamp");
    metadata.remove("uid");
    assert_eq!(due(&[manifest], SATURDAY), "");
}

/// Created on Friday at noon.
#[test]
fn without_a_success_the_first_run_since_the_creation_is_due() {
    let mut new = cron_job("", "");
    new.as_object_mut().unwrap().remove("status");
    new["metadata"]["creationTimestamp"] = json!("2026-03-06T12:00:00Z");
    let new = [new];
    assert_eq!(due(&new, SATURDAY), "2026-03-09T10:05:00Z");
    // 1.20 does not record successes.
    assert_eq!(due_in(&new, SATURDAY, "1.20"), None);
}

/// Hourly: the run of 09:00 took until 10:30, and the run of 10:00 started only then.
#[test]
fn late_start_counts_instead_of_the_scheduled_time() {
    let mut hourly = cron_job("2026-03-09T10:00:00Z", "2026-03-09T10:30:00Z");
    hourly["spec"]["schedule"] = json!("0 * * * *");
    hourly["spec"]["concurrencyPolicy"] = json!("Forbid");
    let late = job("2026-03-09T10:30:01Z", None);
    let now = "2026-03-09T11:10:00Z";
    let found = due(&[hourly.clone(), late], now);
    assert_eq!(found, "2026-03-09T11:35:01Z");
    // Without that Job, the next run is that of 11:00: its success is due an hour and five minutes later.
    let found = due(&[hourly], "2026-03-09T10:31:00Z");
    assert_eq!(found, "2026-03-09T12:05:00Z");
}

/// The `CronJob` was changed on Tuesday the 10th at noon; the runs before that did not have to succeed.
#[test]
fn runs_before_the_last_change_are_not_due() {
    for field in ["f:schedule", "f:suspend"] {
        let mut changed = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
        changed["metadata"]["generation"] = json!(3);
        changed["metadata"]["managedFields"] = json!([{
            "manager": "kubectl-edit", "operation": "Update", "apiVersion": "batch/v1",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {field: {}}},
            "time": "2026-03-10T12:00:00Z",
        }]);
        let now = "2026-03-10T13:00:00Z";
        let found = due(&[changed.clone()], now);
        assert_eq!(found, "2026-03-11T10:05:00Z");
        // The run of Monday failed before the change: its success is still due.
        changed["status"]["lastScheduleTime"] = json!("2026-03-09T09:00:00Z");
        let failed = job("2026-03-09T09:00:00Z", Some((10, "Failed")));
        let found = due(&[changed, failed], now);
        assert_eq!(found, "2026-03-09T10:05:00Z");
    }
}

/// One run is too few for a usual duration: the success is due on Monday at 09:00, plus the `activeDeadlineSeconds` of
/// the Job, at most an hour, and five minutes for the start.
#[test]
fn success_of_job_with_shorter_deadline_is_due_earlier() {
    let due_with = |deadline: Value| {
        let mut cron_job = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
        cron_job["spec"]["jobTemplate"] = json!({"spec": {"activeDeadlineSeconds": deadline}});
        let last = job("2026-03-06T09:00:00Z", Some((240, "Complete")));
        due(&[cron_job, last], SATURDAY)
    };
    assert_eq!(due_with(json!(600)), "2026-03-09T09:15:00Z");
    assert_eq!(due_with(json!(7_200)), "2026-03-09T10:05:00Z");
    assert_eq!(due_with(Value::Null), "2026-03-09T10:05:00Z");
}
