//! What was read about a `CronJob`, before anything is concluded from it.
//!
//! A function that takes an [`Input`] looks only at objects, at the release of the controller and at the time. One
//! that takes [`Facts`](super::Facts) also needs what follows from them, such as the decision of the controller.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use super::expectations::Expectations;
use super::just_started::with_just_started;
use super::phases::PodIndex;
use crate::kubectl::{Kubectl, PLAIN};
use cronjob_controller::controller::{Behavior, Controller, Generation};
use kube_model::{
    ConcurrencyPolicy, ConfigMap, Coverage, CronJob, CronJobEvidence, CronJobRecord, Event,
    ExpectedDelay, Job, Outage, PastOutage, Pod, ResourceQuota, times_of_cron_job,
};

/// What was read about a `CronJob`, and whose answers are wanted: of which controller, and at what time.
pub struct Input<'a> {
    pub controller: &'a Controller,
    /// Makes the commands of remedies.
    pub kubectl: &'a Kubectl,
    /// The `CronJob`, with the status of a run that was just started.
    pub cron_job: Cow<'a, CronJob>,
    /// The Jobs of the namespace.
    pub jobs: &'a [Job],
    /// All events that were read: about the `CronJob`, its Jobs and their pods, and others of the namespace.
    pub events: &'a [Event],
    pub now: Timestamp,
    /// The pods of its Jobs, where they were read.
    pub pods: &'a [Pod],
    /// `ConfigMap`s that its Jobs may refer to, where they were read.
    pub config_maps: &'a [ConfigMap],
    /// The quotas that limit the number of Jobs in its namespace, where they were read.
    pub quotas: &'a [ResourceQuota],
    /// How many Jobs of its namespace have not finished, where quotas were read.
    pub unfinished_in_namespace: usize,
    /// How late the last Job of each scheduled time was created, in seconds.
    pub start_delays: Cow<'a, BTreeMap<Timestamp, i64>>,
    /// The first coming run that may be past its deadline because others are due at the same time.
    pub expected_delay: Option<ExpectedDelay>,
    /// That the controller seems to be down.
    pub outage: Option<Outage>,
    /// When the controller seems to have been down.
    pub past_outages: Arc<[PastOutage]>,
    /// When a run was due first since the controller last did anything, as far as is known, if that is a minute ago.
    pub passed_over_since: Option<Timestamp>,
    /// What a recorder stored, if one was asked.
    pub record: Option<Arc<CronJobRecord>>,
    /// What of all this is complete.
    pub coverage: Coverage,
    index: InputIndex,
}

/// What makes the input quick to search, where that is needed.
#[derive(Default)]
struct InputIndex {
    expectations: OnceLock<Expectations>,
    /// The position of each Job of the namespace, by its name.
    jobs: OnceLock<HashMap<String, usize>>,
    pods: OnceLock<PodIndex>,
}

impl<'a> Input<'a> {
    /// The input for answers without commands. `jobs` and `events` are those of the namespace.
    pub(super) fn gather(
        controller: &'a Controller,
        cron_job: &'a CronJob,
        jobs: &'a [Job],
        events: &'a [Event],
        now: Timestamp,
    ) -> Self {
        Input {
            controller,
            kubectl: &PLAIN,
            cron_job: with_just_started(controller, cron_job, jobs, now),
            jobs,
            events,
            now,
            pods: &[],
            config_maps: &[],
            quotas: &[],
            unfinished_in_namespace: 0,
            start_delays: Cow::default(),
            expected_delay: None,
            outage: None,
            past_outages: Arc::default(),
            passed_over_since: None,
            record: None,
            coverage: Coverage::up_to(times_of_cron_job(cron_job), jobs, events, now),
            index: InputIndex::default(),
        }
    }

    /// The input that the evidence of a `CronJob` is.
    pub(super) fn of(
        controller: &'a Controller,
        kubectl: &'a Kubectl,
        evidence: &'a CronJobEvidence,
        coverage: Coverage,
        now: Timestamp,
    ) -> Self {
        Input {
            controller,
            kubectl,
            cron_job: with_just_started(controller, &evidence.cron_job, &evidence.jobs, now),
            jobs: &evidence.jobs,
            events: &evidence.events,
            now,
            pods: &evidence.pods,
            config_maps: &evidence.config_maps,
            quotas: &evidence.quotas,
            unfinished_in_namespace: evidence.unfinished_in_namespace,
            start_delays: Cow::Borrowed(&*evidence.start_delays),
            expected_delay: evidence.expected_delay,
            outage: evidence.outage,
            past_outages: Arc::clone(&evidence.past_outages),
            passed_over_since: evidence.passed_over_since,
            record: evidence.record.clone(),
            coverage,
            index: InputIndex::default(),
        }
    }

    /// Whether a quota allows no other Job.
    pub(super) fn quota_is_full(&self) -> bool {
        self.quotas.iter().any(ResourceQuota::is_full)
    }

    /// Whether the controller counts Jobs as running that were not read.
    pub(crate) fn jobs_are_unknown(&self) -> bool {
        let read = self.coverage.jobs_read || !self.jobs.is_empty();
        !read && !self.cron_job.status.active.is_empty()
    }

    /// What the `CronJob` states that is expected of it.
    pub(crate) fn expectations(&self) -> &Expectations {
        let read = || Expectations::of(&self.cron_job);
        self.index.expectations.get_or_init(read)
    }

    pub fn behavior(&self) -> Behavior {
        self.controller.behavior()
    }

    /// Whether the controller waits longer and longer after failures, up to 1,000 s.
    pub(super) fn backs_off(&self) -> bool {
        self.behavior().generation != Generation::V1
    }

    /// Whether a running Job keeps others from being started.
    pub(crate) fn forbids_overlap(&self) -> bool {
        self.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid
    }

    /// Whether `spec.suspend` is set.
    pub fn is_suspended(&self) -> bool {
        self.cron_job.spec.suspend == Some(true)
    }

    /// Whether the deadline leaves time to start a scheduled time.
    pub fn has_time_to_start(&self) -> bool {
        self.controller.has_time_to_start(&self.cron_job.spec)
    }

    /// The Job of a name in the namespace.
    pub fn job_named(&self, name: &str) -> Option<&'a Job> {
        let jobs: &'a [Job] = self.jobs;
        let places = self.index.jobs.get_or_init(|| {
            let own = jobs.iter().enumerate().rev();
            let own = own.filter(|(_, job)| job.namespace == self.cron_job.namespace);
            own.map(|(place, job)| (job.name.clone(), place)).collect()
        });
        jobs.get(*places.get(name)?)
    }

    pub(super) fn pod_index(&self) -> &PodIndex {
        let read = || PodIndex::of(self.pods, self.events);
        self.index.pods.get_or_init(read)
    }

    /// How long ago something was, in seconds; nothing in the future is.
    pub fn ago(&self, moment: Timestamp) -> i64 {
        (self.now.as_second() - moment.as_second()).max(0)
    }
}
