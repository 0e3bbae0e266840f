//! A small cluster, and the output of `scan` for it.
//!
//! It is Saturday, 21 November 2026, 02:13:08. `shop/nightly` ran at 02:00 for three minutes;
//! `shop/hourly` ran at 02:05 for one; `ops/never` is scheduled on 31 February.

use crate::support::prelude::*;

use crate::support::apiserver::{ApiServer, Options};

/// The time of the scene as a flag, so that neither the server's clock nor the local one is used.
pub(crate) const NOW: &str = "--now=2026-11-21T02:13:08Z";

/// The output of `scan` for the namespace `shop`.
pub(crate) const SHOP: &str = "\
NAME      NEXT     LAST   HEALTH
hourly    in 51m   8m8s   ok
nightly   in 23h   13m    ok

2 CronJobs: 2 ok
";

/// The output of `scan` for the whole cluster.
pub(crate) const ALL: &str = "\
NAMESPACE   NAME      NEXT     LAST    HEALTH
ops         never     none     never   error: never-scheduled
shop        hourly    in 51m   8m8s    ok
shop        nightly   in 23h   13m     ok

3 CronJobs: 1 error, 2 ok
";

/// A server with the scene on it.
pub(crate) fn server() -> ApiServer {
    server_of(Options::default())
}

/// A server with the scene on it, and with these options.
pub(crate) fn server_of(options: Options) -> ApiServer {
    let server = ApiServer::start(options);
    populate(&server);
    server
}

/// Adds the objects of the scene to a server.
pub(crate) fn populate(server: &ApiServer) {
    for object in objects() {
        server.add(object);
    }
}

pub(crate) fn objects() -> Vec<Value> {
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["status"] = json!({
        "lastScheduleTime": "2026-11-21T02:00:00Z", "lastSuccessfulTime": "2026-11-21T02:03:00Z",
    });
    let mut hourly = cron_job("shop", "hourly", "5 * * * *");
    hourly["metadata"]["labels"] = json!({"app": "hourly"});
    hourly["status"] = json!({
        "lastScheduleTime": "2026-11-21T02:05:00Z", "lastSuccessfulTime": "2026-11-21T02:06:00Z",
    });
    let finished = |name: &str, start: &str, end: &str| {
        let [start, end] = [start, end].map(|minute| format!("2026-11-21T02:{minute}:00Z"));
        job("shop", name, &start, Some(&end))
    };
    vec![
        nightly,
        finished("nightly", "00", "03"),
        hourly,
        finished("hourly", "05", "06"),
        cron_job("ops", "never", "0 0 31 2 *"),
    ]
}

/// A CronJob that was created on November 1, in UTC.
pub(crate) fn cron_job(namespace: &str, name: &str, schedule: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "name": name, "namespace": namespace, "uid": format!("uid-of-{name}"),
            "creationTimestamp": "2026-11-01T00:00:00Z",
        },
        "spec": {
            "schedule": schedule, "timeZone": "Etc/UTC", "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 3600, "suspend": false, "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "registry.example.com/main:1.4"}],
            }}}},
        },
        "status": {},
    })
}

pub(crate) fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// Sets a field of a CronJob of `shop`, such as `status.active`; one of the spec without a dot.
pub(crate) fn set(server: &ApiServer, name: &str, field: &str, value: impl Into<Value>) {
    server.edit("batch/v1", "CronJob", "shop", name, |cron_job| {
        let (part, steps) = field.split_once('.').unwrap_or(("spec", field));
        let part = &mut cron_job[part];
        *steps
            .split('.')
            .fold(part, |object, step| &mut object[step]) = value.into();
    });
}

/// The Job that the controller created for a run of a CronJob; without an end, it is still running.
pub(crate) fn job(namespace: &str, cron_job: &str, scheduled: &str, end: Option<&str>) -> Value {
    let name = job_name(cron_job, scheduled);
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": name, "namespace": namespace, "uid": format!("uid-of-{name}"),
            "creationTimestamp": scheduled,
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": scheduled},
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "CronJob", "name": cron_job,
                "uid": format!("uid-of-{cron_job}"), "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "registry.example.com/main:1.4"}],
        }}},
        "status": {"startTime": scheduled, "active": 1},
    });
    if let Some(end) = end {
        job["status"] = ended_status("Complete", [scheduled, end]);
    }
    job
}

/// A Job that is created at the time of the scene starts then, and ends half a minute later.
pub(crate) const STARTED: &str = "2026-11-21T02:13:08Z";
pub(crate) const ENDED: &str = "2026-11-21T02:13:38Z";

/// The status of a finished Job: `Complete`, or `Failed` after the last attempt that it may have.
pub(crate) fn ended_status(how: &str, [start, end]: [&str; 2]) -> Value {
    let mut condition = json!({"type": how, "status": "True", "lastTransitionTime": end});
    let mut status = json!({"startTime": start});
    if how == "Failed" {
        condition["reason"] = json!("BackoffLimitExceeded");
        condition["message"] = json!("Job has reached the specified backoff limit");
        status["failed"] = json!(1);
    } else {
        status["completionTime"] = json!(end);
        status["succeeded"] = json!(1);
    }
    status["conditions"] = json!([condition]);
    status
}

/// Finishes a Job of `shop` that was created at the time of the scene.
pub(crate) fn finish(server: &ApiServer, job: &str, how: &str) {
    server.edit("batch/v1", "Job", "shop", job, |job| {
        job["status"] = ended_status(how, [STARTED, ENDED]);
    });
}

pub(crate) fn pod_of(job: &Value, suffix: &str, status: &Value) -> Value {
    let metadata = &job["metadata"];
    let name = metadata["name"].text();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{name}-{suffix}"), "namespace": metadata["namespace"],
            "creationTimestamp": metadata["creationTimestamp"], "labels": {"job-name": name},
            "ownerReferences": [owner_reference("Job", name, &metadata["uid"])],
        },
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/main:1.4"}]},
        "status": status,
    })
}

/// An event about the image of a pod in the namespace shop.
pub(crate) fn pull_event(pod: &str, reason: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": reason, "message": "",
        "metadata": {"name": format!("{pod}.{reason}"), "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": pod},
        "firstTimestamp": at, "lastTimestamp": at, "count": 1,
    })
}

/// A pod of a Job of the server, with one container that is in this state.
pub(crate) fn pod_in_state(
    server: &ApiServer,
    [namespace, job, name]: [&str; 3],
    created: &str,
    [phase, state]: [Value; 2],
) -> Value {
    let job = server.object("batch/v1", "Job", namespace, job).unwrap();
    let container = json!({
        "name": "main", "image": "registry.example.com/main:1.4", "imageID": "", "ready": false,
        "restartCount": 0, "state": state,
    });
    let status = json!({"phase": phase, "containerStatuses": [container]});
    let mut pod = pod_of(&job, "", &status);
    pod["metadata"]["name"] = json!(name);
    pod["metadata"]["creationTimestamp"] = json!(created);
    pod
}

/// The status of a pod whose container waits.
pub(crate) fn waiting(reason: &str) -> Value {
    json!({
        "phase": "Pending",
        "containerStatuses": [{
            "name": "main", "image": "registry.example.com/main:1.4", "imageID": "", "ready": false,
            "restartCount": 0, "state": {"waiting": {"reason": reason}},
        }],
    })
}

/// The status of a pod that waits for its image.
pub(crate) fn image_pull_fails(message: &str) -> Value {
    let mut status = waiting("ImagePullBackOff");
    status["containerStatuses"][0]["state"]["waiting"]["message"] = json!(message);
    status
}

/// The status of a CronJob whose last run is this Job, which is active.
pub(crate) fn status_with_active(job: &Value) -> Value {
    let metadata = &job["metadata"];
    json!({
        "lastScheduleTime": metadata["creationTimestamp"],
        "active": [{
            "apiVersion": "batch/v1", "kind": "Job", "namespace": metadata["namespace"],
            "name": metadata["name"], "uid": metadata["uid"],
        }],
    })
}

/// The name of a Job contains the minute of its scheduled time.
pub(crate) fn job_name(cron_job: &str, scheduled: &str) -> String {
    let scheduled: jiff::Timestamp = scheduled.parse().unwrap();
    format!("{cron_job}-{}", scheduled.as_second() / 60)
}

/// A server at noon whose only CronJob ran at night, so that nothing changes by itself for hours.
pub(crate) fn noon() -> ApiServer {
    let server = ApiServer::start(Options::default().now("2026-11-21T12:00:05Z"));
    for object in objects().into_iter().take(2) {
        server.add(object);
    }
    server
}
