//! A whole document, worked out by hand.
//!
//! `shop/nightly` is due at 02:00, was started at 02:00:03 and took 90 seconds; `shop/quarters` is
//! suspended, and pauses for most of the day, which is worth knowing: so it comes first. It is 02:13:08.

use serde_json::{Value, json as value};

use super::{json, report};

const MANIFESTS: &str = r#"
apiVersion: batch/v1
kind: CronJob
metadata: {namespace: shop, name: nightly, uid: u1, creationTimestamp: "2026-11-20T12:00:00Z"}
spec:
  schedule: "0 2 * * *"
  timeZone: Etc/UTC
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 1
  jobTemplate: {}
status: {lastScheduleTime: "2026-11-21T02:00:00Z", lastSuccessfulTime: "2026-11-21T02:01:33Z"}
---
apiVersion: batch/v1
kind: Job
metadata:
  namespace: shop
  name: nightly-29920440
  creationTimestamp: "2026-11-21T02:00:03Z"
  annotations: {batch.kubernetes.io/cronjob-scheduled-timestamp: "2026-11-21T02:00:00Z"}
  ownerReferences:
  - {apiVersion: batch/v1, kind: CronJob, name: nightly, uid: u1, controller: true}
spec: {}
status:
  startTime: "2026-11-21T02:00:03Z"
  completionTime: "2026-11-21T02:01:33Z"
  succeeded: 1
  conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-11-21T02:01:33Z"}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {namespace: shop, name: quarters, uid: u2, creationTimestamp: "2026-11-21T02:10:00Z"}
spec: {schedule: "*/15 9-10 * * *", timeZone: Etc/UTC, suspend: true, jobTemplate: {}}
"#;

fn controller() -> Value {
    value!({
        "model": "v2",
        "kubernetesVersion": "1.36",
        "source": "flag",
        "timeZone": "UTC",
        "timeZoneSource": "default",
    })
}

fn document() -> Value {
    json(&report(MANIFESTS, &["-o", "json"]).fine())
}

#[test]
fn figures_and_timeline() {
    let document = document();
    let class = |up_to: Option<i64>, count: u64| value!({"upToSeconds": up_to, "count": count});
    let classes = |counts: [u64; 8]| -> Vec<Value> {
        let bounds = [1, 10, 60, 600, 3_600, 21_600, 86_400].map(Some);
        let bounds = bounds.into_iter().chain([None]);
        bounds
            .zip(counts)
            .map(|(bound, count)| class(bound, count))
            .collect()
    };
    assert_eq!(
        document["figures"],
        value!({
            "findings": [{
                "code": "uneven-schedule-can-lose",
                "severity": "info",
                "title": "a pause in the schedule can lose the catch-up",
                "cronJobs": 1,
            }],
            "slots": 1,
            "onTime": 1,
            "late": 0,
            "backfilled": 0,
            "running": 0,
            "skipped": 0,
            "unknown": 0,
            "succeeded": 1,
            "failed": 0,
            "overlaps": 0,
            "delaySeconds": {"p50": 3, "p95": 3, "max": 3},
            "durationSeconds": {"p50": 90, "p95": 90, "max": 90},
            "delays": classes([0, 1, 0, 0, 0, 0, 0, 0]),
            "durations": classes([0, 0, 0, 1, 0, 0, 0, 0]),
        })
    );
    // Tomorrow's 02:00 lies before tomorrow's 02:14; the quarters of two hours are eight.
    assert_eq!(
        document["timeline"],
        value!({
            "from": "2026-11-21T02:14:00Z",
            "to": "2026-11-22T02:14:00Z",
            "items": [
                {
                    "namespace": "shop",
                    "name": "quarters",
                    "outlook": "suspended",
                    "slots": 8,
                    "bands": [{
                        "from": "2026-11-21T09:00:00Z",
                        "to": "2026-11-21T10:45:00Z",
                        "count": 8,
                        "everySeconds": 900,
                    }],
                    "error": null,
                },
                {
                    "namespace": "shop",
                    "name": "nightly",
                    "outlook": "starts",
                    "slots": 1,
                    "bands": [{
                        "from": "2026-11-22T02:00:00Z",
                        "to": "2026-11-22T02:00:00Z",
                        "count": 1,
                        "everySeconds": null,
                    }],
                    "error": null,
                },
            ],
        })
    );
}

#[test]
fn scan_history_and_load() {
    let document = document();
    assert_eq!(
        document["scan"]["summary"],
        value!({"total": 2, "ok": 1, "info": 1, "warning": 0, "error": 0, "suspended": 1})
    );
    let nightly = &document["history"]["items"][1];
    assert_eq!(
        nightly["runs"],
        value!([{
            "scheduledTime": "2026-11-21T02:00:00Z",
            "localTime": "2026-11-21T02:00:00+00:00",
            "status": "onTime",
            "jobName": "nightly-29920440",
            "startedAt": "2026-11-21T02:00:03Z",
            "finishedAt": "2026-11-21T02:01:33Z",
            "result": "succeeded",
            "delaySeconds": 3,
            "durationSeconds": 90,
            "cause": null,
            "reason": null,
        }])
    );
    let load = &document["load"];
    assert_eq!(
        load["summary"],
        value!({"cronJobs": 1, "suspended": 1, "held": 0, "blocked": 0, "unreadable": 0, "starts": 1, "lost": 0, "mostInABucket": 1})
    );
    let buckets = load["buckets"].as_array().unwrap();
    let busy = buckets.iter().filter(|bucket| bucket["count"] != 0);
    let busy: Vec<&Value> = busy.collect();
    assert_eq!(
        busy,
        [&value!({"start": "2026-11-22T02:00:00Z", "count": 1})]
    );
    for part in [&document, &document["scan"], &document["history"], load] {
        assert_eq!(part["controller"], controller());
    }
}

/// Two and a half hours, from 08:00: four quarters of an hour, and the two of the next one.
#[test]
fn another_window() {
    let arguments = [
        "-o",
        "json",
        "--ahead",
        "2h30m",
        "--now",
        "2026-11-21T08:00:00Z",
    ];
    let call = [
        "report",
        "-f",
        "-",
        "--tzdb",
        "bundled",
        "--kubernetes-version",
        "1.36",
        "-q",
    ];
    let ran = crate::report::doctor_with_stdin(&[&call[..], &arguments].concat(), MANIFESTS);
    let timeline = &json(&ran.fine())["timeline"];
    let window = (&timeline["from"], &timeline["to"]);
    assert_eq!(
        window,
        (
            &value!("2026-11-21T08:00:00Z"),
            &value!("2026-11-21T10:30:00Z")
        )
    );
    assert_eq!(timeline["items"][0]["slots"], 6);
    assert_eq!(timeline["items"][1]["slots"], 0);
}
