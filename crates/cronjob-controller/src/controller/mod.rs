//! What the `CronJob` controller of each Kubernetes release does.
//!
//! [`decide`] answers what the controller would do if it synced a `CronJob` at a given moment.
//! A release is a row of traits ([`Behavior`]); the code asks for a trait, never for a version.

mod behavior;
mod checked;
mod children;
mod clock;
mod decision;
mod edit;
mod gotime;
mod history;
mod kubebuilder;
mod missed_cause;
mod names;
mod polling;
mod queued;
mod release;
mod repeated;
mod rows;
mod start;
mod sync;
mod unmet;
mod wake;

use std::sync::Arc;

use jiff::Timestamp;
use kube_cron::{BundledZones, Dialect, Timetable, Zone, Zones};

pub use behavior::{
    Arithmetic, Behavior, Children, Cleanup, Generation, JobEnds, NameTaken, Requests, Requeue,
    Success, TooMany, ZonePrefix,
};
pub use checked::checked_releases;
pub use clock::names_zone;
pub use decision::{Decision, Outcome};
pub use decision::{DecisionStep, Missed, RecordedEvent, Verdict};
pub(crate) use edit::wake_after_edit;
pub use edit::{EditEffect, edit_effect};
pub use missed_cause::{MissedCause, ON_TIME};
pub use names::{RunMarks, marks_of_run};
pub use release::VersionError;
pub use release::{Model, Release};
pub use repeated::RepeatedSync;
pub use rows::ROWS;
pub use unmet::{LIMIT, MissedClass, crosses_limit_at};
pub(crate) use wake::{
    POLL, counts_from_sync, next_minute, past_deadline, retry_pause, wake_after_syncs,
};

use kube_model::SCHEDULED_TIME_ANNOTATION;
use kube_model::{CronJob, CronJobSpec, Job};
use sync::SyncContext;

/// A controller: its model, its version and its time zone.
#[derive(Clone)]
pub struct Controller {
    pub model: Model,
    pub release: Release,
    /// The zone of its own clock, for schedules without a zone.
    pub local: Arc<Zone>,
    pub zones: Arc<dyn Zones + Send>,
    /// The time zone that times are shown in, if it is one for all.
    pub display: Option<Arc<Zone>>,
}

impl Controller {
    /// That of the release that is assumed where nothing names one, in UTC.
    pub fn assumed() -> Self {
        Controller {
            model: Model::Kubernetes,
            release: Release::newest_checked(),
            local: Zone::utc(),
            zones: Arc::new(BundledZones),
            display: None,
        }
    }

    pub fn behavior(&self) -> Behavior {
        self.model.behavior(self.release)
    }

    /// The annotation with the scheduled time that this controller sets on a Job.
    pub(crate) fn scheduled_time_annotation(&self) -> &'static str {
        match self.model {
            Model::Kubernetes => SCHEDULED_TIME_ANNOTATION,
            Model::Kubebuilder => kubebuilder::SCHEDULED_AT,
        }
    }

    /// Whether the deadline leaves time to start a run. With a deadline of zero every scheduled time is too old at the
    /// next sync. The scheduled times of `@every` are counted from the start of the deadline, so that none is due
    /// if the deadline is shorter than the interval.
    pub fn has_time_to_start(&self, spec: &CronJobSpec) -> bool {
        let is_never_due = |deadline: i64| {
            let every = spec.every();
            self.behavior().bounds_by_deadline && every.is_some_and(|every| every > deadline)
        };
        let deadline = spec.starting_deadline_seconds;
        deadline.is_none_or(|deadline| deadline != 0 && !is_never_due(deadline))
    }

    /// The zone whose clock decides: that of the schedule, or the controller's own.
    pub fn zone_of<'a>(&'a self, timetable: Option<&'a Timetable>) -> &'a Zone {
        timetable.and_then(Timetable::zone).unwrap_or(&self.local)
    }

    /// The zone that the times of a schedule are shown in.
    pub fn display_zone_of<'a>(&'a self, timetable: Option<&'a Timetable>) -> &'a Zone {
        self.display
            .as_deref()
            .unwrap_or_else(|| self.zone_of(timetable))
    }

    /// The dialect that schedules are read in.
    pub fn dialect(&self) -> Dialect {
        self.behavior().dialect
    }
}

/// What the controller would do if it synced a `CronJob` now.
///
/// `jobs` are the Jobs of its namespace; whose Jobs they are is decided as that version does.
pub fn decide(
    controller: &Controller,
    cron_job: &CronJob,
    jobs: &[Job],
    now: Timestamp,
) -> Decision {
    let behavior = controller.model.behavior(controller.release);
    run_sync(controller, SyncContext::new(cron_job, jobs, &behavior, now))
}

/// For which time the controller starts the next run right after one for another time, if no Job prevents it.
pub fn start_after(
    controller: &Controller,
    cron_job: &CronJob,
    started: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let mut cron_job = cron_job.clone();
    cron_job.spec.suspend = None;
    cron_job.status.last_schedule_time = started;
    cron_job.status.active.clear();
    let decision = decide(controller, &cron_job, &[], now);
    decision.scheduled_time.filter(|_| decision.starts())
}

fn run_sync(controller: &Controller, mut sync: SyncContext<'_>) -> Decision {
    let end = match sync.behavior.generation {
        Generation::V1 => polling::sync(&mut sync, controller),
        Generation::V2 => queued::sync(&mut sync, controller),
        Generation::Tutorial => kubebuilder::sync(&mut sync, controller),
    };
    sync.finish(end)
}
