//! Bytes cannot be had in parts.

use super::super::at::At;
use super::super::review::Review;
use super::super::rules::resources::amount;
use super::warn;
use crate::schedule::go_quote;

const BYTES: [&str; 2] = ["memory", "ephemeral-storage"];

fn check(review: &mut Review, list: &At<'_>, name: &str) {
    let entry = list.mapping().and_then(|list| list.entry(name));
    let Some(entry) = entry else { return };
    let at = list.enter(entry, true);
    if let Some(amount) = amount(&at).filter(|amount| !amount.is_whole()) {
        let shown = go_quote(&amount.to_string());
        let message = format!("fractional byte value {shown} is invalid, must be an integer");
        warn(review, &at, &message);
    }
}

pub(super) fn of_overhead(review: &mut Review, at: &At<'_>) {
    for name in BYTES {
        check(review, at, name);
    }
}

pub(super) fn of_container(review: &mut Review, at: &At<'_>) {
    for name in BYTES {
        for list in ["limits", "requests"] {
            check(review, &at.field(list), name);
        }
    }
}

pub(super) fn of_claim(review: &mut Review, at: &At<'_>) {
    let resources = at.field("resources");
    for list in ["requests", "limits"] {
        check(review, &resources.field(list), "storage");
    }
}
