//! The first generation of the controller looks every ten seconds only.

use super::super::{Facts, Found};
use crate::controller::{Generation, Model};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let deadline = facts.cron_job.spec.starting_deadline_seconds?;
    let polls = facts.controller.model == Model::Kubernetes
        && facts.behaviour().generation == Generation::V1;
    if !polls || !(1..10).contains(&deadline) {
        return None;
    }
    let detail = format!(
        "startingDeadlineSeconds is {deadline}, but Kubernetes {} looks only every 10 seconds. \
         About {} of 10 runs are seen too late and lost, without an event.",
        facts.controller.release,
        10 - deadline
    );
    let seconds = facts.sensible_deadline();
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}
