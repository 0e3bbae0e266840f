//! Runs in an SQLite file.
//!
//! One process writes it, and holds the lock file beside it. Others read it, also while it is written.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::database::{Database, DatabaseError, Parameter, ReadRow, StoredRow};
use super::error::{SCHEMA, StoreError, VERSION, check_version};

/// What makes a file one of ours, in its header: `cjdr` in ASCII.
const APPLICATION: i64 = 0x636a_6472;

/// A reader waits so long for a write to end, and a write for its readers.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open file of stored runs.
pub(super) struct SqliteFile {
    connection: Connection,
    /// Held as long as this process may write.
    _lock: Option<File>,
}

impl SqliteFile {
    /// Opens a file to read it, or to write it: then it is created if there is none.
    pub(super) fn open(path: &Path, writes: bool) -> Result<Self, StoreError> {
        let opened = |error| StoreError::Open(path.display().to_string(), error);
        let (lock, flags) = if writes {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            (Some(lock(path)?), flags)
        } else {
            File::open(path).map_err(opened)?;
            (None, OpenFlags::SQLITE_OPEN_READ_ONLY)
        };
        let explained = |error: DatabaseError| StoreError::of(&path.display().to_string(), error);
        let connect = || {
            let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(PATIENCE)?;
            Ok(connection)
        };
        let connection = connect().map_err(explained)?;
        check(&connection, path, writes)?;
        if writes {
            connection
                .execute_batch("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL")
                .map_err(|error| explained(error.into()))?;
        }
        Ok(SqliteFile {
            connection,
            _lock: lock,
        })
    }
}

/// Checks that a file is one of ours. To write it, an empty one is filled, and the pages of others are checked.
fn check(connection: &Connection, path: &Path, writes: bool) -> Result<(), StoreError> {
    let place = || path.display().to_string();
    let explained = |error: rusqlite::Error| StoreError::of(&place(), error.into());
    let number = |sql: &str| {
        let read = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        read.map_err(explained)
    };
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    if number("SELECT count(*) FROM sqlite_schema")? == 0 && writes {
        let header =
            format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}");
        let all = format!("BEGIN; {SCHEMA} {header}; COMMIT");
        return connection.execute_batch(&all).map_err(explained);
    }
    if application != APPLICATION {
        return Err(StoreError::Foreign(place()));
    }
    check_version(&place(), version)?;
    if !writes {
        return Ok(()); // A reader does not wait until the whole file is checked.
    }
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    let verdict: String = verdict.map_err(explained)?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged(place()))
}

impl Database for SqliteFile {
    fn query(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: &mut ReadRow<'_>,
    ) -> Result<(), DatabaseError> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        while let Some(row) = rows.next()? {
            read(row)?;
        }
        Ok(())
    }

    fn begin(&self) -> Result<(), DatabaseError> {
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    fn end(&self, succeeded: bool) -> Result<(), DatabaseError> {
        let ended = if succeeded {
            self.connection.execute_batch("COMMIT")
        } else {
            Ok(())
        };
        if !succeeded || ended.is_err() {
            // Some errors have ended the changes already.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        Ok(ended?)
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Parameter::Integer(value) => value.to_sql(),
            Parameter::Text(value) => value.to_sql(),
        }
    }
}

impl StoredRow for rusqlite::Row<'_> {
    fn integer(&self, index: usize) -> Result<Option<i64>, DatabaseError> {
        Ok(self.get(index)?)
    }

    fn text(&self, index: usize) -> Result<Option<&str>, DatabaseError> {
        let text = self.get_ref(index)?.as_str_or_null();
        text.map_err(|_| DatabaseError::Column(index))
    }
}

/// Locks a file for this process; the lock ends with it.
fn lock(path: &Path) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let opened = |error| StoreError::Open(name.display().to_string(), error);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&name)
        .map_err(opened)?;
    // A recorder that has just been stopped may still hold it, or a process that it was starting.
    for _ in 0..20 {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(50)),
            Err(TryLockError::Error(error)) => return Err(opened(error)),
        }
    }
    Err(StoreError::Locked(path.display().to_string()))
}
