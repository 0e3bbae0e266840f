//! Variants of findings: an example with one change.

use cronjob_diagnosis::diagnose::{Facts, Finding, Severity, causes, diagnose};
use jiff::Timestamp;
use kube_model::{BACKFILLED, ConcurrencyPolicy, Event, Job, ObjectReference, QUEUE_LABEL};
use kube_objects::snapshot::Evidence;
use serde_json::json;
use std::sync::Arc;

use super::pods::{at, condition};
use super::{Example, codes, example};
use crate::support::model::{active, ended, job, owner, reference};

fn detail(example: &Example, code: &str) -> String {
    let found = example.found(code);
    found
        .map(|finding| finding.detail.to_string())
        .unwrap_or_default()
}

/// The Job is in a queue of Kueue.
fn queue(job: &mut Job) {
    job.labels = [(QUEUE_LABEL, "batch")].into_iter().collect();
}

/// The part of the finding about the blocking Job, after a change to the Job.
fn blocked_by(change: impl FnOnce(&mut Job)) -> String {
    let mut example = example("blocked-by-running-job");
    change(&mut example.evidence.jobs[1]);
    let detail = detail(&example, "blocked-by-running-job");
    let (_, stuck) = detail.split_once(" are skipped.").unwrap();
    stuck.trim().to_owned()
}

#[test]
fn blocking_job_that_may_never_end_names_the_cause() {
    let held = "2026-03-10T08:50:00Z".parse().ok();
    assert_texts!(
        blocked_by(|job| job.deletion_timestamp = held),
        blocked_by(|job| job.suspend = Some(true)),
        blocked_by(|job| job.start_time = None),
        blocked_by(|job| job.active = 0),
        // The Job before took 125 seconds.
        blocked_by(|job| job.ready = Some(1)),
    );
}

/// Runs are due every 15 minutes, it is 09:20, and the last one seems to have been at 11:15. If the last one is set
/// to 09:15, no run is missed, and the next one is at 09:30.
#[test]
fn clock_that_was_wrong_needs_a_new_last_schedule_time() {
    let mut example = example("clock-skew");
    let found = example.found("clock-skew").unwrap();
    let command = found.remedy.unwrap().command.unwrap();
    assert_contains!(
        command,
        "patch cronjob metrics -n shop --subresource=status --type=merge"
    );
    assert_contains!(
        command,
        r#"'{"status":{"lastScheduleTime":"2026-03-10T09:15:00Z"}}'"#
    );
    let latest: Timestamp = "2026-03-10T09:15:00Z".parse().unwrap();
    example.cron_job().status.last_schedule_time = Some(latest);
    assert!(example.found("clock-skew").is_none());
    let then = example.with_facts(|facts| (facts.next_run(), facts.decision.starts()));
    assert_eq!(then, ("2026-03-10T09:30:00Z".parse().ok(), false));
    // Nothing starts while it is suspended.
    example.cron_job().status.last_schedule_time = "2026-03-10T11:15:00Z".parse().ok();
    example.spec().suspend = Some(true);
    let found = example.found("clock-skew").unwrap();
    assert!(found.remedy.unwrap().command.is_none());
}

/// The CronJob was created 20 minutes ago and has had one run, whatever time a wrong clock recorded.
#[test]
fn runs_in_the_future_did_not_fail() {
    let mut example = example("clock-skew");
    example.cron_job().creation_timestamp = "2026-03-10T09:00:00Z".parse().ok();
    example.cron_job().status.last_successful_time = None;
    assert_eq!(codes(&example.findings()), ["clock-skew"]);
}

/// Kueue resumes the Jobs of its queues. It reads the label of the Job, so a Job that is older than the label
/// of the template is not in a queue.
#[test]
fn job_in_a_queue_waits_for_its_admission() {
    let found = |change: fn(&mut Job)| {
        let mut example = example("blocked-by-running-job");
        let job = &mut example.evidence.jobs[1];
        job.suspend = Some(true);
        change(job);
        *example.template() = json!({"metadata": {"labels": {QUEUE_LABEL: "batch"}}});
        let found = example.found("blocked-by-running-job").unwrap();
        format!("{}\n-> {}", found.detail, found.remedy.unwrap().text)
    };
    let queued = found(queue);
    let preempted = found(|job| {
        queue(job);
        job.conditions = vec![condition("Suspended", "", "09:00:00")];
    });
    let created = example("blocked-by-running-job").evidence.jobs[1].creation_timestamp;
    assert!(created.is_some());
    assert_contains!(preempted, " 2026-03-10 09:00 ");
    assert_texts!(queued, preempted,);
    let without_label = found(|_| {});
    assert_contains!(without_label, "The Job itself is suspended: ");
    // Once it has been admitted, it is like any other.
    let mut admitted = example("blocked-by-running-job");
    queue(&mut admitted.evidence.jobs[1]);
    assert!(!detail(&admitted, "blocked-by-running-job").contains("Kueue"));
}

/// The remedy sets the label where Kueue reads it.
#[test]
fn queue_label_of_the_cron_job_does_not_reach_its_jobs() {
    let mut example = example("job-template-suspended");
    example.cron_job().labels = [(QUEUE_LABEL, "batch")].into_iter().collect();
    let found = example.found("job-template-suspended").unwrap();
    assert_texts!(found.detail, found.remedy.unwrap().text,);
}

#[test]
fn template_suspended_for_kueue_is_not_reported() {
    let found = |change: fn(&mut Job)| {
        let mut example = example("job-template-suspended");
        example.evidence.jobs.iter_mut().for_each(change);
        example.found("job-template-suspended").is_some()
    };
    assert!(found(|_| {}));
    assert!(!found(queue));
}

/// Three Jobs at the same time, none of which ever had a running pod: the schedule is not the cause.
#[test]
fn jobs_that_wait_for_their_pods_do_not_take_long() {
    let found = |change: &dyn Fn(&mut Example)| {
        let mut example = example("runs-longer-than-period");
        for job in &mut example.evidence.jobs {
            job.conditions.clear();
            (job.active, job.ready) = (1, Some(0));
            (job.succeeded, job.failed) = (0, 0);
        }
        change(&mut example);
        example.found("runs-longer-than-period").is_some()
    };
    assert!(!found(&|_| {}));
    // An old cluster does not report ready pods.
    for ready in [Some(1), None] {
        assert!(found(&|example| {
            let jobs = example.evidence.jobs.iter_mut();
            jobs.for_each(|job| job.ready = ready);
        }));
    }
    // The container was started, and is no longer ready.
    let started = |example: &mut Example| {
        let Evidence { jobs, events, .. } = &mut example.evidence;
        events.extend(jobs.iter().map(|job| Event {
            namespace: job.namespace.to_string(),
            reason: "Started".to_owned(),
            last_timestamp: Some(example.now),
            involved_object: ObjectReference {
                kind: "Pod".to_owned(),
                namespace: job.namespace.to_string(),
                name: format!("{}-x7k2p", job.name),
                ..ObjectReference::default()
            },
            ..Event::default()
        }));
    };
    assert!(found(&started));
}

/// Runs that were started manually later do not show how late the controller is.
#[test]
fn backfilled_runs_are_not_late_starts() {
    let found = |mark: fn(&mut Job)| {
        let mut example = example("starting-deadline-shorter-than-delay");
        example.evidence.jobs.iter_mut().for_each(mark);
        let found = example.found("starting-deadline-shorter-than-delay");
        found.is_some()
    };
    assert!(found(|_| {}));
    assert!(!found(|job| job.by_kubectl = true));
    assert!(!found(|job| {
        let annotations = job.annotations.iter();
        job.annotations = annotations.chain([(BACKFILLED, "true")]).collect();
    }));
}

/// The controller found none of the missed runs, and the last three of them were backfilled.
#[test]
fn backfilled_runs_are_not_counted_as_missed() {
    let plain = example("missed-without-event");
    let mut example = example("missed-without-event");
    let cron_job = example.evidence.cron_jobs[0].object.clone();
    let facts = |example: &Example| {
        let cron_job = &example.evidence.cron_jobs[0].object;
        let (controller, jobs) = (&example.controller, &example.evidence.jobs);
        let facts = Facts::gather(controller, cron_job, jobs, &[], example.now);
        let causes = causes(&facts).into_iter();
        let causes = causes.map(|cause| (cause.cause.as_str(), cause.count));
        let last = facts.last_not_run().unwrap();
        let (missed, not_run) = (facts.missed.unwrap().count, facts.not_run().unwrap());
        (missed, not_run, last, causes.collect::<Vec<_>>())
    };
    let (missed, not_run, last, by_cause) = facts(&plain);
    assert_eq!((not_run, by_cause), (missed, vec![("arithmetic", missed)]));
    let mut scheduled = Some(last);
    for _ in 0..3 {
        let at = scheduled.unwrap();
        let job = Job {
            namespace: cron_job.namespace.as_str().into(),
            name: format!("{}-{}", cron_job.name, at.as_second() / 60),
            uid: at.to_string(),
            creation_timestamp: Some(example.now),
            annotations: [(BACKFILLED, "true")].into_iter().collect(),
            owner_references: Arc::new(vec![owner("CronJob", &cron_job.name, &cron_job.uid)]),
            ..Job::default()
        };
        let job = ended(job, "Complete", example.now);
        example.evidence.jobs.push(job);
        let facts = Facts::gather(&example.controller, &cron_job, &[], &[], example.now);
        scheduled = facts.timetable.unwrap().previous(at);
    }
    let (count, left, before, by_cause) = facts(&example);
    assert_eq!((count, left, Some(before)), (missed, missed - 3, scheduled));
    assert_eq!(by_cause, [("arithmetic", missed - 3), ("backfilled", 3)]);
    let detail = detail(&example, "missed-without-event");
    assert_eq!(cron_job.spec.time_zone.as_deref(), Some("Etc/UTC"));
    let before = before.strftime("%a %Y-%m-%d %H:%M");
    assert_starts!(detail, &format!("{left} runs since "));
    assert_contains!(detail, &format!("the last was scheduled at {before} ("));
}

/// The explanation before the controller's own message, and the remedy, for an error of the API server.
fn creation(message: &str) -> (String, String) {
    let mut example = example("job-creation-fails");
    example.evidence.events[0].message = format!("Error creating job: {message}");
    let found = example.findings();
    let [finding] = found.as_slice() else {
        panic!("{:?}", codes(&found))
    };
    let why = finding.detail.split_once(" Creating the Job failed");
    let remedy = finding.remedy.clone().unwrap().text;
    (why.unwrap().0.to_owned(), remedy)
}

#[test]
fn failed_job_creation_names_the_cause() {
    let messages = [
        "admission webhook \"policy.example.com\" denied the request: no owner label",
        "Internal error occurred: failed calling webhook \"policy.example.com\": timeout",
        "jobs.batch \"import-1\" is forbidden: unable to create new content in namespace batch \
         because it is being terminated",
        "Job.batch \"import-1\" is invalid: spec.template.spec.containers: Required value",
        "the server is on fire",
    ];
    let found = messages.map(|message| {
        let (why, remedy) = creation(message);
        format!("{message}\n  {why}\n  -> {remedy}")
    });
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn failed_job_creation_before_a_success_is_not_reported() {
    let mut example = example("job-creation-fails");
    // A Job was created after the last failure.
    example.evidence.jobs[0].creation_timestamp = "2026-03-10T08:17:00Z".parse().ok();
    assert_eq!(example.found("job-creation-fails"), None);
}

#[test]
fn control_characters_of_the_cluster_do_not_reach_the_terminal() {
    let mut example = example("job-creation-fails");
    let nasty = Event {
        message: "a\u{1b}[2J\nb".to_owned(),
        ..example.evidence.events[0].clone()
    };
    example.evidence.events = vec![nasty];
    assert!(detail(&example, "job-creation-fails").contains(": a [2J b"));
}

#[test]
fn deleted_job_is_reported_only_if_jobs_were_read() {
    let mut example = example("deleted-job-still-active");
    example.evidence.jobs.clear();
    assert_eq!(example.findings(), []);
    // If Jobs were read, and there are none, the Job was deleted.
    let cron_job = &example.evidence.cron_jobs[0].object;
    let mut facts = Facts::gather(&example.controller, cron_job, &[], &[], example.now);
    facts.input.coverage.jobs_read = true;
    let expected = ["deleted-job-still-active", "last-run-without-success"];
    assert_eq!(codes(&diagnose(&facts)), expected);
}

#[test]
fn start_is_overdue_only_after_a_later_observation() {
    let mut example = example("start-overdue");
    // Without the other Job, the evidence ends with the last run of the CronJob itself.
    example.evidence.jobs.truncate(1);
    assert_eq!(example.findings(), []);
    let (evidence, now) = (&example.evidence, example.now);
    let cron_job = &evidence.cron_jobs[0].object;
    let mut facts = Facts::gather(&example.controller, cron_job, &evidence.jobs, &[], now);
    facts.input.coverage.as_of = now;
    assert_eq!(codes(&diagnose(&facts)), ["start-overdue"]);
}

#[test]
fn suspended_cron_job_may_never_be_scheduled() {
    let mut example = example("never-scheduled");
    example.spec().suspend = Some(true);
    assert_eq!(example.findings(), []);
}

/// The schedule may only be a way to create Jobs manually.
#[test]
fn schedule_that_never_runs_is_a_hint_beside_a_manual_job() {
    let mut example = example("never-scheduled");
    let error = example.found("never-scheduled").unwrap();
    assert_eq!(error.severity, Severity::Error);
    let mut job = super::example("manual-run-failed").evidence.jobs[0].clone();
    job.annotations = [("cronjob.kubernetes.io/instantiate", "manual")]
        .into_iter()
        .collect();
    let uid = "c344ff87-4e3e-522b-9508-4f1c34ab5282";
    job.owner_references = Arc::new(vec![owner("CronJob", "month-end", uid)]);
    job.creation_timestamp = at("09:10:00");
    example.evidence.jobs.push(job);
    let found = example.found("never-scheduled").unwrap();
    assert_eq!(found.severity, Severity::Info);
    assert_contains!(
        found.remedy.unwrap().command.unwrap(),
        "suspend month-end -n shop"
    );
}

/// The run at a time that is not in the schedule waits for a running Job under Forbid.
#[test]
fn unscheduled_start_is_at_the_next_sync_or_after_the_running_job() {
    const CODE: &str = "start-at-unscheduled-time";
    let mut example = example(CODE);
    example.spec().suspend = Some(false);
    assert_starts!(detail(&example, CODE), "At its next sync, ");
    example.spec().concurrency_policy = ConcurrencyPolicy::Forbid;
    let cron_job = example.cron_job().clone();
    let mut running = job(&cron_job.name, cron_job.status.last_schedule_time.unwrap());
    running.namespace = cron_job.namespace.as_str().into();
    let owned = owner("CronJob", &cron_job.name, &cron_job.uid);
    running.owner_references = Arc::new(vec![owned]);
    example.cron_job().status.active = vec![active(&running)];
    example.evidence.jobs.push(running);
    assert_starts!(detail(&example, CODE), "When the running Job finishes, ");
}

#[test]
fn findings_about_the_gap_depend_on_the_release() {
    let findings = |release: &str| -> Vec<Finding> {
        let mut example = example("hot-loop");
        example.controller.release = release.parse().unwrap();
        example.findings()
    };
    let codes_of = |release: &str| codes(&findings(release));
    // Up to 1.20 all missed runs are listed, and the last one is started: at half past eight, this is the
    // run of 18:00 (the evidence is too old to report it as overdue).
    assert_eq!(codes_of("1.20"), [""; 0]);
    // Up to 1.27.3 a run at a multiple of an hour after 11:00 is started: 20:00.
    assert_eq!(codes_of("1.27.3"), ["start-at-unscheduled-time"]);
    // Fixed, but still without an event.
    for release in ["1.27.8", "1.28.4", "1.29.0", "1.36"] {
        assert_eq!(codes_of(release), ["missed-without-event"], "{release}");
    }
}

#[test]
fn deadline_under_10s_is_not_reported_since_1_21() {
    let mut example = example("starting-deadline-under-10s");
    example.controller.release = "1.21".parse().unwrap();
    assert_eq!(example.findings(), []);
}

#[test]
fn resume_with_replace_deletes_the_running_job() {
    let mut example = example("resume-starts-immediately");
    let Example { evidence, .. } = &mut example;
    let cron_job = &mut evidence.cron_jobs[0].object;
    cron_job.spec.concurrency_policy = "Replace".into();
    let mut finished = super::example("finished-job-still-active");
    let mut running = finished.evidence.jobs.remove(0);
    running.namespace = cron_job.namespace.as_str().into();
    running.conditions.clear();
    Arc::make_mut(&mut running.owner_references)[0]
        .uid
        .clone_from(&cron_job.uid);
    Arc::make_mut(&mut running.owner_references)[0]
        .name
        .clone_from(&cron_job.name);
    let mut deleted = super::example("deleted-job-still-active");
    let mut active = deleted.cron_job().status.active.remove(0);
    active.name.clone_from(&running.name);
    active.uid.clone_from(&running.uid);
    active.namespace = running.namespace.to_string();
    cron_job.status.active = vec![active];
    evidence.jobs = vec![running];
    insta::assert_snapshot!(detail(&example, "resume-starts-immediately"));
}

#[test]
fn replaced_runs_without_success_say_since_when_none_has_succeeded() {
    let mut example = example("runs-longer-than-period");
    let Example { evidence, .. } = &mut example;
    let cron_job = &mut evidence.cron_jobs[0].object;
    cron_job.spec.concurrency_policy = "Replace".into();
    cron_job.status.active.clear();
    cron_job.status.last_successful_time = "2026-03-10T08:05:00Z".parse().ok();
    evidence.jobs.clear();
    // The runs of 08:10, 08:15 and 08:20, each deleted for the next one.
    evidence.events = [10, 15, 20]
        .map(|minute| {
            let deletion = at(&format!("08:{}:00", minute + 5));
            Event {
                reason: "SuccessfulDelete".to_owned(),
                message: format!("Deleted job crawl-{}", 29_552_160 + minute),
                involved_object: ObjectReference {
                    namespace: cron_job.namespace.clone(),
                    ..reference("CronJob", &cron_job.name, &cron_job.uid)
                },
                first_timestamp: deletion,
                last_timestamp: deletion,
                ..Event::default()
            }
        })
        .to_vec();
    let expected = "3 runs were deleted before they finished, because the next one was due \
                    (concurrencyPolicy: Replace). It is scheduled every 5m. No run has succeeded since \
                    Tue 2026-03-10 08:05 UTC.";
    assert_eq!(detail(&example, "runs-longer-than-period"), expected);
}

/// The pause is from 17:59 on Friday to 09:00 on Monday. A night has 15 hours.
#[test]
fn longest_pause_is_that_of_the_weekend() {
    const CODE: &str = "uneven-schedule-can-miss-runs";
    let mut example = example(CODE);
    example.cron_job().spec.schedule = "* 9-17 * * 1-5".to_owned();
    assert_contains!(detail(&example, CODE), "Runs are 60s to 2d15h1m apart.");
}
