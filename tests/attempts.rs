//! Failed attempts that are repeated: when, and that no finding reports an unknown reason in addition.

use crate::support::json::owner_reference;
use crate::support::prelude::*;

/// 00:00 of the day, in minutes since 1970.
const MIDNIGHT: u64 = 29_921_760;

fn at(time: &str) -> String {
    format!("2026-11-22T{time}Z")
}

fn cron_job(name: &str, schedule: &str, last: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": name, "uid": name, "generation": 1,
            "creationTimestamp": "2026-11-20T10:20:30Z",
        },
        "spec": {"schedule": schedule, "jobTemplate": {}},
        "status": {"lastScheduleTime": at(last)},
    })
}

/// A Job of the CronJob that has succeeded.
fn job(owner: &str, minute: u64, created: &str) -> Value {
    let name = format!("{owner}-{}", MIDNIGHT + minute);
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "namespace": "ops", "name": name, "uid": name, "creationTimestamp": at(created),
            "ownerReferences": [owner_reference("CronJob", owner, owner)],
        },
        "spec": {},
        "status": {
            "startTime": at(created), "completionTime": at(created), "succeeded": 1,
            "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": at(created)}],
        },
    })
}

fn failed(owner: &str, first: &str, last: &str, count: u64) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "ops", "name": "failed"},
        "involvedObject": {"kind": "CronJob", "namespace": "ops", "name": owner, "uid": owner},
        "type": "Warning", "reason": "FailedCreate", "message": "Error creating job: exceeded quota",
        "count": count, "firstTimestamp": at(first), "lastTimestamp": at(last),
    })
}

/// Another event, which shows how far the evidence reaches.
fn seen(time: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "ops", "name": "seen"},
        "involvedObject": {"kind": "Pod", "namespace": "ops", "name": "other"},
        "type": "Normal", "reason": "Pulled", "firstTimestamp": at(time), "lastTimestamp": at(time),
    })
}

/// The explanation of the only CronJob at a time.
fn explained(objects: &[Value], now: &str) -> Value {
    let line = format!(
        "explain -q -o json -f - --kubernetes-version 1.36.2 --now {}",
        at(now)
    );
    let mut objects = objects.to_vec();
    objects.push(seen(now));
    doctor_with_objects(line.as_str(), &objects).document()["items"][0].clone()
}

fn codes(item: &Value) -> Vec<&str> {
    item["findings"].texts("code")
}

/// The Job of 00:00:00 has the name of the run of 00:00:30. Attempts from 00:00:30.1 on double their pauses of 5 ms:
/// the first one after 00:01:00 is that of 00:00:30.1 + (2^13 - 1) * 5 ms = 00:01:11.055.
#[test]
fn run_after_a_taken_name_starts_at_the_next_attempt() {
    let objects = [
        cron_job("half", "@every 30s", "00:00:00"),
        job("half", 0, "00:00:00"),
    ];
    for now in ["00:00:40", "00:00:59", "00:01:01", "00:01:05", "00:01:11"] {
        let item = explained(&objects, now);
        let forecast = item["forecast"].items().iter();
        let mut starts = forecast.filter(|sync| sync["outcome"] == "start");
        let start = starts.next().unwrap();
        assert_eq!(start["at"], at("00:01:11.055"), "{now}");
        assert_eq!(start["scheduledTime"], at("00:01:00"), "{now}");
        assert_eq!(start["conditionKind"], "estimatedTime", "{now}");
        assert!(!codes(&item).contains(&"start-overdue"), "{now}");
    }
    // That attempt was not made, so the time of the next one is unknown.
    let late = explained(&objects, "00:02:45");
    assert_contains!(
        late["forecast"][0]["because"].text(),
        "an attempt that has failed is repeated"
    );
}

/// A Job with the name of the run was deleted: attempts from 00:22:00.1 on double their pauses of 5 ms; after 00:26:01
/// the next one is that of 00:22:00.1 + (2^16 - 1) * 5 ms = 00:27:27.775.
#[test]
fn attempt_after_deletion_of_the_job_with_the_name_follows_from_the_scheduled_time() {
    let objects = [cron_job("daily", "22 0 * * *", "00:00:00")];
    let because = |now: &str| {
        let item = explained(&objects, now);
        let because = item["forecast"][0]["because"].as_str().map(str::to_owned);
        (
            because,
            item["verdict"].text().to_owned(),
            item["findings"].clone(),
        )
    };
    let (why, verdict, findings) = because("00:26:01");
    let repeated = "an attempt that has failed is repeated about 2026-11-22T00:27:27Z";
    assert_eq!(why.as_deref(), Some(repeated));
    assert_contains!(verdict, "00:27:27");
    let detail = findings
        .items()
        .iter()
        .find(|found| found["code"] == "start-overdue");
    assert_contains!(detail.unwrap()["detail"].text(), "00:27:27");
    // A run that is late by seconds may only be waiting for others.
    let (why, young, _) = because("00:22:20");
    assert_eq!(
        why.as_deref(),
        Some("an attempt that has failed is repeated about 2026-11-22T00:22:20Z")
    );
    insta::assert_snapshot!([verdict, young].join("\n"));
}

/// The quota rejects the run of 00:22, and the back-off is longer than the period: the latest run is that of 00:24.
#[test]
fn overdue_start_beside_attempts_that_fail_is_not_reported() {
    // The event of the 17th attempt: the next one is due 655 s after it.
    let objects = [
        cron_job("quota", "*/2 * * * *", "00:20:00"),
        failed("quota", "00:22:00", "00:27:27", 17),
    ];
    for now in ["00:28:10", "00:29:30", "00:33:00"] {
        let item = explained(&objects, now);
        assert!(codes(&item).contains(&"job-creation-fails"), "{now}");
        assert!(!codes(&item).contains(&"start-overdue"), "{now}");
    }
    // Long after the longest pause, it is overdue.
    let item = explained(&objects, "01:11:30");
    assert!(
        codes(&item).contains(&"start-overdue"),
        "{:?}",
        codes(&item)
    );
}

/// Only the first run in a minute is started: the Jobs of the others would have the same name.
#[test]
fn every_half_minute_is_counted_once_a_minute() {
    let objects = [
        cron_job("half", "@every 30s", "00:00:00"),
        job("half", 0, "00:00:00"),
    ];
    let starts = |version: &str, objects: &[Value]| {
        let line = format!(
            "load -q -o json -f - --for 1h --kubernetes-version {version} --now {}",
            at("00:00:20")
        );
        doctor_with_objects(line.as_str(), objects).document()["summary"]["starts"].clone()
    };
    // From 00:00 to 01:00. The run of 00:00:30 would need the name of the Job of 00:00:00.
    assert_eq!(starts("1.36.2", &objects), 59);
    // Up to 1.20 names end with seconds.
    assert_eq!(starts("1.20.15", &objects), 119);
    let report = format!(
        "report -q -o json -f - --kubernetes-version 1.36.2 --now {}",
        at("00:00:20")
    );
    let report = doctor_with_objects(report.as_str(), &objects).document();
    assert_eq!(report["timeline"]["items"][0]["runs"], 24 * 60);
    // Longer intervals are not affected.
    let objects = [cron_job("ninety", "@every 90s", "00:00:00")];
    assert_eq!(starts("1.36.2", &objects), 39);
}
