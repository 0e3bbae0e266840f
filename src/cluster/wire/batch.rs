//! CronJobs and Jobs: `k8s.io/api/batch/v1`.

use std::collections::BTreeMap;

use prost::Message;

use super::{JobMetaMessage, ObjectMetaMessage, ObjectReferenceMessage, TimeMessage};

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJobMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ObjectMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<CronJobSpecMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<CronJobStatusMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJobSpecMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) schedule: String,
    #[prost(int64, optional, tag = "2")]
    pub(in crate::cluster) starting_deadline_seconds: Option<i64>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) concurrency_policy: String,
    #[prost(bool, optional, tag = "4")]
    pub(in crate::cluster) suspend: Option<bool>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) job_template: Option<JobTemplateMessage>,
    #[prost(int32, optional, tag = "6")]
    pub(in crate::cluster) successful_jobs_history_limit: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(in crate::cluster) failed_jobs_history_limit: Option<i32>,
    #[prost(string, optional, tag = "8")]
    pub(in crate::cluster) time_zone: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct CronJobStatusMessage {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) active: Vec<ObjectReferenceMessage>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::cluster) last_schedule_time: Option<TimeMessage>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) last_successful_time: Option<TimeMessage>,
    /// An alpha field; this is its proposed number.
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) next_schedule_time: Option<TimeMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobTemplateMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ObjectMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<JobSpecMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobSpecMessage {
    #[prost(int32, optional, tag = "1")]
    pub(in crate::cluster) parallelism: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(in crate::cluster) completions: Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub(in crate::cluster) active_deadline_seconds: Option<i64>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) template: Option<PodTemplateMessage>,
    #[prost(int32, optional, tag = "7")]
    pub(in crate::cluster) backoff_limit: Option<i32>,
    #[prost(int32, optional, tag = "8")]
    pub(in crate::cluster) ttl_seconds_after_finished: Option<i32>,
    #[prost(bool, optional, tag = "10")]
    pub(in crate::cluster) suspend: Option<bool>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::cluster) pod_failure_policy: Option<PodFailurePolicyMessage>,
    #[prost(string, optional, tag = "15")]
    pub(in crate::cluster) managed_by: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodFailurePolicyMessage {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) rules: Vec<PodFailureRuleMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodFailureRuleMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) action: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) on_exit_codes: Option<ExitCodesMessage>,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::cluster) on_pod_conditions: Vec<ConditionPatternMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ExitCodesMessage {
    #[prost(string, optional, tag = "1")]
    pub(in crate::cluster) container_name: Option<String>,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) operator: String,
    #[prost(int32, repeated, packed = "false", tag = "3")]
    pub(in crate::cluster) values: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ConditionPatternMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) r#type: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) status: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodTemplateMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<PodTemplateMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<TemplatePodSpecMessage>,
}

/// Only the annotations of the pods.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodTemplateMetaMessage {
    #[prost(btree_map = "string, string", tag = "12")]
    pub(in crate::cluster) annotations: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct TemplatePodSpecMessage {
    #[prost(message, repeated, tag = "2")]
    pub(in crate::cluster) containers: Vec<NamedPartMessage>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) restart_policy: String,
    #[prost(message, repeated, tag = "38")]
    pub(in crate::cluster) scheduling_gates: Vec<NamedPartMessage>,
}

/// A container or a scheduling gate.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct NamedPartMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<JobMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<JobSuspendMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<JobStatusMessage>,
}

/// Only the fields that are used, because there are many Jobs.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobSuspendMessage {
    #[prost(bool, optional, tag = "10")]
    pub(in crate::cluster) suspend: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobStatusMessage {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::cluster) conditions: Vec<ConditionMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) start_time: Option<TimeMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) completion_time: Option<TimeMessage>,
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
pub(in crate::cluster) struct ConditionMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) r#type: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) status: String,
    #[prost(message, optional, tag = "4")]
    pub(in crate::cluster) last_transition_time: Option<TimeMessage>,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "6")]
    pub(in crate::cluster) message: String,
}
