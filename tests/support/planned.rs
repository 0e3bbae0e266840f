//! The CronJob `report` before and after a change of its manifest, and its Jobs.

use serde_json::{Value, json};

use super::json::owner_reference;

/// A manifest with the five fields of its schedule and other fields of its spec, e.g. `suspend=true`.
pub(crate) fn manifest(name: &str, spec: &str) -> Value {
    let words: Vec<&str> = spec.split(' ').collect();
    let (schedule, fields) = words.split_at(5);
    let mut spec = json!({
        "schedule": schedule.join(" "),
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "shop/main:1"}],
        }}}},
    });
    for (field, value) in fields.iter().filter_map(|field| field.split_once('=')) {
        spec[field] = serde_json::from_str(value).unwrap_or(json!(value));
    }
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"namespace": "shop", "name": name}, "spec": spec,
    })
}

/// A CronJob as a cluster has it, which last ran at 11:00.
pub(crate) fn live(name: &str, spec: &str) -> Value {
    let mut object = manifest(name, spec);
    object["metadata"]["uid"] = json!(name);
    object["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    object["status"] = json!({"lastScheduleTime": "2026-11-21T11:00:00Z"});
    object
}

/// A Job of `report`, which ran at an hour of today.
pub(crate) fn job(hour: u32, running: bool) -> Value {
    let minutes = 29_920_320 + hour * 60;
    let [start, end] = ["00", "01"].map(|minute| format!("2026-11-21T{hour:02}:{minute}:00Z"));
    let status = if running {
        json!({"active": 1, "startTime": start})
    } else {
        json!({
            "succeeded": 1, "startTime": start, "completionTime": end,
            "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": end}],
        })
    };
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "namespace": "shop", "name": format!("report-{minutes}"), "uid": format!("{minutes}"),
            "creationTimestamp": start,
            "ownerReferences": [owner_reference("CronJob", "report", "report")],
        },
        "spec": {}, "status": status,
    })
}

/// An hourly CronJob whose run of 11:00 is still running, so that the run of 12:00 waits.
pub(crate) fn blocked() -> [Value; 2] {
    let mut cron_job = live("report", "0 * * * * concurrencyPolicy=Forbid");
    cron_job["status"]["active"] = json!([{"apiVersion": "batch/v1", "kind": "Job",
        "namespace": "shop", "name": "report-29920980", "uid": "29920980"}]);
    [cron_job, job(11, true)]
}

/// A suspended CronJob, for which a manifest with this spec was applied before.
pub(crate) fn suspended_after(applied: &str) -> Value {
    let mut live = live("report", "0 * * * * suspend=true");
    let applied = manifest("report", applied).to_string();
    live["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
    live
}

/// The fields of the spec that a manager owns since a day of the month.
pub(crate) fn owns(manager: &str, operation: &str, day: u32, fields: &[&str]) -> Value {
    let fields = fields.iter().map(|field| (format!("f:{field}"), json!({})));
    let fields: serde_json::Map<_, _> = fields.collect();
    json!({"manager": manager, "operation": operation, "apiVersion": "batch/v1",
           "time": format!("2026-11-{day}T00:00:00Z"), "fieldsType": "FieldsV1",
           "fieldsV1": {"f:spec": fields}})
}

pub(crate) fn managed(spec: &str, entries: &[&Value]) -> Value {
    let mut live = live("report", spec);
    live["metadata"]["managedFields"] = json!(entries);
    live
}
