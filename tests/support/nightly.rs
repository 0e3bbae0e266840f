//! Objects of a CronJob that runs every night, as a cluster has them.

use serde_json::{Value, json};

use super::json::{merge, owner_reference};

pub(crate) const NOW: &str = "2026-11-22T23:00:00Z";
const CREATED: &str = "2026-11-01T12:00:00Z";
/// The run of 22:04 on November 22.
pub(crate) const JOB: &str = "report-29923084";
pub(crate) const SCHEDULED: &str = "2026-11-22T22:04:00Z";
pub(crate) const YESTERDAY: &str = "2026-11-21T22:04:30Z";

/// The CronJob `report`, which is due at 22:04, with fields of its Job template and of its status.
pub(crate) fn cron_job(template: &Value, status: &Value) -> Value {
    let mut job_spec = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "report:1"}]}}});
    merge(&mut job_spec, template);
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"namespace": "ops", "name": "report", "uid": "u", "generation": 1, "creationTimestamp": CREATED},
        "spec": {"schedule": "4 22 * * *", "jobTemplate": {"spec": job_spec}},
        "status": status,
    })
}

pub(crate) fn job(name: &str, created: &str, spec: &Value, status: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "namespace": "ops", "name": name, "uid": name, "creationTimestamp": created,
            "ownerReferences": [owner_reference("CronJob", "report", "u")],
        },
        "spec": spec,
        "status": status,
    })
}

pub(crate) fn finished(name: &str, created: &str, condition: &str, at: &str) -> Value {
    let mut status = json!({
        "startTime": created,
        "conditions": [{"type": condition, "status": "True", "lastTransitionTime": at}],
    });
    if condition == "Complete" {
        merge(&mut status, &json!({"completionTime": at, "succeeded": 1}));
    }
    job(name, created, &json!({}), &status)
}

/// The unfinished Job of 22:04, with fields of its spec and the number of its pods.
pub(crate) fn unfinished(spec: &Value, pods: u64) -> Value {
    let status = json!({"active": pods, "ready": 0, "startTime": SCHEDULED});
    job(JOB, SCHEDULED, spec, &status)
}

pub(crate) fn pod(status: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "ops", "name": format!("{JOB}-x"), "creationTimestamp": "2026-11-22T22:04:01Z",
            "ownerReferences": [owner_reference("Job", JOB, JOB)],
        },
        "spec": {"containers": [{"name": "main"}], "initContainers": [{"name": "wait"}]},
        "status": status,
    })
}

pub(crate) fn active() -> Value {
    json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": YESTERDAY,
           "active": [{"namespace": "ops", "name": JOB, "uid": JOB}]})
}

pub(crate) fn ended() -> Value {
    succeeded_at(YESTERDAY)
}

/// The status after the run of 22:04 was started, with the time of the last success.
pub(crate) fn succeeded_at(time: &str) -> Value {
    json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": time})
}

pub(crate) const STARTED: &str = "2026-11-22T22:07:03Z";
const CONTAINER_ENDED: &str = "2026-11-22T22:09:03Z";
const COMPLETE: &str = "2026-11-22T22:09:34Z";

/// The run of 22:04: its pod was created a second later, had a node at 22:04:13, ran from 22:07:03 to 22:09:03, and
/// the Job was complete at 22:09:34.
pub(crate) fn pulled_run() -> Vec<Value> {
    let status = json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": COMPLETE});
    vec![
        cron_job(&json!({}), &status),
        finished(JOB, SCHEDULED, "Complete", COMPLETE),
        pod(&json!({
            "phase": "Succeeded",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-22T22:04:13Z"},
            ],
            "containerStatuses": [{"name": "main", "restartCount": 0, "state": container_ended(STARTED, CONTAINER_ENDED)}],
        })),
        pull("Pulling", "2026-11-22T22:04:14Z"),
        pull("Pulled", "2026-11-22T22:07:02Z"),
    ]
}

pub(crate) fn container_ended(from: &str, to: &str) -> Value {
    json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": from, "finishedAt": to}})
}

fn pull(reason: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "ops", "name": format!("{reason}-{at}")},
        "involvedObject": {"kind": "Pod", "namespace": "ops", "name": format!("{JOB}-x")},
        "reason": reason,
        "type": "Normal",
        "message": "image",
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    })
}
