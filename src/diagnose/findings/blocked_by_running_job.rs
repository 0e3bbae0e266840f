//! Forbid, and a Job is running.

use super::super::PastRun;
use super::super::commands::{add, counted, one_line};
use super::super::{Facts, Found, Rule, Severity};
use crate::controller::Outcome;
use crate::duration::human;
use crate::model::Job;

pub(super) const RULE: Rule = Rule {
    code: "blocked-by-running-job",
    severity: Severity::Warning,
    title: "blocked by a running Job",
    reason: "With concurrencyPolicy Forbid no Job is started while one runs. When that one \
             ends, the latest missed slot is started late, and the ones before it are lost. \
             A Job that never ends blocks for ever.",
    field: Some("spec.concurrencyPolicy"),
    check,
};

/// Pods take a while to start.
const PATIENCE: i64 = 60;

fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = &facts.decision;
    if decision.outcome != Outcome::Blocked {
        return None;
    }
    let slot = decision.scheduled_time?;
    let name = decision.status_after.active.first()?;
    let mut detail = format!("The run of {slot} waits for {}", one_line(name));
    let job = facts.job_named(name);
    if let Some(created) = job.and_then(|job| job.creation_timestamp) {
        add(
            &mut detail,
            format_args!(
                ", which is there for {} (since {created})",
                human(facts.ago(created))
            ),
        );
    }
    detail.push('.');
    if let Some(missed) = facts.missed.filter(|missed| missed.count > 1) {
        let before = counted(missed.count - 1, "slot");
        add(&mut detail, format_args!(" {before} before it got no Job."));
    }
    if let Some(stuck) = job.and_then(|job| stuck(facts, job)) {
        add(&mut detail, format_args!(" {stuck}"));
    }
    let look = facts.kubectl("describe job").name(name);
    let end = facts.kubectl("delete job").name(name);
    Some(Found::new(detail).remedy(look.comment(format!("to end it: {end}"))))
}

/// Why the Job may never end, as far as the Job itself shows it.
fn stuck(facts: &Facts<'_>, job: &Job) -> Option<String> {
    let age = facts.ago(job.creation_timestamp?);
    if let Some(since) = job.deletion_timestamp {
        return Some(format!(
            "It is being deleted since {since}: something, such as a finalizer, holds it."
        ));
    }
    if job.suspend == Some(true) {
        return Some(
            "It is suspended itself: it has no pods, and never ends by itself.".to_owned(),
        );
    }
    if job.start_time.is_none() {
        return Some("No Job controller has taken it up yet.".to_owned());
    }
    if job.active == 0 {
        return Some("None of its pods runs.".to_owned());
    }
    if job.ready == Some(0) && age >= PATIENCE {
        // Where pods were read, other findings say what they wait for.
        let seen = !facts.pods_of(job).is_empty();
        let guess = if seen {
            "."
        } else {
            ": they may be waiting for a node or an image."
        };
        return Some(format!("None of its pods is ready{guess}"));
    }
    let longest = facts
        .runs
        .iter()
        .filter_map(PastRun::duration_seconds)
        .max();
    longest
        .filter(|longest| age > 2 * longest.max(&PATIENCE))
        .map(|longest| {
            format!(
                "The longest of its earlier runs took {}: it may be stuck.",
                human(longest)
            )
        })
}
