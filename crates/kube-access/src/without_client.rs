//! A connection that cannot be opened, for programs without the feature `client`.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::access::{Access, ContextSelection, KubeconfigNames};
use crate::error::ClusterError;
use crate::objects::{ClusterObjects, LogSource, OfJobs, ReadProgress, ServerVersion};
use crate::rights::{AccessReview, Right};
use crate::service::Service;
use kube_model::{
    ConfigMap, Job, Node, ObjectKey, RelatedObjects, ResourceQuota, UnreadResource, WholeObject,
};
use kube_objects::query::{ObjectQuery, PodSelection, Resource};

/// Nothing is read.
#[derive(Debug, Default)]
pub struct ReadOnce;

/// There are no requests to interrupt.
#[derive(Debug)]
pub struct Interruption;

impl Interruption {
    pub fn new(_: fn(u8)) -> Self {
        Interruption
    }
}

impl Access {
    pub fn context(&self) -> Option<String> {
        None
    }

    pub fn kubeconfig_names(&self) -> Result<KubeconfigNames, ClusterError> {
        Err(ClusterError::NoClient)
    }

    pub fn select_contexts(
        &self,
        _: &[String],
        _: bool,
        _: bool,
    ) -> Result<ContextSelection, ClusterError> {
        Err(ClusterError::NoClient)
    }
}

/// No connection.
pub enum Session {}

/// Declares methods that cannot be called.
macro_rules! never {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(pub fn $name(&self, $(_: $argument),*) -> $result {
            match *self {}
        })*
    };
}

impl Session {
    pub fn open(_: &Access, _: &'static Interruption) -> Result<Self, ClusterError> {
        Err(ClusterError::NoClient)
    }

    pub fn objects<T>(
        &self,
        _: &ObjectQuery,
        _: impl Fn(Value) -> T,
    ) -> Result<Vec<T>, ClusterError> {
        match *self {}
    }

    never! {
        server() -> &str;
        namespace() -> &str;
        is_one_of_several() -> bool;
        version() -> Result<ServerVersion, ClusterError>;
        survey(&ObjectQuery, &ReadProgress) -> Result<ClusterObjects, ClusterError>;
        quotas(&ObjectQuery) -> Result<Vec<ResourceQuota>, ClusterError>;
        jobs_of(&ObjectQuery, &str) -> Result<Vec<Job>, ClusterError>;
        pods(&[OfJobs], PodSelection) -> Result<(RelatedObjects, Vec<UnreadResource>), ClusterError>;
        log_end(&LogSource, bool, u64) -> Result<(String, bool), ClusterError>;
        lacks_namespace(&str, Duration) -> bool;
        lease_renewed() -> Option<Timestamp>;
        config_map(&str, &str) -> Option<ConfigMap>;
        node(&str) -> Option<Node>;
        namespaces_with(&Resource, &str, Duration) -> Result<Vec<String>, ClusterError>;
        names(&Resource, Option<&str>, Duration, u32) -> Result<Vec<String>, ClusterError>;
        objects_within(&Resource, Option<&str>, Option<&str>, Duration, u32) -> Result<Vec<Value>, ClusterError>;
        whole_objects(&ObjectQuery, &(dyn Fn(&str, &str) -> bool + Sync)) -> Result<Vec<(ObjectKey, WholeObject)>, ClusterError>;
        ask_service(&Service, &str, &[(&str, Option<&str>)]) -> Result<Vec<u8>, ClusterError>;
        recorder() -> Option<Service>;
        may(&Right<'_>) -> Result<AccessReview, ClusterError>;
        would_create(&Resource, &str, &Value) -> Result<Vec<String>, ClusterError>;
    }
}
