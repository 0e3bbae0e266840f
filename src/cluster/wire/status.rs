//! `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

use prost::Message;

use super::ListMetaMessage;

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct StatusMessage {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ListMetaMessage>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) reason: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) details: Option<StatusDetailsMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct StatusDetailsMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) group: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) kind: String,
    #[prost(message, repeated, tag = "4")]
    pub(in crate::cluster) causes: Vec<StatusCauseMessage>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::cluster) retry_after_seconds: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct StatusCauseMessage {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) field: String,
}
