//! Collects causes and warnings.

use std::fmt::Display;

use super::answer::{CauseReason, Suggestion, ValidationCause, ValidationWarning};
use super::at::At;
use super::release::ApiServer;
use crate::controller::Release;
use crate::document::Place;
use crate::schedule::go_quote;

/// The maximum number of causes, and of warnings.
const MAX_FINDINGS: usize = 1_000;

/// The causes and warnings that rules have found.
pub(super) struct ManifestReview {
    pub(super) server: ApiServer,
    pub(super) minor: u32,
    pub(super) causes: Vec<ValidationCause>,
    pub(super) warnings: Vec<ValidationWarning>,
}

impl ManifestReview {
    pub(super) fn new(release: Release) -> Self {
        ManifestReview {
            server: ApiServer::of(release),
            minor: release.minor(),
            causes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.causes.len() >= MAX_FINDINGS || self.warnings.len() >= MAX_FINDINGS
    }

    pub(super) fn note(&mut self, reason: CauseReason, place: Place, path: &str, message: String) {
        if self.causes.len() < MAX_FINDINGS {
            self.causes.push(ValidationCause {
                field: path.to_owned(),
                reason,
                message,
                place,
                suggestion: None,
            });
        }
    }

    /// Sets the suggestion of the last cause.
    pub(super) fn suggest(&mut self, word: Option<&str>) {
        if let Some(cause) = self.causes.last_mut() {
            cause.suggestion = word.map(|word| Suggestion::Word(word.to_owned()));
        }
    }

    pub(super) fn required(&mut self, at: &At<'_>, detail: &str) {
        self.required_as(&at.path(), at.place(), detail);
    }

    /// Adds a cause whose path differs from the position of the missing value.
    pub(super) fn required_as(&mut self, path: &str, place: Place, detail: &str) {
        let colon = if detail.is_empty() { "" } else { ": " };
        let message = format!("Required value{colon}{detail}");
        self.note(CauseReason::Required, place, path, message);
    }

    /// Adds a cause for a value that is shown as it is.
    pub(super) fn invalid(&mut self, at: &At<'_>, value: impl Display, detail: &str) {
        self.invalid_as(&at.path(), at.place(), value, detail);
    }

    /// Adds a cause for a value whose path differs from its position.
    pub(super) fn invalid_as(
        &mut self,
        path: &str,
        place: Place,
        value: impl Display,
        detail: &str,
    ) {
        let message = format!("Invalid value: {value}: {detail}");
        self.note(CauseReason::Invalid, place, path, message);
    }

    /// Adds a cause for a text, which is shown in quotes.
    pub(super) fn invalid_text(&mut self, at: &At<'_>, value: &str, detail: &str) {
        self.invalid(at, go_quote(value), detail);
    }

    /// Adds a cause whose value is not shown.
    pub(super) fn invalid_whole(&mut self, at: &At<'_>, detail: &str) {
        let message = format!("Invalid value: {detail}");
        self.note(CauseReason::Invalid, at.key_place(), &at.path(), message);
    }

    /// Adds several causes for a text.
    pub(super) fn each_invalid(&mut self, at: &At<'_>, value: &str, details: Vec<String>) {
        self.each_invalid_as(&at.path(), at.place(), value, details);
    }

    /// Adds a cause for a text whose path differs from its position.
    pub(super) fn each_invalid_as(
        &mut self,
        path: &str,
        place: Place,
        value: &str,
        details: Vec<String>,
    ) {
        for detail in details {
            self.invalid_as(path, place, go_quote(value), &detail);
        }
    }

    /// Adds a cause for an unsupported value.
    pub(super) fn unsupported(&mut self, at: &At<'_>, value: &str, supported: &[&str]) {
        self.unsupported_as(&at.path(), at.place(), value, supported);
    }

    /// Adds a cause for an unsupported value whose path differs from its position.
    pub(super) fn unsupported_as(
        &mut self,
        path: &str,
        place: Place,
        value: &str,
        supported: &[&str],
    ) {
        let words: Vec<String> = supported.iter().map(|word| go_quote(word)).collect();
        let (value_shown, words) = (go_quote(value), words.join(", "));
        let message = format!("Unsupported value: {value_shown}: supported values: {words}");
        self.note(CauseReason::NotSupported, place, path, message);
        self.suggest(super::nearest_word(value, supported.iter().copied()));
    }

    pub(super) fn forbidden(&mut self, at: &At<'_>, detail: &str) {
        self.forbidden_as(&at.path(), at.key_place(), detail);
    }

    /// Adds a cause whose path differs from the position.
    pub(super) fn forbidden_as(&mut self, path: &str, place: Place, detail: &str) {
        self.note(
            CauseReason::Forbidden,
            place,
            path,
            format!("Forbidden: {detail}"),
        );
    }

    pub(super) fn duplicate(&mut self, at: &At<'_>, value: impl Display) {
        let message = format!("Duplicate value: {value}");
        self.note(CauseReason::Duplicate, at.place(), &at.path(), message);
    }

    pub(super) fn not_found(&mut self, at: &At<'_>, value: &str, detail: &str) {
        let colon = if detail.is_empty() { "" } else { ": " };
        let message = format!("Not found: {}{colon}{detail}", go_quote(value));
        self.note(CauseReason::NotFound, at.place(), &at.path(), message);
    }

    pub(super) fn too_long(&mut self, at: &At<'_>, most: usize) {
        self.too_long_as(&at.path(), at.place(), most);
    }

    /// Adds a cause for a text whose path differs from its position.
    pub(super) fn too_long_as(&mut self, path: &str, place: Place, most: usize) {
        let message = format!("Too long: may not be more than {most} bytes");
        self.note(CauseReason::TooLong, place, path, message);
    }

    pub(super) fn too_many(&mut self, at: &At<'_>, count: usize, most: usize) {
        let message = format!("Too many: {count}: must have at most {most} items");
        self.note(CauseReason::TooMany, at.key_place(), &at.path(), message);
    }

    /// Checks that a number is within bounds.
    pub(super) fn within(&mut self, at: &At<'_>, value: i64, low: i64, high: i64) {
        if !(low..=high).contains(&value) {
            let detail = format!("must be between {low} and {high}, inclusive");
            self.invalid(at, value, &detail);
        }
    }

    /// Checks that a value is supported; if it is missing, the server sets a default.
    pub(super) fn one_of(&mut self, at: &At<'_>, supported: &[&str]) {
        if let Some(word) = at.some_text()
            && !supported.contains(&word)
        {
            self.unsupported(at, word, supported);
        }
    }

    pub(super) fn warn(&mut self, place: Place, message: String) {
        if self.warnings.len() < MAX_FINDINGS {
            self.warnings.push(ValidationWarning { message, place });
        }
    }
}
