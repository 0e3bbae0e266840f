//! The second generation of the controller warns above 100 missed starts.

use super::super::{Facts, Found};
use crate::controller::{Class, Outcome};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = facts.prospect();
    let believed = decision
        .missed
        .filter(|missed| missed.class == Class::Many)?;
    let consequence = match decision.outcome {
        Outcome::Start | Outcome::Replace => "starts",
        Outcome::Blocked => "starts, once the running Job has ended,",
        _ => return None,
    };
    let (slot, missed) = (decision.scheduled_time?, facts.missed?);
    let when = if facts.is_suspended() {
        "If it is resumed now, the"
    } else {
        "The"
    };
    let estimate = believed
        .estimate
        .map_or_else(String::new, |estimate| format!(" {estimate}"));
    let detail = format!(
        "{when} controller counts{estimate} missed starts since {}; really there are {}. It \
         records the warning TooManyMissedTimes and {consequence} the run of {slot} all the \
         same.",
        believed.since.unwrap_or(missed.since),
        missed.count
    );
    let seconds = facts.sensible_deadline();
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}
