//! The controller would start a Job, and for some reason has not.

use super::super::commands::one_line;
use super::super::{Facts, Found, local};
use crate::duration::human;
use crate::forecast::{Because, Edit, Sync};

/// A busy controller is seconds late.
const PATIENCE: i64 = 60;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = &facts.decision;
    if !decision.starts() {
        return None;
    }
    // Without the Jobs it is not known whether one is in the way.
    if !facts.reach.jobs_read && !facts.cron_job.status.active.is_empty() {
        return None;
    }
    let slot = decision.scheduled_time?;
    let next = facts.outlook().next_start()?;
    if let (Some(Because::Edited(edit)), Some(job)) = (&next.because, &next.job_name) {
        return Some(edited(facts, next, edit, job));
    }
    let tried = facts.events.iter().any(|event| {
        event.reason == "FailedCreate" && event.last_seen().is_some_and(|seen| seen >= slot)
    });
    let overdue = facts
        .reach
        .as_of
        .as_second()
        .saturating_sub(slot.as_second());
    if tried || overdue <= PATIENCE {
        return None;
    }
    let detail = format!(
        "The run scheduled at {slot} had not started at {}, {} later, and nothing explains it. The \
         controller manager may not be running.",
        facts.reach.as_of,
        human(overdue)
    );
    Some(Found::new(detail).remedy(facts.look_at_lease()))
}

/// The schedule was edited, and the controller has not synced since.
fn edited(facts: &Facts<'_>, next: &Sync, edit: &Edit, job: &str) -> Found {
    let was = edit.before.as_ref().map_or_else(String::new, |before| {
        format!(" (was {})", one_line(&before.schedule))
    });
    let when = match next.at {
        Some(at) => format!("at {}", local(facts, at)),
        None => "when the wake-up of the previous schedule comes, whose time is unknown".to_owned(),
    };
    let detail = format!(
        "The schedule was edited at {} by {}{was}. An edit alone does not make the controller sync: \
         {} starts {when}. Any other update of the CronJob starts it immediately.",
        edit.at,
        one_line(&edit.manager),
        one_line(job)
    );
    let remedy = format!("{}  # starts {} immediately", facts.touch(), one_line(job));
    Found::new(detail).remedy(remedy)
}
