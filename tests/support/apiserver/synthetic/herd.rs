//! Ten thousand `CronJob`s with their Jobs, each of about three kilobytes.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::objects::Object;
use super::super::resources::Resource;
use super::super::store::Store;
use super::Made;
use super::prototype::{
    FINISHED, Filling, MINUTE, NAMESPACE, NUMBER, OWNER, Prototype, REVISION, SLOT, UID,
};

const NAMESPACES: usize = 50;
/// `CronJob`s with the same remainder are alike but for their names.
const KINDS: usize = 1020;
const PODS: usize = 97;
const FIRST_REVISION: usize = 1_000_000;
/// Minutes since 1970, at 2026-11-21T02:13Z: the Jobs are of the minutes before it.
const NEWEST_MINUTE: usize = 29_920_453;

const SCHEDULES: [&str; 10] = [
    "*/5 * * * *",
    "0 * * * *",
    "0 2 * * *",
    "30 6-16/4 * * 1-5",
    "15 3 * * 0",
    "0 0 1 * *",
    "@hourly",
    "*/15 9-17 * * mon-fri",
    "* * * * *",
    "7 4 * * *",
];
const ZONES: [Option<&str>; 6] = [
    None,
    None,
    Some("Europe/Berlin"),
    Some("America/New_York"),
    Some("Asia/Tokyo"),
    Some("Etc/UTC"),
];

/// Fills a store.
pub(crate) fn populate(
    store: &mut Store,
    cron_jobs: &Resource,
    jobs: &Resource,
    count: usize,
    jobs_each: usize,
) {
    let kinds: Vec<Arc<Prototype>> = (0..KINDS.min(count))
        .map(|kind| Arc::new(Prototype::new(cron_jobs, &cron_job(kind))))
        .collect();
    let runs: Vec<Arc<Prototype>> = (0..PODS)
        .map(|kind| Arc::new(Prototype::new(jobs, &job(kind))))
        .collect();
    let mut serial = 0;
    for number in 0..count {
        let kind = number % KINDS;
        let mut add = |resource: &Resource, prototype: &Arc<Prototype>, run| {
            let made = Made {
                prototype: Arc::clone(prototype),
                number,
                run,
                serial,
            };
            let revision = u64::try_from(FIRST_REVISION + serial).unwrap();
            let key = format!("ns-{:02}/{}", number % NAMESPACES, name(number, run));
            store.seed_quietly(&resource.full_name(), key, Object::Made(made), revision);
            serial += 1;
        };
        add(cron_jobs, &kinds[kind], None);
        for run in 0..jobs_each {
            add(jobs, &runs[kind % PODS], Some(run));
        }
    }
}

/// What the holes of one object are filled with.
pub(crate) fn filling(number: usize, run: Option<usize>, serial: usize) -> Filling {
    let minute = NEWEST_MINUTE - 1 - run.unwrap_or(0);
    let slot = i64::try_from(minute * 60).unwrap();
    let time = |second: i64| Timestamp::from_second(second).unwrap();
    Filling {
        texts: [
            (UID, uid(run.map_or(number, |_| 1_000_000 + serial))),
            (OWNER, uid(number)),
            (NUMBER, format!("job-{number:05}")),
            (MINUTE, minute.to_string()),
            (REVISION, (FIRST_REVISION + serial).to_string()),
            (NAMESPACE, format!("ns-{:02}", number % NAMESPACES)),
        ],
        times: [(SLOT, time(slot)), (FINISHED, time(slot + 7))],
    }
}

fn name(number: usize, run: Option<usize>) -> String {
    match run {
        Some(run) => format!("job-{number:05}-{}", NEWEST_MINUTE - 1 - run),
        None => format!("job-{number:05}"),
    }
}

fn uid(number: usize) -> String {
    format!("50000000-0000-4000-8000-{number:012x}")
}

fn cron_job(kind: usize) -> Value {
    let mut spec = json!({"schedule": SCHEDULES[kind % 10]});
    if let Some(zone) = ZONES[kind % 6] {
        spec["timeZone"] = json!(zone);
    }
    if kind.is_multiple_of(4) {
        spec["startingDeadlineSeconds"] = json!([30, 300, 3600][kind % 3]);
    }
    spec["concurrencyPolicy"] = json!(["Allow", "Forbid", "Replace"][kind % 3]);
    spec["suspend"] = json!(kind.is_multiple_of(17));
    spec["jobTemplate"] = json!({
        "metadata": {},
        "spec": {"backoffLimit": 3, "template": pod(kind % PODS, json!({}))},
    });
    spec["successfulJobsHistoryLimit"] = json!(3);
    spec["failedJobsHistoryLimit"] = json!(1);
    json!({
        "metadata": {
            "name": NUMBER,
            "namespace": NAMESPACE,
            "uid": UID,
            "resourceVersion": REVISION,
            "generation": 1,
            "creationTimestamp": "2026-11-20T02:10:06Z",
            "labels": {"app": format!("app-{}", kind % PODS)},
            "managedFields": managed("Python-urllib", false),
        },
        "spec": spec,
        "status": {"lastScheduleTime": SLOT, "lastSuccessfulTime": FINISHED},
    })
}

fn job(kind: usize) -> Value {
    let name = format!("{NUMBER}-{MINUTE}");
    let mut labels = json!({});
    for prefix in ["batch.kubernetes.io/", ""] {
        labels[format!("{prefix}controller-uid")] = json!(UID);
        labels[format!("{prefix}job-name")] = json!(name);
    }
    let condition = |kind: &str| {
        json!({
            "type": kind,
            "status": "True",
            "lastProbeTime": FINISHED,
            "lastTransitionTime": FINISHED,
            "reason": "CompletionsReached",
            "message": "Reached expected number of succeeded pods",
        })
    };
    json!({
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "uid": UID,
            "resourceVersion": REVISION,
            "generation": 1,
            "creationTimestamp": SLOT,
            "labels": {"app": format!("app-{kind}")},
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": SLOT},
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": NUMBER,
                "uid": OWNER,
                "controller": true,
                "blockOwnerDeletion": true,
            }],
            "managedFields": managed("kube-controller-manager", true),
        },
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 3,
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}},
            "template": pod(kind, labels),
            "completionMode": "NonIndexed",
            "suspend": false,
            "podReplacementPolicy": "TerminatingOrFailed",
        },
        "status": {
            "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
            "startTime": SLOT,
            "completionTime": FINISHED,
            "succeeded": 1,
            "terminating": 0,
            "uncountedTerminatedPods": {},
            "ready": 0,
        },
    })
}

fn pod(kind: usize, mut labels: Value) -> Value {
    labels["app"] = json!(format!("app-{kind}"));
    labels["team"] = json!(format!("team-{}", kind % 13));
    labels["app.kubernetes.io/managed-by"] = json!("Helm");
    let env: Vec<Value> = (0..8)
        .map(|index| json!({"name": format!("VAR_{index}"), "value": "value-of-some-length"}))
        .collect();
    json!({
        "metadata": {
            "labels": labels,
            "annotations": {"checksum/config": "d".repeat(64), "prometheus.io/scrape": "false"},
        },
        "spec": {
            "volumes": [{"name": "cfg", "configMap": {"name": "cfg", "defaultMode": 420}}],
            "containers": [{
                "name": "main",
                "image": format!("registry.example.com/team/app-{kind}:v1.{}", kind % 50),
                "command": ["/bin/sh", "-c", "run --task report --verbose"],
                "env": env,
                "resources": {
                    "limits": {"memory": "256Mi"},
                    "requests": {"cpu": "100m", "memory": "128Mi"},
                },
                "volumeMounts": [{"name": "cfg", "mountPath": "/etc/cfg"}],
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "imagePullPolicy": "IfNotPresent",
            }],
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "securityContext": {},
            "schedulerName": "default-scheduler",
        },
    })
}

/// Most of an object's size, in a real cluster as here.
fn managed(manager: &str, job: bool) -> Value {
    let container = json!({
        ".": {},
        "f:command": {},
        "f:env": (0..8).fold(json!({".": {}}), |mut fields, index| {
            let key = format!("k:{{\"name\":\"VAR_{index}\"}}");
            fields[key] = json!({".": {}, "f:name": {}, "f:value": {}});
            fields
        }),
        "f:image": {},
        "f:imagePullPolicy": {},
        "f:name": {},
        "f:resources": {".": {}, "f:limits": {".": {}, "f:memory": {}}},
        "f:terminationMessagePath": {},
        "f:terminationMessagePolicy": {},
    });
    let pod = json!({
        "f:metadata": {"f:annotations": {".": {}}, "f:labels": {".": {}}},
        "f:spec": {
            "f:containers": {"k:{\"name\":\"main\"}": container},
            "f:dnsPolicy": {},
            "f:restartPolicy": {},
        },
    });
    let spec = if job {
        json!({"f:backoffLimit": {}, "f:completions": {}, "f:template": pod})
    } else {
        json!({"f:jobTemplate": {"f:spec": {"f:template": pod}}, "f:schedule": {}})
    };
    json!([{
        "manager": manager,
        "operation": "Update",
        "apiVersion": "batch/v1",
        "time": "2026-11-20T02:10:06Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": spec},
    }])
}
