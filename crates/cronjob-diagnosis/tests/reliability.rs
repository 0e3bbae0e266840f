//! How many of the due runs succeeded in time, counted from recorded runs.

use std::ops::Range;
use std::sync::Arc;

use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{CronJobHistory, DueRuns, HistoryWindow, Reliability, RunStatus};
use cronjob_diagnosis::kubectl::PLAIN;
use jiff::{SignedDuration, Timestamp};
use kube_model::{Coverage, CronJobEvidence, CronJobRecord, RunResult, StoredRun};

use crate::support::model::{at, cron_job};
use crate::support::recorded::controller;

const HOUR: i64 = 3_600;

/// The time this many seconds after the start of the day.
fn after(seconds: i64) -> Timestamp {
    at("2026-03-10T00:00:00Z") + SignedDuration::from_secs(seconds)
}

/// A recorded run: `s`ucceeded, `f`ailed, succeeded too `l`ate, `b`ackfilled, `r`unning, `d`eadline exceeded,
/// su`p`ended or `u`nknown.
fn stored(hour: i64, letter: char) -> StoredRun {
    let due = hour * HOUR;
    let started = if letter == 'l' { due + HOUR } else { due + 2 };
    let result = match letter {
        's' | 'l' | 'b' => Some(RunResult::Succeeded),
        'f' => Some(RunResult::Failed),
        'r' => Some(RunResult::Running),
        _ => None,
    };
    let (status, cause) = match letter {
        'd' => (RunStatus::Skipped, Some("deadline")),
        'p' => (RunStatus::Skipped, Some("suspended")),
        'u' => (RunStatus::Unknown, Some("jobsDeleted")),
        'b' => (RunStatus::Backfilled, None),
        _ => (RunStatus::OnTime, None),
    };
    StoredRun {
        at: after(due),
        status: Some(status),
        result,
        cause: cause.map(str::to_owned),
        job_name: result.map(|_| format!("a-{hour}")),
        started_at: result.map(|_| after(started)),
        finished_at: result.map(|_| after(started + 60)),
        ..StoredRun::default()
    }
}

fn evidence(schedule: &str, runs: Vec<StoredRun>, watched: Range<Timestamp>) -> CronJobEvidence {
    let mut evidence = CronJobEvidence {
        cron_job: cron_job("a", schedule),
        record: Some(Arc::new(CronJobRecord {
            watched: vec![watched],
            runs,
            ..CronJobRecord::default()
        })),
        ..CronJobEvidence::default()
    };
    evidence.cron_job.spec.time_zone = Some("Europe/Berlin".to_owned());
    evidence
}

fn with_history<T>(
    evidence: &CronJobEvidence,
    (since, now): (Timestamp, Timestamp),
    check: impl FnOnce(&CronJobHistory<'_>) -> T,
) -> T {
    let controller = controller("1.36");
    let coverage = Coverage {
        jobs_read: false,
        events_read: false,
        as_of: now,
    };
    let window = HistoryWindow {
        since: Some(since),
        until: None,
    };
    let facts = Facts::of(&controller, &PLAIN, evidence, coverage, now);
    check(&CronJobHistory::of(facts, &window))
}

/// Hourly runs since midnight that were all recorded, half an hour after the last one.
fn hourly<T>(letters: &str, check: impl FnOnce(&CronJobHistory<'_>) -> T) -> T {
    let runs: Vec<StoredRun> = (0..)
        .zip(letters.chars())
        .map(|(hour, letter)| stored(hour, letter))
        .collect();
    let now = runs.last().unwrap().at + SignedDuration::from_mins(30);
    let evidence = evidence("0 * * * *", runs, after(-HOUR)..now);
    with_history(&evidence, (after(0), now), check)
}

#[test]
fn every_due_run_is_counted_once_and_unknown_ones_never_as_success() {
    // Due, succeeded, failed, late, skipped, unknown, excluded; the longest streak.
    let cases = [
        ("ssss", [4, 4, 0, 0, 0, 0, 0], 0),
        ("sfds", [4, 2, 1, 0, 1, 0, 0], 2),
        // The late run started when the next one was due, and so did not succeed in time, but it succeeded.
        ("flf", [3, 0, 2, 1, 0, 0, 0], 1),
        ("bs", [2, 2, 0, 0, 0, 0, 0], 0),
        // The recorder did not see the end of the running Job, and an unknown run may have succeeded.
        ("frf", [3, 0, 2, 0, 0, 1, 0], 1),
        ("ffuf", [4, 0, 3, 0, 0, 1, 0], 2),
        // Nothing was due in between.
        ("ffppf", [3, 0, 3, 0, 0, 0, 2], 3),
        ("pp", [0, 0, 0, 0, 0, 0, 2], 0),
    ];
    for (letters, counts, streak) in cases {
        let reliability = hourly(letters, |item| Reliability::of(item).unwrap());
        let runs = reliability.figures.runs;
        let DueRuns {
            due,
            succeeded,
            failed,
            late,
            skipped,
            unknown,
            excluded,
        } = runs;
        let found = [due, succeeded, failed, late, skipped, unknown, excluded];
        assert_eq!(found, counts, "{letters}");
        assert_eq!(
            due,
            succeeded + failed + late + skipped + unknown,
            "{letters}"
        );
        assert_eq!(reliability.longest_failure_streak, streak, "{letters}");
    }
}

#[test]
fn skipped_run_lowers_the_success_rate() {
    let rate = |letters| {
        hourly(letters, |item| {
            Reliability::of(item).unwrap().figures.success_rate
        })
    };
    assert_eq!([rate("sss"), rate("sds")], [Some(1.0), Some(2.0 / 3.0)]);
}

#[test]
fn success_rate_is_the_share_of_runs_with_a_known_outcome() {
    let figures = |letters| hourly(letters, |item| Reliability::of(item).unwrap().figures);
    assert_eq!(figures("sssfuu").success_rate, Some(0.75));
    assert_eq!(figures("slpp").success_rate, Some(0.5));
    assert_eq!(figures("uupp").success_rate, None);
    // A backfilled run says nothing about the controller, and a failed one nothing about a usual duration.
    let figures = figures("slfb");
    let (delay, duration) = (figures.delay_seconds, figures.duration_seconds);
    assert_eq!((delay.p50, delay.max), (Some(2), Some(HOUR)));
    assert_eq!((duration.p50, duration.max), (Some(60), Some(60)));
}

#[test]
fn gaps_with_due_runs_and_new_identities_are_notes() {
    let mut evidence = evidence("0 * * * *", Vec::new(), after(0)..after(0));
    let around = |hour: i64| after(hour * HOUR - 1_800)..after(hour * HOUR + 1_800);
    let seen = |hour, uid: &str| (after(hour * HOUR), uid.to_owned());
    evidence.record = Some(Arc::new(CronJobRecord {
        watched: [1, 3, 5, 7, 9].map(around).to_vec(),
        first_seen: vec![seen(-24, "u1"), seen(2, "u2")],
        ..CronJobRecord::default()
    }));
    // The run at the end was due just now.
    let notes = with_history(&evidence, (after(0), after(10 * HOUR)), |item| {
        item.history.notes.clone()
    });
    let expected = [
        "the recording has 2 earlier gaps",
        "not recorded: Tue 2026-03-10 04:30 to Tue 2026-03-10 05:30 Europe/Berlin",
        "not recorded: Tue 2026-03-10 06:30 to Tue 2026-03-10 07:30 Europe/Berlin",
        "not recorded: Tue 2026-03-10 08:30 to Tue 2026-03-10 09:30 Europe/Berlin",
        "re-created at Tue 2026-03-10 03:00 Europe/Berlin (uid u2)",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn weekends_have_no_due_runs_and_clocks_change_in_between() {
    let mut evidence = evidence("0 6 * * 1-5", Vec::new(), after(-HOUR)..after(0));
    evidence.cron_job.status.last_schedule_time = Some(at("2026-03-30T04:00:00Z"));
    let window = (at("2026-03-27T00:00:00Z"), at("2026-03-31T00:00:00Z"));
    with_history(&evidence, window, |item| {
        // Friday at 6:00 in winter, Monday at 6:00 in summer.
        let runs = Reliability::of(item).unwrap().figures.runs;
        assert_eq!((runs.due, runs.unknown), (2, 2));
    });
}

#[test]
fn weeks_are_counted_back_from_the_end_by_the_clock() {
    let evidence = evidence("0 6 * * *", Vec::new(), after(-HOUR)..after(0));
    let starts = |since: &str| {
        let window = (at(since), at("2026-03-31T12:00:00Z"));
        let weeks = with_history(&evidence, window, |item| {
            Reliability::of(item).unwrap().weeks
        });
        let starts = weeks.iter().map(|week| week.from.to_string());
        starts.collect::<Vec<_>>()
    };
    // 14:00 in summer is 12:00 UTC, 14:00 in winter 13:00 UTC. The remaining hour is not a week of its own.
    let expected = [
        "2026-03-03T12:00:00Z",
        "2026-03-10T13:00:00Z",
        "2026-03-17T13:00:00Z",
        "2026-03-24T13:00:00Z",
    ];
    assert_eq!(starts("2026-03-03T12:00:00Z"), expected);
    assert_eq!(
        starts("2026-03-20T00:00:00Z"),
        ["2026-03-20T00:00:00Z", expected[3]]
    );
    assert_eq!(starts("2026-03-30T00:00:00Z"), ["2026-03-30T00:00:00Z"]);
}
