//! What is stored of runs, and how it is read.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::database::{Database, DatabaseError, Parameter, StoredRow};
use super::error::StoreError;
use super::postgres::{PostgresSession, PostgresUrl};
use super::sqlite::SqliteFile;
use crate::duration::later;
use crate::model::{
    ConcurrencyPolicy, CronJob, CronJobEvidence, CronJobRecord, CronJobSpec, ObjectKey, RunKind,
    RunPhases, RunResult, RunStatus, StoredRun,
};

/// Where runs are stored.
#[derive(Clone, Debug)]
pub enum StoreLocation {
    File(PathBuf),
    Postgres(Box<PostgresUrl>),
}

/// An open store of runs.
pub struct RunStore {
    place: String,
    database: Box<dyn Database>,
    /// The present watched interval, as it was stored last.
    marked: Option<Range<Timestamp>>,
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
    pub namespace: String,
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

impl StoreLocation {
    /// Reads a URL of PostgreSQL, or the path of a file. `password` is used if the URL contains none. An error never
    /// contains a part of the text, which might be a password.
    pub fn read(text: &str, password: Option<String>) -> Result<Self, StoreError> {
        // A Secret from a file ends with a line break.
        if let Some(url) = PostgresUrl::read(text.trim(), password) {
            return Ok(StoreLocation::Postgres(Box::new(url?)));
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

    /// Opens it to read.
    pub fn open(&self) -> Result<RunStore, StoreError> {
        self.connect(false)
    }

    /// Whether several recorders may share it, of which one writes.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, StoreLocation::Postgres(_))
    }

    fn connect(&self, writes: bool) -> Result<RunStore, StoreError> {
        let database: Box<dyn Database> = match self {
            StoreLocation::File(path) => Box::new(SqliteFile::open(path, writes)?),
            StoreLocation::Postgres(url) => Box::new(PostgresSession::open(url, writes)?),
        };
        Ok(RunStore {
            place: self.to_string(),
            database,
            marked: None,
        })
    }
}

/// Why a text is not treated as the path of a file: it is or may be the address of a database, which could contain a
/// password.
pub(crate) fn not_a_path(text: &str) -> Option<&'static str> {
    const KEYWORDS: [&str; 10] = [
        "host", "hostaddr", "port", "user", "password", "dbname", "sslmode", "service", "passfile",
        "options",
    ];
    if text.trim().is_empty() {
        return Some("must not be empty");
    }
    if text.eq_ignore_ascii_case(":memory:") {
        return Some("what is stored in memory would be lost; name a file");
    }
    let bare = text.trim().trim_matches(['"', '\'', '`']);
    // A drive of Windows has one letter.
    let scheme = bare.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let is_address = bare
        .rsplit_once('@')
        .is_some_and(|(credentials, _)| credentials.contains(':') || credentials.contains("//"));
    if is_scheme || is_address || bare.contains("://") {
        return Some(
            "neither a URL that is supported nor the path of a file; a URL begins with postgres:// or postgresql://, \
             without quotes, and ./ before a path shows that it is one",
        );
    }
    let mut words = bare.split_whitespace();
    let is_keyword = |word: &str| {
        let keyword = word
            .split_once('=')
            .map(|(keyword, _)| keyword.to_ascii_lowercase());
        keyword.is_some_and(|keyword| KEYWORDS.contains(&&*keyword))
    };
    words.any(is_keyword).then_some(
        "keywords and values are not supported; write a URL that begins with postgres://, or ./ before a path",
    )
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::File(path) => path.display().fmt(f),
            StoreLocation::Postgres(url) => url.fmt(f),
        }
    }
}

impl RunStore {
    fn or_error<T>(&self, result: Result<T, DatabaseError>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::of(&self.place, error))
    }

    fn all<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl Fn(&dyn StoredRow) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, StoreError> {
        self.or_error(self.database.all(sql, parameters, read))
    }

    /// The CronJobs that were not deleted, as far as is known.
    pub fn cron_jobs(&self) -> Result<Vec<KnownCronJob>, StoreError> {
        let sql = format!(
            "SELECT {SPEC}, c.id, uid, name, judged_until, namespace {FROM_SPEC} WHERE deleted_at IS NULL \
             AND valid_from = (SELECT max(valid_from) FROM spec WHERE cron_job = c.id)"
        );
        self.all(&sql, &[], |row| {
            Ok(KnownCronJob {
                id: row.required_integer(6)?,
                uid: row.required_text(7)?,
                name: row.required_text(8)?,
                judged_until: row.required_time(9)?,
                namespace: row.required_text(10)?,
                spec: stored_spec(row)?,
            })
        })
    }

    /// The runs of a `CronJob` that were running.
    pub fn running(&self, cron_job: &KnownCronJob) -> Result<Vec<StoredRun>, StoreError> {
        let sql = format!("SELECT at, {RUN} FROM run WHERE cron_job = ?1 AND result = 'running'");
        let mut runs = self.all(&sql, &[cron_job.id.into()], stored_run)?;
        fill_names(&mut runs, &cron_job.name);
        Ok(runs)
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
            "SELECT at, {RUN} FROM run WHERE cron_job = (SELECT id FROM cron_job WHERE uid = ?1) AND at >= ?2"
        );
        let mut runs = self.all(&of_window, &[uid.into(), since.into()], stored_run)?;
        for some in jobs.chunks(MOST_JOBS) {
            let unknown = vec!["?"; some.len()].join(", ");
            let of_jobs =
                format!("SELECT at, {RUN} FROM run WHERE at < ? AND job_uid IN ({unknown})");
            let mut parameters = vec![since.into()];
            parameters.extend(some.iter().map(|job| Parameter::from(*job)));
            runs.extend(self.all(&of_jobs, &parameters, stored_run)?);
        }
        fill_names(&mut runs, name);
        Ok(runs)
    }

    /// Stores what is new, all or nothing, and since when the recorder has been watching.
    pub fn write(
        &mut self,
        updates: &[CronJobUpdate],
        deleted: &[String],
        watched: Option<&Range<Timestamp>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let database = &*self.database;
        let marked = self.marked.as_ref();
        self.or_error(database.transact(|| {
            check_mark(database, marked)?;
            write_updates(database, updates, now)?;
            let before = format!(
                "UPDATE cron_job SET deleted_at = {} WHERE deleted_at IS NULL AND uid IN (",
                now.as_second()
            );
            let deleted: Vec<_> = deleted
                .iter()
                .map(|uid| vec![uid.as_str().into()])
                .collect();
            database.execute(&before, "?", ")", &deleted)?;
            let into_watched = "INSERT INTO watched VALUES";
            let known = "ON CONFLICT (since) DO UPDATE SET until = excluded.until";
            let watched = watched.map(|one| vec![one.start.into(), one.end.into()]);
            database.execute(into_watched, "(?, ?)", known, watched.as_slice())
        }))?;
        if let Some(watched) = watched {
            self.marked = Some(watched.clone());
        }
        Ok(())
    }

    /// Removes what is older than a time, and what was invented by a clock that was wrong: runs without a Job and
    /// watched intervals that are still to come.
    pub fn prune(&mut self, before: Timestamp, now: Timestamp) -> Result<(), StoreError> {
        const CERTAINLY: SignedDuration = SignedDuration::from_hours(24);
        let database = &*self.database;
        let unused = "DELETE FROM spec WHERE cron_job NOT IN (SELECT id FROM cron_job) OR valid_from < (SELECT \
                      max(valid_from) FROM spec later WHERE later.cron_job = spec.cron_job AND valid_from < ?)";
        self.or_error(database.transact(|| {
            for sql in [
                "DELETE FROM run WHERE at < ?",
                "DELETE FROM watched WHERE until < ?",
                "DELETE FROM cron_job WHERE deleted_at < ?",
                unused,
            ] {
                database.execute(sql, "", "", &[vec![before.into()]])?;
            }
            let future = later(now, CERTAINLY);
            for sql in [
                "DELETE FROM run WHERE job_name IS NULL AND at > ?",
                "DELETE FROM watched WHERE until > ?",
            ] {
                database.execute(sql, "", "", &[vec![future.into()]])?;
            }
            Ok(())
        }))
    }

    /// When the recorder was watching, oldest first.
    pub fn intervals(&self) -> Result<Vec<Range<Timestamp>>, StoreError> {
        let sql = "SELECT since, until FROM watched ORDER BY since";
        let mut intervals = self.all(sql, &[], interval)?;
        // One recorder watches at a time. An interval that reaches into the next one was written by a wrong clock.
        let mut next = Timestamp::MAX;
        for one in intervals.iter_mut().rev() {
            one.end = one.end.min(next);
            next = one.start;
        }
        Ok(intervals)
    }

    /// The newest time at which a recorder was watching.
    pub fn newest(&self) -> Result<Option<Timestamp>, StoreError> {
        let newest = self.all("SELECT max(until) FROM watched", &[], |row| row.time(0))?;
        Ok(newest.into_iter().next().flatten())
    }

    /// What is stored of the CronJobs that had a name, in the order of their creation: their first runs since a time.
    pub fn record(
        &self,
        namespace: &str,
        name: &str,
        intervals: &[Range<Timestamp>],
        since: Timestamp,
        most: usize,
    ) -> Result<CronJobRecord, StoreError> {
        let sql = "SELECT first_seen, judged_until, uid, deleted_at FROM cron_job WHERE namespace = ?1 AND name = ?2 \
                   ORDER BY first_seen";
        let same_name = self.all(sql, &[namespace.into(), name.into()], |row| {
            Ok((row.required_text(2)?, interval(row)?, row.time(3)?))
        })?;
        let sql = |end: &str| {
            format!(
                "SELECT at, {RUN} FROM run WHERE cron_job IN (SELECT id FROM cron_job WHERE namespace = ?1 AND \
                 name = ?2) AND at >= ?3 {end}"
            )
        };
        let limit = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
        let place = [namespace.into(), name.into()];
        let page = |end, from: Timestamp, limit: i64| {
            let parameters = [place[0], place[1], from.into(), limit.into()];
            self.all(&sql(end), &parameters, stored_run)
        };
        let mut runs = page("ORDER BY at LIMIT ?4", since, limit)?;
        // A page ends between two times, so that no run is on two pages.
        let mut cut_at = runs.get(most).map(|run| run.at);
        if let Some(at) = cut_at {
            runs.retain(|run| run.at < at);
            if runs.is_empty() {
                let end = later(at, SignedDuration::from_secs(1));
                runs = page("AND at < ?4", at, end.as_second())?;
                cut_at = Some(end);
            }
        }
        fill_names(&mut runs, name);
        let mut record = CronJobRecord {
            runs,
            cut_at,
            ..CronJobRecord::default()
        };
        for (uid, judged, deleted_at) in same_name {
            record.deleted_at = deleted_at;
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
        let read = |row: &dyn StoredRow| {
            let mut cron_job = CronJob {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                uid: row.required_text(6)?,
                creation_timestamp: row.time(7)?,
                ..CronJob::default()
            };
            stored_spec(row)?.apply(&mut cron_job.spec);
            Ok(CronJobEvidence {
                cron_job,
                ..CronJobEvidence::default()
            })
        };
        let found = self.all(&sql, &[namespace.into(), name.into()], read)?;
        let missing = || StoreError::Missing(self.place.clone());
        found.into_iter().next().ok_or_else(missing)
    }

    /// The names of the CronJobs of a namespace, or of all, also of those that were deleted.
    pub fn names(&self, namespace: Option<&str>) -> Result<Vec<ObjectKey>, StoreError> {
        let sql = "SELECT DISTINCT namespace, name FROM cron_job WHERE ?1 IS NULL OR namespace = ?1 ORDER BY 1, 2";
        self.all(sql, &[Parameter::Text(namespace)], |row| {
            Ok(ObjectKey::new(row.required_text(0)?, row.required_text(1)?))
        })
    }
}

/// The columns of a run, of which the time comes first.
const RUN: &str = "kind, status, result, cause, reason, exit_code, job_name, job_uid, started_at, finished_at, \
                   queued, waiting, node, image, init, running, ending";

/// The columns of a spec, which come first.
const SPEC: &str =
    "schedule, time_zone, suspend, concurrency_policy, starting_deadline, generation";

const FROM_SPEC: &str = "FROM cron_job c JOIN spec s ON s.cron_job = c.id";

/// The most Jobs that a statement names.
const MOST_JOBS: usize = 500;

fn stored_spec(row: &dyn StoredRow) -> Result<StoredSpec, DatabaseError> {
    Ok(StoredSpec {
        schedule: row.required_text(0)?,
        time_zone: row.owned_text(1)?,
        suspend: row.required_integer(2)? != 0,
        concurrency_policy: row.required_text(3)?,
        starting_deadline: row.integer(4)?,
        generation: row.integer(5)?,
    })
}

fn interval(row: &dyn StoredRow) -> Result<Range<Timestamp>, DatabaseError> {
    Ok(row.required_time(0)?..row.required_time(1)?)
}

fn stored_run(row: &dyn StoredRow) -> Result<StoredRun, DatabaseError> {
    let exit_code = row.integer(6)?.map(i32::try_from).transpose();
    Ok(StoredRun {
        at: row.required_time(0)?,
        kind: row.word(1)?.ok_or(DatabaseError::Column(1))?,
        status: row.word(2)?,
        result: row.word(3)?,
        cause: row.owned_text(4)?,
        reason: row.owned_text(5)?,
        exit_code: exit_code.map_err(|_| DatabaseError::Column(6))?,
        job_name: row.owned_text(7)?,
        job_uid: row.owned_text(8)?,
        started_at: row.time(9)?,
        finished_at: row.time(10)?,
        phases: RunPhases {
            queued_seconds: row.integer(11)?,
            waiting_seconds: row.integer(12)?,
            node_seconds: row.integer(13)?,
            image_seconds: row.integer(14)?,
            init_seconds: row.integer(15)?,
            running_seconds: row.integer(16)?,
            ending_seconds: row.integer(17)?,
        }
        .if_known(),
    })
}

/// Fails if what was stored is not there any more: the database was restored from an older copy.
fn check_mark(
    database: &dyn Database,
    marked: Option<&Range<Timestamp>>,
) -> Result<(), DatabaseError> {
    let Some(marked) = marked else { return Ok(()) };
    let sql = "SELECT until FROM watched WHERE since = ?1";
    let stored = database.all(sql, &[marked.start.into()], |row| row.required_time(0))?;
    // Of a change whose response was lost, it is not known whether it was stored.
    let is_there = stored
        .iter()
        .any(|until| until.as_second() >= marked.end.as_second());
    is_there.then_some(()).ok_or(DatabaseError::Reverted)
}

fn write_updates(
    database: &dyn Database,
    updates: &[CronJobUpdate],
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let (mut cron_jobs, mut specs) = (Vec::new(), Vec::new());
    let (mut jobs, mut runs) = (Vec::new(), Vec::new());
    for update in updates {
        let uid = Parameter::from(&*update.uid);
        cron_jobs.push(vec![
            uid,
            update.namespace.as_str().into(),
            update.name.as_str().into(),
            now.into(),
            update.judged_until.into(),
        ]);
        specs.extend(update.spec.as_ref().map(|spec| {
            vec![
                uid,
                now.into(),
                spec.schedule.as_str().into(),
                Parameter::Text(spec.time_zone.as_deref()),
                i64::from(spec.suspend).into(),
                spec.concurrency_policy.as_str().into(),
                Parameter::Integer(spec.starting_deadline),
                Parameter::Integer(spec.generation),
            ]
        }));
        let (mut known, mut known_jobs) = (HashSet::new(), HashSet::new());
        // A run that was found twice is known better the second time.
        for run in update.runs.iter().rev() {
            let job_name = run.job_name.as_deref();
            let other_job = match run.kind {
                RunKind::Scheduled => "",
                RunKind::OffSchedule | RunKind::Manual => job_name.unwrap_or_default(),
            };
            let job_uid = run.job_uid.as_deref();
            let is_new = job_uid.is_none_or(|job_uid| known_jobs.insert(job_uid));
            if !is_new || !known.insert((run.at, other_job)) {
                continue;
            }
            jobs.extend(job_uid.map(|job_uid| vec![job_uid.into()]));
            let is_usual = |name: &str| name == usual_name(&update.name, run.at);
            let phases = run.phases.unwrap_or_default();
            runs.push(vec![
                uid,
                run.at.into(),
                other_job.into(),
                run.kind.as_str().into(),
                Parameter::Text(run.status.as_ref().map(RunStatus::as_str)),
                Parameter::Text(run.result.as_ref().map(RunResult::as_str)),
                Parameter::Text(run.cause.as_deref()),
                Parameter::Text(run.reason.as_deref()),
                Parameter::Integer(run.exit_code.map(i64::from)),
                Parameter::Text(job_name.map(|name| if is_usual(name) { "" } else { name })),
                Parameter::Text(job_uid),
                Parameter::Integer(run.started_at.map(Timestamp::as_second)),
                Parameter::Integer(run.finished_at.map(Timestamp::as_second)),
                Parameter::Integer(phases.queued_seconds),
                Parameter::Integer(phases.waiting_seconds),
                Parameter::Integer(phases.node_seconds),
                Parameter::Integer(phases.image_seconds),
                Parameter::Integer(phases.init_seconds),
                Parameter::Integer(phases.running_seconds),
                Parameter::Integer(phases.ending_seconds),
            ]);
        }
    }
    let id = "(SELECT id FROM cron_job WHERE uid = ?)";
    let into_cron_job =
        "INSERT INTO cron_job (uid, namespace, name, first_seen, judged_until) VALUES";
    let known =
        "ON CONFLICT (uid) DO UPDATE SET judged_until = excluded.judged_until, deleted_at = NULL";
    database.execute(into_cron_job, "(?, ?, ?, ?, ?)", known, &cron_jobs)?;
    let row = format!("({id}, ?, ?, ?, ?, ?, ?, ?)");
    let replaced = replacing("cron_job, valid_from", SPEC);
    database.execute("INSERT INTO spec VALUES", &row, &replaced, &specs)?;
    database.execute("DELETE FROM run WHERE job_uid IN (", "?", ")", &jobs)?;
    let row = format!("({id}{})", ", ?".repeat(19));
    let replaced = replacing("cron_job, at, other_job", RUN);
    database.execute("INSERT INTO run VALUES", &row, &replaced, &runs)
}

/// What an insertion does with a row that exists.
fn replacing(key: &str, columns: &str) -> String {
    let columns = columns.split(", ");
    let columns: Vec<String> = columns
        .map(|one| format!("{one} = excluded.{one}"))
        .collect();
    format!("ON CONFLICT ({key}) DO UPDATE SET {}", columns.join(", "))
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
