//! Several Jobs of one scheduled time: a copy of a Job, and one that was deleted and created again under its name.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow, RunStatus};
use cronjob_diagnosis::kubectl::PLAIN;
use cronjob_doctor::recorder::{ChangedCronJob, ClockReading, Recorder};
use jiff::Timestamp;
use kube_model::{
    Coverage, CronJobEvidence, CronJobRecord, Job, RunKind, RunResult, SCHEDULED_TIME_ANNOTATION,
    StoredRun,
};

use crate::recorder::{
    failed_at_ten, open, pod_of_ten, record, record_in, recorder_of, step_with, stored,
};
use crate::support::cases::{cases, random};
use crate::support::model::{at, cron_job, ended, job};
#[cfg(target_os = "linux")]
use crate::support::postgres::Postgres;
use crate::support::prelude::*;
use crate::support::random::Random;
use crate::support::recorded::controller;

/// A Job of the run of 10:00, in the order in which it is the run of that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Controller,
    /// Created again after the first one was deleted.
    Again,
    Copy,
}

/// What is seen of a Job: whether it has ended, and whether it succeeded.
type Seen = (Of, bool, bool);

fn seconds(from: &str, seconds: i64) -> Timestamp {
    Timestamp::from_second(at(from).as_second() + seconds).unwrap()
}

fn seen_job((of, has_ended, succeeds): Seen) -> Job {
    let mut job = job("tick", at("10:00"));
    let created = match of {
        // Even a copy with the same creation time is not the one that the controller created.
        Of::Controller | Of::Copy => seconds("10:00", 1),
        Of::Again => seconds("10:07", 30),
    };
    (job.creation_timestamp, job.start_time) = (Some(created), Some(created));
    job.uid = format!("{of:?}");
    if of == Of::Copy {
        job.name = "tick-copy".to_owned();
    }
    let annotation = (SCHEDULED_TIME_ANNOTATION, "2026-03-10T10:00:00Z");
    job.annotations = [annotation].into_iter().collect();
    let kind = if succeeds { "Complete" } else { "Failed" };
    let end = Timestamp::from_second(created.as_second() + 40).unwrap();
    if has_ended {
        job = ended(job, kind, end);
    }
    job
}

/// How Jobs disappear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disappear {
    Never,
    /// Their deletion is seen.
    Seen,
    Unseen,
}

const DISAPPEAR: [Disappear; 3] = [Disappear::Never, Disappear::Seen, Disappear::Unseen];

fn evidence(jobs: Vec<Job>) -> CronJobEvidence {
    let mut cron_job = cron_job("tick", "0 * * * *");
    cron_job.creation_timestamp = Some(at("09:30"));
    cron_job.status.last_schedule_time = Some(at("10:00"));
    CronJobEvidence {
        cron_job,
        jobs,
        ..CronJobEvidence::default()
    }
}

/// Shows a recorder what is seen, one after the other, as a watch does.
fn play(open: &dyn Fn() -> Recorder, all_seen: &[Seen], disappear: Disappear, restarts: bool) {
    let mut recorder = open();
    let mut left: Vec<Job> = Vec::new();
    for (minute, seen) in (10..).zip(all_seen) {
        let new = seen_job(*seen);
        if restarts {
            drop(recorder);
            recorder = open();
        }
        let mut removed = Vec::new();
        let is_kept = |known: &Job| match disappear {
            // There is one Job of a name.
            Disappear::Never => known.name != new.name,
            Disappear::Seen | Disappear::Unseen => false,
        };
        left.retain(|known| {
            let is_same = known.uid == new.uid;
            if !is_same && !is_kept(known) && disappear != Disappear::Unseen {
                removed.push(known.clone());
            }
            !is_same && is_kept(known)
        });
        left.push(new);
        let removed_jobs: HashSet<String> = removed.iter().map(|job| job.uid.clone()).collect();
        let jobs = left.iter().cloned().chain(removed).collect();
        let evidence = evidence(jobs);
        let changed = ChangedCronJob {
            removed_jobs,
            ..ChangedCronJob::from(&evidence)
        };
        let now = at(&format!("10:{minute}"));
        step_with(&mut recorder, changed, same(now), |_| true);
    }
}

fn same(now: Timestamp) -> ClockReading {
    ClockReading {
        server: now,
        local: now,
    }
}

/// The last that was seen of each Job.
fn last_seen(all_seen: &[Seen]) -> BTreeMap<Of, Seen> {
    let mut last = BTreeMap::new();
    for seen in all_seen {
        last.insert(seen.0, *seen);
    }
    last
}

/// Each Job is stored once, with what is its own, and the first one is the run.
#[track_caller]
fn check_rows(record: &CronJobRecord, all_seen: &[Seen], what: &str) {
    let last = last_seen(all_seen);
    let with_jobs = record.runs.iter().filter(|run| run.job_name.is_some());
    assert_eq!(with_jobs.count(), last.len(), "{what}: {:#?}", record.runs);
    let run = last.keys().next().copied().unwrap();
    for (of, seen) in last {
        let expected = seen_job(seen);
        let rows = record.runs.iter();
        let rows: Vec<&StoredRun> = rows
            .filter(|row| row.job_uid.as_ref() == Some(&expected.uid))
            .collect();
        let [row] = rows.as_slice() else {
            panic!("{what}: {of:?} is stored {} times", rows.len());
        };
        assert_eq!(row.at, at("10:00"), "{what}: {row:?}");
        assert_eq!(row.job_name.as_deref(), Some(&*expected.name), "{what}");
        assert_eq!(row.started_at, expected.creation_timestamp, "{what}");
        if seen.1 {
            let result = if seen.2 {
                RunResult::Succeeded
            } else {
                RunResult::Failed
            };
            assert_eq!(row.result, Some(result), "{what}: {row:?}");
            assert_eq!(row.finished_at, expected.finished_at(), "{what}: {row:?}");
        }
        let kind = if of == run {
            RunKind::Scheduled
        } else {
            RunKind::OffSchedule
        };
        assert_eq!(row.kind, kind, "{what}: {row:?}");
        if of == run && seen.1 {
            let is_late = of == Of::Again;
            let status = if is_late {
                RunStatus::Late
            } else {
                RunStatus::OnTime
            };
            assert_eq!(row.status, Some(status), "{what}: {row:?}");
            let cause = (!seen.2).then_some("jobFailed");
            assert_eq!(row.cause.as_deref(), cause, "{what}: {row:?}");
        } else if of != run {
            assert_eq!(row.cause.as_deref(), Some("secondJob"), "{what}: {row:?}");
        }
    }
}

/// `history` shows the same, whichever of the Jobs are left in the cluster, and from the document of a recorder, which
/// has no UIDs.
#[track_caller]
fn check_history(record: &CronJobRecord, all_seen: &[Seen], what: &str) {
    let last = last_seen(all_seen);
    let mut without_uids = record.clone();
    for run in &mut without_uids.runs {
        run.job_uid = None;
    }
    let all: Vec<Seen> = last.values().copied().filter(|seen| seen.1).collect();
    if all.len() < last.len() {
        return;
    }
    let expected = |of: &Of| {
        let job = seen_job(last[of]);
        (job.name, job.creation_timestamp, last[of].2)
    };
    let run = expected(last.keys().next().unwrap());
    let others: BTreeSet<_> = last.keys().skip(1).map(expected).collect();
    for record in [record.clone(), without_uids] {
        let record = Arc::new(record);
        for subset in 0..1_usize << all.len() {
            let left = all.iter().enumerate();
            let left = left.filter(|(index, _)| subset & (1 << index) != 0);
            let jobs: Vec<Job> = left.map(|(_, seen)| seen_job(*seen)).collect();
            let names: BTreeSet<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
            if names.len() < jobs.len() {
                continue;
            }
            let mut evidence = evidence(jobs);
            evidence.record = Some(Arc::clone(&record));
            let (controller, now) = (controller("1.36"), at("10:40"));
            let facts = Facts::of(&controller, &PLAIN, &evidence, Coverage::all(now), now);
            let window = HistoryWindow {
                since: Some(at("09:50")),
                until: None,
            };
            let history = CronJobHistory::of(facts, &window).history;
            let what = format!("{what}, {subset} left");
            let shown = |name: &String, started: Option<Timestamp>, result| {
                (name.clone(), started, result == Some(RunResult::Succeeded))
            };
            let runs: Vec<_> = history.runs.iter().collect();
            let [(_, entry)] = runs.as_slice() else {
                panic!("{what}: {runs:?}");
            };
            let of_time = entry.run.as_ref().unwrap();
            let of_time = shown(&of_time.job_name, of_time.started_at, of_time.result);
            assert_eq!(of_time, run, "{what}");
            let beside = history.off_schedule.iter().map(|one| &one.run);
            let beside: Vec<_> = beside
                .map(|run| shown(&run.job_name, run.started_at, run.result))
                .collect();
            assert_eq!(beside.len(), others.len(), "{what}: {beside:?}");
            assert_eq!(BTreeSet::from_iter(beside), others, "{what}");
        }
    }
}

/// All orders of the elements.
fn orders<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = all.split_first() else {
        return vec![Vec::new()];
    };
    let orders = orders(rest).into_iter().flat_map(|order| {
        (0..=order.len()).map(move |place| {
            let mut order = order.clone();
            order.insert(place, first.clone());
            order
        })
    });
    orders.collect()
}

/// Each set of Jobs with each result, in each order.
fn all_orders() -> Vec<Vec<Seen>> {
    let sets: [&[Of]; 3] = [
        &[Of::Controller, Of::Copy],
        &[Of::Controller, Of::Again],
        &[Of::Controller, Of::Copy, Of::Again],
    ];
    let mut all = Vec::new();
    for set in sets {
        for results in 0..1_usize << set.len() {
            let jobs = set.iter().enumerate();
            let jobs: Vec<Seen> = jobs
                .map(|(index, of)| (*of, true, results & (1 << index) != 0))
                .collect();
            all.extend(orders(&jobs));
        }
    }
    all
}

#[test]
fn each_job_of_a_scheduled_time_is_stored_once_in_every_order() {
    for order in all_orders() {
        for disappear in DISAPPEAR {
            for restarts in [false, true] {
                let folder = Folder::new("recorder", &[]);
                play(&|| open(&folder), &order, disappear, restarts);
                let what = format!("{order:?} {disappear:?} restarts {restarts}");
                let record = stored(&folder);
                check_rows(&record, &order, &what);
                check_history(&record, &order, &what);
            }
        }
    }
}

/// Jobs are seen running, or not, and several times.
fn random_order(random: &mut Random) -> Vec<Seen> {
    let results = [Of::Controller, Of::Again, Of::Copy].map(|of| (of, random.one_in(2)));
    let mut has_ended = BTreeMap::new();
    let seen = (0..2 + random.below(6)).map(|_| {
        let (of, succeeds) = *random.pick(&results);
        let ended = has_ended.entry(of).or_insert(false);
        *ended |= random.one_in(2);
        (of, *ended, succeeds)
    });
    seen.collect()
}

#[test]
fn jobs_that_are_seen_again_and_again_are_not_mixed() {
    for case in 0..cases(60) {
        let mut random = random(u64::from(case));
        let order = random_order(&mut random);
        let disappear = *random.pick(&DISAPPEAR);
        let restarts = random.one_in(3);
        let folder = Folder::new("recorder", &[]);
        play(&|| open(&folder), &order, disappear, restarts);
        let what = format!("case {case}: {order:?} {disappear:?} restarts {restarts}");
        check_rows(&stored(&folder), &order, &what);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn jobs_of_a_scheduled_time_are_stored_once_in_postgresql() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    for case in 0..12 {
        let mut random = random(case);
        let order = random_order(&mut random);
        let disappear = *random.pick(&DISAPPEAR);
        play(&|| recorder_of(postgres.write()), &order, disappear, false);
        let what = format!("case {case}: {order:?} {disappear:?}");
        check_rows(&record_in(&postgres.read()), &order, &what);
        postgres.execute("DROP SCHEMA cronjob_doctor CASCADE");
    }
}

/// A row of an earlier time than what is judged again: the Job of 10:00 is gone when its copy is created a day later.
#[test]
fn copy_of_an_old_job_does_not_replace_its_run() {
    let folder = Folder::new("recorder", &[]);
    let original = (Of::Controller, true, false);
    let mut recorder = open(&folder);
    record(
        &mut recorder,
        &evidence(vec![seen_job(original)]),
        at("10:10"),
    );
    let copy = (Of::Copy, true, true);
    let mut late = evidence(vec![seen_job(copy)]);
    let noon = at("2026-03-11T12:20:00Z");
    late.cron_job.status.last_schedule_time = Some(at("2026-03-11T12:00:00Z"));
    record(&mut recorder, &late, noon);
    record(&mut recorder, &late, at("2026-03-11T12:21:00Z"));
    check_rows(&stored(&folder), &[original, copy], "a day later");
}

/// The exit code is that of the pod of the Job, not of another one with its name.
#[test]
fn exit_code_belongs_to_the_job_of_the_pod() {
    let folder = Folder::new("recorder", &[]);
    let mut recorder = open(&folder);
    let mut both = evidence(vec![
        seen_job((Of::Controller, true, false)),
        seen_job((Of::Again, true, true)),
    ]);
    let mut pod = pod_of_ten();
    Arc::make_mut(&mut both.jobs[0].owner_references)[0].controller = Some(true);
    pod.owner_references[0].uid = "Controller".to_owned();
    both.pods = vec![pod];
    record(&mut recorder, &both, at("10:10"));
    let runs = stored(&folder).runs;
    let codes: BTreeMap<_, _> = runs
        .iter()
        .map(|run| (run.job_uid.as_deref().unwrap(), run.exit_code))
        .collect();
    assert_eq!(codes, [("Controller", Some(3)), ("Again", None)].into());
}

/// A Job is judged in each second after its scheduled time, by clocks that differ by less than a second.
#[test]
fn run_in_the_schedule_is_never_judged_as_outside_of_it() {
    for ends in [9, 13, 14, 16] {
        for local in [-700, -300, 0] {
            let folder = Folder::new("recorder", &[]);
            let mut recorder = open(&folder);
            for second in 8..34 {
                let mut evidence = failed_at_ten();
                let end = seconds("10:00", ends);
                evidence.jobs[0] = job("tick", at("10:00"));
                if second > ends {
                    evidence.jobs[0] = ended(evidence.jobs[0].clone(), "Failed", end);
                }
                let now = seconds("10:00", second);
                let shifted = jiff::SignedDuration::from_millis(local);
                let clocks = ClockReading {
                    server: now,
                    local: now + shifted,
                };
                step_with(&mut recorder, (&evidence).into(), clocks, |_| true);
                let runs = stored(&folder).runs;
                let [run] = runs.as_slice() else {
                    panic!("{second}: {runs:?}");
                };
                let what = format!("ends {ends} local {local} second {second}: {run:?}");
                assert_eq!(run.kind, RunKind::Scheduled, "{what}");
                let cause = (second > ends).then_some("jobFailed");
                assert_eq!(run.cause.as_deref(), cause, "{what}");
            }
        }
    }
}

/// Pods are read after the end of their Job, whenever it was judged last. It ends 12 seconds after its scheduled time.
#[test]
fn exit_code_and_phases_are_stored_whenever_the_job_was_judged_last() {
    let mut evidence = failed_at_ten();
    evidence.jobs[0] = ended(job("tick", at("10:00")), "Failed", seconds("10:00", 12));
    let with_pods = CronJobEvidence {
        pods: vec![pod_of_ten()],
        ..evidence.clone()
    };
    for judged in 13..40 {
        let folder = Folder::new("recorder", &[]);
        let mut recorder = open(&folder);
        record(&mut recorder, &evidence, seconds("10:00", judged - 1));
        record(&mut recorder, &evidence, seconds("10:00", judged));
        record(&mut recorder, &with_pods, seconds("10:01", judged));
        let runs = stored(&folder).runs;
        let [run] = runs.as_slice() else {
            panic!("{judged}: {runs:?}");
        };
        assert_eq!(run.exit_code, Some(3), "{judged}: {run:?}");
        assert!(run.phases.is_some(), "{judged}: {run:?}");
    }
}

/// The window of `history` begins within the second of a scheduled time.
#[test]
fn window_that_begins_just_after_a_run_does_not_contain_it() {
    let evidence = failed_at_ten();
    let (controller, now) = (controller("1.36"), at("10:10"));
    for (millis, count) in [(0, 1), (700, 0)] {
        let facts = Facts::of(&controller, &PLAIN, &evidence, Coverage::all(now), now);
        let window = HistoryWindow {
            since: Some(at("10:00") + jiff::SignedDuration::from_millis(millis)),
            until: None,
        };
        let history = CronJobHistory::of(facts, &window).history;
        assert_eq!(history.runs.iter().count(), count);
        assert_eq!(history.off_schedule, []);
    }
}
