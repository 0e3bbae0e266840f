//! A Job made by hand is running, and the controller wonders at it.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::model::ConcurrencyPolicy;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let jobs: Vec<String> = facts
        .runs
        .iter()
        .filter(|run| run.controlled && !run.is_by_controller() && run.ending().is_none())
        .map(|run| one_line(&run.job.name))
        .collect();
    if jobs.is_empty() {
        return None;
    }
    let policy = match facts.cron_job.spec.concurrency_policy {
        ConcurrencyPolicy::Forbid => " Forbid does not wait for it.",
        ConcurrencyPolicy::Replace => " Replace does not delete it.",
        _ => "",
    };
    Some(Found::new(format!(
        "Running and made by hand: {}. The warning UnexpectedJob about it is harmless.{policy}",
        jobs.join(", ")
    )))
}
