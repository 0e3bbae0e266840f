//! Objects of a CronJob that runs on weekdays at 09:00.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::json::merge;
use super::nightly;

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A Job of `report` that was created at a time, and its result after some seconds.
pub(crate) fn job(created: &str, ended: Option<(i64, &str)>) -> Value {
    let name = format!("report-{}", time(created).as_second() / 60);
    let Some((seconds, condition)) = ended else {
        let status = json!({"startTime": created, "active": 1, "ready": 1});
        return nightly::job(&name, created, &json!({}), &status);
    };
    let end = time(created) + SignedDuration::from_secs(seconds);
    nightly::finished(&name, created, condition, &end.to_string())
}

/// On weekdays at 09:00 UTC.
pub(crate) fn cron_job(last_scheduled: &str, last_success: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": "report", "uid": "u", "generation": 1,
            "creationTimestamp": "1970-01-01T00:00:00Z",
        },
        "spec": {"schedule": "0 9 * * 1-5", "timeZone": "Etc/UTC", "jobTemplate": {}},
        "status": {"lastScheduleTime": last_scheduled, "lastSuccessfulTime": last_success},
    })
}

/// Runs from Monday, March 2 to Friday, March 6, 2026, which took four minutes each, as of Friday 09:04. `change`
/// modifies the `CronJob`.
pub(crate) fn after_the_week(change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let mut cron_job = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
    change(&mut cron_job);
    let days = (2..=6).map(|day| format!("2026-03-{day:02}T09:00:00Z"));
    let jobs = days.map(|day| job(&day, Some((240, "Complete"))));
    [cron_job].into_iter().chain(jobs).collect()
}

/// A manifest, with fields of its spec and annotations.
pub(crate) fn manifest(name: &str, spec: &Value, annotations: &Value) -> Value {
    let mut whole = json!({"schedule": "0 9 * * 1-5", "timeZone": "Etc/UTC", "jobTemplate": {"spec": {
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}}});
    merge(&mut whole, spec);
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"namespace": "shop", "name": name, "annotations": annotations},
        "spec": whole,
    })
}
