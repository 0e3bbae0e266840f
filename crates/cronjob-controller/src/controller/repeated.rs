//! Many syncs of one `CronJob`: what does not change between them is computed once.

use std::sync::Arc;

use jiff::Timestamp;
use kube_cron::load_location;

use super::clock::ScheduleClock;
use super::sync::SyncContext;
use super::{Behavior, Controller, Decision, run_sync};
use kube_model::{CronJob, Job};

/// A controller that syncs one `CronJob` again and again.
///
/// It decides as [`super::decide`] does, by the same code. But it reads the schedule only once, and
/// does not record what callers that only need the outcome do not read: [`Decision::steps`] and the
/// messages of [`Decision::events`] are empty, and [`Decision::scheduled_timestamp`] is there only
/// where the controller reads it itself.
pub struct RepeatedSync<'c> {
    controller: &'c Controller,
    behavior: Behavior,
    read: Option<Read>,
}

/// A schedule that can be read, and what was read.
struct Read {
    schedule: String,
    time_zone: Option<String>,
    clock: Arc<ScheduleClock>,
}

impl<'c> RepeatedSync<'c> {
    /// A controller that has not synced yet.
    pub fn new(controller: &'c Controller) -> Self {
        RepeatedSync {
            behavior: controller.behavior(),
            controller,
            read: None,
        }
    }

    /// What the controller would do if it synced a `CronJob` now.
    pub fn decide(&mut self, cron_job: &CronJob, jobs: &[Job], now: Timestamp) -> Decision {
        let spec = &cron_job.spec;
        let is_known = self
            .read
            .as_ref()
            .is_some_and(|read| read.schedule == spec.schedule && read.time_zone == spec.time_zone);
        if !is_known {
            self.read = self.read(cron_job);
        }
        let mut sync = SyncContext::new(cron_job, jobs, &self.behavior, now);
        sync.in_detail = false;
        sync.clock = self.read.as_ref().map(|read| &read.clock);
        run_sync(self.controller, sync)
    }

    /// The schedule, unless there is something wrong about it: then each sync finds that out.
    fn read(&self, cron_job: &CronJob) -> Option<Read> {
        let spec = &cron_job.spec;
        let zone = spec.time_zone.as_ref();
        if let Some(zone) = zone.filter(|_| self.behavior.time_zone_field) {
            load_location(zone, &*self.controller.zones).ok()?;
        }
        let clock = ScheduleClock::read(cron_job, self.behavior, self.controller).ok()?;
        Some(Read {
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            clock: Arc::new(clock),
        })
    }
}
