//! The first generation of the controller looks every ten seconds only.

use super::super::{Facts, Found, Rule, Severity};
use crate::controller::{Generation, Model};
use serde_json::json;

pub(super) const RULE: Rule = Rule {
    code: "deadline-under-ten-seconds",
    severity: Severity::Warning,
    title: "a deadline of less than 10 seconds",
    reason: "Up to Kubernetes 1.20 the controller looks every ten seconds. A slot can be \
             ten seconds old when it is first seen; with a shorter deadline it is lost \
             then. Since 1.21 the controller wakes a tenth of a second after each slot, and \
             short deadlines work, whatever the documentation says.",
    field: Some("spec.startingDeadlineSeconds"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
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
