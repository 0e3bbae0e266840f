//! The answer of the API server for a manifest.

use super::at::At;
use kube_cron::go_quote;
use located_yaml::Place;

/// The answer of the API server of a release when a manifest is created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValidationResult {
    /// Why it rejects the manifest, in its own order; empty if it accepts it.
    ///
    /// A manifest that cannot be decoded has only causes of that kind: rules are not checked then, as on
    /// the server. The server stops at the first value of a wrong type; here all are listed.
    pub causes: Vec<ValidationCause>,
    /// The warnings, if it accepts the manifest.
    pub warnings: Vec<ValidationWarning>,
    /// The complete message for the client, if it rejects the manifest.
    pub message: Option<String>,
    /// The fields that it drops without a warning, because their feature gate is off by default.
    pub dropped: Vec<DroppedField>,
}

impl ValidationResult {
    pub fn accepts(&self) -> bool {
        self.causes.is_empty()
    }
}

/// A reason why the API server rejects a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationCause {
    /// The path of the field, such as `spec.jobTemplate.spec.template.spec.containers[0].name`.
    ///
    /// For causes of rules it is exactly the path in the server's message, even if that is wrong.
    pub field: String,
    pub reason: CauseReason,
    pub message: String,
    /// Where the manifest should be changed: the value, the key if the value does not matter, or the
    /// parent of a missing field.
    pub place: Place,
    pub suggestion: Option<Suggestion>,
}

/// A field that is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedField {
    /// Its path.
    pub field: String,
    pub place: Place,
    /// The minor release whose default stores it, if there is one.
    pub stored_since: Option<u32>,
}

/// A warning about an accepted manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationWarning {
    /// The server's message; most begin with the path of the field.
    pub message: String,
    /// Where the manifest should be changed.
    pub place: Place,
}

/// What was probably intended instead of a wrong value or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    Word(String),
    /// The path of the same field at another position.
    Elsewhere(String),
    /// The minor release that added the field.
    NewerRelease(u32),
    /// A value of another type.
    Type(ExpectedType),
}

/// The type of a field, as far as a manifest shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedType {
    Mapping,
    List,
    Text,
    WholeNumber,
    Bool,
    Quantity,
}

/// Why a manifest is rejected, with the name that the API has for it, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum CauseReason {
    /// The API server of the release does not serve the version or the kind.
    #[error("UnservedVersion")]
    Unserved,
    /// A value has the wrong type or cannot be parsed.
    #[error("Undecodable")]
    Undecodable,
    /// No field of that name is known.
    #[error("UnknownField")]
    UnknownField,
    #[error("DuplicateField")]
    DuplicateField,
    #[error("FieldValueRequired")]
    Required,
    #[error("FieldValueInvalid")]
    Invalid,
    /// A value is not one of the supported values.
    #[error("FieldValueNotSupported")]
    NotSupported,
    /// A field may not be set in combination with another one.
    #[error("FieldValueForbidden")]
    Forbidden,
    /// A value must be unique, and is not.
    #[error("FieldValueDuplicate")]
    Duplicate,
    /// A value refers to something that does not exist.
    #[error("FieldValueNotFound")]
    NotFound,
    /// A text has too many bytes.
    #[error("FieldValueTooLong")]
    TooLong,
    /// A list has too many items.
    #[error("FieldValueTooMany")]
    TooMany,
    /// An internal error of the server.
    #[error("InternalError")]
    Internal,
}

impl CauseReason {
    /// Whether the manifest did not get as far as the rules.
    pub fn precludes_validation(self) -> bool {
        matches!(
            self,
            Self::Unserved | Self::Undecodable | Self::UnknownField | Self::DuplicateField
        )
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
