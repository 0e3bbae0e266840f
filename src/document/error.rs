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
        "`{value}` must be quoted, since YAML {reading}; write {}'{}'",
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
        "`*{name}` refers to an anchor that this document does not define before it; define \
         `&{name}` first, or quote the value if no alias is meant: '*{name}'"
    )]
    UnknownAnchor {
        /// The name after the `*`.
        name: String,
    },
    /// An alias stands inside the node it refers to.
    #[error("an alias must not stand inside the node that it refers to; remove the alias")]
    RecursiveAlias,
    /// The aliases would unfold to far more than was written.
    #[error(
        "the aliases of this document unfold to far more nodes than the text has; write the \
         values out"
    )]
    TooManyAliases,
    /// Collections are nested beyond [`MAX_DEPTH`](super::MAX_DEPTH).
    #[error(
        "collections are nested more than {} deep; no Kubernetes object is",
        super::MAX_DEPTH
    )]
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
    #[error("`{value}` is no {expected}, which its tag `{tag}` asks for; remove the tag")]
    WrongTag {
        /// The tag as it is written.
        tag: String,
        /// What the tag asks for.
        expected: &'static str,
        /// The scalar.
        value: String,
    },
    /// The text breaks a rule of YAML.
    #[error("this is not YAML: {message}")]
    Yaml {
        /// The rule, and what to look for.
        message: String,
    },
    /// The text breaks a rule of JSON.
    #[error("this is not JSON: expected {expected}, found {found}")]
    Json {
        /// What the rule asks for.
        expected: &'static str,
        /// What stands there instead.
        found: String,
    },
    /// The text has more broken documents than are worth listing.
    #[error(
        "more than {} documents of this text are broken; the rest was not read",
        super::MAX_ERRORS
    )]
    TooManyErrors,
    /// The text is too long to be counted.
    #[error("texts of 4 GiB and more are not supported; split the file")]
    TooLarge,
}

/// What kubectl reads without complaint although it was hardly meant so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A key stands twice in a mapping. kubectl takes the last one; strict tools refuse it.
    #[error(
        "key `{key}` stands on line {} already (line {}, column {}); the last one counts",
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
        "the merge key on line {} replaces `{key}` of line {}; put the merge key first",
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
