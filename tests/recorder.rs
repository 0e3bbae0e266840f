//! What `serve --record` stores: against a simulated cluster, with restarts and gaps, and its files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter::once;
use std::sync::Arc;

use cronjob_controller::controller::decide;
use cronjob_diagnosis::history::RunStatus;
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_doctor::recorder::{
    ChangedCronJob, ClockReading, CronJobUpdate, Recorder, RecordingBasis, RecordingScope,
    RunStore, StoreError, StoreLocation, StoredSpec,
};
use jiff::Timestamp;
use kube_model::{
    ConcurrencyPolicy, Condition, ContainerEnd, ContainerStatus, Coverage, CronJob,
    CronJobEvidence, CronJobRecord, Job, Pod, RunKind, RunPhases, RunResult, StoredRun,
};

use crate::support::cases::{cases, random};
use crate::support::model::{active, at, cron_job, ended, job, owner};
#[cfg(target_os = "linux")]
use crate::support::postgres::{PASSWORD, Postgres};
use crate::support::prelude::*;
use crate::support::random::Random;
use crate::support::recorded::controller;

const DAY: i64 = 86_400;
const BEGIN: &str = "2026-03-10T00:00:37Z";
/// The interval in seconds at which the controller and the recorder run.
const TICK: i64 = 15;

/// A cluster with one `CronJob`, whose controller is `decide`, and what happened in it.
struct Cluster {
    cron_job: CronJob,
    jobs: Vec<Job>,
    /// The Jobs that were removed since the recorder stored something.
    removed: Vec<Job>,
    ends: BTreeMap<String, (Timestamp, bool)>,
    now: Timestamp,
    /// The interval of the schedule in minutes.
    every: i64,
    /// The scheduled times so far, each by the schedule that was in effect then.
    due: BTreeSet<i64>,
    /// The second of each run that was started, with its delay.
    started: BTreeMap<i64, i64>,
    /// The runs whose end the recorder can have seen.
    seen: BTreeMap<i64, RunResult>,
}

impl Cluster {
    fn new(every: i64) -> Self {
        let mut cron_job = cron_job("tick", "");
        cron_job.creation_timestamp = Some(at(BEGIN));
        let mut cluster = Cluster {
            cron_job,
            jobs: Vec::new(),
            removed: Vec::new(),
            ends: BTreeMap::new(),
            now: at(BEGIN),
            every: 1,
            due: BTreeSet::new(),
            started: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        cluster.schedule(every);
        cluster
    }

    fn schedule(&mut self, every: i64) {
        self.every = every;
        self.cron_job.spec.schedule = format!("*/{every} * * * *");
        self.cron_job.generation = self.cron_job.generation.map(|generation| generation + 1);
    }

    /// Advances the time: Jobs end, the controller starts others and removes those beyond the limits.
    fn tick(&mut self, random: &mut Random) {
        let before = self.now.as_second();
        self.now = Timestamp::from_second(before + TICK).unwrap();
        let minute = self.now.as_second().div_euclid(60) * 60;
        if minute > before && (minute / 60) % self.every == 0 {
            self.due.insert(minute);
        }
        for job in &mut self.jobs {
            let (end, succeeds) = self.ends[&job.name];
            if end <= self.now && job.conditions.is_empty() {
                let kind = if succeeds { "Complete" } else { "Failed" };
                *job = ended(job.clone(), kind, end);
                if succeeds {
                    self.cron_job.status.last_successful_time = Some(end);
                }
            }
        }
        let controller = controller("1.36");
        let running = |jobs: &[Job]| {
            jobs.iter()
                .filter(|job| job.conditions.is_empty())
                .map(active)
                .collect()
        };
        self.cron_job.status.active = running(&self.jobs);
        let decision = decide(&controller, &self.cron_job, &self.jobs, self.now);
        for name in &decision.deleted_jobs {
            self.remove(|job| job.name == *name, 0);
        }
        if decision.starts() {
            let scheduled = decision.scheduled_time.unwrap();
            let mut started = job("tick", scheduled);
            started.creation_timestamp = Some(self.now);
            let takes = *random.pick(&[1, 20, 50, 130]);
            let end = Timestamp::from_second(self.now.as_second() + takes).unwrap();
            self.ends
                .insert(started.name.clone(), (end, !random.one_in(4)));
            self.jobs.push(started);
            self.cron_job.status.last_schedule_time = Some(scheduled);
            self.started.insert(
                scheduled.as_second(),
                self.now.as_second() - scheduled.as_second(),
            );
        }
        self.cron_job.status.active = running(&self.jobs);
        let limit = |limit: Option<i32>| usize::try_from(limit.unwrap()).unwrap();
        let spec = &self.cron_job.spec;
        let (successes, failures) = (
            limit(spec.successful_jobs_history_limit),
            limit(spec.failed_jobs_history_limit),
        );
        self.remove(|job| job.completion_time.is_some(), successes);
        self.remove(
            |job| !job.conditions.is_empty() && job.completion_time.is_none(),
            failures,
        );
    }

    /// Removes Jobs except the newest ones.
    fn remove(&mut self, which: impl Fn(&Job) -> bool, keep: usize) {
        let mut surplus = self
            .jobs
            .iter()
            .filter(|job| which(job))
            .count()
            .saturating_sub(keep);
        let removed = &mut self.removed;
        self.jobs.retain(|job| {
            let is_surplus = surplus > 0 && which(job);
            if is_surplus {
                surplus -= 1;
                removed.push(job.clone());
            }
            !is_surplus
        });
    }

    /// What the recorder sees in this tick.
    fn evidence(&mut self) -> CronJobEvidence {
        let mut jobs = self.jobs.clone();
        jobs.extend(self.removed.iter().cloned());
        for job in jobs.iter().filter(|job| !job.conditions.is_empty()) {
            let second = scheduled(&job.name);
            let result = if job.completion_time.is_some() {
                RunResult::Succeeded
            } else {
                RunResult::Failed
            };
            self.seen.insert(second, result);
        }
        CronJobEvidence {
            cron_job: self.cron_job.clone(),
            jobs,
            ..CronJobEvidence::default()
        }
    }

    fn record(&mut self, recorder: &mut Recorder) {
        let evidence = self.evidence();
        record(recorder, &evidence, self.now);
    }
}

fn scheduled(job: &str) -> i64 {
    job.rsplit_once('-').unwrap().1.parse::<i64>().unwrap() * 60
}

pub(crate) fn record(recorder: &mut Recorder, evidence: &CronJobEvidence, now: Timestamp) {
    step(recorder, evidence, now, |_| true);
}

/// All clocks show the same time.
fn clocks(now: Timestamp) -> ClockReading {
    ClockReading {
        server: now,
        local: now,
    }
}

pub(crate) fn step(
    recorder: &mut Recorder,
    evidence: &CronJobEvidence,
    now: Timestamp,
    exists: fn(&str) -> bool,
) {
    step_with(recorder, evidence.into(), clocks(now), exists);
}

pub(crate) fn step_with(
    recorder: &mut Recorder,
    changed: ChangedCronJob<'_>,
    clocks: ClockReading,
    exists: fn(&str) -> bool,
) {
    let controller = controller("1.36");
    let basis = RecordingBasis {
        controller: &controller,
        kubectl: &PLAIN,
        coverage: Coverage {
            jobs_read: true,
            events_read: true,
            as_of: clocks.now(),
        },
        clocks,
    };
    recorder.step(&basis, once(changed), exists).unwrap();
}

pub(crate) fn file(folder: &Folder) -> StoreLocation {
    StoreLocation::File(folder.join("runs.db"))
}

pub(crate) fn stored(folder: &Folder) -> CronJobRecord {
    record_in(&file(folder).open().unwrap())
}

pub(crate) fn record_in(store: &RunStore) -> CronJobRecord {
    let intervals = store.intervals().unwrap();
    store
        .record("shop", "tick", &intervals, Timestamp::MIN, usize::MAX)
        .unwrap()
}

pub(crate) fn open(folder: &Folder) -> Recorder {
    recorder_of(file(folder).create().unwrap())
}

pub(crate) fn recorder_of(store: RunStore) -> Recorder {
    Recorder::new(store, 90 * DAY).unwrap()
}

/// The recorder is stopped and started again at random moments, the schedule and the suspension change, and the
/// limits remove Jobs as early as possible.
#[test]
fn recorded_runs_match_the_simulation_and_none_is_stored_twice() {
    for case in 0..cases(2) {
        let folder = Folder::new("recorder", &[]);
        let cluster = simulated(case, || open(&folder));
        check(&cluster, &stored(&folder), case);
    }
}

/// The same with PostgreSQL, in which the first recorder creates the tables.
#[cfg(target_os = "linux")]
#[test]
fn runs_in_postgresql_match_the_simulation_and_none_is_stored_twice() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let cluster = simulated(1, || recorder_of(postgres.write()));
    check(&cluster, &record_in(&postgres.read()), 1);
    // One recorder at a time, and none of an older version.
    let first = postgres.write();
    let locked = postgres.location().create().err().unwrap().to_string();
    assert!(
        locked.ends_with(" is being written by another recorder"),
        "{locked}"
    );
    assert!(!locked.contains(PASSWORD), "{locked}");
    drop(first);
    for version in [0, 2, 99] {
        let sql = format!("UPDATE cronjob_doctor.recorder SET version = {version}");
        postgres.execute(&sql);
        let refused = [postgres.location().open(), postgres.location().create()];
        check_version(refused, version);
    }
}

/// A cluster that is simulated for two hours, with recorders that are opened repeatedly.
fn simulated(case: u32, open: impl Fn() -> Recorder) -> Cluster {
    let mut random = random(u64::from(case) + 1);
    let mut cluster = Cluster::new(*random.pick(&[1, 2, 5]));
    let spec = &mut cluster.cron_job.spec;
    let policies = [
        ConcurrencyPolicy::Allow,
        ConcurrencyPolicy::Forbid,
        ConcurrencyPolicy::Replace,
    ];
    spec.concurrency_policy = random.pick(&policies).clone();
    spec.successful_jobs_history_limit = Some(*random.pick(&[0, 1, 3]));
    spec.failed_jobs_history_limit = Some(*random.pick(&[0, 1]));
    let mut recorder = Some(open());
    // The number of ticks for which nothing can be stored.
    let mut unstored = 0;
    for _ in 0..480 {
        cluster.tick(&mut random);
        if cluster.now.as_second() % 60 == 37 {
            match random.below(40) {
                0 => cluster.schedule(*random.pick(&[1, 2, 3, 5])),
                1 => {
                    let suspend = &mut cluster.cron_job.spec.suspend;
                    *suspend = Some(*suspend != Some(true));
                }
                2..4 => recorder = None,
                4..8 => recorder = recorder.or_else(|| Some(open())),
                8 => {
                    drop(recorder.take());
                    recorder = Some(open());
                }
                9 => recorder.iter_mut().for_each(Recorder::interrupt),
                10 => unstored = random.below(30),
                _ => {}
            }
        }
        if unstored > 0 && recorder.is_some() {
            unstored -= 1;
            continue;
        }
        if let Some(recorder) = &mut recorder {
            cluster.record(recorder);
        }
        cluster.removed.clear();
    }
    if let Some(recorder) = &mut recorder {
        cluster.record(recorder);
    }
    cluster
}

/// An hourly `CronJob`, and its Job of 10:00, which failed after 40 seconds.
pub(crate) fn failed_at_ten() -> CronJobEvidence {
    let mut cron_job = cron_job("tick", "0 * * * *");
    cron_job.creation_timestamp = Some(at("09:30"));
    cron_job.status.last_schedule_time = Some(at("10:00"));
    let failed = ended(
        job("tick", at("10:00")),
        "Failed",
        at("2026-03-10T10:00:40Z"),
    );
    CronJobEvidence {
        cron_job,
        jobs: vec![failed],
        ..CronJobEvidence::default()
    }
}

#[test]
fn restart_stores_finished_jobs_once() {
    let (folder, evidence) = (Folder::new("recorder", &[]), failed_at_ten());
    for now in ["10:30", "10:40", "10:50"] {
        record(&mut open(&folder), &evidence, at(now));
    }
    assert_eq!(stored(&folder).runs.len(), 1);
}

/// The pod of the run of 10:00 had a node after 4 seconds, started at 10:00:10 and ended at 10:00:35.
pub(crate) fn pod_of_ten() -> Pod {
    let time = |second: &str| Some(at(&format!("2026-03-10T10:00:{second}Z")));
    let job = job("tick", at("10:00"));
    let scheduled = Condition {
        r#type: "PodScheduled".into(),
        status: "True".into(),
        last_transition_time: time("05"),
        ..Condition::default()
    };
    let end = ContainerEnd {
        exit_code: 3,
        started_at: time("10"),
        finished_at: time("35"),
        ..ContainerEnd::default()
    };
    Pod {
        namespace: "shop".to_owned(),
        name: "tick-x".to_owned(),
        creation_timestamp: time("01"),
        phase: "Failed".to_owned(),
        owner_references: vec![owner("Job", &job.name, &job.uid)],
        conditions: vec![scheduled],
        containers: vec![ContainerStatus {
            name: "main".to_owned(),
            terminated: Some(end),
            ..ContainerStatus::default()
        }],
        ..Pod::default()
    }
}

#[test]
fn phases_of_a_run_are_kept_after_its_pods_are_gone() {
    let (folder, evidence) = (Folder::new("recorder", &[]), failed_at_ten());
    let with_pods = CronJobEvidence {
        pods: vec![pod_of_ten()],
        ..failed_at_ten()
    };
    let mut recorder = open(&folder);
    record(&mut recorder, &evidence, at("10:01"));
    assert_eq!(stored(&folder).runs[0].phases, None);
    record(&mut recorder, &with_pods, at("10:02"));
    record(&mut recorder, &evidence, at("10:03"));
    let run = stored(&folder).runs[0].clone();
    let phases = RunPhases {
        queued_seconds: Some(0),
        waiting_seconds: Some(10),
        node_seconds: Some(4),
        running_seconds: Some(25),
        ending_seconds: Some(5),
        ..RunPhases::default()
    };
    assert_eq!((run.exit_code, run.phases), (Some(3), Some(phases)));
}

#[track_caller]
fn check_version(opened: [Result<RunStore, StoreError>; 2], version: i64) {
    for opened in opened {
        let error = opened.err().unwrap().to_string();
        let expected = format!("(tables of version {version}; this one knows 1)");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn file_of_another_version_is_refused() {
    let folder = Folder::new("recorder", &[]);
    drop(open(&folder));
    for version in [0, 2, 99] {
        let connection = rusqlite::Connection::open(folder.join("runs.db")).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        check_version([file(&folder).open(), file(&folder).create()], version);
    }
}

/// Suspended at 10:30, and the recorder is restarted at 11:30. The run of 11:00 starts if the CronJob is resumed before
/// 12:00.
#[test]
fn failed_job_has_a_duration_and_suspension_outlives_a_restart() {
    let (folder, mut evidence) = (Folder::new("recorder", &[]), failed_at_ten());
    let mut recorder = open(&folder);
    record(&mut recorder, &evidence, at("10:20"));
    evidence.cron_job.spec.suspend = Some(true);
    evidence.cron_job.generation = Some(2);
    record(&mut recorder, &evidence, at("10:30"));
    record(&mut recorder, &evidence, at("11:10"));
    drop(recorder);
    let mut recorder = open(&folder);
    record(&mut recorder, &evidence, at("11:30"));
    assert_eq!(stored(&folder).runs.len(), 1);
    record(&mut recorder, &evidence, at("12:01"));
    let runs = stored(&folder).runs;
    let [failed, suspended] = runs.as_slice() else {
        panic!("{runs:?}");
    };
    let times = (failed.started_at, failed.finished_at);
    assert_eq!(times, (Some(at("10:00")), Some(at("2026-03-10T10:00:40Z"))));
    assert_eq!(failed.result, Some(RunResult::Failed));
    assert_eq!(suspended.at, at("11:00"));
    assert_eq!(suspended.cause.as_deref(), Some("suspended"));
}

/// Nothing can be stored from 10:30 to 10:50. The time of an edit in this interval is not known.
#[test]
fn time_in_which_nothing_could_be_stored_is_a_gap_if_there_was_an_edit() {
    for (generation, intervals) in [(1, 1), (2, 2)] {
        let (folder, mut evidence) = (Folder::new("recorder", &[]), failed_at_ten());
        let mut recorder = open(&folder);
        record(&mut recorder, &evidence, at("10:30"));
        evidence.cron_job.generation = Some(generation);
        record(&mut recorder, &evidence, at("10:50"));
        let stored = file(&folder).open().unwrap().intervals().unwrap();
        assert_eq!(stored.len(), intervals, "{stored:?}");
    }
}

#[track_caller]
fn check(cluster: &Cluster, record: &CronJobRecord, case: u32) {
    let of_schedule = record
        .runs
        .iter()
        .filter(|run| run.kind == RunKind::Scheduled);
    let rows: BTreeMap<i64, &StoredRun> = of_schedule
        .clone()
        .map(|run| (run.at.as_second(), run))
        .collect();
    assert_eq!(
        rows.len(),
        of_schedule.count(),
        "case {case}: a run is stored twice"
    );
    let uids = record.runs.iter().filter_map(|run| run.job_uid.as_ref());
    assert_eq!(
        uids.clone().collect::<HashSet<_>>().len(),
        uids.count(),
        "case {case}: a Job is stored twice"
    );
    for (second, result) in &cluster.seen {
        let row = record.runs.iter().find(|run| run.at.as_second() == *second);
        let row = row.unwrap_or_else(|| panic!("case {case}: {second} is lost"));
        assert_eq!(row.result, Some(*result), "case {case}: {row:?}");
        let started = row.started_at.unwrap().as_second();
        assert_eq!(
            started - second,
            cluster.started[second],
            "case {case}: {row:?}"
        );
    }
    for (second, row) in &rows {
        let is_started = cluster.started.contains_key(second);
        assert!(
            row.status != Some(RunStatus::Skipped) || !is_started,
            "case {case}: {row:?}"
        );
        assert!(
            cluster.due.contains(second) || is_started,
            "case {case}: never due: {row:?}"
        );
    }
    for second in &cluster.due {
        let at = Timestamp::from_second(*second).unwrap();
        assert!(
            !record.covers(at) || rows.contains_key(second),
            "case {case}: {at} is not stored"
        );
    }
}

/// Runs of deleted CronJobs are kept, and shown with those of a later CronJob of the same name.
#[test]
fn runs_expire_and_those_of_re_created_cron_jobs_are_joined() {
    let folder = Folder::new("recorder", &[]);
    let keep = 2 * DAY - 60;
    let mut recorder = Recorder::new(file(&folder).create().unwrap(), keep).unwrap();
    let ran = |uid: &str, day: &str| {
        let second = at(&format!("{day}T02:00:00Z"));
        let mut job = ended(
            job("tick", second),
            "Complete",
            at(&format!("{day}T02:00:20Z")),
        );
        Arc::make_mut(&mut job.owner_references)[0].uid = uid.to_owned();
        let mut cron_job = cron_job("tick", "0 2 * * *");
        (cron_job.uid, cron_job.status.last_schedule_time) = (uid.to_owned(), Some(second));
        cron_job.creation_timestamp = Some(at(&format!("{day}T00:00:00Z")));
        CronJobEvidence {
            cron_job,
            jobs: vec![job],
            ..CronJobEvidence::default()
        }
    };
    record(
        &mut recorder,
        &ran("1", "2026-03-10"),
        at("2026-03-10T03:00:00Z"),
    );
    // Only the second one exists from now on.
    let (now, second) = (at("2026-03-11T03:00:00Z"), ran("2", "2026-03-11"));
    step(&mut recorder, &second, now, |uid| uid == "2");
    let days = |record: &CronJobRecord| -> Vec<String> {
        let runs = record.runs.iter();
        runs.map(|run| run.at.to_string()[..10].to_owned())
            .collect()
    };
    let both = stored(&folder);
    assert_eq!(days(&both), ["2026-03-10", "2026-03-11"]);
    let uids: Vec<&str> = both
        .first_seen
        .iter()
        .map(|(_, uid)| uid.as_str())
        .collect();
    assert_eq!(uids, ["1", "2"]);
    assert_eq!(both.deleted_at, None);
    let (now, third) = (at("2026-03-12T04:00:00Z"), ran("2", "2026-03-12"));
    step(&mut recorder, &third, now, |uid| uid == "2");
    // 02:00 on the 10th is longer ago than that, by the newest Job.
    assert_eq!(days(&stored(&folder)), ["2026-03-11", "2026-03-12"]);
}

/// A page ends between two times, so that no run is on two pages.
#[test]
fn pages_of_stored_runs_have_each_run_once() {
    let folder = Folder::new("recorder", &[]);
    let run = |minute: i64, other: Option<i64>| StoredRun {
        kind: other.map_or(RunKind::Scheduled, |_| RunKind::Manual),
        at: Timestamp::from_second(at("10:00").as_second() + minute * 60).unwrap(),
        job_name: other.map(|number| format!("manual-{number}")),
        ..StoredRun::default()
    };
    let manual = (0..5).map(|number| run(10, Some(number)));
    let update = CronJobUpdate {
        uid: "1".to_owned(),
        namespace: "shop".to_owned(),
        name: "tick".to_owned(),
        judged_until: at("10:30"),
        spec: Some(StoredSpec::of(&cron_job("tick", "0 * * * *"))),
        runs: once(run(0, None))
            .chain(manual)
            .chain([run(20, None)])
            .collect(),
    };
    let mut store = file(&folder).create().unwrap();
    store.write(&[update], &[], None, at("10:30")).unwrap();
    drop(store);
    let store = file(&folder).open().unwrap();
    let all = record_in(&store).runs;
    assert_eq!(all.len(), 7);
    for most in 1..8 {
        let (mut since, mut found, mut pages) = (Timestamp::MIN, Vec::new(), 0);
        loop {
            let page = store.record("shop", "tick", &[], since, most).unwrap();
            found.extend(page.runs);
            pages += 1;
            let Some(next) = page.cut_at else { break };
            assert!(next > since);
            since = next;
        }
        assert_eq!(found.len(), all.len(), "{most}");
        assert!(found == all, "{most}");
        assert!(pages <= 4);
    }
}

/// CronJobs that another recorder stored in the same file are not deleted because this one does not see them.
#[test]
fn cronjobs_outside_the_scope_are_not_marked_as_deleted() {
    for (namespace, is_deleted) in [("other", false), ("shop", true)] {
        let folder = Folder::new("recorder", &[]);
        record(&mut open(&folder), &failed_at_ten(), at("10:30"));
        let mut recorder = open(&folder);
        recorder.set_scope(RecordingScope {
            namespace: Some(namespace.to_owned()),
            ..RecordingScope::default()
        });
        let mut other = failed_at_ten();
        (other.cron_job.uid, other.cron_job.namespace) = ("2".to_owned(), "other".to_owned());
        other.jobs.clear();
        step(&mut recorder, &other, at("10:31"), |uid| uid == "2");
        let left = file(&folder).open().unwrap().cron_jobs().unwrap();
        let uids: BTreeSet<&str> = left.iter().map(|one| one.uid.as_str()).collect();
        assert_eq!(uids.contains("1"), !is_deleted, "{namespace}");
    }
}

/// A text that PostgreSQL cannot store does not keep it from storing the other CronJobs.
#[cfg(target_os = "linux")]
#[test]
fn one_text_that_cannot_be_stored_does_not_stop_the_others() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let mut recorder = recorder_of(postgres.write());
    let named = |uid: &str, name: String| {
        let mut one = failed_at_ten();
        one.jobs[0].uid = format!("job-{uid}");
        Arc::make_mut(&mut one.jobs[0].owner_references)[0].uid = uid.to_owned();
        Arc::make_mut(&mut one.jobs[0].owner_references)[0]
            .name
            .clone_from(&name);
        (one.cron_job.uid, one.cron_job.name) = (uid.to_owned(), name);
        one
    };
    // Longer than a row of an index may be, and not compressible.
    let mut random = random(1);
    let long: String = (0..20_000)
        .map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap()))
        .collect();
    let all = [
        named("1", "tick".to_owned()),
        named("2", long),
        named("3", "nul\0\u{1f600}".to_owned()),
    ];
    let controller = controller("1.36");
    let mut results = Vec::new();
    for now in ["10:30", "10:31"] {
        let coverage = Coverage {
            jobs_read: true,
            events_read: true,
            as_of: at(now),
        };
        let basis = RecordingBasis {
            controller: &controller,
            kubectl: &PLAIN,
            coverage,
            clocks: clocks(at(now)),
        };
        results.push(
            recorder
                .step(&basis, all.iter().map(ChangedCronJob::from), |_| true)
                .map(drop)
                .map_err(|error| error.to_string()),
        );
    }
    let error = results[0].as_ref().unwrap_err();
    assert!(error.contains("cannot store CronJob shop/"), "{error}");
    assert_eq!(results[1], Ok(()));
    let stored = postgres.read();
    let uids: BTreeSet<String> = stored
        .cron_jobs()
        .unwrap()
        .into_iter()
        .map(|one| one.uid)
        .collect();
    assert_eq!(uids, ["1", "3"].map(str::to_owned).into());
    assert_eq!(record_in(&stored).runs.len(), 1);
}

/// The window of a CronJob that was deleted ends with its deletion, not with the last run that was judged.
#[test]
fn deleted_cronjob_was_seen_until_its_deletion() {
    let folder = Folder::new("recorder", &[]);
    let mut recorder = open(&folder);
    record(&mut recorder, &failed_at_ten(), at("10:01"));
    let mut other = failed_at_ten();
    (other.cron_job.uid, other.cron_job.name) = ("2".to_owned(), "other".to_owned());
    other.jobs.clear();
    step(&mut recorder, &other, at("10:12"), |uid| uid == "2");
    let record = stored(&folder);
    assert_eq!(
        (record.deleted_at, record.last_seen()),
        (Some(at("10:12")), Some(at("10:12")))
    );
    assert!(!record.covers(at("10:11")));
}
