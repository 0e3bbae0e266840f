//! What the store of runs asks of a database, SQLite or PostgreSQL. Both know the same SQL.

use std::str::FromStr;

use jiff::Timestamp;

use super::error::StoreError;

/// The most rows of a statement.
const MOST_ROWS: usize = 500;

/// An open database. Parameters of statements are `?1`, `?2` and so on, or `?` in turn.
pub(super) trait Database: Send {
    /// Calls `read` with each row of a result.
    fn query(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: &mut ReadRow<'_>,
    ) -> Result<(), DatabaseError>;

    /// Begins changes. It fails if another recorder writes.
    fn begin(&self) -> Result<(), DatabaseError>;

    /// Ends changes: all or none of them are stored.
    fn end(&self, succeeded: bool) -> Result<(), DatabaseError>;
}

/// Reads a row.
pub(super) type ReadRow<'a> = dyn FnMut(&dyn StoredRow) -> Result<(), DatabaseError> + 'a;

/// A parameter of a statement.
#[cfg_attr(
    not(feature = "cluster"),
    expect(dead_code, reason = "only databases read it")
)]
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter<'a> {
    Integer(Option<i64>),
    Text(Option<&'a str>),
}

/// A row of a result.
pub(super) trait StoredRow {
    fn integer(&self, index: usize) -> Result<Option<i64>, DatabaseError>;
    fn text(&self, index: usize) -> Result<Option<&str>, DatabaseError>;
}

/// Why a database failed.
#[derive(Debug)]
pub(super) struct DatabaseError {
    /// The error of a place with this reason.
    at: fn(String, String) -> StoreError,
    why: String,
}

impl DatabaseError {
    pub(super) fn new(at: fn(String, String) -> StoreError, why: impl Into<String>) -> Self {
        let why = why.into();
        DatabaseError { at, why }
    }

    /// A column contains an unexpected value.
    pub(super) fn column(index: usize) -> Self {
        let why = format!("column {index} contains an unexpected value");
        DatabaseError::new(StoreError::Other, why)
    }

    /// The error of the database at a place.
    pub(super) fn at(self, place: &str) -> StoreError {
        (self.at)(place.to_owned(), self.why)
    }
}

impl dyn Database + '_ {
    /// The rows of a result.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl Fn(&dyn StoredRow) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, DatabaseError> {
        let mut all = Vec::new();
        self.query(sql, parameters, &mut |row| {
            all.push(read(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Executes a statement that repeats `row` for each of some rows, between two parts of it.
    pub(super) fn execute(
        &self,
        before: &str,
        row: &str,
        after: &str,
        rows: &[Vec<Parameter<'_>>],
    ) -> Result<(), DatabaseError> {
        for some in rows.chunks(MOST_ROWS) {
            let sql = format!("{before} {} {after}", vec![row; some.len()].join(", "));
            self.query(&sql, &some.concat(), &mut |_| Ok(()))?;
        }
        Ok(())
    }

    /// Makes changes, all or none.
    pub(super) fn transact(
        &self,
        change: impl FnOnce() -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        self.begin()?;
        let result = change();
        let ended = self.end(result.is_ok());
        result.and(ended)
    }
}

impl dyn StoredRow + '_ {
    pub(super) fn required_integer(&self, index: usize) -> Result<i64, DatabaseError> {
        self.integer(index)?
            .ok_or_else(|| DatabaseError::column(index))
    }

    pub(super) fn owned_text(&self, index: usize) -> Result<Option<String>, DatabaseError> {
        Ok(self.text(index)?.map(str::to_owned))
    }

    pub(super) fn required_text(&self, index: usize) -> Result<String, DatabaseError> {
        self.owned_text(index)?
            .ok_or_else(|| DatabaseError::column(index))
    }

    /// A value that is stored as its text.
    pub(super) fn word<T: FromStr>(&self, index: usize) -> Result<Option<T>, DatabaseError> {
        let word = self.text(index)?.map(str::parse).transpose();
        word.map_err(|_| DatabaseError::column(index))
    }

    /// A time is stored in seconds since 1970.
    pub(super) fn time(&self, index: usize) -> Result<Option<Timestamp>, DatabaseError> {
        let time = self.integer(index)?.map(Timestamp::from_second);
        time.transpose().map_err(|_| DatabaseError::column(index))
    }

    pub(super) fn required_time(&self, index: usize) -> Result<Timestamp, DatabaseError> {
        self.time(index)?
            .ok_or_else(|| DatabaseError::column(index))
    }
}

impl From<i64> for Parameter<'_> {
    fn from(value: i64) -> Self {
        Parameter::Integer(Some(value))
    }
}

impl From<Timestamp> for Parameter<'_> {
    fn from(value: Timestamp) -> Self {
        value.as_second().into()
    }
}

impl<'a> From<&'a str> for Parameter<'a> {
    fn from(value: &'a str) -> Self {
        Parameter::Text(Some(value))
    }
}
