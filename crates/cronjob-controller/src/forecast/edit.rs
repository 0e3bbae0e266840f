//! Edits of the schedule: who, when, and what it was before.

use jiff::Timestamp;

use super::Situation;
use crate::controller::Generation;
use kube_model::{CronJob, LastApplied};

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

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::ManagedField;
    use kube_model::testing::{at_second, cron_job};

    /// A client that wrote these fields of the spec at a second.
    fn writer(fields: &[&str], second: i64) -> ManagedField {
        ManagedField {
            manager: "kubectl-edit".to_owned(),
            time: at_second(second),
            of_spec: fields.iter().map(|field| (*field).into()).collect(),
            ..ManagedField::default()
        }
    }

    #[test]
    fn write_of_the_schedule_is_an_edit_if_it_is_after_the_creation() {
        let edited_at = |second| {
            let mut edited = cron_job("report");
            edited.generation = Some(2);
            edited.creation_timestamp = at_second(100);
            edited.managed_fields = vec![writer(&["schedule"], second)];
            Edit::last(&edited).map(|edit| edit.at.as_second())
        };
        assert_eq!(edited_at(100), None);
        assert_eq!(edited_at(101), Some(101));
    }

    #[test]
    fn last_write_of_the_spec_ignores_writes_of_status_and_metadata() {
        let mut status = writer(&["suspend"], 130);
        status.subresource = "status".to_owned();
        let mut written = cron_job("report");
        written.managed_fields = vec![
            writer(&["schedule"], 110),
            writer(&["suspend"], 120),
            status,
            writer(&[], 140),
        ];
        assert_eq!(last_write_of_spec(&written), at_second(120));
    }
}
