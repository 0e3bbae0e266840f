//! Events, pods and quotas: `k8s.io/api/core/v1`.

use std::collections::BTreeMap;

use prost::Message;

use super::{BriefMeta, Condition, ObjectReference, Time};

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Event {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) involved_object: Option<ObjectReference>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) message: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) source: Option<EventSource>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) first_timestamp: Option<Time>,
    #[prost(message, optional, tag = "7")]
    pub(in crate::cluster) last_timestamp: Option<Time>,
    #[prost(int32, optional, tag = "8")]
    pub(in crate::cluster) count: Option<i32>,
    #[prost(string, tag = "9")]
    pub(in crate::cluster) r#type: String,
    #[prost(message, optional, tag = "10")]
    pub(in crate::cluster) event_time: Option<Time>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::cluster) series: Option<EventSeries>,
    #[prost(string, tag = "14")]
    pub(in crate::cluster) reporting_component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct EventSource {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct EventSeries {
    #[prost(int32, tag = "1")]
    pub(in crate::cluster) count: i32,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) last_observed_time: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Pod {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<PodStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodStatus {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) phase: String,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::cluster) conditions: Vec<Condition>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) reason: String,
    #[prost(message, repeated, tag = "8")]
    pub(in crate::cluster) container_statuses: Vec<ContainerStatus>,
    #[prost(message, repeated, tag = "10")]
    pub(in crate::cluster) init_container_statuses: Vec<ContainerStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerStatus {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) state: Option<ContainerState>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) last_state: Option<ContainerState>,
    #[prost(int32, tag = "5")]
    pub(in crate::cluster) restart_count: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerState {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) waiting: Option<Waiting>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) running: Option<Running>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) terminated: Option<Terminated>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Waiting {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Running {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) started_at: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Terminated {
    #[prost(int32, tag = "1")]
    pub(in crate::cluster) exit_code: i32,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) message: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) started_at: Option<Time>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) finished_at: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ResourceQuota {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMeta>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<QuotaSpec>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<QuotaStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct QuotaSpec {
    #[prost(string, repeated, tag = "2")]
    pub(in crate::cluster) scopes: Vec<String>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) scope_selector: Option<ScopeSelector>,
}

/// Only its presence matters.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ScopeSelector {}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct QuotaStatus {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(in crate::cluster) hard: BTreeMap<String, Quantity>,
    #[prost(btree_map = "string, message", tag = "2")]
    pub(in crate::cluster) used: BTreeMap<String, Quantity>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Quantity {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) string: String,
}
