//! An error of a field, in the words of the API server.

use std::fmt;

use crate::schedule::go_quote;

/// Why a field is refused: a cause of the API server's answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The path of the field, such as `spec.schedule`.
    pub field: String,
    /// The message, letter for letter.
    pub message: String,
}

impl FieldError {
    /// Something must be there. The detail may be empty.
    pub(crate) fn required(field: &str, detail: &str) -> Self {
        let colon = if detail.is_empty() { "" } else { ": " };
        Self::new(field, format!("Required value{colon}{detail}"))
    }

    /// A value that is shown as it is.
    pub(crate) fn invalid(field: &str, value: impl fmt::Display, detail: &str) -> Self {
        Self::new(field, format!("Invalid value: {value}: {detail}"))
    }

    /// A text, which is shown in quotes.
    pub(crate) fn invalid_text(field: &str, value: &str, detail: &str) -> Self {
        Self::invalid(field, go_quote(value), detail)
    }

    /// A value that is none of a few.
    pub(crate) fn unsupported(field: &str, value: impl fmt::Display, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| go_quote(value)).collect();
        let supported = supported.join(", ");
        let message = format!("Unsupported value: {value}: supported values: {supported}");
        Self::new(field, message)
    }

    /// Any other message.
    pub(crate) fn new(field: &str, message: String) -> Self {
        FieldError {
            field: field.to_owned(),
            message,
        }
    }
}
