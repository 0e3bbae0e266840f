//! The file of examples/recorder, which the documents read.
//!
//! `UPDATE=1 cargo test --test integration recorder_example` regenerates it.

use std::fs;
use std::path::Path;

use jiff::civil::{Weekday, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use cronjob_diagnosis::history::RunStatus;
use cronjob_doctor::recorder::{CronJobUpdate, StoreLocation, StoredSpec};
use kube_model::{CronJobRecord, RunResult, StoredRun};

use crate::support::model::at;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/recorder/runs.db");
const UID: &str = "6b9c5a52-0f2b-4a0d-9c1e-5d3a1f7e2b10";

/// A run at 6:00 in Berlin on a working day of March 2026.
fn run(day: i8) -> Option<StoredRun> {
    let date = date(2026, 3, day);
    if matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
        return None;
    }
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let due = date.at(6, 0, 0, 0).to_zoned(zone).unwrap().timestamp();
    let (status, result, cause, reason) = match day {
        11 | 13 => (
            RunStatus::OnTime,
            Some(RunResult::Failed),
            "jobFailed",
            "BackoffLimitExceeded",
        ),
        12 => (RunStatus::Skipped, None, "deadline", "past its deadline"),
        19 | 20 => (
            RunStatus::Skipped,
            None,
            "suspended",
            "suspended since Wed 2026-03-18 09:00 UTC",
        ),
        _ => (RunStatus::OnTime, Some(RunResult::Succeeded), "", ""),
    };
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let started = due + SignedDuration::from_secs(1);
    // Runs take a minute longer each week.
    let takes = SignedDuration::from_mins(10 + i64::from(day) / 7);
    Some(StoredRun {
        at: due,
        status: Some(status),
        result,
        cause: known(cause),
        reason: known(reason),
        job_name: result.map(|_| format!("billing-{}", due.as_second() / 60)),
        started_at: result.map(|_| started),
        finished_at: result.map(|_| started + takes),
        ..StoredRun::default()
    })
}

/// The recorder was not running from March 24 to noon on March 25.
fn runs() -> Vec<StoredRun> {
    let days = (2..=31).filter(|day| ![24, 25].contains(day));
    days.filter_map(run).collect()
}

fn write(path: &Path) {
    let _ = fs::remove_file(path);
    let mut store = StoreLocation::File(path.to_owned()).create().unwrap();
    let intervals = [
        ("2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z"),
        ("2026-03-02T00:00:00Z", "2026-03-24T00:00:00Z"),
        ("2026-03-25T12:00:00Z", "2026-03-31T12:00:00Z"),
    ];
    for (since, now) in intervals {
        let within = |run: &StoredRun| run.at > at(since) && run.at <= at(now);
        let update = CronJobUpdate {
            uid: UID.to_owned(),
            namespace: "shop".to_owned(),
            name: "billing".to_owned(),
            judged_until: at(now),
            spec: Some(StoredSpec {
                schedule: "0 6 * * 1-5".to_owned(),
                time_zone: Some("Europe/Berlin".to_owned()),
                suspend: false,
                concurrency_policy: "Forbid".to_owned(),
                starting_deadline: None,
                generation: Some(1),
            }),
            runs: runs().into_iter().filter(within).collect(),
        };
        let watched = at(since)..at(now);
        store
            .write(&[update], &[], Some(&watched), at(now))
            .unwrap();
    }
    drop(store);
    for other in ["-journal", ".lock"] {
        let _ = fs::remove_file(format!("{}{other}", path.display()));
    }
}

#[test]
fn example_file_is_what_the_program_writes() {
    let path = Path::new(FILE);
    if std::env::var_os("UPDATE").is_some() {
        write(path);
    }
    let store = StoreLocation::File(path.to_owned()).open().unwrap();
    let intervals = store.intervals().unwrap();
    let record = store.record("shop", "billing", &intervals, Timestamp::MIN, usize::MAX);
    let expected = CronJobRecord {
        watched: vec![
            at("2026-03-02T00:00:00Z")..at("2026-03-24T00:00:00Z"),
            at("2026-03-25T12:00:00Z")..at("2026-03-31T12:00:00Z"),
        ],
        first_seen: vec![(at("2026-03-02T00:00:00Z"), UID.to_owned())],
        deleted_at: None,
        runs: runs(),
        cut_at: None,
    };
    assert_eq!(record.unwrap(), expected);
}
