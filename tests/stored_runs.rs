//! What is known about a run after more evidence about it was seen.

use cronjob_diagnosis::history::RunStatus;
use jiff::Timestamp;
use kube_model::{CronJobRecord, RunKind, RunResult, StoredRun};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn skipped() -> StoredRun {
    StoredRun {
        at: at(600),
        status: Some(RunStatus::Skipped),
        cause: Some("forbid".to_owned()),
        ..StoredRun::default()
    }
}

fn with_job(result: Option<RunResult>) -> StoredRun {
    StoredRun {
        at: at(600),
        status: Some(RunStatus::OnTime),
        result,
        job_name: Some("a-10".to_owned()),
        job_uid: Some("u-10".to_owned()),
        started_at: Some(at(601)),
        ..StoredRun::default()
    }
}

#[test]
fn run_is_never_replaced_by_one_with_less_information() {
    let unknown = StoredRun {
        status: Some(RunStatus::Unknown),
        ..skipped()
    };
    let gone = StoredRun {
        job_uid: None,
        ..with_job(None)
    };
    let (running, succeeded) = (Some(RunResult::Running), Some(RunResult::Succeeded));
    let states = [
        unknown,
        skipped(),
        with_job(running),
        gone,
        with_job(succeeded),
    ];
    for (earlier, known) in states.iter().enumerate() {
        for (later, incoming) in states.iter().enumerate() {
            let replaces = known.updated(incoming).is_some();
            assert_eq!(replaces, later > earlier, "{known:?} {incoming:?}");
        }
    }
    let lost = with_job(running).updated(&states[3]).unwrap();
    assert_eq!((lost.result, lost.job_uid.as_deref()), (None, Some("u-10")));
}

#[test]
fn job_keeps_the_kind_that_it_was_first_stored_with() {
    let known = with_job(Some(RunResult::Running));
    let moved = StoredRun {
        kind: RunKind::OffSchedule,
        status: None,
        ..with_job(Some(RunResult::Failed))
    };
    let merged = known.updated(&moved).unwrap();
    assert_eq!(
        (merged.kind, merged.result),
        (RunKind::Scheduled, Some(RunResult::Failed))
    );
}

#[test]
fn watched_interval_excludes_its_end() {
    let record = CronJobRecord {
        watched: vec![at(10)..at(20), at(30)..at(40)],
        ..CronJobRecord::default()
    };
    let covered = [9, 10, 19, 20, 29, 30, 39, 40].map(|second| record.covers(at(second)));
    assert_eq!(
        covered,
        [false, true, true, false, false, true, true, false]
    );
}
