//! Runs that differ from what is usual or stated, at every limit.

use cronjob_diagnosis::diagnose::Severity;
use jiff::{SignedDuration, Timestamp};

use super::pods::{at, changed, changed_at, silent};
use super::{Example, example};

/// Five successes of 230, 240, 250, 300 and 360 seconds, and one Job that has been running since 02:00. The
/// 95th percentile is 360 seconds (95% of 5 is 4.75: rank 5), so that 720 seconds are not unusual.
const LONGER: &str = "running-longer-than-usual";
/// Five successes of 2, 1190, 1200, 1210 and 1230 seconds, the last of 2. The median is 1200 seconds (rank 3).
const FAST: &str = "finished-suspiciously-fast";
/// Running since 02:00; `max-duration: 30m`.
const EXCEEDED: &str = "max-duration-exceeded";
/// The last success was on Sunday the 8th at 02:04:10; `success-within: 26h`.
const OVERDUE: &str = "success-overdue";

fn annotate(example: &mut Example, annotations: &[(&str, &str)]) {
    example.cron_job().annotations = annotations.iter().copied().collect();
}

/// Each finished Job takes these seconds, in order of their creation.
fn take(example: &mut Example, seconds: &[i64]) {
    for (job, seconds) in example.evidence.jobs.iter_mut().zip(seconds) {
        let end = job.start_time.unwrap() + SignedDuration::from_secs(*seconds);
        job.completion_time = Some(end);
        job.conditions[0].last_transition_time = Some(end);
    }
}

#[test]
fn run_is_longer_than_usual_one_second_after_the_threshold() {
    assert_eq!(changed_at(LONGER, "02:12:00", |_| {}), None);
    let found = changed_at(LONGER, "02:12:01", |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.detail.contains("4m10s (95% within 6m, 5 runs)"));
    // Of five runs of 10 seconds: 60 seconds more.
    let short = |example: &mut Example| take(example, &[10; 5]);
    assert_eq!(changed_at(LONGER, "02:01:10", short), None);
    assert!(changed_at(LONGER, "02:01:11", short).is_some());
}

/// The default of `successfulJobsHistoryLimit` is three.
#[test]
fn three_or_four_successes_show_only_extremes() {
    let last = |count: usize, seconds: &'static [i64]| {
        move |example: &mut Example| {
            let jobs = &mut example.evidence.jobs;
            jobs.drain(..5 - count);
            take(example, seconds);
        }
    };
    // Four times 100 seconds.
    for (count, seconds) in [(3, &[80, 100, 90][..]), (4, &[80, 100, 90, 70])] {
        let change = last(count, seconds);
        assert_eq!(changed_at(LONGER, "02:06:40", change), None);
        let found = changed_at(LONGER, "02:06:41", change).unwrap();
        let runs = format!("the longest 100s, {count} runs)");
        assert!(found.detail.contains(&runs), "{}", found.detail);
    }
    // At least a minute more than the longest.
    let short = last(3, &[10; 3]);
    assert_eq!(changed_at(LONGER, "02:01:10", short), None);
    assert!(changed_at(LONGER, "02:01:11", short).is_some());
    // A twentieth of the median, which is 1200 of three and the lower of the middle two of four.
    assert!(changed(FAST, last(3, &[1200, 1230, 59])).is_some());
    assert!(changed(FAST, last(3, &[1200, 1230, 60])).is_none());
    let found = changed(FAST, last(4, &[1200, 1230, 1210, 59])).unwrap();
    assert!(found.detail.contains("4 runs)"), "{}", found.detail);
    assert!(changed(FAST, last(4, &[1200, 1230, 1210, 60])).is_none());
}

#[test]
fn two_successes_show_nothing_unusual() {
    for code in [LONGER, FAST] {
        silent(code, |example| {
            example.evidence.jobs.drain(..3);
        });
        // Failures do not count, however long they took.
        silent(code, |example| {
            for job in &mut example.evidence.jobs[..3] {
                job.conditions[0].r#type = "Failed".into();
                job.completion_time = None;
            }
        });
    }
}

#[test]
fn time_in_a_queue_does_not_count() {
    silent(LONGER, |example| example.last_job().suspend = Some(true));
    silent(LONGER, |example| example.last_job().start_time = None);
    let admitted = |example: &mut Example| example.last_job().start_time = at("02:05:00");
    assert_eq!(changed_at(LONGER, "02:17:00", admitted), None);
    assert!(changed_at(LONGER, "02:17:01", admitted).is_some());
    // Nor is it part of the usual duration: these Jobs were created an hour before they started.
    let waited = |example: &mut Example| {
        for job in &mut example.evidence.jobs {
            let created = job.creation_timestamp.unwrap() - SignedDuration::from_hours(1);
            job.creation_timestamp = Some(created);
        }
    };
    assert!(changed_at(LONGER, "02:12:01", waited).is_some());
}

#[test]
fn job_without_a_running_pod_is_reported_by_other_findings() {
    silent(LONGER, |example| example.last_job().ready = Some(0));
}

/// Every ten minutes: the run of 02:10 waits.
#[test]
fn job_that_blocks_a_run_is_reported_once() {
    let mut example = example(LONGER);
    example.spec().schedule = "*/10 * * * *".to_owned();
    assert_eq!(example.found(LONGER), None);
    let detail = example.found("blocked-by-running-job").unwrap().detail;
    let usual = "Usual duration: 4m10s (95% within 6m, 5 runs). It may be stuck.";
    assert_ends!(detail, usual);
}

#[test]
fn stated_maximum_replaces_what_is_usual() {
    let state = |value: &'static str| {
        move |example: &mut Example| {
            annotate(example, &[("cronjob-doctor/max-duration", value)]);
        }
    };
    silent(LONGER, state("1h"));
    // An invalid value states no maximum.
    assert!(changed(LONGER, state("an hour")).is_some());
}

#[test]
fn success_is_too_fast_under_a_tenth_of_the_median() {
    let takes = |seconds: [i64; 5]| changed(FAST, |example| take(example, &seconds)).is_some();
    assert!(takes([1200, 1230, 1190, 1210, 119]));
    assert!(!takes([1200, 1230, 1190, 1210, 120]));
    // The median must be at least a minute.
    assert!(takes([60, 60, 60, 60, 5]));
    assert!(!takes([60, 60, 60, 60, 6]));
    assert!(!takes([59, 59, 59, 59, 1]));
}

#[test]
fn only_the_last_run_is_too_fast() {
    let manual = [("cronjob.kubernetes.io/instantiate", "manual")];
    silent(FAST, |example| {
        example.last_job().annotations = manual.into_iter().collect();
    });
    // A later failure has its own finding.
    silent(FAST, |example| {
        let mut failed = example.last_job().clone();
        "backup-29551801".clone_into(&mut failed.name);
        failed.completion_time = None;
        failed.conditions[0].r#type = "Failed".into();
        failed.conditions[0].last_transition_time = at("03:00:00");
        example.evidence.jobs.push(failed);
    });
}

#[test]
fn running_job_exceeds_the_stated_maximum_by_one_second() {
    assert_eq!(changed_at(EXCEEDED, "02:30:00", |_| {}), None);
    let found = changed_at(EXCEEDED, "02:30:01", |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Error);
    silent(EXCEEDED, |example| example.last_job().suspend = Some(true));
}

#[test]
fn finished_run_that_exceeded_the_stated_maximum_is_a_warning() {
    let ended = |seconds: i64, result: &'static str| {
        changed(EXCEEDED, |example| {
            let finished = example.evidence.jobs[0].conditions.clone();
            let job = example.last_job();
            job.conditions = finished;
            job.conditions[0].r#type = result.into();
            let end = job.start_time.unwrap() + SignedDuration::from_secs(seconds);
            job.conditions[0].last_transition_time = Some(end);
        })
    };
    for result in ["Complete", "Failed"] {
        assert_eq!(ended(1_800, result), None);
        let found = ended(1_801, result).unwrap();
        assert_eq!(found.severity, Severity::Warning);
    }
}

/// 26 hours after Sunday 02:04:10.
#[test]
fn success_is_overdue_one_second_after_the_stated_age() {
    let found = |now: &str, change: fn(&mut Example)| {
        changed(OVERDUE, |example| {
            example.now = now.parse().unwrap();
            change(example);
        })
    };
    assert_eq!(found("2026-03-09T04:04:10Z", |_| {}), None);
    let overdue = found("2026-03-09T04:04:11Z", |_| {}).unwrap();
    assert_eq!(overdue.severity, Severity::Error);
    let suspended = |example: &mut Example| example.cron_job().spec.suspend = Some(true);
    assert_eq!(found("2026-03-09T04:04:11Z", suspended), None);
    // The status lags behind the Job, which finished four minutes later.
    let lags = |example: &mut Example| take(example, &[240, 490]);
    assert_eq!(found("2026-03-09T04:04:11Z", lags), None);
    assert!(found("2026-03-09T04:08:11Z", lags).is_some());
}

#[test]
fn without_a_success_the_creation_counts() {
    let never = |example: &mut Example, created: &str| {
        example.evidence.jobs.clear();
        let cron_job = example.cron_job();
        cron_job.status.last_successful_time = None;
        cron_job.creation_timestamp = created.parse().ok();
    };
    // 26 hours before 06:00 on the 10th.
    silent(OVERDUE, |example| never(example, "2026-03-09T04:00:00Z"));
    let found = changed(OVERDUE, |example| never(example, "2026-03-09T03:59:59Z"));
    assert!(found.unwrap().detail.starts_with("No success is recorded"));
    // A manifest that is not in a cluster has not failed yet.
    silent(OVERDUE, |example| {
        never(example, "2026-01-15T10:00:00Z");
        example.cron_job().not_in_cluster = true;
    });
    // Old versions do not record successes.
    silent(OVERDUE, |example| {
        never(example, "2026-01-15T10:00:00Z");
        example.controller.release = "1.20".parse().unwrap();
    });
}

#[test]
fn each_annotation_that_cannot_be_read_is_reported() {
    let invalid = |annotations: &[(&str, &str)]| {
        changed("invalid-expectation", |example| {
            annotate(example, annotations);
        })
    };
    assert_eq!(invalid(&[("cronjob-doctor/max-duration", "1h30m")]), None);
    assert_eq!(invalid(&[("cronjob-doctor/runbook", "call Ada")]), None);
    assert_eq!(invalid(&[("cronjob-doctor/backfilled", "true")]), None);
    let harm = "x\u{1b}[31m\n".repeat(1_000);
    let found = invalid(&[
        ("cronjob-doctor/max-duration", harm.as_str()),
        ("cronjob-doctor/runbooks", "https://wiki.example.com"),
        ("cronjob-doctor/success-within", "7 days"),
    ]);
    let found = found.unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert!(!found.detail.contains(char::is_control));
    assert!(found.detail.len() < 1_000, "{}", found.detail.len());
    for name in ["max-duration", "runbooks", "success-within"] {
        let ignored = format!("cronjob-doctor/{name} is ignored: ");
        assert!(found.detail.contains(&ignored), "{name}");
    }
}

/// The earliest and the latest possible times.
#[test]
fn extreme_times_do_not_overflow() {
    let annotations = [
        ("cronjob-doctor/max-duration", "36500d"),
        ("cronjob-doctor/success-within", "36500d"),
    ];
    for code in [LONGER, FAST, EXCEEDED, OVERDUE] {
        for time in [Timestamp::MIN, Timestamp::MAX] {
            let mut example = example(code);
            annotate(&mut example, &annotations);
            example.cron_job().status.last_successful_time = Some(time);
            for job in &mut example.evidence.jobs {
                job.start_time = Some(time);
            }
            example.findings();
        }
    }
}
