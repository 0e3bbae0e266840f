//! Errors of selectors.

use std::ops::Range;

/// Why a selector cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SelectorError {
    message: String,
    span: Range<usize>,
}

impl SelectorError {
    pub(super) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        SelectorError {
            message: message.into(),
            span,
        }
    }

    /// Something else was found instead of `expected`.
    pub(super) fn expected(expected: &str, found: &str, at: usize) -> Self {
        let shown = if found.is_empty() {
            "the end".to_owned()
        } else {
            format!("{found:?}")
        };
        Self::new(
            format!("expected {expected}, found {shown}"),
            at..at + found.len(),
        )
    }

    /// The range in the selector, in bytes; empty at its end.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}
