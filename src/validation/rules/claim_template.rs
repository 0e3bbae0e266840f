//! The claim that a volume makes for itself.

use super::super::at::At;
use super::super::review::Review;
use super::resources;
use crate::document::Mapping;
use crate::schedule::go_quote;

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    if !at.exists() {
        review.required(at, "");
        return;
    }
    let metadata = at.field("metadata");
    review.annotations(&metadata.field("annotations"));
    review.labels(&metadata.field("labels"));
    for field in metadata.mapping().map(Mapping::entries).unwrap_or_default() {
        let set = metadata.enter(field, false);
        if set.exists() && !["annotations", "labels", "creationTimestamp"].contains(&set.name()) {
            review.forbidden(&set, "cannot be set");
        }
    }
    check_spec(review, &at.field("spec"));
}

fn check_spec(review: &mut Review, at: &At<'_>) {
    let modes = at.field("accessModes");
    if modes.is_empty() {
        review.required(&modes, "at least 1 access mode is required");
    }
    review.label_selector(&at.field("selector"));
    for mode in modes.items() {
        if !MODES.contains(&mode.text()) {
            review.unsupported_as(&modes.path(), mode.place(), mode.text(), &MODES);
        }
    }
    let known = |only: bool| {
        let is_only = |mode: &str| mode == "ReadWriteOncePod";
        let mut items = modes.items();
        items.any(|mode| MODES.contains(&mode.text()) && is_only(mode.text()) == only)
    };
    if known(true) && known(false) {
        review.forbidden(
            &modes,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    storage(review, &at.field("resources"));
    let class = at.field("storageClassName");
    if !class.text().is_empty() {
        review.dns_subdomain(&class);
    }
    review.one_of(&at.field("volumeMode"), &["Block", "Filesystem"]);
}

/// The server names the resource of the list, whichever list it is in.
fn storage(review: &mut Review, at: &At<'_>) {
    let path = format!("{}[storage]", at.path());
    let requests = at.field("requests");
    let amount = requests.field("storage");
    let there = requests
        .mapping()
        .is_some_and(|map| map.entry("storage").is_some());
    let Some(size) = resources::amount(&amount).filter(|_| there) else {
        review.required_as(&path, at.place(), "");
        return;
    };
    if size.is_negative() || size.is_zero() {
        let shown = go_quote(&size.to_string());
        review.invalid_as(&path, amount.place(), shown, "must be greater than zero");
    }
}
