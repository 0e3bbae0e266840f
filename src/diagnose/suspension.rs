//! Who suspended a `CronJob`.

use jiff::Timestamp;

use crate::model::{CronJob, ManagedField};

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
