//! How long a run may take.

use crate::lint::{POD, Subject};

/// Where a Job says how long it may run.
pub(super) const ACTIVE_DEADLINE: &str = "spec.jobTemplate.spec.activeDeadlineSeconds";

/// Whether neither the Job nor its pods have an end by themselves. Of a manifest without pods, such
/// as a patch, nothing can be said.
pub(super) fn runs_without_limit(subject: &Subject<'_>) -> bool {
    let of_pod = format!("{POD}.activeDeadlineSeconds");
    let is_limited = || subject.get(ACTIVE_DEADLINE).is_some() || subject.get(&of_pod).is_some();
    subject.get(POD).is_some() && !is_limited()
}
