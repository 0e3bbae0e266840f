//! The CronJob `one`, and its Job of 19:10.

use serde_json::{Value, json};

use super::json::owner_reference;

pub(crate) const NOW: &str = "2026-11-26T19:12:00Z";

pub(crate) fn cron_job(schedule: &str, last: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": "one", "uid": "one", "generation": 1,
            "creationTimestamp": "2026-11-20T10:20:30Z",
        },
        "spec": {"schedule": schedule, "jobTemplate": {}},
        "status": {"lastScheduleTime": last},
    })
}

/// A Job that was started for 19:10, with one pod.
pub(crate) fn unfinished(ready: i64) -> Value {
    let at = "2026-11-26T19:10:00Z";
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "spec": {},
        "metadata": {
            "namespace": "ops", "name": "one-29928670", "uid": "job", "creationTimestamp": at,
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": at},
            "ownerReferences": [owner_reference("CronJob", "one", "one")],
        },
        "status": {"startTime": at, "active": 1, "ready": ready},
    })
}
