//! Predictions for a CronJob that is resumed, compared with answers of the controller's own code: a
//! CronJob that is resumed now does what was recorded for one that was never suspended.

use cronjob_controller::controller::{Outcome, decide};
use cronjob_diagnosis::change::{CatchUp, FirstStart, NoStart, Resumption, quiet_deadline};
use cronjob_diagnosis::diagnose::Facts;
use jiff::{SignedDuration, Timestamp};
use kube_model::{CronJob, Job};
use serde_json::Value;

use crate::support::json::Json as _;
use crate::support::recorded::{self, controller, evidence};

/// The field manager that makes the change.
const WRITER: &str = "kubectl";

struct Case {
    suspended: CronJob,
    jobs: Vec<Job>,
    now: Timestamp,
    expect: Value,
    line: usize,
}

/// The recorded cases of CronJobs that are not suspended, each treated as suspended.
fn cases() -> Vec<Case> {
    let text = include_str!("../../cronjob-controller/tests/vectors/decide.jsonl");
    let mut cases = Vec::new();
    for (line, case) in recorded::cases(text) {
        let (mut suspended, jobs) = evidence(&case["cronJob"], &case["jobs"]);
        if suspended.spec.suspend == Some(true) {
            continue;
        }
        suspended.spec.suspend = Some(true);
        cases.push(Case {
            suspended,
            jobs,
            now: case["now"].text().parse().unwrap(),
            expect: case["expect"].clone(),
            line,
        });
    }
    assert!(cases.len() > 1000, "there are only {}", cases.len());
    cases
}

#[test]
fn predicted_start_matches_the_recorded_controller() {
    let controller = controller("1.36");
    let mut late = 0;
    for case in cases() {
        let facts = Facts::gather(&controller, &case.suspended, &case.jobs, &[], case.now);
        let resumption = Resumption::of(&facts, CatchUp::Run, WRITER);
        let line = case.line;
        let start = resumption.first_start.late();
        // The others wait for a running Job.
        let start = start.filter(|start| start.starts_after.is_empty());
        let job = start.map(|start| start.job_name.as_str());
        assert_eq!(job, case.expect["createdJob"].as_str(), "line {line}");
        if let Some(start) = start {
            late += 1;
            assert!(start.scheduled_time <= case.now, "line {line}");
        }
    }
    assert!(late > 100, "only {late} start anything");
}

/// Moving the status, or a deadline, prevents every missed run from starting; the deadline also if the
/// controller syncs some seconds later.
#[test]
fn skipped_run_does_not_start_after_resume() {
    let controller = controller("1.36");
    let (mut by_status, mut by_deadline) = (0, 0);
    for case in cases() {
        let facts = Facts::gather(&controller, &case.suspended, &case.jobs, &[], case.now);
        let as_it_is = Resumption::of(&facts, CatchUp::Run, WRITER);
        let Some(scheduled_time) = as_it_is.first_start.late_time() else {
            continue;
        };
        let line = case.line;
        let last = as_it_is.last_missed.unwrap_or(scheduled_time);
        let moved = Resumption::of(&facts, CatchUp::Status(last), WRITER);
        let late = moved.first_start.late_time();
        assert_eq!(late, None, "line {line}: {moved:?}");
        by_status += 1;
        let Some(seconds) = quiet_deadline(&facts) else {
            continue;
        };
        by_deadline += 1;
        let mut resumed = case.suspended.clone();
        resumed.spec.suspend = Some(false);
        resumed.spec.starting_deadline_seconds = Some(seconds);
        for wait in [0, 1, 20] {
            let then = case.now + SignedDuration::from_secs(wait);
            let decision = decide(&controller, &resumed, &case.jobs, then);
            let starts = matches!(decision.outcome, Outcome::Start | Outcome::Replace);
            let old = decision.scheduled_time.is_some_and(|time| time <= case.now);
            let message = format!("line {line}, {wait} s later: {decision:?}");
            assert!(!(starts && old), "{message}");
        }
    }
    let counts = [by_status, by_deadline];
    assert!(by_status > 100 && by_deadline > 50, "{counts:?}");
}

/// A release that gives up after a hundred missed runs starts again once the status is moved.
#[test]
fn release_that_gives_up_starts_again_after_the_status_is_moved() {
    let controller = controller("1.20");
    let mut given_up = 0;
    for case in cases() {
        let facts = Facts::gather(&controller, &case.suspended, &case.jobs, &[], case.now);
        let as_it_is = Resumption::of(&facts, CatchUp::Run, WRITER);
        if as_it_is.first_start != FirstStart::NoStart(NoStart::TooManyMissed) {
            continue;
        }
        let last = as_it_is.last_missed.unwrap();
        let moved = Resumption::of(&facts, CatchUp::Status(last), WRITER);
        let expected = FirstStart::NoStart(NoStart::NoneMissed);
        assert_eq!(moved.first_start, expected, "line {}", case.line);
        given_up += 1;
    }
    assert!(given_up > 20, "only {given_up}");
}
