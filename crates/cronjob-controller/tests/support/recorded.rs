//! Reads the objects of recorded cases. Only the fields that occur in these cases are read.

use std::sync::Arc;

use cronjob_controller::controller::{Controller, Model, Release};
use jiff::Timestamp;
use kube_cron::{BundledZones, Zone};
use kube_model::{
    ConcurrencyPolicy, Condition, CronJob, CronJobSpec, CronJobStatus, Job, ObjectReference,
    OwnerReference,
};
use serde_json::Value;

/// The controller of a release, with the time zone UTC.
pub(crate) fn controller(version: &str) -> Controller {
    Controller {
        model: Model::Kubernetes,
        release: version.parse::<Release>().unwrap(),
        local: Zone::utc(),
        zones: Arc::new(BundledZones),
        display: None,
    }
}

/// The cases of a file of vectors, each with the number of its line.
pub(crate) fn cases(text: &str) -> impl Iterator<Item = (usize, Value)> {
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| (index + 1, serde_json::from_str(line).unwrap()))
}

/// The objects of a case.
pub(crate) fn evidence(cron_job: &Value, jobs: &Value) -> (CronJob, Vec<Job>) {
    let jobs = jobs.as_array().into_iter().flatten();
    (read_cron_job(cron_job), jobs.map(read_job).collect())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| text.parse().unwrap())
}

fn number(value: &Value) -> Option<i32> {
    value.as_i64().map(|number| number.try_into().unwrap())
}

/// Each entry of a list, which may be absent.
fn each<T>(list: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    list.as_array().into_iter().flatten().map(read).collect()
}

fn read_cron_job(object: &Value) -> CronJob {
    let (metadata, spec, status) = (&object["metadata"], &object["spec"], &object["status"]);
    let policy = spec["concurrencyPolicy"].as_str();
    CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: text(&metadata["namespace"]),
        name: text(&metadata["name"]),
        uid: text(&metadata["uid"]),
        creation_timestamp: time(&metadata["creationTimestamp"]),
        deletion_timestamp: time(&metadata["deletionTimestamp"]),
        spec: CronJobSpec {
            schedule: text(&spec["schedule"]),
            time_zone: spec["timeZone"].as_str().map(str::to_owned),
            starting_deadline_seconds: spec["startingDeadlineSeconds"].as_i64(),
            concurrency_policy: policy.map(ConcurrencyPolicy::from).unwrap_or_default(),
            suspend: spec["suspend"].as_bool(),
            successful_jobs_history_limit: number(&spec["successfulJobsHistoryLimit"]),
            failed_jobs_history_limit: number(&spec["failedJobsHistoryLimit"]),
            job_template: spec["jobTemplate"].clone().into(),
        },
        status: CronJobStatus {
            active: each(&status["active"], |active| ObjectReference {
                kind: text(&active["kind"]),
                namespace: text(&active["namespace"]),
                name: text(&active["name"]),
                uid: text(&active["uid"]),
            }),
            last_schedule_time: time(&status["lastScheduleTime"]),
            ..CronJobStatus::default()
        },
        ..CronJob::default()
    }
}

fn read_job(object: &Value) -> Job {
    let (metadata, status) = (&object["metadata"], &object["status"]);
    Job {
        namespace: text(&metadata["namespace"]).into(),
        name: text(&metadata["name"]),
        uid: text(&metadata["uid"]),
        creation_timestamp: time(&metadata["creationTimestamp"]),
        owner_references: each(&metadata["ownerReferences"], |owner| OwnerReference {
            api_version: text(&owner["apiVersion"]),
            kind: text(&owner["kind"]),
            name: text(&owner["name"]),
            uid: text(&owner["uid"]),
            controller: owner["controller"].as_bool(),
        })
        .into(),
        start_time: time(&status["startTime"]),
        completion_time: time(&status["completionTime"]),
        conditions: each(&status["conditions"], |condition| Condition {
            r#type: text(&condition["type"]).into(),
            status: text(&condition["status"]).into(),
            ..Condition::default()
        }),
        ..Job::default()
    }
}
