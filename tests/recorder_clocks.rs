//! Clocks that are wrong or jump: no row is lost, and none is invented.

use std::iter::once;
use std::time::Duration;

use cronjob_controller::model::{
    Coverage, CronJobEvidence, CronJobRecord, RunKind, RunResult, StoredRun,
};
use cronjob_doctor::history::RunStatus;
use cronjob_doctor::kubectl::PLAIN;
use cronjob_doctor::recorder::{
    ClockReading, CronJobUpdate, Recorder, RecordingBasis, RunStore, StoreLocation, StoredSpec,
};
use jiff::Timestamp;

use crate::support::model::{at, cron_job, ended, job};
#[cfg(target_os = "linux")]
use crate::support::postgres::Postgres;
use crate::support::prelude::*;
use crate::support::recorded::controller;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;
const JUMPS: [i64; 5] = [MINUTE, DAY, 400 * DAY, -HOUR, -400 * DAY];

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
    /// With a stored run of 80 days ago, and the Job of 10:00.
    fn new(location: &'a dyn Fn() -> StoreLocation) -> Self {
        let mut cron_job = cron_job("tick", "0 * * * *");
        cron_job.creation_timestamp = Some(at("2025-12-01T00:00:00Z"));
        cron_job.status.last_schedule_time = Some(at("10:00"));
        let old = seconds(at("10:00"), -80 * DAY);
        let mut store = location().create().unwrap();
        let stored = CronJobUpdate {
            uid: cron_job.uid.clone(),
            namespace: "shop".to_owned(),
            name: "tick".to_owned(),
            judged_until: at("10:00"),
            spec: Some(StoredSpec::of(&cron_job)),
            runs: vec![StoredRun {
                at: old,
                status: Some(RunStatus::OnTime),
                result: Some(RunResult::Succeeded),
                job_name: Some("tick-old".to_owned()),
                job_uid: Some("old".to_owned()),
                started_at: Some(old),
                finished_at: Some(old),
                ..StoredRun::default()
            }],
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
        let steady = |true_time: Timestamp| {
            let passed = true_time.as_second() - at("00:00").as_second();
            Duration::from_secs(u64::try_from(passed).unwrap())
        };
        let (mut now, end) = (at(from), at(to));
        while now <= end {
            let reading = ClockReading {
                server: seconds(now, self.server),
                local: seconds(now, self.local),
                steady: steady(now),
            };
            let recorder = self.recorder.get_or_insert_with(|| {
                let store = (self.location)().create().unwrap();
                Recorder::new(store, 90 * DAY).unwrap()
            });
            let controller = controller("1.36");
            let basis = RecordingBasis {
                controller: &controller,
                kubectl: &PLAIN,
                coverage: Coverage {
                    jobs_read: true,
                    events_read: true,
                    as_of: reading.server,
                },
                time: recorder.read_clocks(reading),
            };
            recorder
                .step(&basis, once(&self.evidence), |_| true)
                .unwrap();
            now = seconds(now, 30);
        }
    }

    fn restart(&mut self) {
        self.recorder = None;
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

/// Runs a recorder while the API server's clock and the local one are ahead by these seconds, from 10:20 until 10:26.
#[track_caller]
fn check(location: &dyn Fn() -> StoreLocation, (server, local): (i64, i64), restarts: bool) {
    let what = format!("server {server} local {local} restarts {restarts}");
    let mut world = World::new(location);
    world.run("10:15", "10:20");
    let before = world.record();
    assert_eq!(before.runs.len(), 2, "{what}: {:?}", before.runs);
    if restarts {
        world.restart();
    }
    (world.server, world.local) = (server, local);
    world.run("2026-03-10T10:20:30Z", "10:26");
    if restarts {
        world.restart();
    }
    assert!(
        world.record().runs == before.runs,
        "{what}: {} rows",
        world.record().runs.len()
    );
    let both_are_wrong = server != 0 && local != 0;
    for cron_job in world.store().cron_jobs().unwrap() {
        let is_future = cron_job.judged_until > at("10:26");
        assert!(!is_future || both_are_wrong, "{what}: {cron_job:?}");
    }
    (world.server, world.local) = (0, 0);
    world.run("2026-03-10T10:26:30Z", "10:29");
    let started = world
        .evidence
        .cron_job
        .status
        .last_schedule_time
        .replace(at("11:00"));
    assert_eq!(started, Some(at("10:00")));
    let next = ended(job("tick", at("11:00")), "Complete", at("11:01"));
    world.evidence.jobs.push(next);
    world.run("11:02", "11:12");
    // No run is missing, none is stored that was never due, and the next run is recorded.
    let after = world.record();
    let [old, ten, eleven] = after.runs.as_slice() else {
        panic!("{what}: {:#?}", after.runs);
    };
    assert_eq!([old, ten], [&before.runs[0], &before.runs[1]], "{what}");
    let outcome = (eleven.at, eleven.status, eleven.result, eleven.kind);
    let expected = (
        at("11:00"),
        Some(RunStatus::OnTime),
        Some(RunResult::Succeeded),
        RunKind::Scheduled,
    );
    assert_eq!(outcome, expected, "{what}");
    assert!(after.covers(at("11:10")), "{what}: {:?}", after.watched);
    // After a restart, the recorder cannot know whether the record or both clocks were wrong: it corrects the
    // record a day later.
    for cron_job in world.store().cron_jobs().unwrap() {
        let is_past = cron_job.judged_until <= at("11:12");
        assert!(
            is_past || both_are_wrong && restarts,
            "{what}: {cron_job:?}"
        );
    }
    // The moment of a jump forward is a gap; a moment that a clock shows twice is watched.
    let is_forward = server.min(local) >= 0 || (server - local).abs() > DAY;
    if !restarts && is_forward {
        assert!(
            !after.covers(at("2026-03-10T10:20:10Z")),
            "{what}: {:?}",
            after.watched
        );
    }
}

#[test]
fn no_row_is_lost_or_invented_when_a_clock_is_wrong_for_a_time() {
    for jump in JUMPS {
        for wrong in [(jump, 0), (0, jump), (jump, jump)] {
            for restarts in [false, true] {
                let folder = Folder::new("recorder", &[]);
                let file = || StoreLocation::File(folder.join("runs.db"));
                check(&file, wrong, restarts);
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
    for jump in [400 * DAY, -HOUR] {
        for wrong in [(jump, 0), (0, jump), (jump, jump)] {
            for restarts in [false, true] {
                check(&|| postgres.location(), wrong, restarts);
                postgres.execute("DROP SCHEMA cronjob_doctor CASCADE");
            }
        }
    }
}

/// Expired runs are removed, but not right after the start or after a time in which nothing was recorded.
#[test]
fn expired_runs_are_removed_when_the_clocks_have_agreed_for_a_time() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    world.run("10:05", "10:10");
    // The run of 80 days ago is expired ten days later.
    let days = |days: i64| seconds(at("10:30"), days * DAY).to_string();
    world.restart();
    world.run(&days(11), &seconds(at("10:39"), 11 * DAY).to_string());
    let has_old = |world: &World<'_>| {
        world
            .record()
            .runs
            .iter()
            .any(|run| run.job_uid.as_deref() == Some("old"))
    };
    assert!(has_old(&world));
    world.run(&days(12), &days(12));
    assert!(!has_old(&world));
}

/// The file is as a recorder with a wrong clock left it.
#[test]
fn judged_until_in_the_future_is_corrected() {
    let folder = Folder::new("recorder", &[]);
    let file = || StoreLocation::File(folder.join("runs.db"));
    let mut world = World::new(&file);
    let judged = CronJobUpdate {
        uid: "1".to_owned(),
        namespace: "shop".to_owned(),
        name: "tick".to_owned(),
        judged_until: at("2028-03-10T00:00:00Z"),
        spec: None,
        runs: Vec::new(),
    };
    file()
        .create()
        .unwrap()
        .write(&[judged], &[], None, at("10:00"))
        .unwrap();
    world.run("10:05", "10:06");
    let stored = world.store().cron_jobs().unwrap();
    assert!(stored[0].judged_until <= at("10:06"), "{stored:?}");
    // The run of 11:00 was not started before the next one was due.
    world.run("12:02", "12:03");
    let runs = world.record().runs;
    let last = runs.last().unwrap();
    assert_eq!(
        (last.at, last.status),
        (at("11:00"), Some(RunStatus::Skipped))
    );
}
