//! How long a run may take.

use crate::lint::{POD, Subject};

/// Where a Job says how long it may run.
pub(super) const ACTIVE_DEADLINE: &str = "spec.jobTemplate.spec.activeDeadlineSeconds";

/// Whether neither the Job nor its pods have an end by themselves.
pub(super) fn runs_without_limit(subject: &Subject<'_>) -> bool {
    let of_pod = format!("{POD}.activeDeadlineSeconds");
    subject.get(ACTIVE_DEADLINE).is_none() && subject.get(&of_pod).is_none()
}
