//! The controller would start a Job, and for some reason has not.

use super::super::{Facts, Found, Rule, Severity};
use crate::duration::human;

pub(super) const RULE: Rule = Rule {
    code: "start-overdue",
    severity: Severity::Warning,
    title: "a start is overdue",
    reason: "The controller looks a tenth of a second after each slot (before 1.21, every \
             ten seconds). Where a start is long overdue, either the controller manager \
             does not run, or the schedule was changed: then the controller waits for the \
             next slot before it looks.",
    field: Some("status.lastScheduleTime"),
    check,
};

/// A busy controller is seconds late.
const PATIENCE: i64 = 60;

fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = &facts.decision;
    if !decision.starts() {
        return None;
    }
    // Without the Jobs it is not known whether one is in the way.
    if !facts.reach.jobs_read && !facts.cron_job.status.active.is_empty() {
        return None;
    }
    let slot = decision.scheduled_time?;
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
        "The run of {slot} had not been started at {}, {} later, although nothing is in its way. \
         Either the controller manager does not run, or it has not looked since the schedule was \
         changed.",
        facts.reach.as_of,
        human(overdue)
    );
    Some(Found::new(detail).remedy(facts.look_at_lease()))
}
