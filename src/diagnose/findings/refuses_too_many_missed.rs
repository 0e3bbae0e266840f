//! Above 100 missed starts the first generation of the controller refuses for ever.

use super::super::{Facts, Found};
use crate::controller::Outcome;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    // A schedule that never runs comes to the same refusal; that is another rule's.
    facts.next_run()?;
    if facts.prospect().outcome != Outcome::TooManyMissed {
        return None;
    }
    let missed = facts.missed?;
    let when = if facts.is_suspended() {
        "Once resumed, this"
    } else {
        "This"
    };
    let detail = format!(
        "{} slots were missed since {}: more than 100. {when} release records FailedNeedsStart \
         every 10 seconds, starts nothing, and does not recover by itself.",
        missed.count, missed.since
    );
    let seconds = facts.sensible_deadline();
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}
