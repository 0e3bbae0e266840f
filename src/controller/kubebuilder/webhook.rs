//! The webhook that the kubebuilder book puts in front of its `CronJob`s.

use crate::controller::rows::KUBEBUILDER;
use crate::controller::validation::{FieldError, Validation, longer_than};
use crate::model::{ConcurrencyPolicy, CronJob};
use crate::schedule::{Schedule, Zones};

/// So that the names of its Jobs, 11 bytes longer, stay below 64 bytes.
const NAME_LIMIT: usize = 52;

/// The object as it is stored: what was left out is filled in.
///
/// It promises the same four defaults that Kubernetes gives its own `CronJob`s.
pub fn with_defaults(cron_job: &CronJob) -> CronJob {
    let mut cron_job = cron_job.clone();
    let spec = &mut cron_job.spec;
    if spec.concurrency_policy.as_str().is_empty() {
        spec.concurrency_policy = ConcurrencyPolicy::Allow;
    }
    spec.suspend.get_or_insert(false);
    spec.successful_jobs_history_limit.get_or_insert(3);
    spec.failed_jobs_history_limit.get_or_insert(1);
    cron_job
}

/// What the webhook refuses, when an object is created as well as when it is changed.
///
/// What the definition of the resource demands (numbers that are not negative, a policy that it
/// knows) is checked before, by the API server, and no part of this.
pub fn validate(cron_job: &CronJob, zones: &dyn Zones) -> Validation {
    let mut validation = Validation::default();
    let name = &cron_job.name;
    if name.len() > NAME_LIMIT {
        let detail = longer_than(NAME_LIMIT, "characters");
        let error = FieldError::invalid_text("metadata.name", name, &detail);
        validation.errors.push(error);
    }
    let schedule = &cron_job.spec.schedule;
    if let Err(error) = Schedule::parse(schedule, KUBEBUILDER.dialect, zones) {
        let error = FieldError::invalid_text("spec.schedule", schedule, &error.to_string());
        validation.errors.push(error);
    }
    validation
}
