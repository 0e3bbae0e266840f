//! The rules by which slots without a Job are judged, one by one.

use std::sync::Arc;

use cronjob_doctor::internals::controller::{Controller, Model};
use cronjob_doctor::internals::diagnose::{BACKFILLED, Facts};
use cronjob_doctor::internals::history::{HistoryWindow, history};
use cronjob_doctor::internals::model::{
    ConcurrencyPolicy, CronJob, CronJobSpec, Event, Job, ManagedField, ObjectReference, Texts,
};
use jiff::Timestamp;
use serde_json::json;

use crate::backfill_plan::{at, ended, job};
use crate::support::recorded::controller;

/// An hourly `CronJob` of yesterday, of which the last slot to be started was that of 06:00; it is
/// 06:30, and its Job is done.
struct Case {
    cron_job: CronJob,
    jobs: Vec<Job>,
    events: Vec<Event>,
    model: Model,
    now: Timestamp,
}

impl Case {
    fn new() -> Self {
        let mut cron_job = CronJob {
            namespace: "shop".to_owned(),
            name: "hourly".to_owned(),
            uid: "1".to_owned(),
            generation: Some(1),
            creation_timestamp: "2026-03-09T12:30:00Z".parse().ok(),
            spec: CronJobSpec {
                schedule: "0 * * * *".to_owned(),
                suspend: Some(false),
                successful_jobs_history_limit: Some(2),
                failed_jobs_history_limit: Some(1),
                ..CronJobSpec::default()
            },
            ..CronJob::default()
        };
        cron_job.status.last_schedule_time = Some(at("06:00"));
        Case {
            cron_job,
            jobs: vec![succeeded("06:00", "06:05")],
            events: Vec::new(),
            model: Model::Kubernetes,
            now: at("06:30"),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// What happened to the runs from 02:00 on: `02:00 skipped unknown`.
    fn fates(&self) -> Vec<String> {
        let controller = Controller {
            model: self.model,
            ..controller("1.36")
        };
        let mut facts = Facts::gather(
            &controller,
            &self.cron_job,
            &self.jobs,
            &self.events,
            self.now,
        );
        facts.coverage.as_of = self.now;
        let window = HistoryWindow {
            since: Some(at("02:00")),
            until: None,
        };
        let history = history(&facts, &window);
        let fates = history.runs.iter().map(|(slot, entry)| {
            let cause = entry.reason.as_ref().map_or("-", |reason| reason.code);
            format!(
                "{} {} {cause}",
                slot.strftime("%H:%M"),
                entry.status.as_str()
            )
        });
        fates.collect()
    }

    /// Asserts the fates of some runs.
    #[track_caller]
    fn has(&self, expected: &[&str]) {
        let fates = self.fates();
        for fate in expected {
            assert!(
                fates.iter().any(|known| known == fate),
                "{fate}: {fates:#?}"
            );
        }
    }
}

fn succeeded(slot: &str, end: &str) -> Job {
    crate::backfill_plan::succeeded(job(slot), end)
}

fn failed(slot: &str, end: &str) -> Job {
    ended(job(slot), "Failed", end)
}

fn event(reason: &str, message: &str, first: &str, last: &str) -> Event {
    Event {
        namespace: "shop".to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        involved_object: ObjectReference {
            kind: "CronJob".to_owned(),
            namespace: "shop".to_owned(),
            name: "hourly".to_owned(),
            uid: "1".to_owned(),
        },
        first_timestamp: Some(at(first)),
        last_timestamp: Some(at(last)),
        ..Event::default()
    }
}

/// One of two is kept: whatever ran before would still be there.
#[test]
fn run_that_no_limit_can_have_removed_was_skipped() {
    let expected = [
        "02:00 skipped unknown",
        "03:00 skipped unknown",
        "04:00 skipped unknown",
        "05:00 skipped unknown",
        "06:00 onTime -",
    ];
    assert_eq!(Case::new().fates(), expected);
}

/// Two succeeded since 04:00, so that an older success is gone; a failure would not be.
#[test]
fn run_before_the_successes_that_are_kept_is_unknown() {
    let case = Case::new().with(|case| case.jobs.push(succeeded("04:00", "04:05")));
    let expected = [
        "02:00 unknown historyLimit",
        "03:00 unknown historyLimit",
        "04:00 onTime -",
        "05:00 skipped unknown",
        "06:00 onTime -",
    ];
    assert_eq!(case.fates(), expected);
}

#[test]
fn a_failure_that_is_kept_hides_older_failures() {
    let case = Case::new().with(|case| case.jobs.push(failed("04:00", "04:05")));
    case.has(&["03:00 unknown historyLimit", "05:00 skipped unknown"]);
}

#[test]
fn limits_that_are_not_given_are_those_of_the_api_server() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.failed_jobs_history_limit = None;
        case.jobs.push(failed("04:00", "04:05"));
    });
    case.has(&["03:00 unknown historyLimit"]);
    let tutorial = case.with(|case| case.model = Model::Kubebuilder);
    tutorial.has(&["03:00 skipped unknown"]);
}

#[test]
fn a_limit_of_zero_makes_everything_unknown_that_was_started_since() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.successful_jobs_history_limit = Some(0);
        case.jobs = vec![failed("01:00", "01:05")];
    });
    case.has(&["05:00 unknown historyLimit", "06:00 unknown jobGone"]);
}

/// Whatever the limits say: the status notes each start, and has noted none since 06:00.
#[test]
fn run_after_the_last_one_that_was_started_was_skipped() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.successful_jobs_history_limit = Some(0);
        case.cron_job.spec.suspend = Some(true);
        case.jobs.clear();
        case.now = at("08:30");
    });
    case.has(&[
        "06:00 unknown jobGone",
        "07:00 skipped suspended",
        "08:00 skipped suspended",
    ]);
}

#[test]
fn run_that_is_about_to_be_started_is_not_skipped_yet() {
    let case = Case::new().with(|case| case.now = at("07:00"));
    case.has(&["07:00 unknown due"]);
}

/// A Job goes an hour and a half after its end: that of 05:00 can be gone at 06:30, and not before.
#[test]
fn a_time_to_live_removes_what_can_have_ended_so_long_ago() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.job_template =
            Arc::new(json!({"spec": {"ttlSecondsAfterFinished": 5400}}));
    });
    case.has(&["05:00 unknown ttl"]);
    let longer = case.with(|case| case.now = at("06:29"));
    longer.has(&["04:00 unknown ttl", "05:00 skipped unknown"]);
}

#[test]
fn replace_may_have_deleted_what_ran_too_long() {
    let case =
        Case::new().with(|case| case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Replace);
    case.has(&["05:00 unknown mayBeReplaced"]);
}

/// The Job of 03:00 ran until 05:30: 04:00 was blocked and 05:00 came while it still was; had it
/// ended before 06:00, 05:00 would have been made up for.
#[test]
fn forbid_blocks_while_a_job_runs() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        case.jobs.push(succeeded("03:00", "05:30"));
    });
    case.has(&[
        "02:00 unknown historyLimit",
        "04:00 skipped forbid",
        "05:00 skipped forbid",
    ]);
    // With the other policies it was not in the way.
    let allow = case.with(|case| case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Allow);
    allow.has(&["04:00 skipped unknown"]);
}

#[test]
fn a_run_that_waited_is_late_and_says_for_what() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        case.jobs.push(succeeded("03:00", "05:30"));
        case.jobs.push(Job {
            creation_timestamp: Some(at("05:30")),
            ..succeeded("05:00", "05:40")
        });
    });
    case.has(&["05:00 late forbid"]);
}

#[test]
fn the_controller_said_that_a_run_was_in_the_way() {
    let case = Case::new().with(|case| {
        case.events.push(event(
            "JobAlreadyActive",
            "Not starting job",
            "04:00",
            "05:00",
        ));
    });
    case.has(&[
        "04:00 skipped forbid",
        "05:00 skipped forbid",
        "03:00 skipped unknown",
    ]);
}

#[test]
fn jobs_that_could_not_be_created() {
    let case = Case::new().with(|case| {
        let message = "Error creating job: exceeded quota";
        case.events
            .push(event("FailedCreate", message, "04:00", "05:10"));
    });
    case.has(&[
        "03:00 skipped unknown",
        "04:00 skipped creationFailed",
        "05:00 skipped creationFailed",
    ]);
}

#[test]
fn the_controller_said_that_it_was_too_late() {
    let case = Case::new().with(|case| {
        let message = "Missed scheduled time to start a job: Tue, 10 Mar 2026 05:00:00 +0000";
        case.events
            .push(event("MissSchedule", message, "05:20", "05:20"));
    });
    case.has(&["05:00 skipped deadline"]);
}

/// 2026-03-10T05:00Z is minute 29,551,980 since 1970: the Job is gone, and its events remain.
#[test]
fn events_remember_jobs_that_are_gone() {
    let words = ["condition: Complete", "status: Failed"];
    for ending in words {
        let case = Case::new().with(|case| {
            let created = "Created job hourly-29551980";
            let saw = format!("Saw completed job: hourly-29551980, {ending}");
            case.events
                .push(event("SuccessfulCreate", created, "05:01", "05:01"));
            case.events
                .push(event("SawCompletedJob", &saw, "05:04", "05:04"));
        });
        case.has(&["05:00 late events"]);
        // It was not the limit: older ones may have gone the same way.
        case.has(&["04:00 unknown jobsDeleted"]);
    }
    let combined = Case::new().with(|case| {
        let message = "(combined from similar events): Created job hourly-29551980";
        case.events
            .push(event("SuccessfulCreate", message, "02:00", "05:00"));
    });
    combined.has(&["05:00 onTime events"]);
}

#[test]
fn a_success_that_is_not_there_shows_that_jobs_were_deleted() {
    let case = Case::new().with(|case| {
        case.jobs = vec![failed("06:00", "06:05")];
        case.cron_job.spec.failed_jobs_history_limit = Some(5);
        case.cron_job.status.last_successful_time = Some(at("04:05"));
    });
    case.has(&[
        "03:00 unknown jobsDeleted",
        "04:00 unknown jobsDeleted",
        "05:00 skipped unknown",
    ]);
}

#[test]
fn what_was_before_the_schedule_was_written_is_unknown() {
    let case = Case::new().with(|case| {
        case.cron_job.generation = Some(2);
        case.cron_job.managed_fields = vec![ManagedField {
            manager: "kubectl".to_owned(),
            operation: "Update".to_owned(),
            time: Some(at("04:30")),
            of_spec: vec!["schedule".into()],
            ..ManagedField::default()
        }];
    });
    case.has(&["04:00 unknown scheduleChanged", "05:00 skipped unknown"]);
}

#[test]
fn without_jobs_only_the_status_is_evidence() {
    let case = Case::new().with(|case| {
        case.jobs.clear();
        case.now = at("07:30");
    });
    case.has(&[
        "05:00 unknown noJobs",
        "06:00 unknown jobGone",
        "07:00 unknown due",
    ]);
}

#[test]
fn a_cronjob_that_was_not_there_ran_nothing() {
    let case = Case::new().with(|case| case.cron_job.creation_timestamp = Some(at("03:00")));
    case.has(&[
        "02:00 skipped notCreated",
        "03:00 skipped notCreated",
        "04:00 skipped unknown",
    ]);
}

/// It was missed, and run at half past six by somebody else; what was started last is still 04:00.
#[test]
fn backfilled_run_is_neither_late_nor_a_start_of_the_controller() {
    let by_another: [fn(&mut Job); 2] = [
        |job| job.by_kubectl = true,
        |job| job.annotations = [(BACKFILLED, "true")].into_iter().collect(),
    ];
    for mark in by_another {
        let case = Case::new().with(|case| {
            case.cron_job.status.last_schedule_time = Some(at("04:00"));
            let mut job = succeeded("05:00", "06:35");
            job.creation_timestamp = Some(at("06:30"));
            mark(&mut job);
            case.jobs = vec![succeeded("04:00", "04:05"), job];
            case.now = at("06:40");
        });
        case.has(&["05:00 backfilled backfilled", "06:00 unknown due"]);
        // Marked by nobody, it is a start that was late.
        let unmarked = case.with(|case| {
            case.jobs[1].by_kubectl = false;
            case.jobs[1].annotations = Texts::default();
        });
        unmarked.has(&["05:00 late -"]);
    }
}

/// Forbid is about what the controller started.
#[test]
fn backfilled_run_blocks_no_other_run() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        case.cron_job.status.last_schedule_time = Some(at("06:00"));
        let mut job = succeeded("03:00", "05:10");
        job.creation_timestamp = Some(at("03:50"));
        case.jobs = vec![job, succeeded("06:00", "06:05")];
        case.cron_job.spec.successful_jobs_history_limit = Some(9);
    });
    case.has(&["04:00 skipped forbid"]);
    let marked = case.with(|case| case.jobs[0].by_kubectl = true);
    marked.has(&["04:00 skipped unknown"]);
}

/// Ninety minutes after the creation, and then after each run.
#[test]
fn every_counts_on_from_what_ran() {
    let case = Case::new().with(|case| {
        case.cron_job.spec.schedule = "@every 90m".to_owned();
        case.cron_job.creation_timestamp = Some(at("01:10"));
        case.cron_job.status.last_schedule_time = Some(at("05:00"));
        case.jobs = vec![succeeded("05:00", "05:05")];
    });
    let expected = [
        "02:40 skipped unknown",
        "04:10 skipped unknown",
        "05:00 onTime -",
        "06:30 unknown due",
    ];
    assert_eq!(case.fates(), expected);
}
