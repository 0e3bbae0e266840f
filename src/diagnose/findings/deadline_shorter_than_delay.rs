//! Earlier runs started later than the deadline allows.

use super::super::PastRun;
use super::super::{Facts, Found};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let deadline = facts
        .cron_job
        .spec
        .starting_deadline_seconds
        .filter(|deadline| *deadline > 0)?;
    let delays: Vec<i64> = facts
        .runs
        .iter()
        .filter_map(PastRun::delay_seconds)
        .collect();
    let late = delays.iter().filter(|delay| **delay > deadline).count();
    // One late run is an outage or a suspension, and no habit.
    if late < 2 || late * 2 < delays.len() {
        return None;
    }
    let longest = delays.iter().max()?;
    let detail = format!(
        "startingDeadlineSeconds is {deadline}, but {late} of the {} runs that are known started \
         later than that after their slot, up to {longest} seconds. With this deadline such runs \
         are lost without a trace.",
        delays.len()
    );
    let seconds = (2 * longest).max(60);
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}
