//! Stands in for the runs in PostgreSQL if the program is built without the feature `recorder-postgres`.

use std::fmt;

use super::database::{Database, DatabaseError, Parameter, ReadRow};
use super::error::StoreError;

/// No address of a database.
#[derive(Clone, Debug)]
pub enum PostgresUrl {}

impl PostgresUrl {
    pub(super) fn read(text: &str, _: Option<String>) -> Option<Result<Self, StoreError>> {
        const WHY: &str = "PostgreSQL is not supported: this program was built without the feature \
                           \"recorder-postgres\"";
        let (scheme, _) = text.split_once("://")?;
        ["postgres", "postgresql"]
            .contains(&scheme)
            .then_some(Err(StoreError::Url(WHY)))
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// No connection.
pub(super) enum PostgresSession {}

impl PostgresSession {
    pub(super) fn open(url: &PostgresUrl, _: bool) -> Result<Self, StoreError> {
        match *url {}
    }
}

impl Database for PostgresSession {
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
