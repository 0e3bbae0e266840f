//! Suspended CronJobs.

use std::collections::HashSet;

use super::super::remedies::{add, counted, one_line};
use super::super::suspension::suspended_by;
use super::super::{Facts, FindingDetails};
use crate::controller::Outcome;
use crate::duration::human;

/// Shorter suspensions are part of everyday work.
const LONG: i64 = 7 * 86_400;

/// Somebody suspended it, and perhaps forgot.
pub(super) fn suspended_long(facts: &Facts<'_>) -> Option<FindingDetails> {
    // Where nothing would run anyway, somebody may want it so.
    facts.next_run().filter(|_| facts.is_suspended())?;
    let first = facts.missed.and_then(|missed| missed.first);
    let setter = suspended_by(facts.cron_job);
    let set_long_ago = setter.is_some_and(|(_, time)| facts.ago(time) >= LONG);
    let missed_long_ago = first.is_some_and(|first| facts.ago(first) >= LONG);
    if !set_long_ago && !missed_long_ago {
        return None;
    }
    let mut detail = "It is suspended.".to_owned();
    let not_run = facts.not_run().filter(|not_run| *not_run > 0);
    if let (Some(not_run), Some(first)) = (not_run, first) {
        let (slots, ago) = (counted(not_run, "slot"), human(facts.ago(first)));
        add(
            &mut detail,
            format_args!(" {slots} got no Job, the first at {first}, {ago} ago."),
        );
    }
    if let Some((manager, time)) = setter {
        let manager = one_line(manager);
        add(
            &mut detail,
            format_args!(" spec.suspend was set by {manager}, at {time} at the latest."),
        );
    }
    Some(FindingDetails::new(detail).remedy(facts.doctor("resume")))
}

/// A run that is hardly late surprises nobody.
const LATE: i64 = 60;

/// On being resumed the controller would start a run that is long past.
pub(super) fn resume_starts_immediately(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = facts.if_resumed.as_ref()?;
    if !decision.starts() {
        return None;
    }
    let (scheduled_time, job) = (decision.scheduled_time?, decision.job_name.as_deref()?);
    if facts.ago(scheduled_time) <= LATE {
        return None;
    }
    let mut detail = format!(
        "If it is resumed now, the controller starts {} for the slot of {scheduled_time}, {} late.",
        one_line(job),
        human(facts.ago(scheduled_time))
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
        // Some releases make up a scheduled time, and all real ones are lost.
        let others = missed
            .count
            .saturating_sub(u64::from(missed.last == Some(scheduled_time)));
        if others > 0 {
            let slots = counted(others, "other missed slot");
            add(&mut detail, format_args!(" For {slots} it starts nothing."));
        }
    }
    let resume = facts.doctor("resume").with("--catch-up=skip");
    Some(FindingDetails::new(detail).remedy(resume.comment("resumes it without that run")))
}

/// Scheduled times were missed, and on being resumed the controller would find none of them.
pub(super) fn resume_skips_missed_runs(facts: &Facts<'_>) -> Option<FindingDetails> {
    if facts.if_resumed.as_ref()?.outcome != Outcome::NoSlotFound {
        return None;
    }
    let missed = facts.missed?;
    let slots = counted(facts.not_run()?, "slot");
    let last = facts.last_not_run()?;
    let mut detail = format!(
        "{slots} since {} got no Job, the last at {last}, {} ago. If it is resumed now, this \
         release's estimate finds none of them: it starts nothing and records no event.",
        missed.since,
        human(facts.ago(last))
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The first run would be that of {next}."),
        );
    }
    Some(FindingDetails::new(detail).remedy(facts.run_manually()))
}
