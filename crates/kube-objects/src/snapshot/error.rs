//! Errors of snapshots.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::fields::{FieldError, FieldRemedy};
use located_yaml::{self, Place};

/// The largest file in bytes; a snapshot of a large cluster is smaller.
pub(super) const LARGEST: u64 = 1 << 30;

/// Why a file, or an object in it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("cannot read {file}: {source}")]
    Io { file: Arc<str>, source: io::Error },
    #[error(
        "{folder}: no .yaml, .yml or .json files found{}",
        if *recursive { "" } else { "; use -R to include subdirectories" }
    )]
    Empty { folder: Arc<str>, recursive: bool },
    #[error("{url}: URLs are not supported; download the file and pass it as `-f -`")]
    Url { url: Arc<str> },
    #[error("`-f -` can be used only once")]
    StdinTwice,
    #[error(
        "{file}:{}:{}: byte {} (0x{:02x}) is not UTF-8; save the file as UTF-8",
        invalid.place.line, invalid.place.column, invalid.place.span.start, invalid.byte
    )]
    NotUtf8 {
        file: Arc<str>,
        invalid: located_yaml::InvalidByte,
    },
    #[error(
        "{file}: the encoding is {encoding}; save the file as UTF-8 (PowerShell: … | Out-File -Encoding utf8)"
    )]
    Encoding {
        file: Arc<str>,
        /// UTF-16 or UTF-32.
        encoding: &'static str,
    },
    #[error("{file}: larger than the limit of {} GiB", LARGEST >> 30)]
    TooLarge { file: Arc<str> },
    #[error("{file}:{}:{}: {}", source.place.line, source.place.column, source.kind)]
    Document {
        file: Arc<str>,
        source: located_yaml::DocumentError,
    },
    #[error(
        "{file}:{}:{}: {}{source}",
        source.place.line, source.place.column,
        object.as_ref().filter(|_| source.remedy != FieldRemedy::Render)
            .map(|object| format!("{object}: ")).unwrap_or_default()
    )]
    Field {
        file: Arc<str>,
        /// Which document of the file it is in, counted from 0.
        document: usize,
        object: Option<Box<UnreadObject>>,
        source: Box<FieldError>,
    },
}

/// An object that could not be read, although its name could.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadObject {
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
}

impl fmt::Display for UnreadObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

impl SnapshotError {
    /// The file and the position in it, if there are any.
    pub fn location(&self) -> (Option<&str>, Option<Place>) {
        match self {
            Self::Io { file, .. }
            | Self::NotUtf8 { file, .. }
            | Self::Encoding { file, .. }
            | Self::TooLarge { file } => (Some(file), None),
            Self::Document { file, source } => (Some(file), Some(source.place)),
            Self::Field { file, source, .. } => (Some(file), Some(source.place)),
            Self::Empty { folder, .. } => (Some(folder), None),
            Self::Url { .. } | Self::StdinTwice => (None, None),
        }
    }
}
