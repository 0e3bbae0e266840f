//! The errors by the stage of the API server's validation, for those who add what lies between.

use super::{FieldError, Review, name, schedule, template, time_zone, values};
use crate::controller::Release;
use crate::model::CronJob;
use crate::schedule::Zones;

/// What the API server says of the fields of a `CronJob` itself, stage by stage.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    /// `metadata.name`; the rest of the metadata comes behind it.
    pub(crate) name: Vec<FieldError>,
    /// What stands before the template in the spec.
    pub(crate) spec: Vec<FieldError>,
    /// The restart policy, in the middle of the rules for all pods.
    pub(crate) policy_of_pods: Vec<FieldError>,
    /// The restart policy, behind the rules for all pods.
    pub(crate) policy_of_jobs: Vec<FieldError>,
    /// The selector that nobody may choose.
    pub(crate) selector: Vec<FieldError>,
    /// The history limits.
    pub(crate) limits: Vec<FieldError>,
    /// The length of the name, at the very end.
    pub(crate) long_name: Vec<FieldError>,
    /// The warning about the name, which is the first.
    pub(crate) name_warning: Option<String>,
    /// The warning about the schedule, which is the last.
    pub(crate) schedule_warning: Option<String>,
    /// Whether the server's code panics on the schedule.
    pub(crate) panics: bool,
}

/// The stages of the validation of a new object.
pub(crate) fn stages(cron_job: &CronJob, release: Release, zones: &dyn Zones) -> Stages {
    let review = Review::new(cron_job, None, release, zones);
    if schedule::panics(&review) {
        return Stages {
            panics: true,
            ..Stages::default()
        };
    }
    Stages {
        name_warning: name::warning(&review),
        schedule_warning: schedule::warning(&review),
        ..Stages::errors_of(&review)
    }
}

impl Stages {
    pub(super) fn errors_of(review: &Review<'_>) -> Self {
        let mut spec = schedule::errors(review);
        spec.extend(values::deadline(review));
        spec.extend(time_zone::errors(review));
        spec.extend(values::policy(review));
        Stages {
            name: name::malformed(review),
            spec,
            policy_of_pods: template::policy_of_pods(review).into_iter().collect(),
            policy_of_jobs: template::policy_of_jobs(review).into_iter().collect(),
            selector: template::selector(review),
            limits: values::limits(review).collect(),
            long_name: name::too_long(review).into_iter().collect(),
            ..Stages::default()
        }
    }
}
