//! The consequences of a manually created Job. Derived manually from what the controller of each release
//! does with a Job that it did not create: it records `UnexpectedJob`, it does not list it as
//! active, and it counts it in the history and as a success.

use cronjob_controller::controller::{Controller, Model, Outcome};
use cronjob_diagnosis::change::{
    JobConsequences, NextRun, Overlap, TriggerPrediction, WantedJob, trigger_refusal,
};
use cronjob_diagnosis::diagnose::Facts;
use jiff::SignedDuration;
use kube_model::{ConcurrencyPolicy, CronJob, Job, LastApplied, ManagedField};
use serde_json::json;

use crate::support::model::{active, at, cron_job, ended, job};
use crate::support::recorded::controller;

/// At 23:00 every night; it ran last night.
fn nightly() -> CronJob {
    let mut nightly = cron_job("nightly", "0 23 * * *");
    nightly.spec.successful_jobs_history_limit = Some(2);
    nightly.status.last_schedule_time = Some(at("2026-03-09T23:00:00Z"));
    nightly
}

fn with(change: impl FnOnce(&mut CronJob)) -> CronJob {
    let mut cron_job = nightly();
    change(&mut cron_job);
    cron_job
}

/// A Job of the controller for 23:00 of a day of March.
fn running(day: u8) -> Job {
    job("nightly", at(&format!("2026-03-{day:02}T23:00:00Z")))
}

/// A Job that ended after this many minutes.
fn over(day: u8, r#type: &str, minutes: i64) -> Job {
    let job = running(day);
    let end = job.start_time.unwrap() + SignedDuration::from_mins(minutes);
    ended(job, r#type, end)
}

/// What the creation of an unchanged Job with a name leads to.
pub(crate) fn trigger(facts: &Facts<'_>, name: &str) -> TriggerPrediction {
    let cron_job = json!({
        "apiVersion": "batch/v1",
        "metadata": {"name": facts.input.cron_job.name, "uid": "1"},
        "spec": {"jobTemplate": {"spec": {"template": {}}}},
    });
    let wanted = WantedJob::default();
    let draft = wanted.draft(&cron_job, name).unwrap();
    TriggerPrediction::of(facts, &wanted, &draft)
}

fn prediction_of(controller: &Controller, cron_job: &CronJob, jobs: &[Job]) -> TriggerPrediction {
    let mut facts = Facts::gather(controller, cron_job, jobs, &[], at("12:00"));
    facts.input.coverage.jobs_read = true;
    let name = "nightly-manual-x7k2p";
    trigger(&facts, name)
}

fn prediction(cron_job: &CronJob, jobs: &[Job]) -> TriggerPrediction {
    prediction_of(&controller("1.36"), cron_job, jobs)
}

fn events(prediction: &TriggerPrediction) -> Vec<String> {
    let events = prediction.sync.events.iter();
    let lines = events.map(|event| format!("{} {}", event.reason, event.message));
    lines.collect()
}

const UNEXPECTED: &str = "UnexpectedJob Saw a job that the controller did not create or forgot: \
                          nightly-manual-x7k2p";

#[test]
fn trigger_without_running_jobs_predicts_the_next_run() {
    let prediction = prediction(&nightly(), &[over(8, "Complete", 3)]);
    assert_eq!(events(&prediction), [UNEXPECTED]);
    assert_eq!(prediction.sync.outcome, Outcome::Wait);
    assert_eq!(prediction.running, [""; 0]);
    assert_eq!(trigger_refusal(&prediction), None);
    assert_eq!(prediction.takes_name_of, None);
    let expected = Some(NextRun {
        at: at("23:00"),
        in_seconds: 11 * 3600,
        usual_seconds: Some(180),
        is_near: false,
        overlap: Overlap::Both,
        note: None,
    });
    assert_eq!(prediction.next_run, expected);
    assert!(prediction.on_success.notes_success);
    assert!(!prediction.on_failure.notes_success);
    assert_eq!(prediction.on_success.deleted, [""; 0]);
}

#[test]
fn trigger_with_full_history_deletes_the_oldest_job() {
    let [seventh, eighth] = [7, 8].map(|day| over(day, "Complete", 3));
    let jobs = [over(6, "Failed", 3), seventh, eighth];
    let usual = prediction(&nightly(), &jobs);
    assert_eq!(usual.on_success.deleted, [jobs[1].name.as_str()]);
    assert_eq!(usual.on_failure.deleted, [jobs[0].name.as_str()]);
    assert!(!usual.on_success.deletes_itself);
    let none_kept = with(|cron_job| {
        cron_job.spec.successful_jobs_history_limit = Some(0);
        cron_job.spec.failed_jobs_history_limit = None;
    });
    let prediction = prediction(&none_kept, &jobs[..1]);
    assert!(prediction.on_success.deletes_itself);
    assert_eq!(prediction.on_failure, JobConsequences::default());
}

#[test]
fn trigger_does_not_list_jobs_deleted_anyway() {
    let jobs = [5, 6, 7].map(|day| over(day, "Complete", 3));
    let prediction = prediction(&nightly(), &jobs);
    assert_eq!(prediction.sync.deleted_jobs, [jobs[0].name.as_str()]);
    assert_eq!(prediction.on_success.deleted, [jobs[1].name.as_str()]);
}

#[test]
fn trigger_with_forbid_and_running_job_is_refused() {
    let running = running(9);
    let forbid = with(|cron_job| {
        cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        cron_job.status.active.push(active(&running));
    });
    let jobs = [running];
    let blocked = prediction(&forbid, &jobs);
    assert_eq!(blocked.running, ["nightly-29551620"]);
    assert_eq!(
        trigger_refusal(&blocked).unwrap(),
        "nightly-29551620 has not finished, and concurrencyPolicy: Forbid does not apply to manually created \
         Jobs; use --force to create the Job anyway"
    );
    // Forbid does not wait for it.
    assert_eq!(blocked.next_run.unwrap().overlap, Overlap::Both);
    let allow = with(|cron_job| cron_job.status.active = forbid.status.active.clone());
    assert_eq!(trigger_refusal(&prediction(&allow, &jobs)), None);
}

#[test]
fn trigger_without_jobs_uses_status_active() {
    let forbid = with(|cron_job| {
        cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        cron_job.status.active.push(active(&running(9)));
    });
    let controller = controller("1.37");
    let mut facts = Facts::gather(&controller, &forbid, &[], &[], at("12:00"));
    facts.input.coverage.jobs_read = false;
    let prediction = trigger(&facts, "again");
    assert!(trigger_refusal(&prediction).is_some());
}

#[test]
fn only_the_kubebuilder_controller_counts_the_triggered_job() {
    let kubebuilder = Controller {
        model: Model::Kubebuilder,
        ..controller("1.36")
    };
    let overlap = |policy| {
        let cron_job = with(|cron_job| {
            cron_job.api_version = "batch.tutorial.kubebuilder.io/v1".to_owned();
            cron_job.spec.concurrency_policy = policy;
        });
        let prediction = prediction_of(&kubebuilder, &cron_job, &[]);
        assert_eq!(events(&prediction), [""; 0]);
        prediction.next_run.unwrap().overlap
    };
    let replace = with(|cron_job| cron_job.spec.concurrency_policy = ConcurrencyPolicy::Replace);
    let next = prediction(&replace, &[]).next_run.unwrap();
    assert_eq!(next.overlap, Overlap::Both);
    assert_eq!(overlap(ConcurrencyPolicy::Allow), Overlap::Both);
    assert_eq!(overlap(ConcurrencyPolicy::Forbid), Overlap::Blocked);
    assert_eq!(overlap(ConcurrencyPolicy::Replace), Overlap::Replaced);
}

#[test]
fn trigger_old_releases_record_no_success() {
    let prediction = prediction_of(&controller("1.20"), &nightly(), &[]);
    assert_eq!(events(&prediction), [UNEXPECTED]);
    assert!(!prediction.on_success.notes_success);
}

#[test]
fn trigger_suspended_cron_job_has_no_next_run() {
    let suspended = with(|cron_job| cron_job.spec.suspend = Some(true));
    let prediction = prediction(&suspended, &[]);
    let text = &prediction.text;
    assert_contains!(text, "although the CronJob is suspended");
    assert_eq!(prediction.next_run, None);
    assert_eq!(events(&prediction), [UNEXPECTED]);
}

/// The schedule was 23:00 until now, so the controller has not synced since the edit, and a run of the edited schedule
/// is due. The new Job makes the controller sync.
#[test]
fn trigger_sync_starts_the_due_run() {
    let edited = with(|cron_job| cron_job.spec.schedule = "0 5 * * *".to_owned());
    let prediction = prediction(&edited, &[]);
    assert_eq!(prediction.sync.outcome, Outcome::Start);
    assert_eq!(prediction.sync.scheduled_time, Some(at("05:00")));
}

fn next_run(schedule: &str, jobs: &[Job]) -> (i64, bool) {
    let cron_job = with(|cron_job| cron_job.spec.schedule = schedule.to_owned());
    let next = prediction(&cron_job, jobs).next_run.unwrap();
    (next.in_seconds, next.is_near)
}

#[test]
fn trigger_next_run_within_ten_minutes_is_near() {
    assert_eq!(next_run("10 12 * * *", &[]), (600, true));
    assert_eq!(next_run("11 12 * * *", &[]), (660, false));
    // A run usually takes three minutes, or twenty.
    let usual = |minutes| [over(8, "Complete", minutes)];
    assert_eq!(next_run("11 12 * * *", &usual(3)), (660, false));
    assert_eq!(next_run("11 12 * * *", &usual(20)), (660, true));
    // The next run of these is never far away.
    assert_eq!(next_run("*/5 * * * *", &[]), (300, false));
    assert_eq!(next_run("1-59/5 * * * *", &[]), (60, true));
}

#[test]
fn trigger_without_future_runs_has_no_next_run() {
    for schedule in ["0 0 31 2 *", "not a schedule"] {
        let cron_job = with(|cron_job| cron_job.spec.schedule = schedule.to_owned());
        assert_eq!(prediction(&cron_job, &[]).next_run, None, "{schedule}");
    }
}

#[test]
fn trigger_reports_the_name_of_an_unprocessed_run() {
    let controller = controller("1.37");
    let cron_job = nightly();
    let facts = Facts::gather(&controller, &cron_job, &[], &[], at("12:00"));
    let takes = |name: &str| trigger(&facts, name).takes_name_of;
    // The minutes from 1970 until 23:00 of the 9th and of the 10th.
    assert_eq!(takes("nightly-29551620"), None);
    assert_eq!(takes("nightly-29553060"), Some(at("23:00")));
    assert_eq!(takes("nightly-manual-29553060"), None);
}

/// The schedule was 23:00 until now, so the controller next syncs then.
#[test]
fn trigger_refused_for_a_run_that_waits_for_an_earlier_wake_up_names_the_time() {
    let edited = with(|cron_job| {
        cron_job.generation = Some(2);
        cron_job.spec.schedule = "0 5 * * *".to_owned();
        cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        cron_job.last_applied = Some(Box::new(LastApplied {
            schedule: "0 23 * * *".to_owned(),
            ..LastApplied::default()
        }));
        let mut field = ManagedField {
            manager: "kubectl-edit".to_owned(),
            operation: "Update".to_owned(),
            time: Some(at("11:59")),
            ..ManagedField::default()
        };
        field.note_fields(&serde_json::from_value(json!({"f:spec": {"f:schedule": {}}})).unwrap());
        cron_job.managed_fields.push(field);
    });
    let refusal = trigger_refusal(&prediction(&edited, &[])).unwrap();
    insta::assert_snapshot!(refusal);
}
