//! CronJobs that fail for the same objects, and others that only look like it.

use serde_json::{Value, json};

use super::json::{Json as _, owner_reference};

pub(crate) const NOW: &str = "2026-03-10T08:40:00Z";
/// The run of 08:00, and the minute in its name.
pub(crate) const RUN: &str = "29552160";
pub(crate) const IMAGE: &str = "registry.example.com/base:2.1";

/// Why the run of a `CronJob` does not succeed.
pub(crate) enum Trouble {
    /// An event about the CronJob: its Job cannot be created.
    NoJob(&'static str),
    /// An event about its Job: a pod cannot be created.
    NoPod(&'static str),
    /// Its pod is pending: the image, the reason and the message of the container.
    Waits(&'static str, &'static str, &'static str),
    /// No node is suitable for its pod.
    Unscheduled(&'static str),
    /// Its pod runs on this node, which responds or does not.
    Runs(&'static str, bool),
    /// Its Job has failed, and its pod on this node does not end.
    Ends(&'static str),
    /// Its pod with this image ended with exit code 1.
    Crashed(&'static str),
    Nothing,
}

pub(crate) use Trouble::{Crashed, Ends, NoJob, NoPod, Nothing, Runs, Unscheduled, Waits};

fn cron_job(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "name": name, "namespace": namespace, "uid": format!("{namespace}/{name}"),
            "creationTimestamp": "2026-03-01T10:00:00Z",
        },
        "spec": {"schedule": "0 8 * * *", "jobTemplate": {}},
        "status": {
            "lastScheduleTime": "2026-03-10T08:00:00Z", "lastSuccessfulTime": "2026-03-09T08:01:00Z",
        },
    })
}

/// The status of a Job that was decided at 08:01.
fn end(condition: &str) -> Value {
    json!({
        "startTime": "2026-03-10T08:00:00Z", "completionTime": "2026-03-10T08:01:00Z",
        "conditions": [{
            "type": condition, "status": "True", "lastTransitionTime": "2026-03-10T08:01:00Z",
        }],
    })
}

/// A `CronJob` that runs each day at 08:00, what exists of its last run, and since when it is in trouble.
pub(crate) fn objects(key: &str, since: &str, trouble: &Trouble) -> Vec<Value> {
    let (namespace, name) = key.split_once('/').unwrap();
    let since = format!("2026-03-10T{since}:00Z");
    let job_name = format!("{name}-{RUN}");
    let mut cron_job = cron_job(namespace, name);
    let rejected = |kind: &str, name: &str, uid: &str, message: &str| {
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": format!("{name}.1"), "namespace": namespace},
            "involvedObject": {"kind": kind, "name": name, "namespace": namespace, "uid": uid},
            "type": "Warning", "reason": "FailedCreate", "message": message,
            "firstTimestamp": since, "lastTimestamp": "2026-03-10T08:35:00Z", "count": 5,
        })
    };
    if let NoJob(message) = trouble {
        cron_job["status"]["lastScheduleTime"] = json!("2026-03-09T08:00:00Z");
        return vec![cron_job, rejected("CronJob", name, key, message)];
    }
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": job_name, "namespace": namespace, "uid": job_name,
            "creationTimestamp": "2026-03-10T08:00:00Z",
            "ownerReferences": [owner_reference("CronJob", name, key)],
        },
        "spec": {}, "status": {"active": 1, "ready": 0, "startTime": "2026-03-10T08:00:00Z"},
    });
    let waiting =
        |reason: &str, message: &str| json!({"waiting": {"reason": reason, "message": message}});
    let (image, state, condition, phase, node) = match trouble {
        Waits(image, reason, message) => {
            (*image, waiting(reason, message), json!({}), "Pending", "")
        }
        Unscheduled(message) => {
            let condition = json!({
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": message, "lastTransitionTime": since,
            });
            (IMAGE, json!({}), condition, "Pending", "")
        }
        Runs(node, responds) => {
            let ready = if *responds { "True" } else { "False" };
            let condition = json!({"type": "Ready", "status": ready, "lastTransitionTime": since});
            let state = json!({"running": {"startedAt": "2026-03-10T08:00:00Z"}});
            job["status"]["ready"] = json!(i32::from(*responds));
            (IMAGE, state, condition, "Running", *node)
        }
        Crashed(image) => {
            job["status"] = end("Failed");
            let ended =
                json!({"exitCode": 1, "reason": "Error", "finishedAt": "2026-03-10T08:01:00Z"});
            (
                *image,
                json!({"terminated": ended}),
                json!({}),
                "Failed",
                "node-7",
            )
        }
        Ends(node) => {
            job["status"] = end("FailureTarget");
            let state = json!({"running": {"startedAt": "2026-03-10T08:00:00Z"}});
            (IMAGE, state, json!({}), "Running", *node)
        }
        NoPod(message) => {
            job["status"] = json!({"ready": 0, "startTime": "2026-03-10T08:00:00Z"});
            return vec![
                cron_job,
                job,
                rejected("Job", &job_name, &job_name, message),
            ];
        }
        _ => {
            job["status"] = end("Complete");
            cron_job["status"]["lastSuccessfulTime"] = json!("2026-03-10T08:01:00Z");
            return vec![cron_job, job];
        }
    };
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{job_name}-abcde"), "namespace": namespace, "uid": format!("{job_name}-abcde"),
            "creationTimestamp": since,
            "ownerReferences": [owner_reference("Job", &job_name, &job_name)],
        },
        "spec": {"nodeName": node, "restartPolicy": "Never", "containers": [{"name": "main", "image": image}]},
        "status": {
            "phase": phase, "conditions": [condition],
            "containerStatuses": [{"name": "main", "image": image, "ready": false, "restartCount": 0, "state": state}],
        },
    });
    if matches!(trouble, Ends(_)) {
        pod["metadata"]["deletionTimestamp"] = json!("2026-03-10T08:02:00Z");
    }
    vec![cron_job, job, pod]
}

pub(crate) fn cluster(cron_jobs: &[(&str, &str, Trouble)]) -> Vec<Value> {
    let all = cron_jobs.iter();
    all.flat_map(|(key, since, trouble)| objects(key, since, trouble))
        .collect()
}

fn node(name: &str, ready: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"conditions": [
            {"type": "Ready", "status": ready, "lastTransitionTime": "2026-03-10T08:25:00Z"},
        ]},
    })
}

const NOT_FOUND: &str = "Back-off pulling image \"registry.example.com/base:2.1\": ErrImagePull: rpc error: code = \
    NotFound desc = failed to pull and unpack image \"registry.example.com/base:2.1\": not found";
const NO_HOST: &str = "Back-off pulling image \"x\": ErrImagePull: failed to do request: Head \
    \"https://mirror.example.com/v2/a/manifests/1\": dial tcp: lookup mirror.example.com: no such host";
const QUOTA: &str = "jobs.batch \"x\" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: \
    count/jobs.batch=20, limited: count/jobs.batch=20";
const WEBHOOK: &str = "Internal error occurred: failed calling webhook \"policy.example.com\": failed to call webhook: \
    Post \"https://policy.svc:443/validate\": dial tcp 10.0.0.1:443: connect: connection refused";
const DENIED: &str = "admission webhook \"policy.example.com\" denied the request: no label owner";
const NO_ACCOUNT: &str = "Error creating: pods \"x-\" is forbidden: error looking up service account s1/builder: \
    serviceaccount \"builder\" not found";
const OTHER_ACCOUNT: &str = "Error creating: pods \"x-\" is forbidden: error looking up service account s2/builder: \
    serviceaccount \"builder\" not found";
const ENDING: &str = "jobs.batch \"x\" is forbidden: unable to create new content in namespace gone because it is \
    being terminated";
const NO_VOLUME: &str = "0/3 nodes are available: persistentvolumeclaim \"data\" not found. preemption: 0/3 nodes are \
    available: 3 Preemption is not helpful for scheduling.";
const NO_NODE: &str = "0/3 nodes are available: 3 Insufficient cpu.";

fn no_config(message: &'static str) -> Trouble {
    Waits(IMAGE, "CreateContainerConfigError", message)
}

pub(crate) fn no_image() -> Trouble {
    Waits(IMAGE, "ImagePullBackOff", NOT_FOUND)
}

fn mirror(image: &'static str, message: &'static str) -> Trouble {
    Waits(image, "ImagePullBackOff", message)
}

/// Three CronJobs for each kind of cause, and those that look like them.
pub(crate) fn troubled() -> Vec<Value> {
    let nodes = [node("node-9", "Unknown"), node("node-10", "True")];
    let no_map = "configmap \"settings\" not found";
    let no_secret = "secret \"db\" not found";
    let mut objects = cluster(&[
        ("a/image-1", "08:10", no_image()),
        ("a/image-2", "08:05", no_image()),
        ("b/image-3", "08:06", no_image()),
        ("c/image-4", "08:07", no_image()),
        // The same image could be pulled, and its program failed.
        ("c/image-crash", "08:00", Crashed(IMAGE)),
        // The same repository.
        (
            "c/image-tag",
            "08:00",
            Waits("registry.example.com/base:2.2", "ErrImagePull", "not found"),
        ),
        (
            "a/mirror-1",
            "08:11",
            mirror("mirror.example.com/a:1", NO_HOST),
        ),
        (
            "b/mirror-2",
            "08:12",
            mirror("mirror.example.com/b:1", NO_HOST),
        ),
        (
            "b/mirror-3",
            "08:13",
            mirror("mirror.example.com/b:1", NO_HOST),
        ),
        // The registry responded.
        (
            "b/mirror-tag",
            "08:00",
            mirror("mirror.example.com/b:2", "not found"),
        ),
        ("a/node-1", "08:20", Runs("node-7", false)),
        ("b/node-2", "08:21", Runs("node-7", false)),
        ("c/node-3", "08:20", Runs("node-7", false)),
        ("c/node-fine", "08:00", Runs("node-7", true)),
        ("c/node-other", "08:20", Runs("node-8", false)),
        ("q1/quota-1", "08:01", NoJob(QUOTA)),
        ("q1/quota-2", "08:02", NoJob(QUOTA)),
        ("q1/quota-3", "08:03", NoJob(QUOTA)),
        // The quota of the same name in another namespace.
        ("q2/quota-1", "08:01", NoJob(QUOTA)),
        ("q2/quota-2", "08:01", NoJob(QUOTA)),
        ("a/hook-1", "08:00", NoJob(WEBHOOK)),
        ("b/hook-2", "08:00", NoPod(WEBHOOK)),
        ("c/hook-3", "08:00", NoJob(WEBHOOK)),
        // The webhook was reached.
        ("c/hook-denied", "08:00", NoJob(DENIED)),
        ("s1/account-1", "08:00", NoPod(NO_ACCOUNT)),
        ("s1/account-2", "08:00", NoPod(NO_ACCOUNT)),
        ("s1/account-3", "08:00", NoPod(NO_ACCOUNT)),
        ("s2/account-1", "08:00", NoPod(OTHER_ACCOUNT)),
        ("s2/account-2", "08:00", NoPod(OTHER_ACCOUNT)),
        ("m1/map-1", "08:00", no_config(no_map)),
        ("m1/map-2", "08:00", no_config(no_map)),
        ("m1/map-3", "08:00", no_config(no_map)),
        ("m2/map-1", "08:00", no_config(no_map)),
        ("m2/map-2", "08:00", no_config(no_map)),
        // It exists.
        (
            "m1/map-key",
            "08:00",
            no_config("couldn't find key mode in ConfigMap m1/settings"),
        ),
        ("d/secret-1", "08:00", no_config(no_secret)),
        ("d/secret-2", "08:00", no_config(no_secret)),
        ("d/secret-3", "08:00", no_config(no_secret)),
        // A ConfigMap of the same name.
        (
            "d/secret-map",
            "08:00",
            no_config("configmap \"db\" not found"),
        ),
        ("d/volume-1", "08:00", Unscheduled(NO_VOLUME)),
        ("d/volume-2", "08:00", Unscheduled(NO_VOLUME)),
        ("d/volume-3", "08:00", Unscheduled(NO_VOLUME)),
        ("d/volume-cpu", "08:00", Unscheduled(NO_NODE)),
        ("gone/job-1", "08:00", NoJob(ENDING)),
        ("gone/job-2", "08:00", NoJob(ENDING)),
        ("gone/job-3", "08:00", NoJob(ENDING)),
        ("e/ends-1", "08:00", Ends("node-9")),
        ("e/ends-2", "08:00", Ends("node-9")),
        ("e/ends-3", "08:00", Ends("node-9")),
        ("e/ends-other", "08:00", Ends("node-10")),
        ("a/healthy", "08:00", Nothing),
    ]);
    // A run was due at 08:30, and waits for the one on the node.
    let is_blocked =
        |it: &&mut Value| it["kind"] == "CronJob" && it["metadata"]["name"] == "node-3";
    let blocked = objects.iter_mut().find(is_blocked).unwrap();
    blocked["spec"]["schedule"] = json!("*/30 * * * *");
    blocked["spec"]["concurrencyPolicy"] = json!("Forbid");
    let job = format!("node-3-{RUN}");
    blocked["status"]["active"] =
        json!([{"kind": "Job", "namespace": "c", "name": job, "uid": job}]);
    objects.extend(nodes);
    objects
}

/// The causes of a document: kind, object, namespace, count, namespaces, since.
pub(crate) fn outline(document: &Value) -> Vec<String> {
    let causes = document["causes"].items().iter();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let outline = causes.map(|cause| {
        let namespaces: Vec<&str> = cause["namespaces"]
            .items()
            .iter()
            .map(Value::text)
            .collect();
        let [kind, object, namespace, since] =
            ["kind", "object", "namespace", "since"].map(|field| text(&cause[field]));
        let since = since.replace("2026-03-10T", "").replace(":00Z", "");
        let count = &cause["count"];
        format!(
            "{count} {kind} {namespace} {object} [{}] {since}",
            namespaces.join(" ")
        )
    });
    outline.collect()
}

/// Derived by hand: the most CronJobs first, then by the name of the object.
pub(crate) const CAUSES: [&str; 11] = [
    "4 image - registry.example.com/base:2.1 [a b c] 08:05",
    "3 serviceAccount s1 builder [s1] 08:00",
    "3 persistentVolumeClaim d data [d] 08:00",
    "3 secret d db [d] 08:00",
    "3 namespace gone gone [gone] 08:00",
    "3 resourceQuota q1 jobs [q1] 08:01",
    "3 registry - mirror.example.com [a b] 08:11",
    "3 node - node-7 [a b c] 08:20",
    "3 node - node-9 [e] 08:25",
    "3 webhook - policy.example.com [a b c] 08:00",
    "3 configMap m1 settings [m1] 08:00",
];
