//! The rules for the status of runs without a Job, one by one.

use cronjob_controller::controller::{Controller, Model};
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::history::{HistoryWindow, RunReason, history};
use jiff::Timestamp;
use kube_model::{BACKFILLED, ConcurrencyPolicy, CronJob, Event, Job, ManagedField, Texts};
use serde_json::json;

use crate::support::model::{at, cron_job, ended, job, reference};
use crate::support::recorded::controller;
use crate::support::tables::section;

/// An hourly `CronJob` that was created yesterday and last started the run of 06:00; it is
/// 06:30, and its Job has finished.
struct Case {
    cron_job: CronJob,
    jobs: Vec<Job>,
    events: Vec<Event>,
    model: Model,
    now: Timestamp,
}

impl Case {
    fn new() -> Self {
        let mut cron_job = cron_job("hourly", "0 * * * *");
        cron_job.creation_timestamp = Some(at("2026-03-09T12:30:00Z"));
        cron_job.spec.successful_jobs_history_limit = Some(2);
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

    /// As in `failures=5; no Jobs; failed=06:00 06:05`.
    fn set(mut self, settings: &str) -> Self {
        for setting in settings.split("; ") {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let spec = &mut self.cron_job.spec;
            let status = &mut self.cron_job.status;
            match name {
                "successes" => spec.successful_jobs_history_limit = value.parse().ok(),
                "failures" => spec.failed_jobs_history_limit = value.parse().ok(),
                "suspended" => spec.suspend = Some(true),
                "deadline" => spec.starting_deadline_seconds = value.parse().ok(),
                "Allow" => spec.concurrency_policy = ConcurrencyPolicy::Allow,
                "Forbid" => spec.concurrency_policy = ConcurrencyPolicy::Forbid,
                "Replace" => spec.concurrency_policy = ConcurrencyPolicy::Replace,
                "schedule" => value.clone_into(&mut spec.schedule),
                "ttl" => {
                    let seconds: i64 = value.parse().unwrap();
                    let template = json!({"spec": {"ttlSecondsAfterFinished": seconds}});
                    spec.job_template = template.into();
                }
                "created" => self.cron_job.creation_timestamp = Some(at(value)),
                "last" => status.last_schedule_time = Some(at(value)),
                "success" => status.last_successful_time = Some(at(value)),
                "no Jobs" => self.jobs.clear(),
                "succeeded" | "failed" => {
                    let (scheduled, end) = value.split_once(' ').unwrap();
                    let with_end = if name == "failed" { failed } else { succeeded };
                    self.jobs.push(with_end(scheduled, end));
                }
                "started" => self.jobs.last_mut().unwrap().creation_timestamp = Some(at(value)),
                "Kubebuilder" => self.model = Model::Kubebuilder,
                "now" => self.now = at(value),
                _ => assert_eq!(setting, "-"),
            }
        }
        self
    }

    /// What happened to the runs from 02:00 on: `02:00 skipped unknown`.
    fn outcomes(&self) -> Vec<String> {
        let controller = Controller {
            model: self.model,
            ..controller("1.36")
        };
        let (cron_job, jobs) = (&self.cron_job, &self.jobs);
        let mut facts = Facts::gather(&controller, cron_job, jobs, &self.events, self.now);
        facts.input.coverage.as_of = self.now;
        let window = HistoryWindow {
            since: Some(at("02:00")),
            until: None,
        };
        let history = history(&facts, &window);
        let outcomes = history.runs.iter().map(|(scheduled, entry)| {
            let reason = entry.reason.as_ref();
            let cause = reason.map_or("-", |reason| &*reason.code);
            let is_by_event = reason.is_some_and(RunReason::is_known_from_events);
            assert_eq!(is_by_event, cause == "events", "{entry:?}");
            let (time, status) = (scheduled.strftime("%H:%M"), entry.status.as_str());
            format!("{time} {status} {cause}")
        });
        outcomes.collect()
    }

    /// Asserts what happened to some runs.
    #[track_caller]
    fn has(&self, expected: &[&str]) {
        let outcomes = self.outcomes();
        for outcome in expected {
            let is_known = outcomes.iter().any(|known| known == outcome);
            assert!(is_known, "{outcome}: {outcomes:#?}");
        }
    }
}

fn succeeded(scheduled: &str, end: &str) -> Job {
    ended(job("hourly", at(scheduled)), "Complete", at(end))
}

fn failed(scheduled: &str, end: &str) -> Job {
    ended(job("hourly", at(scheduled)), "Failed", at(end))
}

fn event(reason: &str, message: &str, first: &str, last: &str) -> Event {
    Event {
        namespace: "shop".to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        involved_object: reference("CronJob", "hourly", "1"),
        first_timestamp: Some(at(first)),
        last_timestamp: Some(at(last)),
        ..Event::default()
    }
}

#[test]
fn run_without_a_job_has_the_status_of_the_rules() {
    for (settings, outcomes) in section("tests/history_rules.txt", "rules") {
        let known = Case::new().set(&settings).outcomes();
        if let Some(all) = outcomes.strip_prefix("all: ") {
            assert_eq!(known.join(", "), all, "{settings}");
            continue;
        }
        let mut expected = outcomes.split(", ");
        let missing = expected.find(|outcome| known.iter().all(|known| known != outcome));
        assert_eq!(missing, None, "{settings}: {known:#?}");
    }
}

#[test]
fn event_of_the_controller_gives_the_reason() {
    let blocked = event("JobAlreadyActive", "Not starting job", "04:00", "05:00");
    let quota = "Error creating job: exceeded quota";
    let refused = event("FailedCreate", quota, "04:00", "05:10");
    for (event, cause) in [(blocked, "forbid"), (refused, "creationFailed")] {
        let case = Case::new().with(|case| case.events.push(event));
        let skipped = [4, 5].map(|hour| format!("0{hour}:00 skipped {cause}"));
        case.has(&["03:00 skipped unknown", &skipped[0], &skipped[1]]);
    }
    let missed = "Missed scheduled time to start a job: Tue, 10 Mar 2026 05:00:00 +0000";
    let late = event("MissSchedule", missed, "05:20", "05:20");
    let case = Case::new().with(|case| case.events.push(late));
    case.has(&["05:00 skipped deadline"]);
}

/// 2026-03-10T05:00Z is minute 29,551,980 since 1970: the Job is gone, and its events remain.
#[test]
fn deleted_jobs_are_known_by_their_events() {
    let words = ["condition: Complete", "status: Failed"];
    for ending in words {
        let case = Case::new().with(|case| {
            let created = "Created job hourly-29551980";
            let saw = format!("Saw completed job: hourly-29551980, {ending}");
            case.events = vec![
                event("SuccessfulCreate", created, "05:01", "05:01"),
                event("SawCompletedJob", &saw, "05:04", "05:04"),
            ];
        });
        case.has(&["05:00 late events"]);
        // It was not deleted because of the limit: older Jobs may have been deleted in the same way.
        case.has(&["04:00 unknown jobsDeleted"]);
    }
    let combined = Case::new().with(|case| {
        let message = "(combined from similar events): Created job hourly-29551980";
        let created = event("SuccessfulCreate", message, "02:00", "05:00");
        case.events.push(created);
    });
    combined.has(&["05:00 onTime events"]);
}

#[test]
fn runs_before_a_change_of_the_schedule_are_unknown() {
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

/// The run of 05:00 was missed, and another client created its Job at 06:30; the last run that the controller started
/// is still that of 04:00.
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
        // Without a mark, it is a late start.
        let unmarked = case.with(|case| {
            case.jobs[1].by_kubectl = false;
            case.jobs[1].annotations = Texts::default();
        });
        unmarked.has(&["05:00 late -"]);
    }
}

/// Forbid applies to Jobs that the controller started.
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
