//! Runs were started, and not one succeeded.

use super::super::PastRun;
use super::super::{Facts, Found};
use crate::controller::Success;
use crate::duration::human;

/// So many runs deserve a chance.
const ENOUGH: u64 = 3;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let status = &facts.cron_job.status;
    let (created, last) = (
        facts.cron_job.creation_timestamp?,
        status.last_schedule_time?,
    );
    let noted = facts.behaviour().success != Success::Never;
    if !noted || status.last_successful_time.is_some() || facts.runs.iter().any(PastRun::succeeded)
    {
        return None;
    }
    let slots = facts.timetable.as_ref()?.count(created, last).ok()?.count;
    let all_running = !facts.runs.is_empty() && facts.runs.iter().all(|run| run.ending().is_none());
    if slots < ENOUGH || all_running {
        return None;
    }
    let failed = facts
        .runs
        .iter()
        .filter(|run| run.failure().is_some())
        .count();
    let jobs = match failed {
        0 => String::new(),
        1 => " The one run that is still there failed.".to_owned(),
        many => format!(" The {many} runs that are still there failed."),
    };
    let detail = format!(
        "It was created at {created} ({} ago) and had {slots} slots up to {last}, the last that \
         was started. No success is on record.{jobs}",
        human(facts.ago(created))
    );
    let jobs = facts.kubectl("get jobs");
    Some(Found::new(detail).remedy(jobs.with("--sort-by=.metadata.creationTimestamp")))
}
