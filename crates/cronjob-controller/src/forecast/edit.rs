//! Edits of the schedule: who, when, and what it was before.

use jiff::Timestamp;

use super::Situation;
use crate::controller::Generation;
use crate::model::{CronJob, LastApplied};

/// An edit of the schedule or its time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub at: Timestamp,
    pub manager: String,
    /// What was applied before it, if that is known and was something else.
    pub before: Option<LastApplied>,
    /// Whether it may also have resumed the `CronJob`, which then has no wake-up from before.
    pub may_have_resumed: bool,
}

impl Edit {
    /// The last edit, according to managed fields: the owner of the schedule or its time zone last wrote
    /// then. It may have written another field.
    pub fn last(cron_job: &CronJob) -> Option<Self> {
        if cron_job.is_unchanged() {
            return None;
        }
        let owner = cron_job.schedule_owners().max_by_key(|field| field.time)?;
        let at = owner.time?;
        let created = cron_job.creation_timestamp?;
        let before = cron_job.last_applied.as_deref();
        let was_suspended = before.is_some_and(|before| before.suspend == Some(true));
        (at > created).then(|| Edit {
            at,
            manager: owner.manager.clone(),
            before: before.cloned(),
            may_have_resumed: was_suspended || owner.sets("suspend"),
        })
    }

    /// The edit that explains why a run that is due has not started: it was made after its scheduled time.
    pub(super) fn after(situation: &Situation<'_>, scheduled: Timestamp) -> Option<Self> {
        if situation.controller.behavior().generation != Generation::V2 {
            return None;
        }
        Edit::last(situation.cron_job).filter(|edit| edit.at >= scheduled)
    }
}

/// When a client last wrote anything of the spec.
pub(super) fn last_write_of_spec(cron_job: &CronJob) -> Option<Timestamp> {
    let writers = cron_job.managed_fields.iter();
    let writers = writers.filter(|field| field.subresource.is_empty() && !field.of_spec.is_empty());
    writers.filter_map(|field| field.time).max()
}
