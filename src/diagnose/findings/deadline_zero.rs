//! Nothing ever starts with a deadline of zero.

use super::super::commands::add;
use super::super::{Facts, Found, Rule, Severity};
use serde_json::json;

pub(super) const RULE: Rule = Rule {
    code: "deadline-zero",
    severity: Severity::Error,
    title: "a deadline of zero: nothing ever starts",
    reason: "A slot is always a little in the past when the controller looks. With \
             startingDeadlineSeconds: 0 every slot is too old by then, and no event tells \
             of it.",
    field: Some("spec.startingDeadlineSeconds"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
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
