//! A `CronJob` with everything that is about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CronJob, Event, Job, Pod, ResourceQuota};

/// A `CronJob` with the Jobs, pods and events that are about it, and no others: a cluster has tens
/// of thousands, and searching all of them for each `CronJob` takes minutes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CronJobEvidence {
    /// The `CronJob`.
    pub cron_job: CronJob,
    /// The Jobs that it owns, that its status names, that have a name which it would give, or that were
    /// created from it manually.
    pub jobs: Vec<Job>,
    /// The events about it, its Jobs and their pods.
    pub events: Vec<Event>,
    pub pods: Vec<Pod>,
    /// The quotas that limit the number of Jobs in its namespace.
    pub quotas: Arc<[ResourceQuota]>,
    /// How many Jobs of its namespace have not finished, no matter who owns them.
    pub unfinished_in_namespace: usize,
    /// How late the last Job of each scheduled time was created, in seconds, no matter of which `CronJob`. Known
    /// where a `CronJob` has a deadline.
    pub start_delays: Arc<BTreeMap<Timestamp, i64>>,
    /// The first coming run that may be past its deadline because others are due at the same time.
    pub expected_delay: Option<ExpectedDelay>,
}

/// How late a coming run may start because others are due at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedDelay {
    pub scheduled_time: Timestamp,
    /// How many runs are due then.
    pub starts: u64,
    /// How late the last of them starts, in seconds.
    pub seconds: i64,
}

/// What was read of a cluster or of files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelatedObjects {
    pub jobs: Vec<Job>,
    pub events: Vec<Event>,
    pub pods: Vec<Pod>,
    pub quotas: Vec<ResourceQuota>,
}

/// Data that could not be read.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Lacking")]
pub(crate) struct UnreadResource {
    /// `jobs`, `events` or `pods`.
    #[schemars(with = "String")]
    pub what: ResourceKind,
    /// Why it could not be read.
    pub reason: String,
    /// Whether a permission is missing.
    #[serde(skip)]
    pub is_forbidden: bool,
}

impl UnreadResource {
    /// Why it could not be read, without the whole sentence of the API server.
    pub(crate) fn short_reason(&self) -> String {
        if self.is_forbidden {
            return format!("cannot list {} (forbidden)", self.what.as_str());
        }
        self.reason.clone()
    }
}

string_enum! {
    /// A kind of optional data.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum ResourceKind {
        /// The Jobs.
        Jobs = "jobs",
        /// The events.
        Events = "events",
        /// The pods.
        Pods = "pods",
    }
}
