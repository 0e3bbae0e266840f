//! A running Job that blocks later runs, at different times.

use cronjob_diagnosis::diagnose::{Finding, Severity};
use kube_model::{Job, ObjectReference};

use super::pods::{at, changed, changed_at, silent};
use super::{Example, example};

const BLOCKED: &str = "blocked-by-running-job";

fn at_moment(time: &str, change: impl FnOnce(&mut Example)) -> Option<Finding> {
    changed_at(BLOCKED, time, change)
}

fn severity(time: &str, change: impl FnOnce(&mut Example)) -> Severity {
    at_moment(time, change).unwrap().severity
}

fn deadline(example: &mut Example, seconds: i64) {
    example.spec().starting_deadline_seconds = Some(seconds);
}

/// Due every ten minutes, and active since 08:00.
#[test]
fn blocked_with_short_deadline_is_found_between_scheduled_times() {
    for minute in 11..60 {
        for second in ["00", "19", "21", "59"] {
            let time = format!("08:{minute}:{second}");
            let found = at_moment(&time, |example| deadline(example, 20));
            assert!(found.is_some(), "{time}");
        }
    }
}

#[test]
fn job_that_no_run_waits_for_blocks_nothing() {
    // The Job may be about to finish when the run is due.
    for time in ["08:09:59", "08:10:00", "08:10:29"] {
        assert_eq!(at_moment(time, |_| {}), None);
    }
    assert!(at_moment("08:10:30", |_| {}).is_some());
}

#[test]
fn suspended_cron_job_is_not_blocked() {
    silent(BLOCKED, |example| example.spec().suspend = Some(true));
}

/// The first run was due at 08:10.
#[test]
fn blocked_for_longer_than_a_period_and_an_hour_is_an_error() {
    assert_eq!(severity("09:09:59", |_| {}), Severity::Warning);
    assert_eq!(severity("09:10:00", |_| {}), Severity::Error);
    let hourly = |example: &mut Example| example.spec().schedule = "0 * * * *".to_owned();
    assert_eq!(severity("09:59:59", hourly), Severity::Warning);
    assert_eq!(severity("10:00:00", hourly), Severity::Error);
}

#[test]
fn nightly_cron_job_blocked_for_two_nights_is_an_error() {
    let nightly = |example: &mut Example, now: &str| {
        example.spec().schedule = "0 8 * * *".to_owned();
        example.now = now.parse().unwrap();
    };
    for (now, expected) in [
        ("2026-03-11T07:59:59Z", None),
        ("2026-03-11T08:00:30Z", Some(Severity::Warning)),
        ("2026-03-12T07:59:59Z", Some(Severity::Warning)),
        ("2026-03-12T08:00:00Z", Some(Severity::Error)),
    ] {
        let found = changed(BLOCKED, |example| nightly(example, now));
        assert_eq!(found.map(|found| found.severity), expected, "{now}");
    }
}

/// Some schedules are meant to start the next run as soon as the last one ends.
#[test]
fn job_that_takes_as_long_as_earlier_ones_is_not_an_error() {
    let long = |example: &mut Example| {
        let earlier = &mut example.evidence.jobs[0];
        earlier.creation_timestamp = at("07:00:00");
        earlier.start_time = at("07:00:00");
        earlier.completion_time = at("07:52:05");
    };
    assert_eq!(severity("09:44:00", long), Severity::Warning);
    assert_eq!(severity("09:45:00", long), Severity::Error);
}

#[test]
fn remedy_says_what_deleting_the_job_starts() {
    let remedy = |change: fn(&mut Example)| {
        let remedy = at_moment("09:05:00", change).unwrap().remedy.unwrap().text;
        let then = remedy.split_once("delete job mirror-29552160 -n shop; ");
        then.unwrap().1.to_owned()
    };
    assert_texts!(
        remedy(|_| {}),
        remedy(|example| deadline(example, 20)),
        remedy(|example| {
            let older = example.evidence.jobs[1].clone();
            let younger = Job {
                name: "mirror-29552170".to_owned(),
                uid: "another".to_owned(),
                creation_timestamp: at("08:20:00"),
                ..older
            };
            let status = &mut example.cron_job().status;
            status.active.push(ObjectReference {
                name: younger.name.clone(),
                uid: younger.uid.clone(),
                ..status.active[0].clone()
            });
            example.evidence.jobs.push(younger);
        }),
    );
}

#[test]
fn detail_says_which_runs_are_skipped() {
    let then = |time: &str, seconds: Option<i64>| {
        let found = at_moment(time, |example| {
            example.spec().starting_deadline_seconds = seconds;
        });
        let detail = found.unwrap().detail;
        let (_, then) = detail.split_once(" been started. ").unwrap();
        let (then, _) = then.split_once(" None of its pods").unwrap();
        then.to_owned()
    };
    assert_texts!(
        then("08:10:31", None),
        then("08:10:31", Some(40)),
        then("08:10:41", Some(40)),
        then("08:20:21", Some(20)),
        then("08:20:19", Some(20)),
    );
}

/// The finding about the block also says that no pod of the Job is ready.
#[test]
fn job_without_ready_pod_that_blocks_is_found_once() {
    let codes = super::codes(&example(BLOCKED).findings());
    assert_eq!(codes, [BLOCKED, "runs-without-success"]);
}
