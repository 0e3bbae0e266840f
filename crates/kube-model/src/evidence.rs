//! A `CronJob` with everything that is about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::{ConfigMap, CronJob, CronJobRecord, Event, Job, Node, Pod, ResourceQuota};

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
    /// `ConfigMap`s that its Jobs may refer to.
    pub config_maps: Arc<[ConfigMap]>,
    /// The quotas that limit the number of Jobs in its namespace.
    pub quotas: Arc<[ResourceQuota]>,
    /// How many Jobs of its namespace have not finished, no matter who owns them.
    pub unfinished_in_namespace: usize,
    /// How late the last Job of each scheduled time was created, in seconds, no matter of which `CronJob`. Known
    /// where a `CronJob` has a deadline.
    pub start_delays: Arc<BTreeMap<Timestamp, i64>>,
    /// The first coming run that may be past its deadline because others are due at the same time.
    pub expected_delay: Option<ExpectedDelay>,
    /// That the controller seems to be down, if all CronJobs of a namespace or of the cluster were read.
    pub outage: Option<Outage>,
    /// When the controller seems to have been down.
    pub past_outages: Arc<[PastOutage]>,
    /// When a run of it was due first since the controller last did anything for the CronJobs that were read, if that
    /// is a minute ago.
    pub passed_over_since: Option<Timestamp>,
    /// What a recorder stored of it, if one was asked.
    pub record: Option<Arc<CronJobRecord>>,
}

/// No `CronJob` was started although several were due: the controller seems to be down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When a `CronJob` was started last; `None` if none ever was, as far as is known.
    pub last_start: Option<Timestamp>,
    /// How many CronJobs were due since the controller last did anything, and were not started.
    pub due: usize,
}

/// A time in which the controller did nothing and after which it started what was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastOutage {
    /// When a `CronJob` was started last before; `None` if none is known.
    pub last_start: Option<Timestamp>,
    /// When the controller did anything last before.
    pub last_sign: Timestamp,
    /// When it did something again.
    pub next_sign: Timestamp,
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
    /// The nodes of some pods.
    pub nodes: Vec<Node>,
    pub config_maps: Vec<ConfigMap>,
}

/// How much of the evidence was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Whether the Jobs were read. A snapshot without a single Job proves nothing about Jobs.
    pub jobs_read: bool,
    pub events_read: bool,
    /// Until when it reaches: an old snapshot says nothing about what came after.
    pub as_of: Timestamp,
}

impl Coverage {
    pub fn all(as_of: Timestamp) -> Self {
        Coverage {
            jobs_read: true,
            events_read: true,
            as_of,
        }
    }

    /// Of a `CronJob` alone.
    pub fn none(as_of: Timestamp) -> Self {
        Coverage {
            jobs_read: false,
            events_read: false,
            as_of,
        }
    }

    /// What files show: up to the newest time in them that is not later than `now`. Events and Jobs
    /// of other `CronJob`s count too: they show when the evidence was collected.
    pub fn of_files<'a>(
        cron_jobs: impl IntoIterator<Item = &'a CronJob>,
        seen: &RelatedObjects,
        now: Timestamp,
    ) -> Self {
        let own = cron_jobs.into_iter().flat_map(times_of_cron_job);
        Self::up_to(own, &seen.jobs, &seen.events, now)
    }

    pub fn up_to(
        own: impl IntoIterator<Item = Timestamp>,
        jobs: &[Job],
        events: &[Event],
        now: Timestamp,
    ) -> Self {
        let of_jobs = jobs.iter().flat_map(times_of_job);
        let of_events = events.iter().filter_map(Event::last_seen);
        let all = own.into_iter().chain(of_jobs).chain(of_events);
        Coverage {
            jobs_read: !jobs.is_empty(),
            events_read: !events.is_empty(),
            as_of: all
                .filter(|time| *time <= now)
                .max()
                .unwrap_or(Timestamp::MIN),
        }
    }
}

/// The times that a `CronJob` itself shows.
pub fn times_of_cron_job(cron_job: &CronJob) -> impl Iterator<Item = Timestamp> {
    let status = &cron_job.status;
    let managed = cron_job.managed_fields.iter().map(|field| field.time);
    let own = [
        cron_job.creation_timestamp,
        status.last_schedule_time,
        status.last_successful_time,
    ];
    own.into_iter().chain(managed).flatten()
}

fn times_of_job(job: &Job) -> impl Iterator<Item = Timestamp> {
    let changed = job.conditions.iter();
    let changed = changed.map(|condition| condition.last_transition_time);
    let own = [job.creation_timestamp, job.start_time, job.completion_time];
    changed.chain(own).flatten()
}

/// Data that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Lacking")
)]
pub struct UnreadResource {
    /// `jobs`, `events` or `pods`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub what: ResourceKind,
    /// Why it could not be read.
    pub reason: String,
    /// Whether a permission is missing.
    #[serde(skip)]
    pub is_forbidden: bool,
}

impl UnreadResource {
    /// Why it could not be read, without the whole sentence of the API server.
    pub fn short_reason(&self) -> String {
        if self.is_forbidden {
            return format!("cannot list {} (forbidden)", self.what.as_str());
        }
        self.reason.clone()
    }
}

string_enum! {
    /// A kind of optional data.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ResourceKind {
        /// The Jobs.
        Jobs = "jobs",
        /// The events.
        Events = "events",
        /// The pods.
        Pods = "pods",
    }
}

impl ResourceKind {
    /// As kubectl names it in messages.
    pub fn resource(self) -> &'static str {
        match self {
            ResourceKind::Jobs => "jobs.batch",
            ResourceKind::Events | ResourceKind::Pods => self.as_str(),
        }
    }
}
