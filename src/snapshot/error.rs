//! What can be wrong with a snapshot.

use std::io;
use std::sync::Arc;

use crate::document::{self, Place};

/// The most bytes that are read from one file: all objects of a large cluster are less.
pub(super) const LARGEST: u64 = 1 << 30;

/// Why a snapshot, or a part of it, could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file system says no.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file or folder.
        file: Arc<str>,
        /// What it says.
        source: io::Error,
    },
    /// A folder without any manifest.
    #[error(
        "{folder}: no .yaml, .yml or .json files found{}",
        if *recursive { "" } else { "; use -R to include subdirectories" }
    )]
    Empty {
        /// The folder.
        folder: Arc<str>,
        /// Whether its folders were looked into.
        recursive: bool,
    },
    /// A URL where a file was expected.
    #[error("{url}: URLs are not supported; download the file and pass it as `-f -`")]
    Url {
        /// The URL.
        url: Arc<str>,
    },
    /// `-` was named more than once.
    #[error("`-f -` can be used only once")]
    StdinTwice,
    /// Bytes that are no text.
    #[error(
        "{file}:{line}:{column}: byte {offset} (0x{byte:02x}) is not UTF-8; save the file as UTF-8"
    )]
    NotUtf8 {
        /// The file.
        file: Arc<str>,
        /// The first byte that is wrong, counted from 0.
        offset: usize,
        /// The byte itself.
        byte: u8,
        /// Its line, counted from 1.
        line: usize,
        /// Its column, counted in characters from 1.
        column: usize,
    },
    /// Text of an encoding that Windows shells like to write.
    #[error(
        "{file}: the encoding is {encoding}; save the file as UTF-8 (PowerShell: … | Out-File -Encoding utf8)"
    )]
    Encoding {
        /// The file.
        file: Arc<str>,
        /// UTF-16 or UTF-32.
        encoding: &'static str,
    },
    /// More than any snapshot has.
    #[error("{file}: larger than the limit of {} GiB", LARGEST >> 30)]
    TooLarge {
        /// The file.
        file: Arc<str>,
    },
    /// A document that is neither YAML nor JSON.
    #[error("{file}:{}:{}: {}", source.place.line, source.place.column, source.kind)]
    Document {
        /// The file.
        file: Arc<str>,
        /// What is wrong with the document.
        source: document::DocumentError,
    },
    /// An object that is not what it says it is.
    #[error(
        "{file}:{}:{}: {}{source}",
        source.place.line, source.place.column,
        object.as_ref().map(|object| format!("{object}: ")).unwrap_or_default()
    )]
    Field {
        /// The file.
        file: Arc<str>,
        /// Which document of the file it is in, counted from 0.
        document: usize,
        /// The object, such as `CronJob shop/nightly`, as far as it is known.
        object: Option<String>,
        /// What is wrong with it.
        source: Box<FieldError>,
    },
    /// A field that a template was to fill in.
    #[error(
        "{file}:{}:{}: {path} looks like a Helm template; render it first: helm template …",
        place.line, place.column
    )]
    Template {
        /// The file.
        file: Arc<str>,
        /// Which document of the file it is in, counted from 0.
        document: usize,
        /// Where it is.
        place: Place,
        /// The field.
        path: String,
    },
}

impl SnapshotError {
    /// The file it is about, and where in the file, as far as there is such a place.
    pub fn location(&self) -> (Option<&str>, Option<Place>) {
        match self {
            Self::Io { file, .. }
            | Self::NotUtf8 { file, .. }
            | Self::Encoding { file, .. }
            | Self::TooLarge { file } => (Some(file), None),
            Self::Document { file, source } => (Some(file), Some(source.place)),
            Self::Field { file, source, .. } => (Some(file), Some(source.place)),
            Self::Template { file, place, .. } => (Some(file), Some(*place)),
            Self::Empty { folder, .. } => (Some(folder), None),
            Self::Url { .. } | Self::StdinTwice => (None, None),
        }
    }
}

/// A field that does not have what the API wants there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected {expected}, found {found}{}", self.way_out())]
pub struct FieldError {
    /// Where its value is; of a field that is missing, where its object is.
    pub place: Place,
    /// The path as the API writes it, such as `spec.schedule`.
    pub path: String,
    /// What the API wants.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
    /// Whether quotes would make it right.
    pub quotable: bool,
}

impl FieldError {
    fn way_out(&self) -> &'static str {
        if self.quotable {
            "; put the value in quotes"
        } else {
            ""
        }
    }
}
