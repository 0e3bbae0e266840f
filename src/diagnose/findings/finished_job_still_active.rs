//! status.active names a Job that is finished.

use std::collections::HashSet;

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::duration::human;

/// The first generation looks every ten seconds, and longer with many CronJobs.
const PATIENCE: i64 = 120;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let active = &facts.cron_job.status.active;
    let listed: HashSet<&str> = active.iter().map(|active| active.uid.as_str()).collect();
    let (run, finished) = facts.runs.iter().find_map(|run| {
        let listed = listed.contains(run.job.uid.as_str());
        Some((run, run.finished_at().filter(|_| listed)?))
    })?;
    if facts.ago(finished) < PATIENCE {
        return None;
    }
    let detail = format!(
        "status.active still names {}, which ended at {finished}, {} ago. The controller has not \
         looked since.",
        one_line(&run.job.name),
        human(facts.ago(finished))
    );
    Some(Found::new(detail).remedy(facts.look_at_lease()))
}
