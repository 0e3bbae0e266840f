//! Stands in for the runs in an SQLite file if the program is built without the feature `recorder`.

use std::path::Path;

use super::database::{Database, DatabaseError, Parameter, ReadRow};
use super::error::StoreError;

/// No open file.
pub(super) enum SqliteFile {}

impl SqliteFile {
    pub(super) fn in_memory() -> Result<Self, StoreError> {
        SqliteFile::open(Path::new("stdout"), true)
    }

    pub(super) fn open(path: &Path, _: bool) -> Result<Self, StoreError> {
        const WHY: &str = "not read: this program was built without the feature \"recorder\"";
        Err(StoreError::Unsuitable(path.display().to_string(), WHY))
    }
}

impl Database for SqliteFile {
    fn query(
        &self,
        _: &str,
        _: &[Parameter<'_>],
        _: &mut ReadRow<'_>,
    ) -> Result<(), DatabaseError> {
        match *self {}
    }

    fn begin(&self) -> Result<(), DatabaseError> {
        match *self {}
    }

    fn end(&self, _: bool) -> Result<(), DatabaseError> {
        match *self {}
    }
}
