//! Errors and problems of documents.

use super::node::Place;

/// Why a document cannot be read, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {}, column {}: {kind}", place.line, place.column)]
pub struct DocumentError {
    /// The number of the document in the text, from 0.
    pub document: usize,
    pub place: Place,
    pub kind: ErrorKind,
}

/// An error without its document.
pub(super) type Failure = (Place, ErrorKind);

/// What is wrong with a document. Most messages have a remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ErrorKind {
    /// A scalar begins with a character that has another meaning in YAML.
    #[error(
        "`{value}` must be quoted, because YAML {reading}; write {}'{}'",
        key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default(),
        value.replace('\'', "''")
    )]
    Unquoted {
        /// The key whose value it is.
        key: Option<String>,
        /// The value as it is written.
        value: String,
        reading: &'static str,
    },
    #[error("looks like a Helm template; render it first: helm template …")]
    Template,
    /// An alias of an anchor that is not defined before it in the document.
    #[error(
        "unknown anchor `{name}`; define `&{name}` before it, or quote the value if it is not an \
         alias: '*{name}'"
    )]
    UnknownAnchor {
        /// The name after the `*`.
        name: String,
    },
    #[error("an alias must not be inside the node that it refers to; remove the alias")]
    RecursiveAlias,
    #[error("the aliases of this document expand to too many nodes; write the values instead")]
    TooManyAliases,
    #[error("nested more than {} levels deep", super::MAX_DEPTH)]
    TooDeep,
    #[error("expected a mapping or a list of mappings to merge, found {found}")]
    WrongMerge { found: &'static str },
    #[error("expected text as a key, found {found}; put the key in quotes")]
    WrongKey { found: &'static str },
    #[error("`{value}` is not a valid {expected}, as its tag `{tag}` requires; remove the tag")]
    WrongTag {
        /// The tag as it is written.
        tag: String,
        expected: &'static str,
        value: String,
    },
    #[error("invalid YAML: {message}")]
    Yaml {
        /// The message of the parser, and a remedy.
        message: String,
    },
    #[error("invalid JSON: expected {expected}, found {found}")]
    Json {
        expected: &'static str,
        found: String,
    },
    #[error(
        "more than {} documents are invalid; the rest was not read",
        super::MAX_ERRORS
    )]
    TooManyErrors,
    #[error("files of 4 GiB or more are not supported; split the file")]
    TooLarge,
}

/// What kubectl accepts, but was probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A duplicate key. kubectl uses the last one; strict tools reject it.
    #[error(
        "duplicate key `{key}`, first set on line {} (line {}, column {}); the last value is used",
        first.line, second.line, second.column
    )]
    DuplicateKey {
        key: String,
        first: Place,
        second: Place,
    },
    /// A merge key that overrides a key before it. YAML does not allow this, but go-yaml v2 and
    /// therefore kubectl do it.
    #[error(
        "the merge key on line {} overrides `{key}` on line {}; put the merge key first",
        merge.line, explicit.line
    )]
    MergeReplacesKey {
        /// The key whose value is overridden.
        key: String,
        explicit: Place,
        merge: Place,
    },
}

impl Problem {
    pub fn place(&self) -> Place {
        match self {
            Self::DuplicateKey { second, .. } => *second,
            Self::MergeReplacesKey { merge, .. } => *merge,
        }
    }
}
