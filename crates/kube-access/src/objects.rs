//! What is read of a cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;

use cronjob_controller::controller::Release;
use kube_model::{CronJob, Job, RelatedObjects, UnreadResource};

/// The version and the time of the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVersion {
    /// `gitVersion`, such as `v1.30.4-eks-a737599`.
    pub text: String,
    /// The Kubernetes version, if it can be parsed.
    pub release: Option<Release>,
    pub date: Option<Timestamp>,
}

/// The CronJobs of a cluster with what was read about them.
#[derive(Debug, Default)]
pub struct ClusterObjects {
    /// The CronJobs, in the server's order: by namespace and name.
    pub cron_jobs: Vec<CronJob>,
    pub seen: RelatedObjects,
    /// The server's time of the lists.
    pub date: Option<Timestamp>,
    /// The errors of objects that could not be decoded.
    pub problems: Vec<String>,
    /// The requested names that do not exist.
    pub missing: Vec<String>,
    /// Resources that may not be read.
    pub lacks: Vec<UnreadResource>,
    pub versions: Versions,
}

/// The resource versions of lists, from which watches continue.
#[derive(Debug, Default, Clone)]
pub struct Versions {
    pub cron_jobs: String,
    /// Of Jobs, if they may be read.
    pub jobs: Option<String>,
    /// Of the events about CronJobs, if they may be read.
    pub events: Option<String>,
}

/// How many objects have been read so far.
#[derive(Debug, Clone, Default)]
pub struct ReadProgress {
    pub(crate) cron_jobs: Arc<AtomicUsize>,
    pub(crate) jobs: Arc<AtomicUsize>,
    pub(crate) events: Arc<AtomicUsize>,
}

impl ReadProgress {
    pub fn counts(&self) -> [usize; 3] {
        [&self.cron_jobs, &self.jobs, &self.events].map(|count| count.load(Ordering::Relaxed))
    }
}

/// Jobs whose pods are to be read.
#[derive(Debug, Clone, Default)]
pub struct OfJobs {
    /// The namespace; `None` for all.
    pub namespace: Option<String>,
    pub jobs: Vec<String>,
    /// More Jobs, whose pods have ended, of which many have succeeded.
    pub ended: Vec<String>,
    /// Whether pods are missing, because the API server may have rejected them.
    pub lack_pods: bool,
    /// Those of the Jobs that have failed.
    pub failed: Vec<String>,
}

impl OfJobs {
    pub fn of(job: &Job) -> Self {
        OfJobs {
            namespace: Some(job.namespace.to_string()),
            jobs: vec![job.name.clone()],
            ended: Vec::new(),
            lack_pods: false,
            failed: job.failure().iter().map(|_| job.name.clone()).collect(),
        }
    }
}

/// The container whose log is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSource {
    pub namespace: String,
    pub pod: String,
    pub container: String,
}
