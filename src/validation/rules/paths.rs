//! Paths of files.

use super::super::at::At;
use super::super::review::Review;
use crate::document::Place;
use crate::schedule::go_quote;

/// A path that stays where it is put.
pub(super) fn relative(review: &mut Review, path: &str, place: Place, value: &str) {
    if value.starts_with('/') {
        review.invalid_as(path, place, go_quote(value), "must be a relative path");
    }
    no_steps_back(review, path, place, value);
}

/// A path without `..` in it.
pub(super) fn no_steps_back(review: &mut Review, path: &str, place: Place, value: &str) {
    if has_steps_back(value) {
        review.invalid_as(path, place, go_quote(value), "must not contain '..'");
    }
}

pub(super) fn has_steps_back(value: &str) -> bool {
    value.split('/').any(|part| part == "..")
}

/// A path below where it is put, and none that the kubelet keeps for itself.
pub(super) fn not_reserved(review: &mut Review, path: &str, place: Place, value: &str) {
    relative(review, path, place, value);
    if value.starts_with("..") && !value.starts_with("../") {
        review.invalid_as(path, place, go_quote(value), "must not start with '..'");
    }
}

/// The path of a file that a volume makes; it must be there.
pub(super) fn of_file(review: &mut Review, at: &At<'_>) {
    if at.text().is_empty() {
        review.required(at, "");
    }
    not_reserved(review, &at.path(), at.place(), at.text());
}

/// The mode of files.
pub(super) fn mode(review: &mut Review, at: &At<'_>) {
    if let Some(mode) = at.int().filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        review.invalid(at, mode, detail);
    }
}
