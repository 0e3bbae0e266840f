//! What is wrong with a selector.

use std::ops::Range;

/// What is wrong with a selector, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SelectorError {
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

    /// Something else stands where `expected` should.
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

    /// Where in the selector it is, in bytes; empty at the end of it.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}
