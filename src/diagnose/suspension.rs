//! Who suspended a `CronJob`, and why.

use jiff::Timestamp;

use super::commands::one_line;
use crate::model::{CronJob, ManagedField};

/// The annotation in which `suspend --reason` says why.
pub const SUSPEND_REASON: &str = "cronjob-doctor/suspend-reason";

/// Why a `CronJob` is suspended, if somebody wrote it down.
pub(crate) fn suspend_reason(cron_job: &CronJob) -> Option<String> {
    let reason = cron_job.annotations.get(SUSPEND_REASON)?;
    let is_suspended = cron_job.spec.suspend == Some(true);
    Some(one_line(reason)).filter(|reason| is_suspended && !reason.is_empty())
}

/// Who owns `spec.suspend`. The time is that of the owner's last change, which can be a later one.
pub(super) fn suspended_by(cron_job: &CronJob) -> Option<(&str, Timestamp)> {
    let owns = |field: &&ManagedField| field.sets("suspend");
    let owner = cron_job
        .managed_fields
        .iter()
        .filter(owns)
        .max_by_key(|field| field.time)?;
    Some((&owner.manager, owner.time?))
}
