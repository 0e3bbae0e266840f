//! How the pods are spread.

use std::collections::HashMap;

use super::super::at::At;
use super::super::review::Review;
use super::affinity;
use crate::schedule::go_quote;

const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES: [&str; 2] = ["Honor", "Ignore"];

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    // Each pair is said to stand twice where it stands first.
    let mut left: HashMap<(String, String), usize> = HashMap::new();
    let pair = |constraint: &At<'_>| {
        let text = |name: &str| constraint.field(name).text().to_owned();
        (text("topologyKey"), text("whenUnsatisfiable"))
    };
    for constraint in at.items() {
        *left.entry(pair(&constraint)).or_default() += 1;
    }
    for constraint in at.items() {
        let (skew, key) = (constraint.field("maxSkew"), constraint.field("topologyKey"));
        positive(review, &skew, skew.int().unwrap_or_default());
        if key.text().is_empty() {
            review.required(&key, "can not be empty");
        }
        let action = constraint.field("whenUnsatisfiable");
        if !ACTIONS.contains(&action.text()) {
            review.unsupported(&action, action.text(), &ACTIONS);
        }
        if let Some(left) = left.get_mut(&pair(&constraint)) {
            *left = left.saturating_sub(1);
            if *left > 0 {
                let twice = constraint.field("{topologyKey, whenUnsatisfiable}");
                let shown = format!("{{{}, {}}}", key.text(), action.text());
                review.duplicate(&twice, go_quote(&shown));
            }
        }
        let domains = constraint.field("minDomains");
        if let Some(value) = domains.int() {
            positive(review, &domains, value);
            if action.text() != "DoNotSchedule" {
                let detail = format!(
                    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                    action.text()
                );
                review.invalid(&domains, value, &detail);
            }
        }
        review.one_of(&constraint.field("nodeAffinityPolicy"), &POLICIES);
        review.one_of(&constraint.field("nodeTaintsPolicy"), &POLICIES);
        let selector = constraint.field("labelSelector");
        affinity::label_keys(review, &constraint, &selector);
        review.label_selector(&selector);
        if review.is_full() {
            return;
        }
    }
}

fn positive(review: &mut Review, at: &At<'_>, value: i64) {
    if value <= 0 {
        review.invalid(at, value, "must be greater than zero");
    }
}
