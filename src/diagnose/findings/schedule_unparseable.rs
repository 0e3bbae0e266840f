//! The controller cannot read the schedule.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::upcoming::Problem;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
