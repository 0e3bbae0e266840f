//! What was found.

use std::sync::Arc;

use super::excerpt::Excerpt;
use super::fix::Fix;
use super::rule::Rule;
use crate::diagnose::Severity;
use crate::document::Place;

/// What a rule found: the parts of a finding that differ from case to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub place: Place,
    /// The field, as the API writes it; empty where it is about the text.
    pub field: String,
    /// What is the case here, in one line without a full stop.
    pub message: String,
    /// What else there is to know, a sentence each.
    pub notes: Vec<String>,
    /// What to do, where that is more than the rule's remedy.
    pub help: Option<String>,
    /// The change that mends it, if one is certain to.
    pub fix: Option<Fix>,
}

impl Found {
    /// Something at a place. Most rules take [`Subject::found`](super::Subject::found).
    pub fn new(field: impl Into<String>, place: Place, message: impl Into<String>) -> Self {
        Found {
            place,
            field: field.into(),
            message: message.into(),
            notes: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// With a sentence more.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With what to do in this case.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Found {
            help: Some(help.into()),
            ..self
        }
    }

    /// With a change that mends it, if there is one.
    #[must_use]
    pub fn fix(self, fix: impl Into<Option<Fix>>) -> Self {
        Found {
            fix: fix.into(),
            ..self
        }
    }
}

/// The object that a finding is about, as far as it says what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Object {
    /// Its `apiVersion`.
    pub api_version: Option<String>,
    /// Its kind.
    pub kind: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// A finding, with everything that a report says of it.
#[derive(Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    /// What the rule found.
    pub found: Found,
    /// The line and the column behind its last character.
    pub end: (u32, u32),
    /// The line of the text that it begins on.
    pub line: Excerpt,
    /// The object, if it is about one.
    pub object: Option<Arc<Object>>,
    /// For which of the releases that were asked about it holds, if not for all of them.
    pub releases: Option<String>,
}
