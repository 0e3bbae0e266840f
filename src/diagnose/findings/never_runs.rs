//! The schedule is valid, and no time ever matches it.

use super::super::commands::one_line;
use super::super::{Facts, Found, PastRun};

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let timetable = facts.timetable.as_ref()?;
    let on_purpose = facts.is_suspended() || facts.runs.iter().any(PastRun::by_hand);
    if on_purpose || timetable.next(facts.now) != Ok(None) {
        return None;
    }
    let shown = one_line(&facts.cron_job.spec.schedule);
    let why = timetable.why_never(facts.now).map_or_else(
        || "it matches no time in the next five years".to_owned(),
        |never| never.to_string(),
    );
    let detail = format!("\"{shown}\" never runs: {why}. Nothing is ever started.");
    Some(Found::new(detail).remedy(
        "If it is only meant to be started by hand, set spec.suspend to true: that says so to \
         everybody.",
    ))
}
