//! CronJobs that are deleted, also while nothing can be stored or no recorder runs, and an outage of the controller.

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow, Reliability, RunStatus};
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_doctor::recorder::{ChangedCronJob, ClockReading, Recorder};
use jiff::Timestamp;
use kube_model::{Coverage, CronJobEvidence, CronJobRecord, Outage, RunResult};

use crate::recorder::{open, record, step, step_with, stored};
use crate::support::model::{at, cron_job, ended, job};
use crate::support::prelude::*;
use crate::support::recorded::controller;

/// Every five minutes; it started its runs up to a time, of which the last one is running.
fn ticking(until: &str) -> CronJobEvidence {
    let mut cron_job = cron_job("tick", "*/5 * * * *");
    cron_job.creation_timestamp = Some(at("09:58"));
    let last = at(until);
    cron_job.status.last_schedule_time = Some(last);
    let times = (0..).map(|index| at("10:00").as_second() + index * 300);
    let times = times.take_while(|second| *second <= last.as_second());
    let times = times.map(|second| Timestamp::from_second(second).unwrap());
    let jobs = times.map(|time| {
        let end = Timestamp::from_second(time.as_second() + 60).unwrap();
        if time == last {
            job("tick", time)
        } else {
            ended(job("tick", time), "Complete", end)
        }
    });
    CronJobEvidence {
        jobs: jobs.collect(),
        cron_job,
        ..CronJobEvidence::default()
    }
}

fn delete(recorder: &mut Recorder, evidence: &CronJobEvidence, deleted: &str, now: &str) {
    let changed = ChangedCronJob {
        deleted_at: Some(at(deleted)),
        ..ChangedCronJob::from(evidence)
    };
    let clocks = ClockReading {
        server: at(now),
        local: at(now),
    };
    step_with(recorder, changed, clocks, |_| false);
}

fn results(record: &CronJobRecord) -> Vec<(Timestamp, Option<RunStatus>, Option<RunResult>)> {
    let runs = record.runs.iter();
    runs.map(|run| (run.at, run.status, run.result)).collect()
}

/// Nothing can be stored from 10:02 on. The CronJob is deleted at 10:16, and that is stored at 10:24.
#[test]
fn runs_of_a_cronjob_that_was_deleted_while_nothing_could_be_stored_are_stored() {
    for is_known in [true, false] {
        let folder = Folder::new("recorder", &[]);
        let mut recorder = open(&folder);
        if is_known {
            record(&mut recorder, &ticking("10:00"), at("10:02"));
        } else {
            let mut other = ticking("10:00");
            (other.cron_job.uid, other.cron_job.name) = ("2".to_owned(), "other".to_owned());
            record(&mut recorder, &other, at("10:02"));
        }
        delete(&mut recorder, &ticking("10:10"), "10:16", "10:24");
        let record = stored(&folder);
        let on_time = Some(RunStatus::OnTime);
        let succeeded = Some(RunResult::Succeeded);
        let all = [
            (at("10:00"), on_time, succeeded),
            (at("10:05"), on_time, succeeded),
            // How it ended was not seen.
            (at("10:10"), on_time, None),
            // It could still have been started.
            (at("10:15"), Some(RunStatus::Unknown), None),
        ];
        // What is not known is not stored of one that was never judged.
        let expected = if is_known { &all[..] } else { &all[..3] };
        assert_eq!(results(&record), expected, "{is_known}");
        assert_eq!(record.deleted_at, Some(at("10:16")), "{is_known}");
        // The same is stored by a replica that takes over and has seen the deletion, too.
        drop(recorder);
        let mut recorder = open(&folder);
        delete(&mut recorder, &ticking("10:10"), "10:16", "10:24");
        assert_eq!(results(&stored(&folder)), all, "{is_known}");
        assert_eq!(stored(&folder).deleted_at, Some(at("10:16")), "{is_known}");
    }
}

/// The connection to the cluster was lost, so it is not known when the CronJob was deleted: nothing is invented.
#[test]
fn no_run_is_skipped_between_the_loss_of_the_connection_and_a_deletion() {
    let folder = Folder::new("recorder", &[]);
    let mut recorder = open(&folder);
    record(&mut recorder, &ticking("10:00"), at("10:02"));
    recorder.interrupt();
    delete(&mut recorder, &ticking("10:00"), "10:24", "10:24");
    let record = stored(&folder);
    assert_eq!(
        results(&record),
        [(at("10:00"), Some(RunStatus::OnTime), None)]
    );
    assert!(!record.covers(at("10:10")));
}

/// It is deleted while the recorder does not run, or with its Job.
#[test]
fn run_that_was_running_when_its_cronjob_was_deleted_is_not_running_any_more() {
    for restarts in [false, true] {
        let folder = Folder::new("recorder", &[]);
        let mut recorder = open(&folder);
        record(&mut recorder, &ticking("10:00"), at("10:02"));
        let running = stored(&folder).runs[0].result;
        assert_eq!(running, Some(RunResult::Running));
        if restarts {
            drop(recorder);
            recorder = open(&folder);
        }
        let mut other = ticking("10:00");
        (other.cron_job.uid, other.cron_job.name) = ("2".to_owned(), "other".to_owned());
        step(&mut recorder, &other, at("10:04"), |uid| uid == "2");
        let record = stored(&folder);
        let expected = [(at("10:00"), Some(RunStatus::OnTime), None)];
        assert_eq!(results(&record), expected, "{restarts}");
        assert_eq!(record.deleted_at, Some(at("10:04")));
    }
}

/// A Job that is deleted while it is running, as by `kubectl delete`.
#[test]
fn running_job_that_was_removed_is_not_running_any_more() {
    let folder = Folder::new("recorder", &[]);
    let mut recorder = open(&folder);
    let evidence = ticking("10:00");
    let removed = evidence.jobs[0].uid.clone();
    let changed = ChangedCronJob {
        removed_jobs: [removed].into(),
        ..ChangedCronJob::from(&evidence)
    };
    let now = at("10:02");
    let clocks = ClockReading {
        server: now,
        local: now,
    };
    step_with(&mut recorder, changed, clocks, |_| true);
    let expected = [(at("10:00"), Some(RunStatus::OnTime), None)];
    assert_eq!(results(&stored(&folder)), expected);
}

/// From 10:01 on, nothing is started anywhere.
#[test]
fn runs_that_were_missed_while_the_controller_was_down_lower_no_reliability() {
    for is_down in [false, true] {
        let folder = Folder::new("recorder", &[]);
        let mut recorder = open(&folder);
        let mut evidence = ticking("10:00");
        evidence.jobs[0] = ended(evidence.jobs[0].clone(), "Complete", at("10:01"));
        record(&mut recorder, &evidence, at("10:02"));
        evidence.outage = is_down.then(|| Outage {
            last_start: Some(at("10:00")),
            due: 2,
        });
        record(&mut recorder, &evidence, at("10:17"));
        let runs = stored(&folder).runs;
        let causes: Vec<_> = runs.iter().map(|run| run.cause.as_deref()).collect();
        let cause = if is_down { "controllerDown" } else { "unknown" };
        // The run of 10:15 can still be started.
        assert_eq!(causes, [None, Some(cause), Some(cause)], "{runs:?}");
        evidence.record = Some(stored(&folder).into());
        let (controller, now) = (controller("1.36"), at("10:17"));
        let facts = Facts::of(&controller, &PLAIN, &evidence, Coverage::all(now), now);
        let window = HistoryWindow {
            since: Some(at("10:03")),
            until: None,
        };
        let reliability = Reliability::of(&CronJobHistory::of(facts, &window)).unwrap();
        let runs = reliability.figures.runs;
        let expected = if is_down { (0, 2) } else { (2, 0) };
        assert_eq!((runs.skipped, runs.excluded), expected);
    }
}
