//! Nothing ever starts with a deadline of zero.

use super::super::commands::add;
use super::super::{Facts, Found};
use serde_json::json;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    if facts.has_time_to_start() {
        return None;
    }
    let mut detail = String::from(
        "startingDeadlineSeconds is 0, so every slot is too old by the time the controller looks. \
         Nothing is ever started, and no event says so.",
    );
    if let Some(next) = facts.next_run() {
        add(
            &mut detail,
            format_args!(" The next run to be lost is that of {next}."),
        );
    }
    let seconds = facts.sensible_deadline();
    Some(Found::new(detail).remedy(facts.patch(&json!({ "startingDeadlineSeconds": seconds }))))
}
