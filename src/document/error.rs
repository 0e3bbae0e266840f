//! What can be wrong with a text.

use super::node::Place;

/// Why a document could not be read, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {}, column {}: {kind}", place.line, place.column)]
pub struct DocumentError {
    /// Which document of the text it is, counted from 0.
    pub document: usize,
    /// Where in the text.
    pub place: Place,
    /// What is wrong.
    pub kind: ErrorKind,
}

impl DocumentError {
    pub(super) fn new(document: usize, place: Place, kind: ErrorKind) -> Self {
        Self {
            document,
            place,
            kind,
        }
    }
}

/// What is wrong with a document. Each message says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A scalar begins with a character that means something else to YAML.
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
        /// What YAML takes it for.
        reading: &'static str,
    },
    /// The text is a template that makes YAML.
    #[error("looks like a Helm template; render it first: helm template …")]
    Template,
    /// An alias names an anchor that does not stand before it in the document.
    #[error(
        "unknown anchor `{name}`; define `&{name}` before it, or quote the value if it is not an \
         alias: '*{name}'"
    )]
    UnknownAnchor {
        /// The name after the `*`.
        name: String,
    },
    /// An alias stands inside the node it refers to.
    #[error("an alias must not be inside the node that it refers to; remove the alias")]
    RecursiveAlias,
    /// The aliases would unfold to far more than was written.
    #[error("the aliases of this document expand to too many nodes; write the values instead")]
    TooManyAliases,
    /// Collections are nested beyond [`MAX_DEPTH`](super::MAX_DEPTH).
    #[error("nested more than {} levels deep", super::MAX_DEPTH)]
    TooDeep,
    /// A merge key has something other than mappings.
    #[error("expected a mapping or a list of mappings to merge, found {found}")]
    WrongMerge {
        /// What stands there instead.
        found: &'static str,
    },
    /// A key that JSON cannot have.
    #[error("expected text as a key, found {found}; put the key in quotes")]
    WrongKey {
        /// What stands there instead.
        found: &'static str,
    },
    /// A tag that does not fit its scalar.
    #[error("`{value}` is not a valid {expected}, as its tag `{tag}` requires; remove the tag")]
    WrongTag {
        /// The tag as it is written.
        tag: String,
        /// What the tag asks for.
        expected: &'static str,
        /// The scalar.
        value: String,
    },
    /// The text breaks a rule of YAML.
    #[error("invalid YAML: {message}")]
    Yaml {
        /// The rule, and what to look for.
        message: String,
    },
    /// The text breaks a rule of JSON.
    #[error("invalid JSON: expected {expected}, found {found}")]
    Json {
        /// What the rule asks for.
        expected: &'static str,
        /// What stands there instead.
        found: String,
    },
    /// The text has more broken documents than are worth listing.
    #[error(
        "more than {} documents are invalid; the rest was not read",
        super::MAX_ERRORS
    )]
    TooManyErrors,
    /// The text is too long to be counted.
    #[error("files of 4 GiB or more are not supported; split the file")]
    TooLarge,
}

/// What kubectl reads without complaint although it was hardly meant so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A key stands twice in a mapping. kubectl takes the last one; strict tools refuse it.
    #[error(
        "duplicate key `{key}`, first set on line {} (line {}, column {}); the last value is used",
        first.line, second.line, second.column
    )]
    DuplicateKey {
        /// The key.
        key: String,
        /// The one that does not count.
        first: Place,
        /// The one that counts.
        second: Place,
    },
    /// A merge key replaces what stands before it. YAML says that it must not; go-yaml v2, and so
    /// kubectl, does it.
    #[error(
        "the merge key on line {} overrides `{key}` on line {}; put the merge key first",
        merge.line, explicit.line
    )]
    MergeReplacesKey {
        /// The key whose value is replaced.
        key: String,
        /// The key that does not count.
        explicit: Place,
        /// The merge key.
        merge: Place,
    },
}

impl Problem {
    /// Where the text should be changed.
    pub fn place(&self) -> Place {
        match self {
            Self::DuplicateKey { second, .. } => *second,
            Self::MergeReplacesKey { merge, .. } => *merge,
        }
    }
}
