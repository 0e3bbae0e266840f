//! What the API server of a release refuses of a `CronJob`, and what it warns of.
//!
//! The fields of the `CronJob` itself, and of its template those that make a Job one of a
//! `CronJob`: the selector, and the restart policy. The rules and their words are those of
//! Kubernetes' `pkg/apis/batch/validation` and `pkg/registry/batch/cronjob`.

mod admission;
mod error;
mod name;
mod schedule;
mod selector;
mod template;
mod time_zone;
mod values;

pub use admission::Admission;
pub use error::FieldError;
pub(super) use name::longer_than;
pub use name::validate_job_name;
pub use time_zone::validate_time_zone;

use super::Release;
use super::behaviour::Behaviour;
use crate::model::CronJob;
use crate::schedule::Zones;

/// What the API server says of a `CronJob`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// Why it refuses the object, in its own order; empty where it takes it.
    pub errors: Vec<FieldError>,
    /// What it warns of while it takes the object; empty where it refuses it.
    pub warnings: Vec<String>,
    /// Whether its code panics on the schedule, so that the request fails without a list of errors.
    pub panics: bool,
}

/// What the rules need to know.
struct Review<'a> {
    new: &'a CronJob,
    /// The object as it is, where it is changed.
    old: Option<&'a CronJob>,
    behaviour: Behaviour,
    admission: Admission,
    zones: &'a dyn Zones,
}

/// What the API server says when a `CronJob` is created.
///
/// ```
/// use std::sync::Arc;
///
/// use cronjob_doctor::controller::{Release, validation::validate_create};
/// use cronjob_doctor::model::{CronJob, CronJobSpec};
/// use cronjob_doctor::schedule::BundledZones;
///
/// let cron_job = CronJob {
///     name: "nightly".to_owned(),
///     spec: CronJobSpec {
///         schedule: "0 2 * * 7".to_owned(),
///         job_template: Arc::new(serde_json::json!(
///             {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}
///         )),
///         ..CronJobSpec::default()
///     },
///     ..CronJob::default()
/// };
/// let answer = validate_create(&cron_job, Release::NEWEST, &BundledZones);
/// assert_eq!(
///     answer.errors[0].to_string(),
///     "spec.schedule: Invalid value: \"0 2 * * 7\": end of range (7) above maximum (6): 7"
/// );
/// ```
pub fn validate_create(cron_job: &CronJob, release: Release, zones: &dyn Zones) -> Validation {
    Review::new(cron_job, None, release, zones).answer()
}

/// What the API server says when a `CronJob` is changed.
///
/// Some rules are waived for what the object has had before; the schedule is always read again, so
/// that an object with a schedule that is refused by now cannot be changed without mending it.
pub fn validate_update(
    old: &CronJob,
    new: &CronJob,
    release: Release,
    zones: &dyn Zones,
) -> Validation {
    Review::new(new, Some(old), release, zones).answer()
}

impl<'a> Review<'a> {
    fn new(
        new: &'a CronJob,
        old: Option<&'a CronJob>,
        release: Release,
        zones: &'a dyn Zones,
    ) -> Self {
        Review {
            new,
            old,
            behaviour: release.behaviour(),
            admission: Admission::of(release),
            zones,
        }
    }

    fn answer(&self) -> Validation {
        if schedule::panics(self) {
            return Validation {
                panics: true,
                ..Validation::default()
            };
        }
        let errors = self.errors();
        let warnings = if errors.is_empty() {
            self.warnings()
        } else {
            Vec::new()
        };
        Validation {
            errors,
            warnings,
            panics: false,
        }
    }

    /// In upstream's order, which is the order in which they are shown.
    fn errors(&self) -> Vec<FieldError> {
        let mut errors = name::malformed(self);
        errors.extend(schedule::errors(self));
        errors.extend(values::deadline(self));
        errors.extend(time_zone::errors(self));
        errors.extend(values::policy(self));
        errors.extend(template::errors(self));
        errors.extend(values::limits(self));
        errors.extend(name::too_long(self));
        errors
    }

    fn warnings(&self) -> Vec<String> {
        name::warning(self)
            .into_iter()
            .chain(schedule::warning(self))
            .collect()
    }
}
