//! The protobuf messages of the API with the fields that are used; the decoder skips the rest.
//!
//! The numbers are those of `generated.proto` in `k8s.io/api` and `k8s.io/apimachinery`.

mod batch;
mod core;
mod status;

pub(super) use batch::{
    ConditionMessage, CronJobMessage, JobMessage, JobTemplateMessage, NamedPartMessage,
    PodFailureRuleMessage,
};
#[cfg(test)]
pub(super) use batch::{
    ExitCodesMessage, JobSpecMessage, PodFailurePolicyMessage, PodTemplateMessage,
    PodTemplateMetaMessage, TemplatePodSpecMessage,
};
pub(super) use core::{
    ContainerMessage, ContainerStatusMessage, EventMessage, PodMessage, QuantityMessage,
    ResourceQuotaMessage,
};
pub(super) use status::{StatusCauseMessage, StatusMessage};

use std::collections::BTreeMap;

use prost::Message;
use prost::bytes::Bytes;

/// The envelope of every response.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct UnknownMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) type_meta: Option<TypeMetaMessage>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(in crate::cluster) raw: Bytes,
}

/// The content of an envelope.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct TypeMetaMessage {
    #[prost(string, tag = "2")]
    pub(in crate::cluster) kind: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ListMetaMessage {
    #[prost(string, tag = "2")]
    pub(in crate::cluster) resource_version: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) next: String,
}

/// A list of any kind. Its objects stay encoded until each is decoded.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ListMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ListMetaMessage>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub(in crate::cluster) items: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct TimeMessage {
    #[prost(int64, tag = "1")]
    pub(in crate::cluster) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(in crate::cluster) nanos: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ObjectMetaMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) namespace: String,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) uid: String,
    #[prost(string, tag = "6")]
    pub(in crate::cluster) resource_version: String,
    #[prost(int64, optional, tag = "7")]
    pub(in crate::cluster) generation: Option<i64>,
    #[prost(message, optional, tag = "8")]
    pub(in crate::cluster) creation_timestamp: Option<TimeMessage>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::cluster) deletion_timestamp: Option<TimeMessage>,
    #[prost(btree_map = "string, string", tag = "11")]
    pub(in crate::cluster) labels: BTreeMap<String, String>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub(in crate::cluster) annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub(in crate::cluster) owner_references: Vec<OwnerReferenceMessage>,
    #[prost(message, repeated, tag = "17")]
    pub(in crate::cluster) managed_fields: Vec<ManagedFieldMessage>,
}

/// The metadata that is used of numerous objects.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct BriefMetaMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) namespace: String,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) uid: String,
    #[prost(message, optional, tag = "8")]
    pub(in crate::cluster) creation_timestamp: Option<TimeMessage>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::cluster) deletion_timestamp: Option<TimeMessage>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub(in crate::cluster) annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub(in crate::cluster) owner_references: Vec<OwnerReferenceMessage>,
}

/// The same for a Job, with its labels and field managers. Nearly half of a Job is the list of
/// managed fields.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct JobMetaMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) namespace: String,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) uid: String,
    #[prost(message, optional, tag = "8")]
    pub(in crate::cluster) creation_timestamp: Option<TimeMessage>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::cluster) deletion_timestamp: Option<TimeMessage>,
    #[prost(btree_map = "string, string", tag = "11")]
    pub(in crate::cluster) labels: BTreeMap<String, String>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub(in crate::cluster) annotations: BTreeMap<String, String>,
    #[prost(message, repeated, tag = "13")]
    pub(in crate::cluster) owner_references: Vec<OwnerReferenceMessage>,
    #[prost(message, repeated, tag = "17")]
    pub(in crate::cluster) managed_fields: Vec<ManagerMessage>,
}

/// Only the name of a field manager.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ManagerMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) manager: String,
    #[prost(string, tag = "8")]
    pub(in crate::cluster) subresource: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ManagedFieldMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) manager: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) operation: String,
    #[prost(message, optional, tag = "4")]
    pub(in crate::cluster) time: Option<TimeMessage>,
    #[prost(message, optional, tag = "7")]
    pub(in crate::cluster) fields: Option<FieldsMessage>,
    #[prost(string, tag = "8")]
    pub(in crate::cluster) subresource: String,
}

/// JSON inside protobuf.
#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct FieldsMessage {
    #[prost(bytes = "vec", tag = "1")]
    pub(in crate::cluster) raw: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct OwnerReferenceMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) kind: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) uid: String,
    #[prost(string, tag = "5")]
    pub(in crate::cluster) api_version: String,
    #[prost(bool, optional, tag = "6")]
    pub(in crate::cluster) controller: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct ObjectReferenceMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) kind: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) namespace: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) uid: String,
}
