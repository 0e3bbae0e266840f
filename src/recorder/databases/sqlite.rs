//! Runs in an SQLite file.
//!
//! One process writes it, and holds the lock file beside it. Others read it, also while it is written.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::{SCHEMA, check_version};
use crate::recorder::database::{Database, DatabaseError, Parameter, ReadRow, StoredRow};
use crate::recorder::error::{StoreError, VERSION};

/// What makes a file one of ours, in its header: `cjdr` in ASCII.
const APPLICATION: i64 = 0x636a_6472;

/// A reader waits so long for a write to end, and a write for its readers.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open file of stored runs.
pub(super) struct SqliteFile {
    connection: Connection,
    /// Held as long as this process may write.
    _lock: Option<LockFile>,
}

impl SqliteFile {
    /// Opens a file to read it, or to write it: then it is created if there is none.
    pub(super) fn open(path: &Path, writes: bool) -> Result<Self, StoreError> {
        inspect(path, writes)?;
        let (lock, flags) = if writes {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            (Some(LockFile::take(path)?), flags)
        } else {
            (None, OpenFlags::SQLITE_OPEN_READ_ONLY)
        };
        let result = SqliteFile::connect(path, flags, writes);
        if result.is_err() {
            lock.iter().for_each(LockFile::remove_if_new);
        }
        Ok(SqliteFile {
            connection: result?,
            _lock: lock,
        })
    }

    /// Opens an empty one in memory.
    pub(super) fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        Ok(SqliteFile {
            connection: SqliteFile::connect(path, flags, true)?,
            _lock: None,
        })
    }

    fn connect(path: &Path, flags: OpenFlags, writes: bool) -> Result<Connection, StoreError> {
        let explained = |error: DatabaseError| error.at(&path.display().to_string());
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
        Ok(connection)
    }
}

/// Checks that a file is one of ours. To write it, an empty one is filled, and the pages of others are checked.
fn check(connection: &Connection, path: &Path, writes: bool) -> Result<(), StoreError> {
    let place = || path.display().to_string();
    let explained = |error: rusqlite::Error| DatabaseError::from(error).at(&place());
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
    if verdict != "ok" {
        return Err(StoreError::Damaged(place()));
    }
    Ok(())
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

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        if is_moved(&error) {
            let why = "the file was moved, replaced or deleted; start the recorder again";
            return DatabaseError::new(StoreError::ReadOnly, why);
        }
        let at: fn(String, String) -> StoreError = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => |place, _| StoreError::Foreign(place),
            Some(ErrorCode::DatabaseCorrupt) => |place, _| StoreError::Damaged(place),
            Some(ErrorCode::DiskFull) => |place, _| StoreError::Full(place),
            Some(ErrorCode::TooBig) => StoreError::Value,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
                StoreError::ReadOnly
            }
            _ => StoreError::Other,
        };
        DatabaseError::new(at, error.to_string())
    }
}

/// Whether the path leads to another file than the one that was opened, or to none.
fn is_moved(error: &rusqlite::Error) -> bool {
    let error = error.sqlite_error();
    error.is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_READONLY_DBMOVED)
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
        text.map_err(|_| DatabaseError::column(index))
    }
}

/// Checks that a file is one of ours, or that there is none and one may be created, before anything is created.
fn inspect(path: &Path, writes: bool) -> Result<(), StoreError> {
    let place = || path.display().to_string();
    let opened = |error| StoreError::Open(place(), error);
    let unsuitable = |what| Err(StoreError::Unsuitable(place(), what));
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if writes && error.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return unsuitable("a link to a file that does not exist");
            }
            return folder_of(path).map(drop).map_err(opened);
        }
        Err(error) => return Err(opened(error)),
    };
    if found.is_dir() {
        return unsuitable("a folder");
    }
    if !found.is_file() {
        return unsuitable("not a regular file");
    }
    #[cfg(unix)]
    if writes && std::os::unix::fs::MetadataExt::nlink(&found) > 1 {
        return unsuitable(
            "one of several names of a file (hard links): another recorder could write it by another name",
        );
    }
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    // What was interrupted is in the journal.
    if !writes || found.len() == 0 || Path::new(&journal).exists() {
        return Ok(());
    }
    let mut header = Vec::new();
    let file = File::open(path).map_err(opened)?;
    file.take(100).read_to_end(&mut header).map_err(opened)?;
    let application = u32::try_from(APPLICATION).unwrap_or_default().to_be_bytes();
    let is_ours =
        header.starts_with(b"SQLite format 3\0") && header.get(68..72) == Some(&application[..]);
    is_ours
        .then_some(())
        .ok_or_else(|| StoreError::Foreign(place()))
}

/// The folder of a file, without links.
fn folder_of(path: &Path) -> io::Result<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    fs::canonicalize(folder.unwrap_or(Path::new(".")))
}

/// A locked file. The lock ends with the process.
struct LockFile {
    path: PathBuf,
    is_new: bool,
    /// Held until the end.
    _file: File,
}

impl LockFile {
    /// Locks a file for this process, by the same lock whatever links lead to it.
    fn take(path: &Path) -> Result<Self, StoreError> {
        let opened = |error| StoreError::Open(path.display().to_string(), error);
        let file_name = path.file_name().unwrap_or_default();
        let target = fs::canonicalize(path).or_else(|_| Ok(folder_of(path)?.join(file_name)));
        let mut name = target.map_err(opened)?.into_os_string();
        name.push(".lock");
        let name = PathBuf::from(name);
        let shown = format!("{}.lock", path.display());
        // A pipe would wait for a reader, and a link would create a file elsewhere.
        let known = fs::symlink_metadata(&name).ok();
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            return Err(StoreError::Unsuitable(shown, "not a regular file"));
        }
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NOFOLLOW
                .union(rustix::fs::OFlags::NONBLOCK)
                .bits()
                .cast_signed(),
        );
        let file = options
            .open(&name)
            .map_err(|error| StoreError::Open(shown, error))?;
        // A recorder that has just been stopped may still hold it, or a process that it was starting.
        for _ in 0..20 {
            match file.try_lock() {
                Ok(()) => {
                    return Ok(LockFile {
                        path: name,
                        is_new: known.is_none(),
                        _file: file,
                    });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(50)),
                Err(TryLockError::Error(error)) => return Err(opened(error)),
            }
        }
        Err(StoreError::Locked(path.display().to_string()))
    }

    /// Removes one that was created here, if the file cannot be used.
    fn remove_if_new(&self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}
