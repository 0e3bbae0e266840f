//! What is stored of runs, and how it is read.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use super::database::{Database, DatabaseError, Parameter, StoredRow};
use super::error::StoreError;
use cronjob_text::duration::later;
use kube_model::{
    ConcurrencyPolicy, CronJob, CronJobEvidence, CronJobRecord, CronJobSpec, ObjectKey, RunKind,
    RunPhases, RunResult, RunStatus, StoredRun,
};

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

impl RunStore {
    pub(super) fn new(place: String, database: Box<dyn Database>) -> Self {
        RunStore {
            place,
            database,
            marked: None,
        }
    }

    fn or_error<T>(&self, result: Result<T, DatabaseError>) -> Result<T, StoreError> {
        result.map_err(|error| error.at(&self.place))
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

    /// The stored runs of a `CronJob` since a time, and the earlier ones with the times or Jobs of `found`.
    pub fn runs(
        &self,
        uid: &str,
        name: &str,
        since: Timestamp,
        found: &[StoredRun],
    ) -> Result<Vec<StoredRun>, StoreError> {
        const OF_CRON_JOB: &str = "cron_job = (SELECT id FROM cron_job WHERE uid = ?)";
        let read = |which: &str, parameters: &[Parameter<'_>]| {
            let sql = format!("SELECT at, {RUN} FROM run WHERE {which}");
            self.all(&sql, parameters, stored_run)
        };
        let of_window = format!("{OF_CRON_JOB} AND at >= ?");
        let mut runs = read(&of_window, &[uid.into(), since.into()])?;
        let earlier: Vec<_> = found.iter().filter(|run| run.at < since).collect();
        for some in earlier.chunks(MOST_JOBS) {
            let unknown = vec!["?"; some.len()].join(", ");
            let mut parameters = vec![uid.into()];
            parameters.extend(some.iter().map(|run| Parameter::from(run.at)));
            runs.extend(read(
                &format!("{OF_CRON_JOB} AND at IN ({unknown})"),
                &parameters,
            )?);
        }
        let known: HashSet<String> = runs.iter().filter_map(|run| run.job_uid.clone()).collect();
        let jobs = found.iter().filter_map(|run| run.job_uid.as_deref());
        let jobs: Vec<&str> = jobs.filter(|job| !known.contains(*job)).collect();
        for some in jobs.chunks(MOST_JOBS) {
            let unknown = vec!["?"; some.len()].join(", ");
            let parameters: Vec<_> = some.iter().map(|job| Parameter::from(*job)).collect();
            runs.extend(read(&format!("job_uid IN ({unknown})"), &parameters)?);
        }
        fill_names(&mut runs, name);
        Ok(runs)
    }

    /// Stores what is new, all or nothing, and since when the recorder has been watching. `deleted` are the UIDs of
    /// CronJobs, with the times of their deletion.
    pub fn write(
        &mut self,
        updates: &[CronJobUpdate],
        deleted: &[(String, Timestamp)],
        watched: Option<&Range<Timestamp>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let database = &*self.database;
        let marked = self.marked.as_ref();
        let mut times: HashMap<Timestamp, Vec<Vec<Parameter<'_>>>> = HashMap::new();
        for (uid, at) in deleted {
            let uids = times.entry(*at).or_default();
            uids.push(vec![uid.as_str().into()]);
        }
        self.or_error(database.transact(|| {
            check_mark(database, marked)?;
            write_updates(database, updates, now)?;
            for (at, uids) in times {
                let before = format!(
                    "UPDATE cron_job SET deleted_at = {} WHERE deleted_at IS NULL AND uid IN (",
                    at.as_second()
                );
                database.execute(&before, "?", ")", &uids)?;
            }
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

    /// Removes what is older than a time.
    pub fn prune(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.transact_with(
            before,
            &[
                "DELETE FROM run WHERE at < ?1",
                "DELETE FROM watched WHERE until < ?1",
                "DELETE FROM cron_job WHERE deleted_at < ?1",
                "DELETE FROM spec WHERE cron_job NOT IN (SELECT id FROM cron_job) OR valid_from < (SELECT \
                 max(valid_from) FROM spec later WHERE later.cron_job = spec.cron_job AND valid_from < ?1)",
            ],
        )
    }

    /// Removes what has not happened yet, after a time, because it was invented by clocks that were ahead.
    pub fn take_back(&mut self, end: Timestamp) -> Result<(), StoreError> {
        self.transact_with(
            end,
            &[
                "DELETE FROM run WHERE job_name IS NULL AND at > ?1",
                "DELETE FROM watched WHERE since > ?1",
                "UPDATE watched SET until = ?1 WHERE until > ?1",
                "DELETE FROM spec WHERE valid_from > ?1 AND valid_from < (SELECT max(valid_from) FROM spec later \
                 WHERE later.cron_job = spec.cron_job)",
                "DELETE FROM spec WHERE valid_from = ?1 AND EXISTS (SELECT 1 FROM spec later WHERE later.cron_job = \
                 spec.cron_job AND later.valid_from > ?1)",
                "UPDATE spec SET valid_from = ?1 WHERE valid_from > ?1",
                "UPDATE cron_job SET first_seen = ?1 WHERE first_seen > ?1",
                "UPDATE cron_job SET judged_until = ?1 WHERE judged_until > ?1",
                "UPDATE cron_job SET deleted_at = ?1 WHERE deleted_at > ?1",
            ],
        )?;
        let marked = self.marked.take().filter(|marked| marked.start <= end);
        self.marked = marked.map(|marked| marked.start..marked.end.min(end));
        Ok(())
    }

    /// Executes statements with a time, all or none.
    fn transact_with(&self, at: Timestamp, statements: &[&str]) -> Result<(), StoreError> {
        let database = &*self.database;
        self.or_error(database.transact(|| {
            for sql in statements {
                database.query(sql, &[at.into()], &mut |_| Ok(()))?;
            }
            Ok(())
        }))
    }

    /// When the newest Job was created.
    pub fn newest_job(&self) -> Result<Option<Timestamp>, StoreError> {
        self.newest_of("SELECT max(started_at) FROM run WHERE job_name IS NOT NULL")
    }

    fn newest_of(&self, sql: &str) -> Result<Option<Timestamp>, StoreError> {
        let newest = self.all(sql, &[], |row| row.time(0))?;
        Ok(newest.into_iter().next().flatten())
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
        self.newest_of("SELECT max(until) FROM watched")
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
        let limit = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
        let page = |end, from, limit| self.runs_of_name(namespace, name, from, end, limit);
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

    /// The newest runs since a time that succeeded, of the CronJobs that had a name, oldest first.
    pub fn newest_successes(
        &self,
        namespace: &str,
        name: &str,
        since: Timestamp,
        most: i64,
    ) -> Result<Vec<StoredRun>, StoreError> {
        let end = "AND result = 'succeeded' ORDER BY at DESC LIMIT ?4";
        let mut runs = self.runs_of_name(namespace, name, since, end, most)?;
        runs.reverse();
        Ok(runs)
    }

    /// The runs since a time of the CronJobs that had a name. `end` is the end of the statement, with `limit` as `?4`.
    fn runs_of_name(
        &self,
        namespace: &str,
        name: &str,
        since: Timestamp,
        end: &str,
        limit: i64,
    ) -> Result<Vec<StoredRun>, StoreError> {
        let sql = format!(
            "SELECT at, {RUN} FROM run WHERE cron_job IN (SELECT id FROM cron_job WHERE namespace = ?1 AND name = ?2) \
             AND at >= ?3 {end}"
        );
        let parameters = [namespace.into(), name.into(), since.into(), limit.into()];
        let mut runs = self.all(&sql, &parameters, stored_run)?;
        fill_names(&mut runs, name);
        Ok(runs)
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
                   queued, waiting, node, image, init, running, ending, template, images";

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
        kind: row.word(1)?.ok_or_else(|| DatabaseError::column(1))?,
        status: row.word(2)?,
        result: row.word(3)?,
        cause: row.owned_text(4)?,
        reason: row.owned_text(5)?,
        exit_code: exit_code.map_err(|_| DatabaseError::column(6))?,
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
        template: row.owned_text(18)?,
        images: row.owned_text(19)?,
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
    let reverted = |place, _| StoreError::Reverted(place);
    is_there
        .then_some(())
        .ok_or_else(|| DatabaseError::new(reverted, ""))
}

fn write_updates(
    database: &dyn Database,
    updates: &[CronJobUpdate],
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let (mut cron_jobs, mut specs) = (Vec::new(), Vec::new());
    let (mut jobs, mut by_names, mut runs) = (Vec::new(), Vec::new(), Vec::new());
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
        for run in &update.runs {
            let job_name = run.job_name.as_deref();
            let job_uid = run.job_uid.as_deref();
            let other_job = match run.kind {
                RunKind::Scheduled => "",
                RunKind::OffSchedule | RunKind::Manual => job_uid.or(job_name).unwrap_or_default(),
            };
            if let (Some(job_uid), Some(job_name)) = (job_uid, job_name) {
                jobs.push(vec![job_uid.into()]);
                by_names.push(vec![uid, run.at.into(), job_name.into()]);
            }
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
                Parameter::Text(run.template.as_deref()),
                Parameter::Text(run.images.as_deref()),
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
    let row = format!("({id}, ?, ?)");
    let known_by_name = "DELETE FROM run WHERE (cron_job, at, other_job) IN (VALUES";
    database.execute(known_by_name, &row, ")", &by_names)?;
    let row = format!("({id}{})", ", ?".repeat(21));
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
