//! The databases that runs are stored in.

mod password_file;
mod postgres;
mod sqlite;

use std::path::Path;
use std::sync::Arc;

use super::database::Database;
use super::error::{StoreError, VERSION};
use super::location::{StoreLocation, not_a_path};
use super::store::RunStore;
use postgres::PostgresUrl;
use sqlite::SqliteFile;

const SCHEMA: &str = include_str!("schema.sql");

impl StoreLocation {
    /// Reads a URL of PostgreSQL, the path of a file, or `-` for stdout. `password` is used if the URL contains none. An
    /// error never contains a part of the text, which might be a password.
    pub fn read(text: &str, password: Option<String>) -> Result<Self, StoreError> {
        // A Secret from a file ends with a line break.
        if let Some(url) = PostgresUrl::read(text.trim(), password) {
            return Ok(StoreLocation::Database(Arc::new(url?)));
        }
        if text == "-" {
            return Ok(StoreLocation::Stdout);
        }
        not_a_path(text).map_or_else(
            || Ok(StoreLocation::File(text.into())),
            |why| Err(StoreError::Url(why)),
        )
    }

    /// Opens it to write as the only one, and creates it if there is none.
    pub fn create(&self) -> Result<RunStore, StoreError> {
        self.connect(true)
    }

    /// Whether several recorders may share it, of which one writes.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, StoreLocation::Database(_))
    }
}

/// Opens a file to read it, or to write it: then it is created if there is none.
pub(super) fn open_file(path: &Path, writes: bool) -> Result<Box<dyn Database>, StoreError> {
    Ok(Box::new(SqliteFile::open(path, writes)?))
}

/// Opens an empty database in memory.
pub(super) fn in_memory() -> Result<Box<dyn Database>, StoreError> {
    Ok(Box::new(SqliteFile::in_memory()?))
}

/// Refuses tables of another version.
fn check_version(place: &str, found: i64) -> Result<(), StoreError> {
    let place = place.to_owned();
    (found == VERSION)
        .then_some(())
        .ok_or(StoreError::Version { place, found })
}
