//! `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

use prost::Message;

use super::ListMeta;

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct Status {
    #[prost(message, optional, tag = "1")]
    pub(in crate::cluster) metadata: Option<ListMeta>,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "4")]
    pub(in crate::cluster) reason: String,
    #[prost(message, optional, tag = "5")]
    pub(in crate::cluster) details: Option<StatusDetails>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct StatusDetails {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) name: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) group: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) kind: String,
    #[prost(message, repeated, tag = "4")]
    pub(in crate::cluster) causes: Vec<StatusCause>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::cluster) retry_after_seconds: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::cluster) struct StatusCause {
    #[prost(string, tag = "1")]
    pub(in crate::cluster) reason: String,
    #[prost(string, tag = "2")]
    pub(in crate::cluster) message: String,
    #[prost(string, tag = "3")]
    pub(in crate::cluster) field: String,
}
