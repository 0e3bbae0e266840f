//! CronJobs and Jobs: `k8s.io/api/batch/v1`.

use std::collections::BTreeMap;

use prost::Message;

use super::{JobMeta, ObjectMeta, ObjectReference, Time};

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJob {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<CronJobSpec>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<CronJobStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJobSpec {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) schedule: String,
    #[prost(int64, optional, tag = "2")]
    pub(in crate::cluster) starting_deadline_seconds: Option<i64>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) concurrency_policy: String,
    #[prost(bool, optional, tag = "4")]
    pub(in crate::cluster) suspend: Option<bool>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) job_template: Option<JobTemplate>,
    #[prost(int32, optional, tag = "6")]
    pub(in crate::cluster) successful_jobs_history_limit: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(in crate::cluster) failed_jobs_history_limit: Option<i32>,
    #[prost(string, optional, tag = "8")]
    pub(in crate::cluster) time_zone: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJobStatus {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) active: Vec<ObjectReference>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::cluster) last_schedule_time: Option<Time>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) last_successful_time: Option<Time>,
    /// An alpha field; this is its proposed number.
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) next_schedule_time: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobTemplate {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<JobSpec>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobSpec {
    #[prost(int32, optional, tag = "1")]
    pub(in crate::cluster) parallelism: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(in crate::cluster) completions: Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub(in crate::cluster) active_deadline_seconds: Option<i64>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) template: Option<PodTemplate>,
    #[prost(int32, optional, tag = "7")]
    pub(in crate::cluster) backoff_limit: Option<i32>,
    #[prost(int32, optional, tag = "8")]
    pub(in crate::cluster) ttl_seconds_after_finished: Option<i32>,
    #[prost(bool, optional, tag = "10")]
    pub(in crate::cluster) suspend: Option<bool>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::cluster) pod_failure_policy: Option<PodFailurePolicy>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodFailurePolicy {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) rules: Vec<PodFailureRule>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodFailureRule {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) action: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) on_exit_codes: Option<ExitCodes>,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::cluster) on_pod_conditions: Vec<ConditionPattern>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ExitCodes {
    #[prost(string, optional, tag = "1")]
    pub(in crate::cluster) container_name: Option<String>,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) operator: String,
    #[prost(int32, repeated, packed = "false", tag = "3")]
    pub(in crate::cluster) values: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ConditionPattern {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) r#type: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) status: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodTemplate {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<PodTemplateMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<PodSpec>,
}

/// Only the annotations of the pods.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodTemplateMeta {
    #[prost(btree_map = "string, string", tag = "12")]
    pub(in crate::cluster) annotations: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodSpec {
    #[prost(message, repeated, tag = "2")]
    pub(in crate::cluster) containers: Vec<ContainerName>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) restart_policy: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerName {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Job {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<JobMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<JobSuspend>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<JobStatus>,
}

/// Only the fields that are used, because there are many Jobs.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobSuspend {
    #[prost(bool, optional, tag = "10")]
    pub(in crate::cluster) suspend: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobStatus {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) conditions: Vec<Condition>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) start_time: Option<Time>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) completion_time: Option<Time>,
    #[prost(int32, tag = "4")]
    pub(in crate::cluster) active: i32,
    #[prost(int32, tag = "5")]
    pub(in crate::cluster) succeeded: i32,
    #[prost(int32, tag = "6")]
    pub(in crate::cluster) failed: i32,
    #[prost(int32, optional, tag = "9")]
    pub(in crate::cluster) ready: Option<i32>,
}

/// The condition of a Job or a pod.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Condition {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) r#type: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) status: String,
    #[prost(message, optional, tag = "4")]
    pub(in crate::cluster) last_transition_time: Option<Time>,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "6")]
    pub(in crate::cluster) message: String,
}
