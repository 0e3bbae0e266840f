//! The version of stored runs, and why they cannot be stored or read.

use std::io;

/// The version of the tables.
pub(super) const VERSION: i64 = 1;

/// Why runs cannot be stored or read. The first field is where they are.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{0}")]
    Url(&'static str),
    #[error("cannot open {0}: {1}")]
    Open(String, io::Error),
    #[error("cannot connect to {0}: {1}")]
    Connect(String, String),
    #[error("{0} is being written by another recorder")]
    Locked(String),
    #[error("{0} is not a file of recorded runs")]
    Foreign(String),
    #[error("{0} is {1}")]
    Unsuitable(String, &'static str),
    /// A value that the database cannot store.
    #[error("{0}: {1}")]
    Value(String, String),
    #[error("{0} contains less than was stored: it was restored from an older copy")]
    Reverted(String),
    #[error("{0} does not contain this CronJob any more")]
    Missing(String),
    #[error(
        "{place} was written by another version of this program (tables of version {found}; this one knows {VERSION})"
    )]
    Version { place: String, found: i64 },
    #[error("{0} is damaged; move it away to begin a new file")]
    Damaged(String),
    #[error("{0}: no space left on the device")]
    Full(String),
    #[error("{0} cannot be written: {1}")]
    ReadOnly(String, String),
    #[error("{0}: {1}")]
    Other(String, String),
}

impl StoreError {
    /// Names the `CronJob` that a value could not be stored for.
    pub(super) fn about(self, namespace: &str, name: &str) -> Self {
        match self {
            StoreError::Value(place, why) => StoreError::Value(
                place,
                format!("cannot store CronJob {namespace}/{name}: {why}"),
            ),
            other => other,
        }
    }
}
