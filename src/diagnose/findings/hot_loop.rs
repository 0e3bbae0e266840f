//! The next look lies in the past.

use super::super::{Facts, Found};
use crate::duration::exact;
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let after = facts.decision.requeue_after.filter(|after| *after < 0)?;
    let ago = exact(-(after / 1_000_000_000));
    let detail = format!(
        "Kubernetes {} wants to look again {ago} ago, that is at once, and comes to the same \
         result each time. This goes on until the next start, and keeps the controller manager \
         busy.",
        facts.controller.release
    );
    let suspend = facts.patch(&json!({ "suspend": true }));
    let upgrade = "stops it for now; 1.26.11, 1.27.8, 1.28.4 and 1.29 are repaired";
    Some(Found::new(detail).remedy(suspend.comment(upgrade)))
}
