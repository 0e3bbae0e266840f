//! Ten thousand `CronJob`s with their Jobs, each of about three kilobytes, that take next to no memory:
//! prototypes with placeholders, filled in on request.

use std::sync::Arc;

use jiff::Timestamp;
use prost::encoding::encode_varint;
use serde_json::{Value, json};

use super::objects::{self, Object};
use super::protobuf;
use super::resources::Resource;
use super::store::Store;

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

// Placeholders. Each is as long as what it stands for.
const NAMESPACE: &str = "ns-@@";
const NAME: &str = "job-@@@@@";
const MINUTE: &str = "@@@@@@@@";
const UID: &str = "@own@@@@-0000-4000-8000-@@@@@@@@@@@@";
const OWNER: &str = "@owner@@-0000-4000-8000-@@@@@@@@@@@@";
const REVISION: &str = "@@rev@@";
const SCHEDULED: &str = "2001-02-03T04:05:00Z";
const FINISHED: &str = "2001-02-03T04:05:06Z";

/// One of very many objects.
pub(crate) struct Synthetic {
    prototype: Arc<Prototype>,
    /// Which `CronJob` it is, or belongs to.
    number: usize,
    /// Which of its Jobs it is.
    run: Option<usize>,
    /// The resource version, and the last part of the uid.
    serial: usize,
}

/// Objects that differ in their placeholders only.
struct Prototype {
    json: Template,
    protobuf: Template,
    resource: Resource,
}

/// Bytes, and where in them which placeholder is.
struct Template {
    bytes: Vec<u8>,
    placeholders: Vec<(usize, usize)>,
}

impl Synthetic {
    /// The whole object, as any other is stored.
    pub(crate) fn value(&self) -> Value {
        let json = self.prototype.json.filled(&self.filling());
        objects::typed(
            &self.prototype.resource,
            serde_json::from_slice(&json).unwrap(),
        )
    }

    pub(crate) fn protobuf(&self) -> Vec<u8> {
        self.prototype.protobuf.filled(&self.filling())
    }

    fn filling(&self) -> [Vec<u8>; 10] {
        let minute = NEWEST_MINUTE - 1 - self.run.unwrap_or(0);
        let scheduled = Timestamp::from_second(i64::try_from(minute * 60).unwrap()).unwrap();
        let finished = Timestamp::from_second(scheduled.as_second() + 7).unwrap();
        filling(
            [
                &uid(self.run.map_or(self.number, |_| 1_000_000 + self.serial)),
                &uid(self.number),
                &format!("job-{:05}", self.number),
                &minute.to_string(),
                &(FIRST_REVISION + self.serial).to_string(),
                &format!("ns-{:02}", self.number % NAMESPACES),
            ],
            [scheduled, finished],
        )
    }
}

/// The texts and times of an object as bytes, times also as numbers on the wire. Longer placeholders
/// come first, since the shorter ones could be found in them.
fn filling(texts: [&str; 6], times: [Timestamp; 2]) -> [Vec<u8>; 10] {
    let seconds = |time: Timestamp| {
        let mut bytes = Vec::new();
        encode_varint(u64::try_from(time.as_second()).unwrap(), &mut bytes);
        bytes
    };
    let [uid, owner, name, minute, revision, namespace] = texts.map(Vec::from);
    let [scheduled, finished] = times.map(|time| time.to_string().into_bytes());
    let [scheduled_seconds, finished_seconds] = times.map(seconds);
    [
        uid,
        owner,
        name,
        minute,
        revision,
        namespace,
        scheduled,
        finished,
        scheduled_seconds,
        finished_seconds,
    ]
}

fn placeholders() -> [Vec<u8>; 10] {
    let times = [SCHEDULED, FINISHED].map(|time| time.parse().unwrap());
    filling([UID, OWNER, NAME, MINUTE, REVISION, NAMESPACE], times)
}

impl Prototype {
    fn new(resource: &Resource, value: &Value) -> Arc<Prototype> {
        Arc::new(Prototype {
            json: Template::new(value.to_string().into_bytes()),
            protobuf: Template::new(protobuf::encode(&resource.kind, value)),
            resource: resource.clone(),
        })
    }
}

impl Template {
    fn new(bytes: Vec<u8>) -> Template {
        let wanted = placeholders();
        let mut placeholders = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let found = wanted.iter().position(|text| bytes[at..].starts_with(text));
            placeholders.extend(found.map(|index| (at, index)));
            at += found.map_or(1, |index| wanted[index].len());
        }
        Template {
            bytes,
            placeholders,
        }
    }

    fn filled(&self, filling: &[Vec<u8>; 10]) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for (at, index) in &self.placeholders {
            let text = &filling[*index];
            bytes[*at..*at + text.len()].copy_from_slice(text);
        }
        bytes
    }
}

/// Adds many `CronJob`s with as many Jobs each, of which no watch learns.
pub(crate) fn populate(store: &mut Store, resources: &[Resource], count: usize, jobs_each: usize) {
    let resource = |kind: &str| {
        resources
            .iter()
            .find(|resource| resource.kind == kind)
            .unwrap()
    };
    let (cron_jobs, jobs) = (resource("CronJob"), resource("Job"));
    let kinds = (0..KINDS.min(count)).map(|kind| Prototype::new(cron_jobs, &cron_job(kind)));
    let kinds: Vec<_> = kinds.collect();
    let runs: Vec<_> = (0..PODS)
        .map(|kind| Prototype::new(jobs, &job(kind)))
        .collect();
    let mut serial = 0;
    for number in 0..count {
        let kind = number % KINDS;
        let parent = (&kinds[kind], None);
        let children = (0..jobs_each).map(|run| (&runs[kind % PODS], Some(run)));
        for (prototype, run) in std::iter::once(parent).chain(children) {
            let end = run.map_or(String::new(), |run| format!("-{}", NEWEST_MINUTE - 1 - run));
            let key = format!("ns-{:02}/job-{number:05}{end}", number % NAMESPACES);
            let object = Object::Synthetic(Synthetic {
                prototype: Arc::clone(prototype),
                number,
                run,
                serial,
            });
            let revision = u64::try_from(FIRST_REVISION + serial).unwrap();
            store.seed(
                &prototype.resource.full_name(),
                &key,
                object,
                revision,
                false,
            );
            serial += 1;
        }
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
            "name": NAME,
            "namespace": NAMESPACE,
            "uid": UID,
            "resourceVersion": REVISION,
            "generation": 1,
            "creationTimestamp": "2026-11-20T02:10:06Z",
            "labels": {"app": format!("app-{}", kind % PODS)},
            "managedFields": managed("Python-urllib", false),
        },
        "spec": spec,
        "status": {"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": FINISHED},
    })
}

fn job(kind: usize) -> Value {
    let name = format!("{NAME}-{MINUTE}");
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
            "creationTimestamp": SCHEDULED,
            "labels": {"app": format!("app-{kind}")},
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": SCHEDULED},
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": NAME,
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
            "startTime": SCHEDULED,
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
    let fields = (0..24).fold(json!({".": {}}), |mut fields, index| {
        fields[format!("k:{{\"name\":\"VAR_{index}\"}}")] = json!({".": {}, "f:value": {}});
        fields
    });
    let template = json!({"f:template": {"f:spec": fields}});
    let spec = if job {
        template
    } else {
        json!({"f:jobTemplate": {"f:spec": template}, "f:schedule": {}})
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
