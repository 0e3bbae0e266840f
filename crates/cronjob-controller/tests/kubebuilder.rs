//! The controller of the kubebuilder book, derived from
//! `internal/controller/cronjob_controller.go` of its
//! `cronjob-tutorial` (kubernetes-sigs/kubebuilder at 5c4007289). "Part 3" is its own numbering.

use cronjob_controller::controller::{Controller, Decision, Model, Outcome, decide};
use kube_cron::{BundledZones, Zones};
use kube_model::{ConcurrencyPolicy, CronJob, Job, OwnerReference, Texts};
use std::sync::Arc;

use crate::support::model::{self, at, cron_job, ended};
use crate::support::recorded::controller;

const API: &str = "batch.tutorial.kubebuilder.io/v1";

fn hourly() -> CronJob {
    let mut hourly = cron_job("hourly", "0 * * * *");
    API.clone_into(&mut hourly.api_version);
    hourly.creation_timestamp = Some(at("00:30"));
    hourly.spec.successful_jobs_history_limit = None;
    hourly.spec.failed_jobs_history_limit = None;
    hourly
}

/// A Job for a scheduled time of that day, e.g. `09:00`, that ended in `state` (empty while it runs).
fn job(scheduled_time: &str, state: &str) -> Job {
    let scheduled_time = at(scheduled_time);
    let mut job = model::job("hourly", scheduled_time);
    job.name = format!("hourly-{}", scheduled_time.as_second());
    API.clone_into(&mut Arc::make_mut(&mut job.owner_references)[0].api_version);
    let annotation = scheduled_time.to_string();
    job.annotations =
        Texts::from_iter([("batch.tutorial.kubebuilder.io/scheduled-at", annotation)]);
    if !state.is_empty() {
        job = ended(job, state, scheduled_time);
    }
    // The controller uses only the annotation, the start time and the conditions.
    (job.creation_timestamp, job.completion_time) = (None, None);
    job
}

fn sync_in(zone: &str, cron_job: &CronJob, jobs: &[Job], now: &str) -> Decision {
    let controller = Controller {
        model: Model::Kubebuilder,
        local: BundledZones.load(zone).unwrap(),
        ..controller("1.37")
    };
    let decision = decide(&controller, cron_job, jobs, at(now));
    assert_eq!(decision.events, [], "this controller records no events");
    decision
}

fn sync(cron_job: &CronJob, jobs: &[Job], now: &str) -> Decision {
    sync_in("UTC", cron_job, jobs, now)
}

fn conditions(decision: &Decision) -> Vec<String> {
    let shown = decision.conditions.iter().map(|condition| {
        let (kind, status) = (condition.r#type, condition.status);
        format!(
            "{kind}={status} {}: {}",
            condition.reason, condition.message
        )
    });
    shown.collect()
}

const FORTY_MINUTES: Option<i64> = Some(40 * 60 * 1_000_000_000);

/// Parts 5 to 7: the latest missed run is started under a name with its seconds, annotated in the
/// zone of the process (`scheduledTime.Format(time.RFC3339)` of a time that was read as local), and
/// the next sync is at the next scheduled time, without a delay.
#[test]
fn latest_missed_run_is_started() {
    let decision = sync_in("Europe/Berlin", &hourly(), &[], "2026-03-10T03:20:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
    assert_eq!(decision.job_name.as_deref(), Some("hourly-1773111600"));
    let annotation = decision.scheduled_timestamp.as_deref();
    assert_eq!(annotation, Some("2026-03-10T04:00:00+01:00"));
    assert_eq!(decision.requeue_after, FORTY_MINUTES);
    assert_eq!(decision.missed.unwrap().estimate, Some(3));
    let expected = [
        "Available=True AllJobsCompleted: All jobs have completed successfully",
        "Progressing=False NoJobsActive: No jobs are currently active",
        "Progressing=True JobCreated: Created job hourly-1773111600",
    ];
    assert_eq!(conditions(&decision), expected);
    // The status was written before the Job was created, and includes the Job after the next sync.
    assert!(decision.updates_status);
    assert_eq!(decision.status_after.active, [""; 0]);
    assert_eq!(decision.status_after.last_schedule_time, None);
}

/// Part 2: `status.active` and `status.lastScheduleTime` are not read but re-created from the Jobs
/// and their annotations; an annotation that cannot be read is ignored.
#[test]
fn the_status_is_rebuilt_from_the_jobs() {
    let mut cron_job = hourly();
    cron_job.status.last_schedule_time = Some(at("2026-03-10T01:00:00Z"));
    let mut unreadable = job("03:00", "Complete");
    let names = unreadable.annotations.iter().map(|(name, _)| name);
    unreadable.annotations = names.map(|name| (name, "2026-03-10 03:00:00Z")).collect();
    let jobs = [job("02:00", ""), job("01:00", "Complete"), unreadable];
    let decision = sync(&cron_job, &jobs, "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::Wait);
    assert_eq!(decision.status_after.active, ["hourly-1773108000"]);
    let last = decision.status_after.last_schedule_time;
    assert_eq!(last, Some(at("2026-03-10T02:00:00Z")));
    let expected = [
        "Progressing=True JobsActive: 1 job(s) are currently active",
        "Available=True JobsActive: CronJob is progressing with 1 active job(s)",
    ];
    assert_eq!(conditions(&decision), expected);
}

/// `SetupWithManager`: the index has Jobs whose controller is a `CronJob` of this API, by its name;
/// the UID is not checked.
#[test]
fn jobs_are_known_by_the_kind_and_the_name_of_their_controller() {
    let changed = |change: fn(&mut OwnerReference)| {
        let mut job = job("02:00", "");
        Arc::make_mut(&mut job.owner_references)
            .iter_mut()
            .for_each(change);
        let decision = sync(&hourly(), &[job], "2026-03-10T02:20:00Z");
        decision.status_after.active.len()
    };
    assert_eq!(changed(|owner| owner.uid = "other".to_owned()), 1);
    let of_kubernetes = |owner: &mut OwnerReference| owner.api_version = "batch/v1".to_owned();
    assert_eq!(changed(of_kubernetes), 0);
    assert_eq!(changed(|owner| owner.kind = "Backup".to_owned()), 0);
    assert_eq!(changed(|owner| owner.controller = None), 0);
}

/// With no Job left, the last start is forgotten: the same run is started again.
#[test]
fn without_jobs_the_last_start_is_forgotten() {
    let mut cron_job = hourly();
    cron_job.spec.successful_jobs_history_limit = Some(0);
    let jobs = [job("01:00", "Complete")];
    let decision = sync(&cron_job, &jobs, "2026-03-10T01:20:00Z");
    assert_eq!(decision.outcome, Outcome::Wait);
    assert_eq!(decision.deleted_jobs, ["hourly-1773104400"]);
    let mut details = decision.steps.iter().map(|step| &step.detail);
    assert!(details.any(|detail| detail.contains("counts from the creation")));
    let decision = sync(&cron_job, &[], "2026-03-10T01:20:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T01:00:00Z")));
}

/// Part 3: failed Jobs are deleted first, by start time, and those without a start time before all others.
#[test]
fn history_is_cleaned_up_before_suspension_is_checked() {
    let mut cron_job = hourly();
    cron_job.spec.suspend = Some(true);
    cron_job.spec.successful_jobs_history_limit = Some(1);
    cron_job.spec.failed_jobs_history_limit = Some(1);
    let mut never_started = job("05:00", "Failed");
    never_started.start_time = None;
    let jobs = [
        job("02:00", "Complete"),
        job("01:00", "Complete"),
        job("03:00", "Failed"),
        job("04:00", "Failed"),
        never_started,
    ];
    let decision = sync(&cron_job, &jobs, "2026-03-10T06:20:00Z");
    let expected = [
        "hourly-1773118800",
        "hourly-1773111600",
        "hourly-1773104400",
    ];
    assert_eq!(decision.deleted_jobs, expected);
    assert_eq!(decision.outcome, Outcome::Suspended);
    assert_eq!(decision.requeue_after, None);
    let expected = ["Available=False Suspended: CronJob is suspended"];
    assert_eq!(conditions(&decision), expected);
}

/// Part 5: the 101st missed run is an error that is reported as if the schedule were wrong; no start,
/// and no further sync. 100 are fine.
#[test]
fn more_than_a_hundred_missed_runs_are_not_requeued() {
    let decision = sync(&hourly(), &[], "2026-03-14T04:30:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
    let decision = sync(&hourly(), &[], "2026-03-14T05:00:00Z");
    assert_eq!(decision.outcome, Outcome::TooManyMissed);
    assert_eq!((decision.requeue_after, &decision.error), (None, &None));
    insta::assert_snapshot!(conditions(&decision).last().unwrap());
    let mut cron_job = hourly();
    cron_job.spec.starting_deadline_seconds = Some(3600);
    let decision = sync(&cron_job, &[], "2026-03-14T05:00:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
}

/// robfig/cron v1.2.0: capital letters, and no `TZ=`.
#[test]
fn unparseable_schedule_is_not_requeued() {
    let mut cron_job = hourly();
    cron_job.spec.schedule = "TZ=UTC 0 * * * *".to_owned();
    let decision = sync(&cron_job, &[], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::UnparseableSchedule);
    assert_eq!(decision.requeue_after, None);
    insta::assert_snapshot!(conditions(&decision).last().unwrap());
}

/// The zero time of a search that found nothing is never after now: the loop counts to 101.
#[test]
fn schedule_that_never_runs_has_too_many_missed_runs() {
    let mut cron_job = hourly();
    cron_job.spec.schedule = "0 0 31 2 *".to_owned();
    let decision = sync(&cron_job, &[], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::TooManyMissed);
}

/// Part 6: Forbid checks for running Jobs, whatever their scheduled times; the next sync is at the next scheduled time.
#[test]
fn forbid_waits_for_the_next_run() {
    let mut cron_job = hourly();
    cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
    let decision = sync(&cron_job, &[job("01:00", "")], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::Blocked);
    assert_eq!(decision.requeue_after, FORTY_MINUTES);
}

#[test]
fn replace_deletes_all_that_run() {
    let mut cron_job = hourly();
    cron_job.spec.concurrency_policy = ConcurrencyPolicy::Replace;
    let jobs = [job("01:00", ""), job("00:45", "Failed")];
    let decision = sync(&cron_job, &jobs, "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::Replace);
    assert_eq!(decision.deleted_jobs, ["hourly-1773104400"]);
    let expected = [
        "Degraded=True JobsFailed: 1 job(s) have failed",
        "Available=False JobsFailed: 1 job(s) have failed",
        "Progressing=True JobCreated: Created job hourly-1773108000",
    ];
    assert_eq!(conditions(&decision), expected);
}

/// A Job of this name without an owner: the creation fails, and is retried.
#[test]
fn a_name_that_is_taken_is_an_error() {
    let mut taken = job("02:00", "");
    taken.owner_references = Arc::default();
    let decision = sync(&hourly(), &[taken], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::NameTaken);
    let error = "jobs.batch \"hourly-1773108000\" already exists";
    assert_eq!(decision.error.as_deref(), Some(error));
    assert_eq!(decision.requeue_after, None);
    let expected = &format!("Degraded=True JobCreationFailed: Failed to create job: {error}");
    assert_eq!(conditions(&decision).last().unwrap(), expected);
}

/// `api/v1/cronjob_types.go`: `status.active` has at most 10 items. With more the status cannot be
/// written, and that ends the sync before anything is cleaned up or started.
#[test]
fn eleven_running_jobs_stop_the_sync() {
    let jobs = (10..21).map(|minute| job(&format!("01:{minute}"), ""));
    let jobs: Vec<Job> = jobs.collect();
    let decision = sync(&hourly(), &jobs[1..], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
    let decision = sync(&hourly(), &jobs, "2026-03-10T02:20:00Z");
    let expected = (Outcome::Blocked, false);
    assert_eq!((decision.outcome, decision.updates_status), expected);
    let error = "CronJob.batch.tutorial.kubebuilder.io \"hourly\" is invalid: status.active: \
                 Too many: 11: must have at most 10 items";
    assert_eq!(decision.error.as_deref(), Some(error));
}

/// The controller reads neither `metadata.deletionTimestamp` nor `spec.timeZone`.
#[test]
fn deletion_and_time_zone_are_ignored() {
    let mut cron_job = hourly();
    cron_job.deletion_timestamp = Some(at("2026-03-10T02:10:00Z"));
    cron_job.spec.time_zone = Some("Mars/Base".to_owned());
    let decision = sync(&cron_job, &[], "2026-03-10T02:20:00Z");
    assert_eq!(decision.outcome, Outcome::Start);
}

/// `earliestTime.After(now)`: nothing is due, and the controller waits for the next scheduled time.
#[test]
fn a_creation_in_the_future_waits() {
    let decision = sync(&hourly(), &[], "2026-03-09T23:50:00Z");
    assert_eq!(decision.outcome, Outcome::Wait);
    assert_eq!(decision.requeue_after, Some(10 * 60 * 1_000_000_000));
}

/// The local zone of the process matters for the schedule as well.
#[test]
fn the_schedule_is_read_in_the_zone_of_the_process() {
    let mut cron_job = hourly();
    cron_job.spec.schedule = "0 3 * * *".to_owned();
    let decision = sync_in("Europe/Berlin", &cron_job, &[], "2026-03-10T02:20:00Z");
    assert_eq!(decision.scheduled_time, Some(at("2026-03-10T02:00:00Z")));
}

/// The controller knows past runs only from the Jobs that are left. The note appears if the last scheduled time is
/// lost with the Jobs that are deleted.
#[test]
fn history_note_is_absent_if_no_scheduled_time_is_lost() {
    let noted = |jobs: &[Job]| {
        let decision = sync(&hourly(), jobs, "09:30");
        decision.steps.iter().any(|step| step.check == "history")
    };
    assert!(!noted(&[job("09:00", "Complete")]));
    assert!(!noted(&[]));
}

/// At 04:45 on the day on which Chatham turns its clocks back, the next run after 03:53 is that very time.
#[test]
fn next_run_that_is_not_in_the_future_causes_no_wake_up() {
    let mut standing = hourly();
    standing.spec.schedule = "53 3 * * *".to_owned();
    standing.creation_timestamp = Some(at("2026-04-03T00:00:00Z"));
    let wakes_at = |now: &str| sync_in("Pacific/Chatham", &standing, &[], now).wakes_at;
    assert_eq!(wakes_at("2026-04-04T14:08:00Z"), None);
    assert_eq!(
        wakes_at("2026-04-04T14:07:59Z"),
        Some(at("2026-04-04T14:08:00Z"))
    );
}
