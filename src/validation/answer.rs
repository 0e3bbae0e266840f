//! What the API server says of a manifest.

use std::fmt;

use super::at::At;
use crate::document::Place;
use crate::schedule::go_quote;

/// What the API server of a release says of a manifest that is to be created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValidationResult {
    /// Why it refuses the manifest, in its own order; empty where it takes it.
    ///
    /// A manifest that cannot be decoded has causes of that kind only: then no rule is asked, here
    /// as on the server. The server stops at the first value of a wrong type; here all are listed.
    pub causes: Vec<ValidationCause>,
    /// What it warns of while it takes the manifest; empty where it refuses it.
    pub warnings: Vec<ValidationWarning>,
    /// The message as a whole, as a client receives it; absent where it takes the manifest.
    pub message: Option<String>,
}

impl ValidationResult {
    /// Whether it takes the manifest.
    pub fn accepts(&self) -> bool {
        self.causes.is_empty()
    }
}

/// One cause of a refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationCause {
    /// The path of the field, such as `spec.jobTemplate.spec.template.spec.containers[0].name`.
    ///
    /// Of a rule's cause it is letter for letter what the server says, even where that is a slip.
    pub field: String,
    /// The kind of cause.
    pub reason: CauseReason,
    /// The server's words.
    pub message: String,
    /// Where the manifest should be changed: the value, the key where the value does not matter,
    /// or what should have held the field where it is missing.
    pub place: Place,
    /// What was probably meant.
    pub suggestion: Option<Suggestion>,
}

/// Something that is taken, but hardly meant so.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationWarning {
    /// The server's words; most begin with the path of the field.
    pub message: String,
    /// Where the manifest should be changed.
    pub place: Place,
}

/// What was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Another word in its place.
    Word(String),
    /// The same field in another place: its path.
    Elsewhere(String),
    /// The field is not known to this release: the minor release that brought it.
    NewerRelease(u32),
}

/// The kind of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseReason {
    /// The API server of the release does not serve the version or the kind.
    Unserved,
    /// A value is of a wrong type, or cannot be read as what it stands for.
    Undecodable,
    /// No field of that name is known.
    UnknownField,
    /// A key is written twice.
    DuplicateField,
    /// Something must be there.
    Required,
    /// A value breaks a rule.
    Invalid,
    /// A value is none of a few.
    NotSupported,
    /// Something may not be there, as things are.
    Forbidden,
    /// A value must be unique, and is not.
    Duplicate,
    /// A value names something that is not there.
    NotFound,
    /// A text has too many bytes.
    TooLong,
    /// A list has too many items.
    TooMany,
    /// The server fails on it.
    Internal,
}

impl CauseReason {
    /// The name that the API has for it, where it has one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unserved => "UnservedVersion",
            Self::Undecodable => "Undecodable",
            Self::UnknownField => "UnknownField",
            Self::DuplicateField => "DuplicateField",
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }

    /// Whether the manifest did not get as far as the rules.
    pub fn precludes_validation(self) -> bool {
        matches!(
            self,
            Self::Unserved | Self::Undecodable | Self::UnknownField | Self::DuplicateField
        )
    }
}

impl fmt::Display for CauseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Of a manifest that cannot be decoded.
pub(super) fn undecodable_message(
    top: &At<'_>,
    wrong: &[ValidationCause],
    strict: &[ValidationCause],
) -> String {
    let start = cannot_be_handled(top.field("apiVersion").text());
    if let Some(first) = wrong.first() {
        return format!("{start}: {}", first.message);
    }
    let (lines, fields): (Vec<&ValidationCause>, Vec<&ValidationCause>) = strict
        .iter()
        .partition(|cause| cause.message.starts_with("line "));
    let mut parts = Vec::new();
    if !lines.is_empty() {
        let lines = lines.iter().map(|cause| format!("\n  {}", cause.message));
        parts.push(format!(
            "yaml: unmarshal errors:{}",
            lines.collect::<String>()
        ));
    }
    parts.extend(fields.iter().map(|cause| cause.message.clone()));
    format!("{start}: strict decoding error: {}", parts.join(", "))
}

/// The beginning of what the server says of what it cannot take for a `CronJob`.
pub(super) fn cannot_be_handled(api_version: &str) -> String {
    let version = match api_version {
        "" => "v1",
        other => other.rsplit('/').next().unwrap_or(other),
    };
    format!(
        "CronJob in version {} cannot be handled as a CronJob",
        go_quote(version)
    )
}

/// Of a manifest that breaks rules. What is said twice is shown once.
pub(super) fn invalid_message(top: &At<'_>, causes: &[ValidationCause]) -> String {
    let metadata = top.field("metadata");
    let name = metadata.field("name").text();
    let start = format!("CronJob.batch {} is invalid", go_quote(name));
    if let [
        ValidationCause {
            reason: CauseReason::Internal,
            message,
            ..
        },
    ] = causes
    {
        return message.clone();
    }
    let mut shown: Vec<String> = Vec::new();
    for cause in causes {
        let text = format!("{}: {}", cause.field, cause.message);
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    match shown.as_slice() {
        [one] => format!("{start}: {one}"),
        many => format!("{start}: [{}]", many.join(", ")),
    }
}
