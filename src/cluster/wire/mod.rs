//! The protobuf messages of the API with the fields that are used; the decoder skips the rest.
//!
//! The numbers are those of `generated.proto` in `k8s.io/api` and `k8s.io/apimachinery`.

/// Declares messages, each field with its number and its encoding.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $tag:tt ($($encoding:tt)*),)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $name {
            $(
                $(#[$field_doc])*
                #[prost($($encoding)*, tag = $tag)]
                pub(crate) $field: $type,
            )*
        }
    )*};
}

mod batch;
mod core;
mod status;

pub(super) use batch::{ConditionMessage, CronJobMessage, JobMessage, JobTemplateMessage};
#[cfg(test)]
pub(super) use batch::{
    ExitCodesMessage, JobSpecMessage, NamedPartMessage, PodFailurePolicyMessage,
    PodFailureRuleMessage, PodTemplateMessage, PodTemplateMetaMessage, TemplatePodSpecMessage,
};
pub(super) use core::{
    ContainerMessage, ContainerStatusMessage, EventMessage, PodMessage, QuantityMessage,
    ResourceQuotaMessage,
};
pub(super) use status::{StatusDetailsMessage, StatusMessage};

use std::collections::BTreeMap;

use prost::bytes::Bytes;

messages! {
    /// The envelope of every response.
    UnknownMessage {
        type_meta: Option<TypeMetaMessage> = 1 (message, optional),
        raw: Bytes = 2 (bytes = "bytes"),
    }

    /// The content of an envelope.
    TypeMetaMessage {
        kind: String = 2 (string),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    ListMetaMessage {
        resource_version: String = 2 (string),
        #[serde(rename = "continue")]
        token: String = 3 (string),
    }

    /// A list of any kind. Its objects stay encoded until each is decoded.
    ListMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        items: Vec<Bytes> = 2 (bytes = "bytes", repeated),
    }

    TimeMessage {
        seconds: i64 = 1 (int64),
        nanos: i32 = 2 (int32),
    }

    ObjectMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        resource_version: String = 6 (string),
        generation: Option<i64> = 7 (int64, optional),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        labels: BTreeMap<String, String> = 11 (btree_map = "string, string"),
        annotations: BTreeMap<String, String> = 12 (btree_map = "string, string"),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
        managed_fields: Vec<ManagedFieldMessage> = 17 (message, repeated),
    }

    /// The metadata that is used of numerous objects.
    BriefMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
    }

    /// The same for a Job, with its labels and field managers. Nearly half of a Job is the list of
    /// managed fields.
    JobMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        labels: BTreeMap<String, String> = 11 (btree_map = "string, string"),
        annotations: BTreeMap<String, String> = 12 (btree_map = "string, string"),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
        managed_fields: Vec<ManagerMessage> = 17 (message, repeated),
    }

    /// Only the name of a field manager.
    ManagerMessage {
        manager: String = 1 (string),
        subresource: String = 8 (string),
    }

    ManagedFieldMessage {
        manager: String = 1 (string),
        operation: String = 2 (string),
        time: Option<TimeMessage> = 4 (message, optional),
        fields: Option<FieldsMessage> = 7 (message, optional),
        subresource: String = 8 (string),
    }

    /// JSON inside protobuf.
    FieldsMessage {
        raw: Vec<u8> = 1 (bytes = "vec"),
    }

    OwnerReferenceMessage {
        kind: String = 1 (string),
        name: String = 3 (string),
        uid: String = 4 (string),
        api_version: String = 5 (string),
        controller: Option<bool> = 6 (bool, optional),
    }

    ObjectReferenceMessage {
        kind: String = 1 (string),
        namespace: String = 2 (string),
        name: String = 3 (string),
        uid: String = 4 (string),
    }
}

impl ListMetaMessage {
    /// The token to continue the list, if it goes on.
    pub(super) fn next(&self) -> Option<&str> {
        Some(self.token.as_str()).filter(|token| !token.is_empty())
    }
}
