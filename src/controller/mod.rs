//! What the `CronJob` controller of each Kubernetes release does.
//!
//! [`decide`] answers what the controller would do if it looked at a `CronJob` at a given moment.
//! A release is a row of traits ([`Behaviour`]); the code asks for a trait, never for a version.

mod behaviour;
mod children;
mod clock;
mod decision;
mod edit;
mod gotime;
mod history;
mod kubebuilder;
mod look;
mod names;
mod polling;
mod queued;
mod release;
mod rows;
mod start;
mod table;
mod unmet;
mod wake;
mod watcher;

use std::sync::Arc;

use jiff::Timestamp;

pub use behaviour::{
    Arithmetic, Behaviour, Children, Cleanup, Generation, History, NameTaken, Requests, Requeue,
    Success, TooMany, Wording, ZonePrefix,
};
pub(crate) use clock::names_zone;
pub use decision::{
    Condition, Decision, EventType, Missed, Outcome, RecordedEvent, StatusAfter, Step, Verdict,
};
pub use edit::{EditEffect, edit_effect, wake_after_edit};
pub use names::{SLOT_ANNOTATION, SlotMarks, marks_of_slot};
pub use release::{Model, Release, VersionError};
pub use table::table;
pub use unmet::{LIMIT, MissedClass, crosses_limit_at};
pub use wake::retry_pause;
pub use watcher::Watcher;

use crate::kubectl::Kubectl;
use crate::model::{CronJob, Job};
use crate::schedule::{Dialect, Zone, Zones};
use look::Look;

/// A controller: which one, of which release, in which zone.
#[derive(Clone)]
pub struct Controller<'a> {
    /// Which controller.
    pub model: Model,
    /// Of which release.
    pub release: Release,
    /// The zone of its own clock, for schedules without a zone.
    pub local: Arc<Zone>,
    /// The tz database it reads.
    pub zones: &'a dyn Zones,
    /// How its cluster is reached.
    pub kubectl: &'a Kubectl,
}

impl Controller<'_> {
    /// What this controller does.
    pub fn behaviour(&self) -> Behaviour {
        self.model.behaviour(self.release)
    }

    /// The annotation that this controller gives a Job to tell it its slot.
    pub fn slot_annotation(&self) -> &'static str {
        match self.model {
            Model::Kubernetes => SLOT_ANNOTATION,
            Model::Kubebuilder => kubebuilder::SCHEDULED_AT,
        }
    }

    /// The dialect that schedules are read in.
    pub fn dialect(&self) -> Dialect {
        self.model.dialect(self.release)
    }
}

/// What the controller would do if it looked at a `CronJob` now.
///
/// `jobs` are the Jobs of its namespace; those of others are told apart as the release does.
pub fn decide(
    controller: &Controller<'_>,
    cron_job: &CronJob,
    jobs: &[Job],
    now: Timestamp,
) -> Decision {
    let behaviour = controller.model.behaviour(controller.release);
    looked(controller, Look::new(cron_job, jobs, &behaviour, now))
}

fn looked(controller: &Controller<'_>, mut look: Look<'_>) -> Decision {
    let end = match look.behaviour.generation {
        Generation::V1 => polling::look(&mut look, controller),
        Generation::V2 => queued::look(&mut look, controller),
        Generation::Tutorial => kubebuilder::look(&mut look, controller),
    };
    look.finish(end)
}
