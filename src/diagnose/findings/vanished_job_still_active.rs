//! status.active names a Job that is not there.

use std::collections::HashSet;

use super::super::commands::one_line;
use super::super::runs::slot_in_name;
use super::super::{Facts, Found};

/// The list of Jobs may be a little older than the `CronJob`.
const PATIENCE: i64 = 60;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    if !facts.reach.jobs_read {
        return None;
    }
    let status = &facts.cron_job.status;
    if status.active.is_empty() {
        return None;
    }
    let known: HashSet<&str> = facts.jobs.iter().map(|job| job.uid.as_str()).collect();
    let gone = status.active.iter().find(|active| {
        let known = known.contains(active.uid.as_str());
        let slot = slot_in_name(&facts.cron_job.name, &active.name);
        let new = slot.is_some_and(|slot| facts.ago(slot) < PATIENCE);
        !known && !new && facts.job_named(&active.name).is_none()
    })?;
    let detail = format!(
        "status.active names {}, but there is no such Job in the namespace. The controller drops \
         it, with the event MissingJob, when it looks next.",
        one_line(&gone.name)
    );
    Some(Found::new(detail).remedy(facts.look_at_lease()))
}
