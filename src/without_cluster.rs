//! What stands in for `kube_access::cluster` if the program is built without the feature `cluster`.
//!
//! No [`Session`] can be opened: only files and standard input are read.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use cronjob_controller::controller::Release;
use kube_model::{
    ConfigMap, CronJob, Job, Node, ObjectKey, RelatedObjects, ResourceQuota, UnreadResource,
    WholeObject,
};
use kube_objects::query::{ObjectQuery, PodSelection, Resource};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ClusterError {
    #[error("no cluster: this program was built without the feature \"cluster\"")]
    NoCluster { tried: Vec<String> },
    #[error("no kubeconfig: this program was built without the feature \"cluster\"")]
    NoKubeconfig { tried: Vec<String> },
    #[error("cannot log in")]
    Credentials { hint: Option<String> },
    #[error("invalid namespace {name:?}")]
    InvalidNamespace { name: String },
}

/// The answer of an API server, of which there is none.
pub(crate) struct Status {
    pub(crate) code: u16,
    pub(crate) message: String,
    pub(crate) details: StatusDetails,
}

pub(crate) struct StatusDetails {
    pub(crate) causes: Vec<StatusCause>,
}

pub(crate) struct StatusCause {
    pub(crate) field: String,
    pub(crate) message: String,
}

impl Status {
    pub(crate) fn is_of_kubernetes(&self) -> bool {
        false
    }
}

impl ClusterError {
    fn missing() -> Self {
        ClusterError::NoCluster { tried: Vec::new() }
    }

    pub(crate) fn status(&self) -> Option<&Status> {
        None
    }

    pub(crate) fn help(&self) -> Option<String> {
        Some("Read files with -f.".to_owned())
    }

    pub(crate) fn is_forbidden(&self) -> bool {
        false
    }

    pub(crate) fn is_not_found(&self) -> bool {
        false
    }
}

/// kubectl's flags, which are accepted and have no effect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Access {
    pub(crate) trace: Option<fn(&str)>,
    pub(crate) notice: Option<fn(&str)>,
}

#[derive(Debug, Default)]
pub(crate) struct ReadOnce;

pub(crate) enum ContextSelection {
    One(String),
    Several {
        names: Vec<String>,
        same: Vec<(String, String)>,
    },
}

#[derive(Default)]
pub(crate) struct KubeconfigNames {
    pub(crate) contexts: Vec<String>,
    pub(crate) clusters: Vec<String>,
    pub(crate) users: Vec<String>,
}

impl Access {
    pub(crate) fn context(&self) -> Option<String> {
        None
    }

    pub(crate) fn kubeconfig_names(&self) -> Result<KubeconfigNames, ClusterError> {
        Err(ClusterError::missing())
    }

    pub(crate) fn select_contexts(
        &self,
        _: &[String],
        _: bool,
        _: bool,
    ) -> Result<ContextSelection, ClusterError> {
        Err(ClusterError::missing())
    }
}

pub(crate) fn check_namespace(_: &str) -> Result<(), ClusterError> {
    Err(ClusterError::missing())
}

#[derive(Debug, Default)]
pub(crate) struct ClusterObjects {
    pub(crate) cron_jobs: Vec<CronJob>,
    pub(crate) seen: RelatedObjects,
    pub(crate) date: Option<Timestamp>,
    pub(crate) problems: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) lacks: Vec<UnreadResource>,
    pub(crate) versions: Versions,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Versions;

#[derive(Debug, Clone, Default)]
pub(crate) struct ReadProgress;

impl ReadProgress {
    pub(crate) fn counts(&self) -> [usize; 3] {
        [0; 3]
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerClock;

impl ServerClock {
    pub(crate) fn showing(_: Timestamp) -> Self {
        ServerClock
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct OfJobs {
    pub(crate) namespace: Option<String>,
    pub(crate) jobs: Vec<String>,
    pub(crate) ended: Vec<String>,
    pub(crate) lack_pods: bool,
    pub(crate) failed: Vec<String>,
}

impl OfJobs {
    pub(crate) fn of(_: &Job) -> Self {
        OfJobs::default()
    }
}

/// The Service of a recorder, of which there is none: `--recorder` takes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Service {}

impl Service {
    pub(crate) fn read(_: &str) -> Option<Self> {
        None
    }
}

impl std::fmt::Display for Service {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

pub(crate) struct Right<'a> {
    pub(crate) namespace: Option<&'a str>,
}

impl Right<'_> {
    pub(crate) fn to(_: &'static str, _: &Resource) -> Self {
        Right { namespace: None }
    }

    pub(crate) fn sentence(&self) -> String {
        String::new()
    }
}

pub(crate) struct AccessReview {
    pub(crate) allowed: bool,
}

pub(crate) struct ServerVersion {
    pub(crate) text: String,
    pub(crate) release: Option<Release>,
    pub(crate) date: Option<Timestamp>,
}

/// A connection, of which there is none.
pub(crate) enum Session {}

/// The methods of a type without values.
macro_rules! never {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl Session {
            pub(crate) fn open<T>(_: &Access, _: &T) -> Result<Self, ClusterError> {
                Err(ClusterError::missing())
            }

            pub(crate) fn objects<T>(&self, _: &ObjectQuery, _: impl Fn(Value) -> T) -> Result<Vec<T>, ClusterError> {
                match *self {}
            }

            $(pub(crate) fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            })*
        }
    };
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
