//! Two slots in one minute would get the same name.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::controller::Generation;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    // Fields are no finer than minutes.
    if facts.timetable.as_ref()?.zone().is_some() {
        return None;
    }
    let period = facts.pace()?.shortest;
    if period >= 60 || facts.behaviour().generation != Generation::V2 {
        return None;
    }
    let detail = format!(
        "\"{}\" is due every {period} seconds, but Jobs are named by the minute of their slot. \
         Of the slots of one minute only one is started.",
        one_line(&facts.cron_job.spec.schedule)
    );
    Some(Found::new(detail).remedy(facts.patch(&json!({ "schedule": "* * * * *" }))))
}
