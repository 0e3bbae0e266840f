//! The file in which runs are stored: SQLite.
//!
//! One process writes it, and holds the lock file beside it. Others read it, also while it is written.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, params};

use crate::model::{
    ConcurrencyPolicy, CronJob, CronJobEvidence, CronJobRecord, CronJobSpec, RunKind, RunResult,
    RunStatus, StoredRun,
};

/// The version of the tables.
const VERSION: i64 = 1;

/// What makes the file one of ours, in its header: `cjdr` in ASCII.
const APPLICATION: i64 = 0x636a_6472;

const SCHEMA: &str = include_str!("schema.sql");

/// A reader waits so long for a write to end, and a write for its readers.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open file of stored runs.
pub struct RunStore {
    path: PathBuf,
    connection: Connection,
    /// Held as long as this process may write.
    _lock: Option<File>,
}

/// Why runs cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot open {0}: {1}")]
    Open(PathBuf, io::Error),
    #[error("{0} is being written by another recorder")]
    Locked(PathBuf),
    #[error("{0} is not a file of recorded runs")]
    Foreign(PathBuf),
    #[error(
        "{path} was written by a newer version of this program (tables of version {found}; this one knows {VERSION})"
    )]
    Newer { path: PathBuf, found: i64 },
    #[error("{0} is damaged; move it away to begin a new file")]
    Damaged(PathBuf),
    #[error("{0}: no space left on the device")]
    Full(PathBuf),
    #[error("{0} cannot be written: {1}")]
    ReadOnly(PathBuf, String),
    #[error("{0}: {1}")]
    Other(PathBuf, rusqlite::Error),
}

/// What decides when a `CronJob` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSpec {
    pub schedule: String,
    pub time_zone: Option<String>,
    pub suspend: bool,
    pub concurrency_policy: String,
    pub starting_deadline: Option<i64>,
    /// An edit in a time that was not watched shows in it.
    pub generation: Option<i64>,
}

/// A `CronJob` that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCronJob {
    pub id: i64,
    pub uid: String,
    pub name: String,
    pub judged_until: Timestamp,
    pub spec: StoredSpec,
}

/// What is new of a `CronJob`.
pub struct CronJobUpdate {
    pub uid: String,
    pub namespace: String,
    pub name: String,
    pub judged_until: Timestamp,
    /// If it has changed, or the `CronJob` is new.
    pub spec: Option<StoredSpec>,
    pub runs: Vec<StoredRun>,
}

impl StoredSpec {
    pub fn of(cron_job: &CronJob) -> Self {
        let spec = &cron_job.spec;
        StoredSpec {
            schedule: spec.schedule.clone(),
            time_zone: spec.time_zone.clone(),
            suspend: spec.suspend == Some(true),
            concurrency_policy: spec.concurrency_policy.as_str().to_owned(),
            starting_deadline: spec.starting_deadline_seconds,
            generation: cron_job.generation,
        }
    }

    /// Sets these fields of a spec.
    pub fn apply(&self, spec: &mut CronJobSpec) {
        spec.schedule.clone_from(&self.schedule);
        spec.time_zone.clone_from(&self.time_zone);
        spec.suspend = Some(self.suspend);
        spec.concurrency_policy = ConcurrencyPolicy::from(self.concurrency_policy.as_str());
        spec.starting_deadline_seconds = self.starting_deadline;
    }
}

impl RunStore {
    /// Opens a file to write it, and creates it if there is none.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let lock = lock(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let store = RunStore::connect(path, flags, Some(lock))?;
        store.check(true)?;
        store.or_error(
            store
                .connection
                .execute_batch("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL"),
        )?;
        Ok(store)
    }

    /// Opens a file to read it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let opened = |error| StoreError::Open(path.to_owned(), error);
        File::open(path).map_err(opened)?;
        let store = RunStore::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, None)?;
        store.check(false)?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags, lock: Option<File>) -> Result<Self, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags);
        let connection = connection.map_err(|error| explained(path, error))?;
        let store = RunStore {
            path: path.to_owned(),
            connection,
            _lock: lock,
        };
        store.or_error(store.connection.busy_timeout(PATIENCE))?;
        Ok(store)
    }

    /// Checks that the file is one of ours. To write it, `may_create` fills an empty one and checks its pages.
    fn check(&self, may_create: bool) -> Result<(), StoreError> {
        let pragma = |name: &str| {
            let read = self
                .connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            self.or_error(read)
        };
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        let tables = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = self.or_error(self.connection.query_row(tables, [], |row| row.get(0)))?;
        if tables == 0 && may_create {
            let header =
                format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}");
            let all = format!("BEGIN; {SCHEMA} {header}; COMMIT");
            return self.or_error(self.connection.execute_batch(&all));
        }
        if application != APPLICATION {
            return Err(StoreError::Foreign(self.path.clone()));
        }
        if version > VERSION {
            let path = self.path.clone();
            return Err(StoreError::Newer {
                path,
                found: version,
            });
        }
        if !may_create {
            return Ok(()); // A reader does not wait until the whole file is checked.
        }
        let verdict = "PRAGMA quick_check(1)";
        let verdict: String =
            self.or_error(self.connection.query_row(verdict, [], |row| row.get(0)))?;
        if verdict == "ok" {
            return Ok(());
        }
        Err(StoreError::Damaged(self.path.clone()))
    }

    fn or_error<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| explained(&self.path, error))
    }

    /// The CronJobs that were not deleted, as far as is known.
    pub fn cron_jobs(&self) -> Result<Vec<KnownCronJob>, StoreError> {
        let sql = format!(
            "SELECT {SPEC}, c.id, uid, name, judged_until {FROM_SPEC} WHERE deleted_at IS NULL \
             AND valid_from = (SELECT max(valid_from) FROM spec WHERE cron_job = c.id)"
        );
        self.or_error(self.all(&sql, [], |row| {
            Ok(KnownCronJob {
                id: row.get(6)?,
                uid: row.get(7)?,
                name: row.get(8)?,
                judged_until: row.get::<_, Second>(9)?.0,
                spec: stored_spec(row)?,
            })
        }))
    }

    /// The runs of a `CronJob` that were running.
    pub fn running(&self, cron_job: &KnownCronJob) -> Result<Vec<StoredRun>, StoreError> {
        let sql = format!("{SELECT_RUN} WHERE cron_job = ?1 AND result = 'running'");
        let mut runs = self.or_error(self.all(&sql, [cron_job.id], stored_run))?;
        fill_names(&mut runs, &cron_job.name);
        Ok(runs)
    }

    fn all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = self.connection.prepare(sql)?;
        statement.query_map(parameters, read)?.collect()
    }

    /// The stored runs of a `CronJob` since a time, and those of some Jobs.
    pub fn runs(
        &self,
        uid: &str,
        name: &str,
        since: Timestamp,
        jobs: &[&str],
    ) -> Result<Vec<StoredRun>, StoreError> {
        let of_window = format!(
            "{SELECT_RUN} WHERE cron_job = (SELECT id FROM cron_job WHERE uid = ?1) AND at >= ?2"
        );
        let mut runs =
            self.or_error(self.all(&of_window, params![uid, Second(since)], stored_run))?;
        let of_job = format!("{SELECT_RUN} WHERE job_uid = ?1 AND at < ?2");
        for job in jobs {
            runs.extend(self.or_error(self.all(
                &of_job,
                params![job, Second(since)],
                stored_run,
            ))?);
        }
        fill_names(&mut runs, name);
        Ok(runs)
    }

    /// Stores what is new, all or nothing. The recorder has been watching since a time, until now.
    pub fn write(
        &mut self,
        updates: &[CronJobUpdate],
        deleted: &[String],
        (since, now): (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        self.transact(|transaction| {
            for update in updates {
                write_update(transaction, update, now)?;
            }
            for uid in deleted {
                let sql = "UPDATE cron_job SET deleted_at = ?2 WHERE uid = ?1 AND deleted_at IS NULL";
                transaction.execute(sql, params![uid, Second(now)])?;
            }
            let sql = "INSERT INTO watched VALUES (?1, ?2) ON CONFLICT (since) DO UPDATE SET until = excluded.until";
            transaction.execute(sql, params![Second(since), Second(now)])?;
            Ok(())
        })
    }

    /// Removes what is older than a time.
    pub fn prune(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.transact(|transaction| {
            let before = Second(before);
            transaction.execute("DELETE FROM run WHERE at < ?1", params![before])?;
            transaction.execute("DELETE FROM watched WHERE until < ?1", params![before])?;
            transaction.execute("DELETE FROM cron_job WHERE deleted_at < ?1", params![before])?;
            let unused = "DELETE FROM spec WHERE cron_job NOT IN (SELECT id FROM cron_job) OR valid_from < (SELECT \
                          max(valid_from) FROM spec later WHERE later.cron_job = spec.cron_job AND valid_from < ?1)";
            transaction.execute(unused, params![before])?;
            Ok(())
        })
    }

    /// Makes changes, all or none.
    fn transact(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let result = self.connection.transaction().and_then(|transaction| {
            change(&transaction)?;
            transaction.commit()
        });
        self.or_error(result)
    }

    /// When the recorder was watching, oldest first.
    pub fn intervals(&self) -> Result<Vec<Range<Timestamp>>, StoreError> {
        let sql = "SELECT since, until FROM watched ORDER BY since";
        self.or_error(self.all(sql, [], interval))
    }

    /// What is stored of the CronJobs that had a name, in the order of their creation: their first runs since a time.
    pub fn record(
        &self,
        (namespace, name): (&str, &str),
        intervals: &[Range<Timestamp>],
        since: Timestamp,
        most: usize,
    ) -> Result<CronJobRecord, StoreError> {
        let sql = "SELECT first_seen, judged_until, uid FROM cron_job WHERE namespace = ?1 AND name = ?2 \
                   ORDER BY first_seen";
        let same_name = self.all(sql, params![namespace, name], |row| {
            Ok((row.get::<_, String>(2)?, interval(row)?))
        });
        let sql = format!(
            "{SELECT_RUN} WHERE cron_job IN (SELECT id FROM cron_job WHERE namespace = ?1 AND name = ?2) \
             AND at >= ?3 ORDER BY at LIMIT ?4"
        );
        let limit = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
        let runs = self.all(
            &sql,
            params![namespace, name, Second(since), limit],
            stored_run,
        );
        let mut runs = self.or_error(runs)?;
        let is_cut = runs.len() > most;
        runs.truncate(most);
        fill_names(&mut runs, name);
        let mut record = CronJobRecord {
            runs,
            is_cut,
            ..CronJobRecord::default()
        };
        for (uid, judged) in self.or_error(same_name)? {
            let overlaps = intervals.iter();
            let overlaps = overlaps.map(|one| one.start.max(judged.start)..one.end.min(judged.end));
            record
                .watched
                .extend(overlaps.filter(|one| one.start < one.end));
            record.first_seen.push((judged.start, uid));
        }
        Ok(record)
    }

    /// A `CronJob` as it was before it was deleted.
    pub fn last_known(&self, namespace: &str, name: &str) -> Result<CronJobEvidence, StoreError> {
        let sql = format!(
            "SELECT {SPEC}, uid, first_seen {FROM_SPEC} WHERE namespace = ?1 AND name = ?2 \
             ORDER BY first_seen DESC, valid_from DESC LIMIT 1"
        );
        let read = |row: &Row<'_>| {
            let mut cron_job = CronJob {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                uid: row.get(6)?,
                creation_timestamp: Some(row.get::<_, Second>(7)?.0),
                ..CronJob::default()
            };
            stored_spec(row)?.apply(&mut cron_job.spec);
            Ok(CronJobEvidence {
                cron_job,
                ..CronJobEvidence::default()
            })
        };
        let found = self.connection.query_row(&sql, [namespace, name], read);
        self.or_error(found)
    }

    /// The names of the CronJobs of a namespace, or of all, also of those that were deleted.
    pub fn names(&self, namespace: Option<&str>) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT DISTINCT namespace, name FROM cron_job WHERE ?1 IS NULL OR namespace = ?1 ORDER BY 1, 2";
        self.or_error(self.all(sql, params![namespace], |row| {
            Ok((row.get(0)?, row.get(1)?))
        }))
    }
}

const SELECT_RUN: &str = "SELECT at, kind, status, result, cause, reason, exit_code, job_name, job_uid, started_at, \
                          finished_at FROM run";

/// The columns of a spec, which come first.
const SPEC: &str =
    "schedule, time_zone, suspend, concurrency_policy, starting_deadline, generation";

const FROM_SPEC: &str = "FROM cron_job c JOIN spec s ON s.cron_job = c.id";

fn stored_spec(row: &Row<'_>) -> rusqlite::Result<StoredSpec> {
    Ok(StoredSpec {
        schedule: row.get(0)?,
        time_zone: row.get(1)?,
        suspend: row.get(2)?,
        concurrency_policy: row.get(3)?,
        starting_deadline: row.get(4)?,
        generation: row.get(5)?,
    })
}

fn interval(row: &Row<'_>) -> rusqlite::Result<Range<Timestamp>> {
    let (from, until): (Second, Second) = (row.get(0)?, row.get(1)?);
    Ok(from.0..until.0)
}

fn stored_run(row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    let second = |index| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<Second>>(index)?.map(|second| second.0))
    };
    Ok(StoredRun {
        at: row.get::<_, Second>(0)?.0,
        kind: row.get(1)?,
        status: row.get(2)?,
        result: row.get(3)?,
        cause: row.get(4)?,
        reason: row.get(5)?,
        exit_code: row.get(6)?,
        job_name: row.get(7)?,
        job_uid: row.get(8)?,
        started_at: second(9)?,
        finished_at: second(10)?,
    })
}

fn write_update(
    transaction: &Transaction<'_>,
    update: &CronJobUpdate,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO cron_job (uid, namespace, name, first_seen, judged_until) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT (uid) DO UPDATE SET judged_until = excluded.judged_until, deleted_at = NULL RETURNING id";
    let (judged, now) = (Second(update.judged_until), Second(now));
    let id: i64 = transaction.prepare(sql)?.query_row(
        params![update.uid, update.namespace, update.name, now, judged],
        |row| row.get(0),
    )?;
    if let Some(spec) = &update.spec {
        let sql = "INSERT OR REPLACE INTO spec VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let StoredSpec {
            schedule,
            time_zone,
            suspend,
            concurrency_policy,
            starting_deadline,
            generation,
        } = spec;
        transaction.execute(
            sql,
            params![
                id,
                now,
                schedule,
                time_zone,
                suspend,
                concurrency_policy,
                starting_deadline,
                generation
            ],
        )?;
    }
    let sql = "INSERT OR REPLACE INTO run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let mut insert = transaction.prepare(sql)?;
    for run in &update.runs {
        let other_job = match run.kind {
            RunKind::Scheduled => "",
            RunKind::OffSchedule | RunKind::Manual => run.job_name.as_deref().unwrap_or_default(),
        };
        insert.execute(params![
            id,
            Second(run.at),
            other_job,
            run.kind,
            run.status,
            run.result,
            run.cause,
            run.reason,
            run.exit_code,
            run.job_name
                .as_deref()
                .map(|job| if *job == usual_name(&update.name, run.at) {
                    ""
                } else {
                    job
                }),
            run.job_uid,
            run.started_at.map(Second),
            run.finished_at.map(Second),
        ])?;
    }
    Ok(())
}

/// The name that the controller gives the Job of a scheduled time. It is stored as an empty text.
fn usual_name(cron_job: &str, at: Timestamp) -> String {
    format!("{cron_job}-{}", at.as_second().div_euclid(60))
}

fn fill_names(runs: &mut [StoredRun], cron_job: &str) {
    for run in runs {
        if run.job_name.as_deref() == Some("") {
            run.job_name = Some(usual_name(cron_job, run.at));
        }
    }
}

/// Locks a file for this process; the lock ends with it.
fn lock(path: &Path) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let opened = |error| StoreError::Open(PathBuf::from(&name), error);
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
    Err(StoreError::Locked(path.to_owned()))
}

fn explained(path: &Path, error: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged(path),
        Some(ErrorCode::DiskFull) => StoreError::Full(path),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
            StoreError::ReadOnly(path, error.to_string())
        }
        _ => StoreError::Other(path, error),
    }
}

/// A time as a column.
struct Second(Timestamp);

impl ToSql for Second {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_second().into())
    }
}

impl FromSql for Second {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let at = Timestamp::from_second(value.as_i64()?);
        at.map(Second).map_err(FromSqlError::other)
    }
}

/// Stores the enums of documents by their strings.
macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|()| FromSqlError::InvalidType)
            }
        }
    )+};
}

as_text!(RunKind, RunStatus, RunResult);
