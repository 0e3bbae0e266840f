//! The first step of every look: which Jobs run, which are finished, which are gone.

use std::collections::HashSet;

use super::behaviour::{Generation, Success};
use super::decision::Verdict;
use super::look::{Look, finished};
use crate::model::Job;

/// Compares the Jobs that are there with those that the status lists as active.
pub(super) fn reconcile(look: &mut Look<'_>) {
    let children = look.children();
    let mut running = 0;
    for job in &children {
        let listed = look.active.iter().any(|active| active.uid == job.uid);
        let Some(condition) = finished(job) else {
            running += 1;
            if !listed {
                let name = &job.name;
                let message =
                    format!("Saw a job that the controller did not create or forgot: {name}");
                look.warning("UnexpectedJob", message);
            }
            continue;
        };
        if listed {
            look.active.retain(|active| active.uid != job.uid);
            look.updates_status = true;
            let mut message = format!("Saw completed job: {}", job.name);
            if !look.behaviour.wording.completed.is_empty() {
                let label = look.behaviour.wording.completed;
                message = format!("{message}, {label}: {condition}");
            }
            look.normal("SawCompletedJob", message);
        }
        note_success(look, job, condition == "Complete", listed);
    }
    remove_missing(look, &children);
    let (known, active) = (children.len(), look.active.len());
    look.step(
        "Jobs",
        Verdict::Pass,
        format_args!(
            "{known} of its Jobs known, {running} of them unfinished; {active} count as active"
        ),
    );
}

fn note_success(look: &mut Look<'_>, job: &Job, succeeded: bool, listed: bool) {
    let counts = match look.behaviour.success {
        Success::Never => false,
        Success::FinishedEarlier => !listed,
        Success::SucceededEarlier => !listed && succeeded,
        Success::Succeeded => succeeded,
    };
    if !counts {
        return;
    }
    // The very first is noted even if it has no time of completion, as a failed one has none.
    if look.last_successful_time.is_none() {
        look.last_successful_time = job.completion_time;
        look.updates_status = true;
    }
    if job.completion_time > look.last_successful_time {
        look.last_successful_time = job.completion_time;
        look.updates_status = true;
    }
}

/// Active Jobs that are gone no longer count; the second generation asks for each by name first.
fn remove_missing(look: &mut Look<'_>, children: &[&Job]) {
    if look.active.is_empty() {
        return;
    }
    let known: HashSet<&str> = children.iter().map(|job| job.uid.as_str()).collect();
    let asks = look.behaviour.generation == Generation::V2;
    for active in look.active.clone() {
        let there =
            known.contains(active.uid.as_str()) || (asks && look.job_named(&active.name).is_some());
        if !there {
            look.normal(
                "MissingJob",
                format!("Active job went missing: {}", active.name),
            );
            look.active.retain(|other| other.uid != active.uid);
            look.updates_status = true;
        }
    }
}
