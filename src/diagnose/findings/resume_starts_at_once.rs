//! On being resumed the controller would start a run that is long past.

use std::collections::HashSet;

use super::super::commands::{add, counted, one_line};
use super::super::{Facts, Found};
use crate::duration::human;

/// A run that is hardly late surprises nobody.
const LATE: i64 = 60;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = facts.if_resumed.as_ref()?;
    if !decision.starts() {
        return None;
    }
    let (slot, job) = (decision.scheduled_time?, decision.job_name.as_deref()?);
    if facts.ago(slot) <= LATE {
        return None;
    }
    let mut detail = format!(
        "If it is resumed now, the controller starts {} for the slot of {slot}, {} late.",
        one_line(job),
        human(facts.ago(slot))
    );
    // Old ones that are finished are deleted on this occasion too; nobody misses those.
    let active = facts.cron_job.status.active.iter();
    let active: HashSet<&str> = active.map(|active| active.name.as_str()).collect();
    let is_running = |job: &&String| active.contains(job.as_str());
    let running = decision.deleted_jobs.iter().filter(is_running);
    let killed: Vec<String> = running.map(|job| one_line(job)).collect();
    if !killed.is_empty() {
        add(
            &mut detail,
            format_args!(" Before that it deletes {}.", killed.join(", ")),
        );
    }
    if let Some(missed) = facts.missed {
        // Some releases make up a slot, and all real ones are lost.
        let others = missed
            .count
            .saturating_sub(u64::from(missed.last == Some(slot)));
        if others > 0 {
            let slots = counted(others, "other missed slot");
            add(&mut detail, format_args!(" For {slots} it starts nothing."));
        }
    }
    let resume = facts.doctor("resume").with("--catch-up=skip");
    Some(Found::new(detail).remedy(resume.comment("resumes it without that run")))
}
