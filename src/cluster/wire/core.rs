//! Events, pods and quotas: `k8s.io/api/core/v1`.

use std::collections::BTreeMap;

use prost::Message;

use super::{BriefMetaMessage, ConditionMessage, ObjectReferenceMessage, TimeMessage};

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct EventMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) involved_object: Option<ObjectReferenceMessage>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) message: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) source: Option<EventSourceMessage>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) first_timestamp: Option<TimeMessage>,
    #[prost(message, optional, tag = "7")]
    pub(in crate::cluster) last_timestamp: Option<TimeMessage>,
    #[prost(int32, optional, tag = "8")]
    pub(in crate::cluster) count: Option<i32>,
    #[prost(string, tag = "9")]
    pub(in crate::cluster) r#type: String,
    #[prost(message, optional, tag = "10")]
    pub(in crate::cluster) event_time: Option<TimeMessage>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::cluster) series: Option<EventSeriesMessage>,
    #[prost(string, tag = "14")]
    pub(in crate::cluster) reporting_component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct EventSourceMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) component: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct EventSeriesMessage {
    #[prost(int32, tag = "1")]
    pub(in crate::cluster) count: i32,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) last_observed_time: Option<TimeMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<PodSpecMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<PodStatusMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodSpecMessage {
    #[prost(message, repeated, tag = "2")]
    pub(in crate::cluster) containers: Vec<ContainerMessage>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) restart_policy: String,
    #[prost(message, repeated, tag = "20")]
    pub(in crate::cluster) init_containers: Vec<ContainerMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) image: String,
    #[prost(string, tag = "24")]
    pub(in crate::cluster) restart_policy: String,
    #[prost(message, repeated, tag = "25")]
    pub(in crate::cluster) restart_policy_rules: Vec<RestartRuleMessage>,
}

/// Only its presence matters.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct RestartRuleMessage {}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct PodStatusMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) phase: String,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::cluster) conditions: Vec<ConditionMessage>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) reason: String,
    #[prost(message, repeated, tag = "8")]
    pub(in crate::cluster) container_statuses: Vec<ContainerStatusMessage>,
    #[prost(message, repeated, tag = "10")]
    pub(in crate::cluster) init_container_statuses: Vec<ContainerStatusMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerStatusMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) state: Option<ContainerStateMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) last_state: Option<ContainerStateMessage>,
    #[prost(int32, tag = "5")]
    pub(in crate::cluster) restart_count: i32,
    #[prost(string, tag = "6")]
    pub(in crate::cluster) image: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ContainerStateMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) waiting: Option<WaitingMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) running: Option<RunningMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) terminated: Option<TerminatedMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct WaitingMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct RunningMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) started_at: Option<TimeMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct TerminatedMessage {
    #[prost(int32, tag = "1")]
    pub(in crate::cluster) exit_code: i32,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) message: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) started_at: Option<TimeMessage>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::cluster) finished_at: Option<TimeMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ResourceQuotaMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<BriefMetaMessage>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::cluster) spec: Option<QuotaSpecMessage>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) status: Option<QuotaStatusMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct QuotaSpecMessage {
    #[prost(string, repeated, tag = "2")]
    pub(in crate::cluster) scopes: Vec<String>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::cluster) scope_selector: Option<ScopeSelectorMessage>,
}

/// Only its presence matters.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ScopeSelectorMessage {}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct QuotaStatusMessage {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(in crate::cluster) hard: BTreeMap<String, QuantityMessage>,
    #[prost(btree_map = "string, message", tag = "2")]
    pub(in crate::cluster) used: BTreeMap<String, QuantityMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct QuantityMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) string: String,
}
