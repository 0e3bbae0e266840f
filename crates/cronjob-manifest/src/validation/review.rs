//! Collects causes and warnings.

use std::collections::HashSet;
use std::fmt::Display;

use super::answer::{CauseReason, Suggestion, ValidationCause, ValidationWarning};
use super::at::At;
use super::release::ApiServer;
use cronjob_controller::controller::Release;
use kube_cron::go_quote;
use located_yaml::Place;

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

    /// Adds a cause at a place, with the path of a position.
    pub(super) fn note(
        &mut self,
        reason: CauseReason,
        place: Place,
        at: &At<'_>,
        message: impl Into<String>,
    ) {
        if self.causes.len() < MAX_FINDINGS {
            self.causes.push(ValidationCause {
                field: at.path(),
                reason,
                message: message.into(),
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
        let message = with_detail("Required value".to_owned(), detail);
        self.note(CauseReason::Required, at.place(), at, message);
    }

    /// Checks that a text is not empty.
    pub(super) fn require(&mut self, at: &At<'_>, detail: &str) {
        if at.text().is_empty() {
            self.required(at, detail);
        }
    }

    /// Adds a cause for a value that is shown as it is.
    pub(super) fn invalid(&mut self, at: &At<'_>, value: impl Display, detail: &str) {
        let message = format!("Invalid value: {value}: {detail}");
        self.note(CauseReason::Invalid, at.place(), at, message);
    }

    /// Adds a cause for the text at a position, which is shown in quotes.
    pub(super) fn invalid_text(&mut self, at: &At<'_>, detail: &str) {
        self.invalid(at, go_quote(at.text()), detail);
    }

    /// Adds a cause whose value is not shown.
    pub(super) fn invalid_whole(&mut self, at: &At<'_>, detail: &str) {
        let message = format!("Invalid value: {detail}");
        self.note(CauseReason::Invalid, at.key_place(), at, message);
    }

    /// Adds a cause for a list, whose items are texts or, for `[]int32`, numbers.
    pub(super) fn invalid_list(&mut self, at: &At<'_>, go_type: &str, detail: &str) {
        let (json, items) = (at.json(), at.items().map(|item| item.json()));
        let shown = if self.server.shows_json {
            json
        } else if at.exists() {
            let items: Vec<String> = items.collect();
            format!("{go_type}{{{}}}", items.join(", "))
        } else {
            format!("{go_type}(nil)")
        };
        self.invalid(at, shown, detail);
    }

    /// Adds a cause for the key at a position.
    pub(super) fn invalid_key(&mut self, at: &At<'_>, detail: &str) {
        let message = format!("Invalid value: {}: {detail}", go_quote(at.name()));
        self.note(CauseReason::Invalid, at.key_place(), at, message);
    }

    /// Adds a cause for an unsupported text.
    pub(super) fn unsupported(&mut self, at: &At<'_>, supported: &[&str]) {
        self.unsupported_value(at, at.place(), at.text(), supported);
    }

    /// Adds a cause for an unsupported value that is not the text at the position.
    pub(super) fn unsupported_value(
        &mut self,
        at: &At<'_>,
        place: Place,
        value: &str,
        supported: &[&str],
    ) {
        let words: Vec<String> = supported.iter().map(|word| go_quote(word)).collect();
        let (value_shown, words) = (go_quote(value), words.join(", "));
        let message = format!("Unsupported value: {value_shown}: supported values: {words}");
        self.note(CauseReason::NotSupported, place, at, message);
        self.suggest(super::nearest_word(value, supported.iter().copied()));
    }

    /// Adds a cause at the key of a field.
    pub(super) fn forbidden(&mut self, at: &At<'_>, detail: &str) {
        let message = format!("Forbidden: {detail}");
        self.note(CauseReason::Forbidden, at.key_place(), at, message);
    }

    /// Adds a cause at the value of a field.
    pub(super) fn forbidden_value(&mut self, at: &At<'_>, detail: &str) {
        let message = format!("Forbidden: {detail}");
        self.note(CauseReason::Forbidden, at.place(), at, message);
    }

    /// Checks that a field is not set.
    pub(super) fn forbid(&mut self, at: &At<'_>, detail: &str) {
        if at.exists() {
            self.forbidden(at, detail);
        }
    }

    pub(super) fn duplicate(&mut self, at: &At<'_>, value: impl Display) {
        let message = format!("Duplicate value: {value}");
        self.note(CauseReason::Duplicate, at.place(), at, message);
    }

    /// Checks that a text was not seen before.
    pub(super) fn unique(&mut self, at: &At<'_>, text: &str, seen: &mut HashSet<String>) {
        if !seen.insert(text.to_owned()) {
            self.duplicate(at, go_quote(text));
        }
    }

    pub(super) fn not_found(&mut self, at: &At<'_>, value: &str, detail: &str) {
        let message = with_detail(format!("Not found: {}", go_quote(value)), detail);
        self.note(CauseReason::NotFound, at.place(), at, message);
    }

    /// Checks that a text is not longer.
    pub(super) fn no_longer(&mut self, at: &At<'_>, most: usize) {
        if at.text().len() > most {
            self.too_long(at, at.place(), most);
        }
    }

    pub(super) fn too_long(&mut self, at: &At<'_>, place: Place, most: usize) {
        let rule = self.server.length_rule;
        let message = format!("Too long: {rule} {most} bytes");
        self.note(CauseReason::TooLong, place, at, message);
    }

    pub(super) fn too_many(&mut self, at: &At<'_>, most: usize) {
        let message = format!("Too many: {}: must have at most {most} items", at.len());
        self.note(CauseReason::TooMany, at.key_place(), at, message);
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
            self.unsupported(at, supported);
        }
    }

    /// Checks that a value is supported, for which there is no default.
    pub(super) fn must_be(&mut self, at: &At<'_>, supported: &[&str]) {
        if !supported.contains(&at.text()) {
            self.unsupported(at, supported);
        }
    }

    pub(super) fn warn(&mut self, place: Place, message: String) {
        if self.warnings.len() < MAX_FINDINGS {
            self.warnings.push(ValidationWarning { message, place });
        }
    }
}

fn with_detail(message: String, detail: &str) -> String {
    match detail {
        "" => message,
        detail => format!("{message}: {detail}"),
    }
}
