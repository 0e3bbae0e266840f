//! `startingDeadlineSeconds`.

use jiff::Timestamp;
use serde_json::json;

use super::super::remedies::{add, one_line};
use super::super::suspension::unchanged_since;
use super::super::{Facts, FindingDetails, PastRun, Severity};
use super::concurrency::Unstarted;
use crate::controller::{Generation, Model};
use crate::duration::{exact, human};
use crate::kubectl::Command;
use crate::model::ConcurrencyPolicy;

/// Nothing ever starts with a deadline of zero.
pub(super) fn deadline_zero(facts: &Facts<'_>) -> Option<FindingDetails> {
    if facts.has_time_to_start() {
        return None;
    }
    let mut detail = String::from(
        "startingDeadlineSeconds is 0, so every slot is too old by the time the controller looks. \
         Nothing is ever started, and no event says so.",
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The next run to be lost is that of {next}."),
        );
    }
    let seconds = facts.sensible_deadline();
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

/// The first generation of the controller syncs every ten seconds only.
pub(super) fn deadline_under_ten_seconds(facts: &Facts<'_>) -> Option<FindingDetails> {
    let deadline = facts.cron_job.spec.starting_deadline_seconds?;
    let polls = facts.controller.model == Model::Kubernetes
        && facts.behavior().generation == Generation::V1;
    if !polls || !(1..10).contains(&deadline) {
        return None;
    }
    let detail = format!(
        "startingDeadlineSeconds is {deadline}, but Kubernetes {} looks only every 10 seconds. \
         About {} of 10 runs are seen too late and lost, without an event.",
        facts.controller.release,
        10 - deadline
    );
    let seconds = facts.sensible_deadline();
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

/// Earlier runs started later than the deadline allows.
pub(super) fn deadline_shorter_than_delay(facts: &Facts<'_>) -> Option<FindingDetails> {
    let deadline = facts
        .cron_job
        .spec
        .starting_deadline_seconds
        .filter(|deadline| *deadline > 0)?;
    let delays: Vec<i64> = facts
        .runs
        .iter()
        .filter_map(PastRun::delay_seconds)
        .collect();
    let late = delays.iter().filter(|delay| **delay > deadline).count();
    // One late run is an outage or a suspension, and no habit.
    if late < 2 || late * 2 < delays.len() {
        return None;
    }
    let longest = delays.iter().max()?;
    let detail = format!(
        "startingDeadlineSeconds is {deadline}, but {late} of the {} runs that are known started \
         later than that after their slot, up to {}. With this deadline such runs \
         are lost without a trace.",
        delays.len(),
        exact(*longest)
    );
    let seconds = (2 * longest).max(60);
    Some(
        FindingDetails::new(detail)
            .remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))),
    )
}

/// Runs were not started in time, and will not be started any more.
pub(super) fn runs_past_deadline(facts: &Facts<'_>) -> Option<FindingDetails> {
    let deadline = facts.cron_job.spec.starting_deadline_seconds?;
    // The tutorial's controller forgets what it started.
    let remembers = facts.behavior().generation != Generation::Tutorial;
    let starts_nothing = facts.is_suspended() || facts.cron_job.deletion_timestamp.is_some();
    // What a running Job blocks is said of that Job.
    if deadline <= 0 || starts_nothing || !remembers || facts.blockade().is_some() {
        return None;
    }
    let since = facts.missed?.since;
    let since = unchanged_since(facts.cron_job).map_or(since, |written| written.max(since));
    let seen = facts.coverage.as_of.min(facts.now);
    // A run that is exactly as old as the deadline is still started.
    let until = seen.as_second().checked_sub(deadline)?.checked_sub(1)?;
    let lost = Unstarted::between(facts, since, Timestamp::from_second(until).ok()?)?;
    let runs = match lost.count {
        1 => format!("The run scheduled at {} was", lost.first),
        count => format!(
            "The {count} runs scheduled from {} to {} were",
            lost.first, lost.last
        ),
    };
    let mut detail = format!(
        "{runs} not started within startingDeadlineSeconds: {deadline}, and will not be started \
         any more. {}",
        cause(facts, lost, deadline)
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The next run is scheduled at {next}."),
        );
    }
    let found = FindingDetails::new(detail).remedy(remedy(facts, deadline));
    Some(if lost.is_lasting(facts) {
        found.severity(Severity::Error)
    } else {
        found
    })
}

/// Makes up for the last run, and lets others start later.
fn remedy(facts: &Facts<'_>, deadline: i64) -> Command {
    let run = facts.run_manually();
    let longer = facts.sensible_deadline();
    if longer <= deadline {
        return run;
    }
    let spec = json!({ "startingDeadlineSeconds": longer });
    let patch = facts.patch(&spec);
    if facts.after_patching(&spec).is_some() {
        return patch;
    }
    let longer = human(longer);
    run.comment(format!("to let runs start up to {longer} late: {patch}"))
}

/// What delayed the last of the runs, as far as the evidence shows.
fn cause(facts: &Facts<'_>, lost: Unstarted, deadline: i64) -> String {
    let due = lost.last;
    let until = due.as_second().saturating_add(deadline);
    let mut runs = facts.runs.iter().filter(|run| run.controlled);
    let in_the_way = runs.find_map(|run| {
        let created = run
            .job
            .creation_timestamp
            .filter(|created| *created < due)?;
        let ended = run.finished_at().filter(|end| end.as_second() > until)?;
        Some((one_line(&run.job.name), created, ended))
    });
    let forbids = facts.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid;
    if let Some((job, created, ended)) = in_the_way.filter(|_| forbids) {
        return format!("{job} was active from {created} to {ended} (concurrencyPolicy: Forbid).");
    }
    let told = |reason: &str| {
        let mut events = facts.events.iter();
        events.find(|event| {
            let last = event.last_seen().map(Timestamp::as_second);
            let first = event.first_seen().map(Timestamp::as_second);
            event.reason == reason
                && last.is_some_and(|last| last >= due.as_second())
                && first.is_none_or(|first| first <= until)
        })
    };
    if let Some(event) = told("FailedCreate") {
        return format!(
            "The Job could not be created: {}.",
            one_line(&event.message)
        );
    }
    if told("JobAlreadyActive").is_some() {
        return "Another Job was active then (concurrencyPolicy: Forbid).".to_owned();
    }
    let them = if lost.count == 1 { "it" } else { "them" };
    format!("Nothing shows what delayed {them}; the controller may have been down.")
}
