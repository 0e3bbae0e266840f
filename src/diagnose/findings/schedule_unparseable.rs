//! The controller cannot read the schedule.

use super::super::commands::one_line;
use super::super::{Facts, Found, Rule, Severity};
use crate::upcoming::Problem;

pub(super) const RULE: Rule = Rule {
    code: "schedule-unparseable",
    severity: Severity::Error,
    title: "the schedule cannot be read",
    reason: "The controller gives up on a schedule that it cannot read, and does not come \
             back to it until somebody changes it. Schedules that an older release took can \
             be unreadable after an upgrade.",
    field: Some("spec.schedule"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    let Err(Problem::Schedule(error)) = &facts.schedule else {
        return None;
    };
    let shown = one_line(&facts.cron_job.spec.schedule);
    let release = facts.controller.release;
    let detail = if error.is_panic() {
        format!(
            "The parser of Kubernetes {release} panics on \"{shown}\": {error}. Nothing is \
             started, and the controller manager may crash."
        )
    } else {
        format!("Kubernetes {release} cannot read \"{shown}\": {error}. Nothing is started.")
    };
    let found = Found::new(detail);
    Some(match error.hint() {
        Some(hint) => found.remedy(hint),
        None => found,
    })
}
