//! Changes of a text that mend what was found.

use crate::document::Span;

/// A change that is certain to be right: it mends what was found and alters nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: `Write 0 for Sunday`.
    pub what: String,
    /// The changes, which do not overlap.
    pub edits: Vec<Edit>,
}

/// Bytes that are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which; an empty span inserts.
    pub span: Span,
    /// What stands there afterwards.
    pub replacement: String,
}

impl Fix {
    /// A fix that is one edit.
    pub fn new(what: impl Into<String>, edit: Edit) -> Self {
        Fix {
            what: what.into(),
            edits: vec![edit],
        }
    }
}
