//! The protobuf messages of the API, trimmed to the fields that are read; a decoder skips the rest.
//!
//! The numbers are those of `generated.proto` in `k8s.io/api` and `k8s.io/apimachinery`.

use std::collections::BTreeMap;

use prost::Message;
use prost::bytes::Bytes;

/// The envelope around every answer.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Unknown {
    #[prost(message, optional, tag = "1")]
    pub(super) type_meta: Option<TypeMeta>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) raw: Bytes,
}

/// What is in an envelope.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TypeMeta {
    #[prost(string, tag = "2")]
    pub(super) kind: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ListMeta {
    #[prost(string, tag = "2")]
    pub(super) resource_version: String,
    #[prost(string, tag = "3")]
    pub(super) next: String,
}

/// A list of anything. Its objects stay parts of the answer until each is read.
#[derive(Clone, PartialEq, Message)]
pub(super) struct List {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<ListMeta>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub(super) items: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Time {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ObjectMeta {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "3")]
    pub(super) namespace: String,
    #[prost(string, tag = "5")]
    pub(super) uid: String,
    #[prost(string, tag = "6")]
    pub(super) resource_version: String,
    #[prost(int64, optional, tag = "7")]
    pub(super) generation: Option<i64>,
    #[prost(message, optional, tag = "8")]
    pub(super) creation_timestamp: Option<Time>,
    #[prost(message, optional, tag = "9")]
    pub(super) deletion_timestamp: Option<Time>,
    #[prost(btree_map = "string, string", tag = "11")]
    pub(super) labels: BTreeMap<String, String>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub(super) annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub(super) owner_references: Vec<OwnerReference>,
    #[prost(message, repeated, tag = "17")]
    pub(super) managed_fields: Vec<ManagedField>,
}

/// Of the metadata of what there is much of, only this is of interest: nearly half of a Job is
/// about who set which of its fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct BriefMeta {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "3")]
    pub(super) namespace: String,
    #[prost(string, tag = "5")]
    pub(super) uid: String,
    #[prost(message, optional, tag = "8")]
    pub(super) creation_timestamp: Option<Time>,
    #[prost(message, optional, tag = "9")]
    pub(super) deletion_timestamp: Option<Time>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub(super) annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub(super) owner_references: Vec<OwnerReference>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ManagedField {
    #[prost(string, tag = "1")]
    pub(super) manager: String,
    #[prost(string, tag = "2")]
    pub(super) operation: String,
    #[prost(message, optional, tag = "4")]
    pub(super) time: Option<Time>,
    #[prost(message, optional, tag = "7")]
    pub(super) fields: Option<Fields>,
    #[prost(string, tag = "8")]
    pub(super) subresource: String,
}

/// JSON inside protobuf.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Fields {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) raw: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OwnerReference {
    #[prost(string, tag = "1")]
    pub(super) kind: String,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) uid: String,
    #[prost(string, tag = "5")]
    pub(super) api_version: String,
    #[prost(bool, optional, tag = "6")]
    pub(super) controller: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ObjectReference {
    #[prost(string, tag = "1")]
    pub(super) kind: String,
    #[prost(string, tag = "2")]
    pub(super) namespace: String,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) uid: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CronJob {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub(super) spec: Option<CronJobSpec>,
    #[prost(message, optional, tag = "3")]
    pub(super) status: Option<CronJobStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CronJobSpec {
    #[prost(string, tag = "1")]
    pub(super) schedule: String,
    #[prost(int64, optional, tag = "2")]
    pub(super) starting_deadline_seconds: Option<i64>,
    #[prost(string, tag = "3")]
    pub(super) concurrency_policy: String,
    #[prost(bool, optional, tag = "4")]
    pub(super) suspend: Option<bool>,
    #[prost(message, optional, tag = "5")]
    pub(super) job_template: Option<JobTemplate>,
    #[prost(int32, optional, tag = "6")]
    pub(super) successful_jobs_history_limit: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(super) failed_jobs_history_limit: Option<i32>,
    #[prost(string, optional, tag = "8")]
    pub(super) time_zone: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CronJobStatus {
    #[prost(message, repeated, tag = "1")]
    pub(super) active: Vec<ObjectReference>,
    #[prost(message, optional, tag = "4")]
    pub(super) last_schedule_time: Option<Time>,
    #[prost(message, optional, tag = "5")]
    pub(super) last_successful_time: Option<Time>,
    /// Still an alpha; this is the number that it is proposed with.
    #[prost(message, optional, tag = "6")]
    pub(super) next_schedule_time: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct JobTemplate {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub(super) spec: Option<JobSpec>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct JobSpec {
    #[prost(int32, optional, tag = "1")]
    pub(super) parallelism: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(super) completions: Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub(super) active_deadline_seconds: Option<i64>,
    #[prost(message, optional, tag = "6")]
    pub(super) template: Option<PodTemplate>,
    #[prost(int32, optional, tag = "7")]
    pub(super) backoff_limit: Option<i32>,
    #[prost(int32, optional, tag = "8")]
    pub(super) ttl_seconds_after_finished: Option<i32>,
    #[prost(bool, optional, tag = "10")]
    pub(super) suspend: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PodTemplate {
    #[prost(message, optional, tag = "2")]
    pub(super) spec: Option<PodSpec>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PodSpec {
    #[prost(string, tag = "3")]
    pub(super) restart_policy: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Job {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "2")]
    pub(super) spec: Option<JobSuspend>,
    #[prost(message, optional, tag = "3")]
    pub(super) status: Option<JobStatus>,
}

/// Of the spec of a Job only this is of interest, and there are many Jobs.
#[derive(Clone, PartialEq, Message)]
pub(super) struct JobSuspend {
    #[prost(bool, optional, tag = "10")]
    pub(super) suspend: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct JobStatus {
    #[prost(message, repeated, tag = "1")]
    pub(super) conditions: Vec<Condition>,
    #[prost(message, optional, tag = "2")]
    pub(super) start_time: Option<Time>,
    #[prost(message, optional, tag = "3")]
    pub(super) completion_time: Option<Time>,
    #[prost(int32, tag = "4")]
    pub(super) active: i32,
    #[prost(int32, tag = "5")]
    pub(super) succeeded: i32,
    #[prost(int32, tag = "6")]
    pub(super) failed: i32,
    #[prost(int32, optional, tag = "9")]
    pub(super) ready: Option<i32>,
}

/// The condition of a Job or a pod.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Condition {
    #[prost(string, tag = "1")]
    pub(super) r#type: String,
    #[prost(string, tag = "2")]
    pub(super) status: String,
    #[prost(message, optional, tag = "4")]
    pub(super) last_transition_time: Option<Time>,
    #[prost(string, tag = "5")]
    pub(super) reason: String,
    #[prost(string, tag = "6")]
    pub(super) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Event {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "2")]
    pub(super) involved_object: Option<ObjectReference>,
    #[prost(string, tag = "3")]
    pub(super) reason: String,
    #[prost(string, tag = "4")]
    pub(super) message: String,
    #[prost(message, optional, tag = "5")]
    pub(super) source: Option<EventSource>,
    #[prost(message, optional, tag = "6")]
    pub(super) first_timestamp: Option<Time>,
    #[prost(message, optional, tag = "7")]
    pub(super) last_timestamp: Option<Time>,
    #[prost(int32, optional, tag = "8")]
    pub(super) count: Option<i32>,
    #[prost(string, tag = "9")]
    pub(super) r#type: String,
    #[prost(message, optional, tag = "10")]
    pub(super) event_time: Option<Time>,
    #[prost(message, optional, tag = "11")]
    pub(super) series: Option<EventSeries>,
    #[prost(string, tag = "14")]
    pub(super) reporting_component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EventSource {
    #[prost(string, tag = "1")]
    pub(super) component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EventSeries {
    #[prost(int32, tag = "1")]
    pub(super) count: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) last_observed_time: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Pod {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "3")]
    pub(super) status: Option<PodStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PodStatus {
    #[prost(string, tag = "1")]
    pub(super) phase: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) conditions: Vec<Condition>,
    #[prost(string, tag = "3")]
    pub(super) message: String,
    #[prost(string, tag = "4")]
    pub(super) reason: String,
    #[prost(message, repeated, tag = "8")]
    pub(super) container_statuses: Vec<ContainerStatus>,
    #[prost(message, repeated, tag = "10")]
    pub(super) init_container_statuses: Vec<ContainerStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ContainerStatus {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) state: Option<ContainerState>,
    #[prost(message, optional, tag = "3")]
    pub(super) last_state: Option<ContainerState>,
    #[prost(int32, tag = "5")]
    pub(super) restart_count: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ContainerState {
    #[prost(message, optional, tag = "1")]
    pub(super) waiting: Option<Waiting>,
    #[prost(message, optional, tag = "3")]
    pub(super) terminated: Option<Terminated>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Waiting {
    #[prost(string, tag = "1")]
    pub(super) reason: String,
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Terminated {
    #[prost(int32, tag = "1")]
    pub(super) exit_code: i32,
    #[prost(string, tag = "3")]
    pub(super) reason: String,
    #[prost(string, tag = "4")]
    pub(super) message: String,
    #[prost(message, optional, tag = "6")]
    pub(super) finished_at: Option<Time>,
}

/// What the server says when it says no.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<ListMeta>,
    #[prost(string, tag = "3")]
    pub(super) message: String,
    #[prost(string, tag = "4")]
    pub(super) reason: String,
    #[prost(message, optional, tag = "5")]
    pub(super) details: Option<StatusDetails>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusDetails {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) group: String,
    #[prost(string, tag = "3")]
    pub(super) kind: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) causes: Vec<StatusCause>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) retry_after_seconds: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusCause {
    #[prost(string, tag = "1")]
    pub(super) reason: String,
    #[prost(string, tag = "2")]
    pub(super) message: String,
    #[prost(string, tag = "3")]
    pub(super) field: String,
}
