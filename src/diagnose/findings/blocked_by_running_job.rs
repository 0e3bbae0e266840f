//! Forbid, and a Job is active.

use super::super::blockade::Blockade;
use super::super::commands::{add, one_line};
use super::super::{Facts, Found, Severity};
use crate::controller::Outcome;
use crate::duration::human;
use crate::model::Job;
use jiff::Timestamp;

/// Pods take a while to start.
const PATIENCE: i64 = 60;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let blockade = facts.blockade()?;
    let Blockade {
        name,
        job,
        unstarted,
    } = blockade;
    let run = facts.runs.iter().find(|run| run.job.name == *name);
    let does = match run {
        Some(run) if facts.awaits_pod(run) => "has been waiting for its pod",
        _ if facts.jobs_are_unknown() => "is in status.active (Jobs were not read)",
        _ => "has been active",
    };
    let mut detail = format!("{} {does}", one_line(name));
    let created = job.and_then(|job| job.creation_timestamp);
    if let Some(created) = created {
        let age = human(facts.ago(created));
        add(&mut detail, format_args!(" for {age} (since {created})"));
    }
    let runs = match unstarted.count {
        1 => format!("the run scheduled at {} has not", unstarted.first),
        count => format!("{count} runs scheduled since {} have not", unstarted.first),
    };
    add(
        &mut detail,
        format_args!(
            ", and {runs} been started. {}",
            then(facts, unstarted.count)
        ),
    );
    if let Some(stuck) = job.and_then(|job| stuck(facts, job)) {
        add(&mut detail, format_args!(" {stuck}"));
    }
    let look = facts.kubectl("describe job").name(name);
    let end = facts.delete_job(name);
    let found = Found::new(detail).remedy(look.comment(format!("to end it: {end}")));
    // Some schedules are meant to start the next run as soon as the last one ends.
    let is_usual = created
        .zip(facts.longest_run())
        .is_some_and(|(created, longest)| facts.ago(created) <= 2 * longest);
    Some(if unstarted.is_lasting(facts) && !is_usual {
        found.severity(Severity::Error)
    } else {
        found
    })
}

/// What happens to the runs that were not started.
fn then(facts: &Facts<'_>, count: u64) -> String {
    let (one, none) = match count {
        1 => ("It is", "It is not"),
        _ => ("They are", "None of them is"),
    };
    let deadline = facts.cron_job.spec.starting_deadline_seconds;
    let waits = facts.decision.outcome == Outcome::Blocked;
    match (facts.decision.scheduled_time.filter(|_| waits), deadline) {
        (Some(run), deadline) => {
            let which = match count {
                1 => "It".to_owned(),
                _ => format!("The run of {run}"),
            };
            let end = deadline.and_then(|deadline| run.as_second().checked_add(deadline));
            let when = match end.and_then(|end| Timestamp::from_second(end).ok()) {
                Some(end) => format!("if that Job ends by {end}"),
                None => "when that Job ends".to_owned(),
            };
            let others = match count.saturating_sub(1) {
                0 => String::new(),
                1 => "; the one before it is skipped".to_owned(),
                others => format!("; the {others} before it are skipped"),
            };
            format!("{which} starts {when}{others}.")
        }
        (None, Some(deadline)) => {
            format!("{one} skipped: startingDeadlineSeconds is {deadline}.")
        }
        (None, None) => format!("{none} started when that Job ends."),
    }
}

/// Why the Job may never end, as far as the Job itself shows it.
fn stuck(facts: &Facts<'_>, job: &Job) -> Option<String> {
    let age = facts.ago(job.creation_timestamp?);
    if let Some(since) = job.deletion_timestamp {
        return Some(format!(
            "It is being deleted since {since}: something, such as a finalizer, holds it."
        ));
    }
    if let Some(queue) = facts.queue_of(job) {
        return Some(format!(
            "It is waiting for admission by Kueue, queue {}.",
            one_line(queue)
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
    facts
        .longest_run()
        .filter(|longest| age > 2 * longest.max(&PATIENCE))
        .map(|longest| {
            format!(
                "The longest of its earlier runs took {}: it may be stuck.",
                human(longest)
            )
        })
}
