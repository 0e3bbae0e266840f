//! A CronJob whose schedule was edited.

use serde_json::{Value, json};

/// A Saturday.
pub(crate) const SATURDAY_NIGHT: &str = "2026-11-21T23:57:19Z";
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Created on the first of November at noon by helm, and ran on Saturday at 04:30; it is Sunday, 03:00.
pub(crate) fn edited(change: impl FnOnce(&mut Value)) -> Value {
    let helm = json!({
        "manager": "helm", "operation": "Update", "time": "2026-11-01T12:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:schedule": {}, "f:suspend": {}, "f:jobTemplate": {"f:spec": {}}}},
    });
    let mut cron_job = json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "shop", "name": "report", "uid": "report", "generation": 3,
            "creationTimestamp": "2026-11-01T12:00:00Z", "managedFields": [helm],
        },
        "spec": {"schedule": "30 4 * * *", "timeZone": "Etc/UTC", "suspend": false, "jobTemplate": {}},
        "status": {"lastScheduleTime": "2026-11-21T04:30:00Z"},
    });
    change(&mut cron_job);
    cron_job
}

/// Adds a write of a client that owns only the schedule.
pub(crate) fn writes_schedule(cron_job: &mut Value, manager: &str, operation: &str, time: &str) {
    let entry = json!({
        "manager": manager, "operation": operation, "time": time, "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:schedule": {}}},
    });
    let fields = &mut cron_job["metadata"]["managedFields"];
    let of_helm = fields[0]["fieldsV1"]["f:spec"].as_object_mut();
    of_helm.unwrap().remove("f:schedule");
    fields.as_array_mut().unwrap().push(entry);
}
