//! Clocks that are wrong or jump: no row is lost, and none is invented for longer than both clocks are ahead.

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow, Reliability, RunStatus};
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_doctor::recorder::{
    ClockReading, CronJobUpdate, RecordDelay, Recorder, RunStore, StoreLocation, StoredSpec,
};
use jiff::Timestamp;
use kube_model::{Coverage, CronJobEvidence, CronJobRecord, RunKind, RunResult, StoredRun};

use crate::recorder::step_with;
use crate::support::model::{at, cron_job, ended, job};
#[cfg(target_os = "linux")]
use crate::support::postgres::Postgres;
use crate::support::prelude::*;
use crate::support::recorded::controller;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;
const WRONG: [i64; 7] = [
    MINUTE,
    2 * HOUR,
    DAY,
    400 * DAY,
    -HOUR,
    -2 * DAY,
    -400 * DAY,
];

/// A recorder of an hourly `CronJob`, whose clocks can be wrong.
struct World<'a> {
    location: &'a dyn Fn() -> StoreLocation,
    recorder: Option<Recorder>,
    evidence: CronJobEvidence,
    /// How far each clock is ahead, in seconds.
    server: i64,
    local: i64,
}

fn seconds(at: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(at.as_second() + seconds).unwrap()
}

impl<'a> World<'a> {
    /// With a stored run of 80 days ago, one of 9:00 that was skipped, and the Job of 10:00.
    fn new(location: &'a dyn Fn() -> StoreLocation) -> Self {
        let mut cron_job = cron_job("tick", "0 * * * *");
        cron_job.creation_timestamp = Some(at("2025-12-01T00:00:00Z"));
        cron_job.status.last_schedule_time = Some(at("10:00"));
        let old = seconds(at("10:00"), -80 * DAY);
        let mut store = location().create().unwrap();
        let skipped = StoredRun {
            at: at("09:00"),
            status: Some(RunStatus::Skipped),
            cause: Some("forbid".to_owned()),
            ..StoredRun::default()
        };
        let stored = CronJobUpdate {
            uid: cron_job.uid.clone(),
            namespace: "shop".to_owned(),
            name: "tick".to_owned(),
            judged_until: at("10:00"),
            spec: Some(StoredSpec::of(&cron_job)),
            runs: vec![ran(old, "old"), skipped],
        };
        let watched = seconds(old, -60)..at("10:00");
        store
            .write(&[stored], &[], Some(&watched), watched.start)
            .unwrap();
        drop(store);
        let evidence = CronJobEvidence {
            cron_job,
            jobs: vec![ended(job("tick", at("10:00")), "Complete", at("10:01"))],
            ..CronJobEvidence::default()
        };
        World {
            location,
            recorder: None,
            evidence,
            server: 0,
            local: 0,
        }
    }

    /// Records every half minute, from a true time to another.
    fn run(&mut self, from: &str, to: &str) {
        let (mut now, end) = (at(from), at(to));
        while now <= end {
            let clocks = self.clocks(now);
            let recorder = self.recorder.get_or_insert_with(|| {
                let store = (self.location)().create().unwrap();
                Recorder::new(store, 90 * DAY).unwrap()
            });
            step_with(recorder, (&self.evidence).into(), clocks, |_| true);
            now = seconds(now, 30);
        }
    }

    fn clocks(&self, now: Timestamp) -> ClockReading {
        ClockReading {
            server: seconds(now, self.server),
            local: seconds(now, self.local),
        }
    }

    fn restart(&mut self) {
        self.recorder = None;
    }

    /// The run of a time was started by the controller, and succeeded.
    fn start(&mut self, time: &str) {
        self.evidence.cron_job.status.last_schedule_time = Some(at(time));
        let end = seconds(at(time), 60);
        let job = ended(job("tick", at(time)), "Complete", end);
        self.evidence.jobs.push(job);
    }

    fn store(&self) -> RunStore {
        (self.location)().open().unwrap()
    }

    fn record(&self) -> CronJobRecord {
        let store = self.store();
        let intervals = store.intervals().unwrap();
        store
            .record("shop", "tick", &intervals, Timestamp::MIN, usize::MAX)
            .unwrap()
    }
}

fn ran(time: Timestamp, uid: &str) -> StoredRun {
    StoredRun {
        at: time,
        status: Some(RunStatus::OnTime),
        result: Some(RunResult::Succeeded),
        job_name: Some(format!("tick-{uid}")),
        job_uid: Some(uid.to_owned()),
        started_at: Some(time),
        finished_at: Some(time),
        ..StoredRun::default()
    }
}

/// Runs a recorder while the API server's clock and the local one are ahead by these seconds, from 10:20 until 10:26.
#[track_caller]
fn check(location: &dyn Fn() -> StoreLocation, (server, local): (i64, i64), restarts: bool) {
    let what = format!("server {server} local {local} restarts {restarts}");
    let mut world = World::new(location);
    world.run("10:15", "10:20");
    let before = world.record();
    assert_eq!(before.runs.len(), 3, "{what}: {:?}", before.runs);
    if restarts {
        world.restart();
    }
    (world.server, world.local) = (server, local);
    world.run("2026-03-10T10:20:30Z", "10:26");
    // Only two clocks that are ahead make runs of the future.
    if server.min(local) <= 0 {
        assert_eq!(world.record().runs, before.runs, "{what}");
        let ahead = |at: Timestamp| at > at_true_end();
        let cron_jobs = world.store().cron_jobs().unwrap();
        assert!(
            !cron_jobs.iter().any(|one| ahead(one.judged_until)),
            "{what}"
        );
        let intervals = world.store().intervals().unwrap();
        assert!(!intervals.iter().any(|one| ahead(one.end)), "{what}");
    }
    if restarts {
        world.restart();
    }
    (world.server, world.local) = (0, 0);
    world.run("2026-03-10T10:26:30Z", "10:29");
    assert_eq!(world.record().runs, before.runs, "{what}");
    world.start("11:00");
    world.run("11:02", "11:12");
    // No run is missing, none is stored that was never due, and the next run is recorded.
    let after = world.record();
    let [old, nine, ten, eleven] = after.runs.as_slice() else {
        panic!("{what}: {:#?}", after.runs);
    };
    assert_eq!(
        [old, nine, ten],
        [0, 1, 2].map(|index| &before.runs[index]),
        "{what}"
    );
    let outcome = (eleven.at, eleven.status, eleven.result, eleven.kind);
    let expected = (
        at("11:00"),
        Some(RunStatus::OnTime),
        Some(RunResult::Succeeded),
        RunKind::Scheduled,
    );
    assert_eq!(outcome, expected, "{what}");
    assert!(after.covers(at("11:10")), "{what}: {:?}", after.watched);
    let cron_jobs = world.store().cron_jobs().unwrap();
    let is_past = |at: Timestamp| at <= self::at("11:12");
    assert!(
        cron_jobs.iter().all(|one| is_past(one.judged_until)),
        "{what}"
    );
    assert!(after.watched.iter().all(|one| is_past(one.end)), "{what}");
}

fn at_true_end() -> Timestamp {
    at("10:26")
}

#[test]
fn no_row_is_lost_or_invented_when_a_clock_is_wrong_for_a_time() {
    for wrong in WRONG {
        for clocks in [(wrong, 0), (0, wrong), (wrong, wrong)] {
            for restarts in [false, true] {
                let folder = Folder::new("recorder", &[]);
                let file = || StoreLocation::File(folder.join("runs.db"));
                check(&file, clocks, restarts);
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_row_in_postgresql_is_lost_or_invented_when_a_clock_is_wrong_for_a_time() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    for wrong in [400 * DAY, -HOUR] {
        for clocks in [(wrong, 0), (0, wrong), (wrong, wrong)] {
            for restarts in [false, true] {
                check(&|| postgres.location(), clocks, restarts);
                postgres.execute("DROP SCHEMA cronjob_doctor CASCADE");
            }
        }
    }
}

/// Both clocks are ahead by two hours when the recorder starts, as where the hardware clock shows the local time. An
/// hour after they were corrected, the recorder starts again; the Jobs of the hour are gone.
#[test]
fn runs_that_clocks_invented_at_a_start_lower_no_reliability() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    world.evidence.cron_job.spec.schedule = "*/5 * * * *".to_owned();
    world.run("10:00", "10:01");
    world.restart();
    (world.server, world.local) = (2 * HOUR, 2 * HOUR);
    world.run("10:02", "10:02");
    let is_skipped = |run: &&StoredRun| run.status == Some(RunStatus::Skipped);
    assert!(world.record().runs.iter().filter(is_skipped).count() > 20);
    world.restart();
    (world.server, world.local) = (0, 0);
    world.run("10:02", "10:02");
    world.restart();
    assert_eq!(world.record().runs.iter().filter(is_skipped).count(), 1);
    world.evidence.jobs.clear();
    for time in ["10:50", "10:55", "11:00"] {
        world.start(time);
    }
    world.run("11:02", "11:02");
    let mut evidence = world.evidence.clone();
    evidence.record = Some(world.record().into());
    let (controller, now) = (controller("1.36"), at("11:02"));
    let facts = Facts::of(&controller, &PLAIN, &evidence, Coverage::all(now), now);
    let window = HistoryWindow {
        since: Some(at("09:59")),
        until: None,
    };
    let reliability = Reliability::of(&CronJobHistory::of(facts, &window)).unwrap();
    let runs = reliability.figures.runs;
    assert_eq!((runs.skipped, runs.failed, runs.succeeded), (0, 0, 4));
    assert_eq!(reliability.longest_failure_streak, 0);
}

/// A machine without a battery starts with a clock of the past: what was stored is not removed, and the record goes on
/// when the clock is right.
#[test]
fn clocks_that_are_behind_at_a_start_only_delay() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    world.run("10:15", "10:20");
    let before = world.record();
    world.restart();
    let behind = -at("10:00").as_second();
    (world.server, world.local) = (behind, behind);
    world.run("10:21", "10:23");
    let recorder = world.recorder.as_ref().unwrap();
    let delay = recorder.delay(world.clocks(at("10:23")));
    assert!(
        matches!(delay, Some(RecordDelay::Record { .. })),
        "{delay:?}"
    );
    let during = world.record();
    assert_eq!(
        (&during.runs, &during.watched),
        (&before.runs, &before.watched)
    );
    (world.server, world.local) = (0, 0);
    world.run("10:24", "10:25");
    let recorder = world.recorder.as_ref().unwrap();
    assert_eq!(recorder.delay(world.clocks(at("10:25"))), None);
    assert_eq!(world.record().runs, before.runs);
    assert!(world.record().covers(seconds(at("10:24"), 30)));
}

#[test]
fn delay_of_more_than_a_minute_is_reported() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    world.run("10:15", "10:20");
    for (server, local, is_delayed) in [
        (0, 0, false),
        (60, 0, false),
        (61, 0, true),
        (0, -61, true),
        (-59, -59, false),
        (-61, -61, true),
        (400 * DAY, 400 * DAY, false),
    ] {
        (world.server, world.local) = (server, local);
        let recorder = world.recorder.as_ref().unwrap();
        let delay = recorder.delay(world.clocks(at("10:20")));
        assert_eq!(delay.is_some(), is_delayed, "{server} {local}: {delay:?}");
    }
}

/// Expired runs are removed at the start and once a day, but only as far as Jobs show that the time has passed.
#[test]
fn expired_runs_are_removed_when_a_new_job_shows_the_time() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    world.run("10:05", "10:10");
    // The run of 80 days ago is expired ten days later.
    let later = seconds(at("10:30"), 11 * DAY).to_string();
    world.restart();
    world.run(&later, &later);
    let has_old = |world: &World<'_>| {
        world
            .record()
            .runs
            .iter()
            .any(|run| run.job_uid.as_deref() == Some("old"))
    };
    assert!(has_old(&world));
    world.start(&seconds(at("10:00"), 11 * DAY).to_string());
    world.restart();
    world.run(&later, &later);
    assert!(!has_old(&world));
}
