//! The version of stored runs, and why they cannot be stored or read.

use std::error::Error;
use std::io;

#[cfg(feature = "recorder")]
use rusqlite::ErrorCode;
#[cfg(feature = "recorder-postgres")]
use tokio_postgres::error::SqlState;

use super::database::DatabaseError;

/// The version of the tables.
pub(super) const VERSION: i64 = 1;

pub(super) const SCHEMA: &str = include_str!("schema.sql");

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

/// Refuses tables of another version.
pub(super) fn check_version(place: &str, found: i64) -> Result<(), StoreError> {
    let place = place.to_owned();
    (found == VERSION)
        .then_some(())
        .ok_or(StoreError::Version { place, found })
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

    pub(super) fn of(place: &str, error: DatabaseError) -> Self {
        let place = place.to_owned();
        match error {
            DatabaseError::Locked => StoreError::Locked(place),
            DatabaseError::Reverted => StoreError::Reverted(place),
            #[cfg(feature = "recorder")]
            DatabaseError::Sqlite(error) if is_moved(&error) => StoreError::ReadOnly(
                place,
                "the file was moved, replaced or deleted; start the recorder again".to_owned(),
            ),
            #[cfg(feature = "recorder")]
            DatabaseError::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => StoreError::Foreign(place),
                Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged(place),
                Some(ErrorCode::DiskFull) => StoreError::Full(place),
                Some(ErrorCode::TooBig) => StoreError::Value(place, error.to_string()),
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
                    StoreError::ReadOnly(place, error.to_string())
                }
                _ => StoreError::Other(place, error.to_string()),
            },
            #[cfg(feature = "recorder-postgres")]
            DatabaseError::Postgres(error) => match error.as_db_error() {
                Some(error) if *error.code() == SqlState::DISK_FULL => StoreError::Full(place),
                Some(error) => match error.code().code().get(..2) {
                    // These messages contain the name of the user.
                    Some("28") if *error.code() == SqlState::INVALID_PASSWORD => {
                        StoreError::Connect(place, "password authentication failed".to_owned())
                    }
                    Some("28") => StoreError::Connect(
                        place,
                        "the user is not accepted; the log of the server says why".to_owned(),
                    ),
                    Some("22" | "54") => StoreError::Value(place, error.message().to_owned()),
                    _ => StoreError::Other(place, error.message().to_owned()),
                },
                None => StoreError::Connect(place, connection_problem(&error)),
            },
            error @ (DatabaseError::Timeout | DatabaseError::Io(_)) => {
                StoreError::Connect(place, error.to_string())
            }
            error @ (DatabaseError::Column(_)
            | DatabaseError::Unusable(_)
            | DatabaseError::Encoding(_)) => StoreError::Other(place, error.to_string()),
        }
    }
}

/// Whether the path leads to another file than the one that was opened, or to none.
#[cfg(feature = "recorder")]
fn is_moved(error: &rusqlite::Error) -> bool {
    let error = error.sqlite_error();
    error.is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_READONLY_DBMOVED)
}

/// Why there is no connection, and what to do about it where that is not obvious.
fn connection_problem(error: &dyn Error) -> String {
    let why = deepest(error);
    if why.contains("CaUsedAsEndEntity") {
        return format!(
            "{why}: the server uses the certificate of an authority; create one with CA:FALSE that is signed by it"
        );
    }
    why
}

/// The innermost reason, which the others only repeat.
fn deepest(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
