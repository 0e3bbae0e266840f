//! Where findings begin and end: just before, at, and just after their thresholds.

use cronjob_diagnosis::diagnose::{Finding, Severity};
use jiff::Timestamp;
use kube_cron::Zone;
use kube_model::{BACKFILLED, ConcurrencyPolicy, ContainerEnd, ContainerStatus, Pod};

use super::pods::{at, changed, changed_at, condition, detail, remedy, silent};
use super::{Example, controller_in, example};

fn named(length: usize) -> impl Fn(&mut Example) {
    move |example| example.cron_job().name = "a".repeat(length)
}

/// A Job's name is that of the CronJob, a dash and eight digits, and at most 63 characters are allowed.
#[test]
fn names_of_jobs_are_too_long_from_55_characters_on() {
    let is_fatal = |length| {
        let found = detail("name-too-long", named(length));
        assert!(
            found.contains(&format!("has {length} characters")),
            "{found}"
        );
        found.contains("no Job can be created")
    };
    assert!(!is_fatal(53) && !is_fatal(54) && is_fatal(55));
    silent("name-too-long", named(52));
}

/// Reported within a day of the limit once a quarter of the time has passed, or once three quarters have. The
/// limit is crossed a hundred runs after the first missed one.
#[test]
fn too_many_missed_runs_are_foreseen_a_day_ahead() {
    const SOON: &str = "too-many-missed-soon";
    // Every hour since the 7th at 06:00: the limit is crossed on the 11th at 11:00, and half of the time is not
    // enough.
    silent(SOON, |example| {
        example.now = "2026-03-09T09:00:00Z".parse().unwrap();
    });
    // Every quarter of an hour since midnight: it is crossed at 01:15 tomorrow.
    let quarters = |example: &mut Example| {
        example.spec().schedule = "*/15 * * * *".to_owned();
        example.cron_job().status.last_schedule_time = at("00:00:00");
    };
    assert!(changed_at(SOON, "07:00:00", quarters).is_some());
    assert_eq!(changed_at(SOON, "06:00:00", quarters), None);
}

/// A single long run may be an exception.
#[test]
fn two_long_runs_are_longer_than_the_period() {
    const LONG: &str = "runs-longer-than-period";
    let of_runs = |count| {
        changed(LONG, |example| {
            example.evidence.jobs.truncate(count);
            example.cron_job().status.active.clear();
        })
    };
    assert!(of_runs(2).is_some());
    assert_eq!(of_runs(1), None);
}

/// Since 1.37 the controller adopts a Job that the CronJob owns, and leaves all others alone without an error.
#[test]
fn name_of_an_adopted_job_is_not_taken() {
    const TAKEN: &str = "job-name-taken";
    let adopts = |example: &mut Example| example.controller = controller_in(Zone::utc(), "1.37");
    assert!(changed(TAKEN, adopts).is_some());
    let owns = |example: &mut Example| {
        let job = example.last_job().clone();
        let own = example.cron_job().job_named(job.name, job.uid);
        example.last_job().owner_references = own.owner_references;
    };
    silent(TAKEN, |example| {
        adopts(example);
        owns(example);
    });
    // Before, the API server rejects the adoption.
    assert!(changed(TAKEN, owns).is_some());
}

/// A Job that is less than a minute old may not have been read yet.
#[test]
fn deleted_job_is_reported_a_minute_after_its_run() {
    const DELETED: &str = "deleted-job-still-active";
    assert_eq!(changed_at(DELETED, "08:00:59", |_| {}), None);
    assert!(changed_at(DELETED, "08:01:00", |_| {}).is_some());
}

/// The controller still starts the latest run, after the running Job if there is one. Its estimate is mentioned
/// if it is wrong.
#[test]
fn too_many_missed_runs_are_counted_and_estimated() {
    const MANY: &str = "too-many-missed";
    assert!(detail(MANY, |_| {}).contains("the controller estimates"));
    let even = |example: &mut Example| example.spec().schedule = "*/5 * * * *".to_owned();
    let found = detail(MANY, even);
    assert!(!found.is_empty() && !found.contains("estimates"), "{found}");
    let blocked = |example: &mut Example| {
        example.spec().concurrency_policy = ConcurrencyPolicy::Forbid;
        let mut running = example
            .cron_job()
            .job_named("running".to_owned(), "7".to_owned());
        running.creation_timestamp = Some("2026-03-06T17:00:00Z".parse().unwrap());
        running.start_time = running.creation_timestamp;
        running.active = 1;
        example.cron_job().status.active.push(running.reference());
        example.evidence.jobs.push(running);
    };
    let found = detail(MANY, blocked);
    assert!(
        found.contains("once the running Job has finished"),
        "{found}"
    );
}

/// A container that has ended is not ready, and for a Job without pods the command describes the Job itself.
#[test]
fn job_is_not_ready_while_its_containers_have_ended() {
    const READY: &str = "no-pod-ready";
    let with_pod = |containers: Vec<ContainerStatus>| {
        changed(READY, |example| {
            let job = example.last_job().clone();
            let pod = Pod {
                namespace: job.namespace.to_string(),
                name: format!("{}-abcde", job.name),
                uid: "8".to_owned(),
                creation_timestamp: job.creation_timestamp,
                owner_references: vec![crate::support::model::owner("Job", &job.name, &job.uid)],
                phase: "Pending".to_owned(),
                containers,
                ..Pod::default()
            };
            example.evidence.pods = vec![pod];
        })
    };
    let ended = ContainerStatus {
        terminated: Some(ContainerEnd::default()),
        ..ContainerStatus::default()
    };
    let found = with_pod(vec![ended]).unwrap();
    assert!(found.detail.contains("is Pending"), "{}", found.detail);
    assert_eq!(with_pod(vec![ContainerStatus::default()]), None);
    let command = |active| {
        let mut example = example(READY);
        example.last_job().active = active;
        let remedy = example.found(READY).unwrap().remedy.unwrap();
        remedy.command.unwrap()
    };
    assert!(command(1).contains("describe pods"), "{}", command(1));
    assert!(command(0).contains("describe job"), "{}", command(0));
}

/// After two minutes: the first controllers sync every ten seconds, and less often with many CronJobs.
#[test]
fn finished_job_that_is_active_is_reported_after_two_minutes() {
    let after = |seconds: i64| {
        changed("finished-job-still-active", |example| {
            let end = example
                .evidence
                .jobs
                .iter()
                .filter_map(|job| job.completion_time);
            let end = end.max().unwrap().as_second();
            example.now = Timestamp::from_second(end + seconds).unwrap();
        })
    };
    assert_eq!(after(119), None);
    assert!(after(120).is_some());
}

/// The finding for a Job with a pod that should have been gone for this many seconds.
fn overdue_pod(seconds: i64, finalizer: Option<&str>) -> Finding {
    let found = changed("job-ending", |example| {
        example.spec().concurrency_policy = ConcurrencyPolicy::Allow;
        let gone = example.now.as_second() - seconds;
        let pod = example.last_pod();
        pod.deletion_timestamp = Timestamp::from_second(gone).ok();
        pod.finalizers = finalizer.map(str::to_owned).into_iter().collect();
    });
    found.unwrap()
}

/// A pod that should have been gone for more than a minute will not end on its own.
#[test]
fn pod_that_does_not_end_is_an_error_after_a_minute() {
    let severity = |seconds: i64| overdue_pod(seconds, None).severity;
    assert_eq!(severity(60), Severity::Info);
    assert_eq!(severity(61), Severity::Error);
    assert_eq!(severity(600), Severity::Error);
}

/// A single missed run is the one that is started.
#[test]
fn resume_mentions_other_missed_runs_only_if_there_are_any() {
    let with_last = |last: &str| {
        detail("resume-starts-immediately", |example| {
            example.cron_job().status.last_schedule_time = Some(last.parse().unwrap());
        })
    };
    let one = with_last("2026-03-09T02:00:00Z");
    assert!(
        one.contains("immediately starts") && !one.contains("will not start"),
        "{one}"
    );
    let two = with_last("2026-03-08T02:00:00Z");
    assert!(
        two.contains("It will not start the other missed run."),
        "{two}"
    );
}

#[test]
fn jobs_that_wait_to_be_resumed_are_counted_where_there_are_any() {
    const SUSPENDED: &str = "job-template-suspended";
    assert!(detail(SUSPENDED, |_| {}).contains("waiting to be resumed"));
    let none = detail(SUSPENDED, |example| example.evidence.jobs.clear());
    assert!(!none.is_empty() && !none.contains("waiting"), "{none}");
}

/// A suspended CronJob replaces nothing.
#[test]
fn run_that_replaces_a_held_job_is_named_unless_it_is_suspended() {
    let replacing = |suspend: bool| {
        detail("held-by-sidecar", |example| {
            example.spec().concurrency_policy = ConcurrencyPolicy::Replace;
            example.spec().suspend = Some(suspend);
            // No run is due now, which would replace the Job immediately.
            let now = example.now;
            example.cron_job().status.last_schedule_time = Some(now);
        })
    };
    assert!(replacing(false).contains("(concurrencyPolicy: Replace)"));
    let suspended = replacing(true);
    assert!(
        !suspended.is_empty() && !suspended.contains("Replace"),
        "{suspended}"
    );
}

/// The first controllers start nothing above a hundred missed runs, not even when the running Job has ended.
#[test]
fn blocked_runs_never_start_once_there_are_too_many() {
    let found = detail("blocked-by-running-job", |example| {
        example.controller = controller_in(Zone::utc(), "1.20");
        example.spec().schedule = "* * * * *".to_owned();
        example.now = at("10:30:00").unwrap();
    });
    assert!(
        found.contains("None of them will start when that Job ends."),
        "{found}"
    );
}

/// Two runs without success may have one cause.
#[test]
fn three_runs_without_success_are_an_error() {
    let severity = |success: &str| {
        let found = changed("runs-without-success", |example| {
            // A Job that failed would be a cause, which another finding names: the last one runs.
            example
                .evidence
                .jobs
                .retain(|job| job.name.ends_with("53600"));
            let job = example.last_job();
            job.conditions.clear();
            (job.failed, job.active, job.ready) = (0, 1, Some(1));
            let reference = job.reference();
            let status = &mut example.cron_job().status;
            status.active = vec![reference];
            status.last_successful_time = success.parse().ok();
        });
        found.unwrap().severity
    };
    assert_eq!(severity("2026-03-08T08:02:05Z"), Severity::Warning);
    assert_eq!(severity("2026-03-07T08:02:05Z"), Severity::Error);
}

/// A finalizer of another client is reported after a minute, and Jobs that are deleted first after ten.
#[test]
fn deletion_is_stuck_after_a_minute_or_ten() {
    const STUCK: &str = "deletion-stuck";
    let is_found = |seconds: i64, finalizer: &str| {
        let found = changed(STUCK, |example| {
            let since = example.now.as_second() - seconds;
            let cron_job = example.cron_job();
            cron_job.deletion_timestamp = Timestamp::from_second(since).ok();
            cron_job.finalizers = vec![finalizer.to_owned()];
        });
        found.is_some()
    };
    let (foreign, own) = ("example.com/backup", "foregroundDeletion");
    assert!(!is_found(30, foreign) && !is_found(59, foreign) && is_found(60, foreign));
    assert!(!is_found(60, own) && !is_found(599, own) && is_found(600, own) && is_found(900, own));
}

/// Between two pods of a Job, none is ready. Without active pods, there is none that could be read.
#[test]
fn job_without_a_ready_pod_has_not_begun() {
    const READY: &str = "no-pod-ready";
    let begun = |succeeded, failed| {
        changed(READY, |example| {
            let job = example.last_job();
            (job.succeeded, job.failed) = (succeeded, failed);
        })
    };
    assert!(begun(0, 0).is_some());
    assert_eq!(begun(1, 0), None);
    assert_eq!(begun(0, 1), None);
    let unread = |active| detail(READY, |example| example.last_job().active = active);
    assert!(unread(1).contains("were not read"), "{}", unread(1));
    let none = unread(0);
    assert!(!none.is_empty() && !none.contains("not read"), "{none}");
}

#[test]
fn suspended_cronjob_whose_missed_run_was_backfilled_has_missed_none() {
    silent("suspended", |example| {
        let due = at("01:00:00").unwrap();
        let cron_job = example.cron_job();
        let name = format!("{}-{}", cron_job.name, due.as_second() / 60);
        let mut job = cron_job.job_named(name, "9".to_owned());
        job.creation_timestamp = at("07:00:00");
        job.annotations = [(BACKFILLED, "true")].into_iter().collect();
        example.evidence.jobs.push(job);
    });
}

/// Half of the runs are long.
#[test]
fn runs_are_longer_than_the_period_if_half_of_them_are() {
    let with_short = |count: i64| {
        changed("runs-longer-than-period", |example| {
            let jobs = &mut example.evidence.jobs;
            // Two have taken twelve minutes and more, and the others a minute.
            jobs.truncate(2);
            for number in 0..count {
                let mut short = jobs[0].clone();
                let due = jobs[0].creation_timestamp.unwrap().as_second() - 300 * (number + 1);
                let ended = Timestamp::from_second(due + 60).ok();
                short.name = format!("short-{}", due / 60);
                short.creation_timestamp = Timestamp::from_second(due).ok();
                short.start_time = short.creation_timestamp;
                short.completion_time = ended;
                for condition in &mut short.conditions {
                    condition.last_transition_time = ended;
                }
                short.annotations = jobs[0].annotations.clone();
                jobs.push(short);
            }
            example.cron_job().status.active.clear();
        })
    };
    assert!(with_short(1).is_some());
    assert!(with_short(2).is_some());
    assert_eq!(with_short(3), None);
}

/// A failure that is over before the run is due does not explain why it was not started.
#[test]
fn creation_that_failed_before_the_run_is_not_why_it_was_lost() {
    let failed_at = |time: &str| {
        detail("starting-deadline-exceeded", |example| {
            let mut event = example.evidence.events[0].clone();
            event.reason = "FailedCreate".to_owned();
            event.message = "quota exceeded".to_owned();
            event.involved_object.name = "mirror".to_owned();
            event
                .involved_object
                .uid
                .clone_from(&example.cron_job().uid);
            event.first_timestamp = time.parse().ok();
            event.last_timestamp = event.first_timestamp;
            example.evidence.events.push(event);
        })
    };
    // The run was due on the 9th at 22:00, with a deadline of five minutes.
    let is_cause = |time: &str| failed_at(time).contains("could not be created: quota exceeded");
    assert!(is_cause("2026-03-09T22:00:00Z") && is_cause("2026-03-09T22:05:00Z"));
    assert!(!is_cause("2026-03-09T21:59:59Z") && !is_cause("2026-03-09T22:05:01Z"));
}

/// If the node does not stop the pod, the remedy is to bring the node back. This does not help against a
/// finalizer, or while the pod still has time to end.
#[test]
fn pod_that_should_be_gone_has_a_remedy() {
    let command = |seconds, finalizer| {
        let remedy = overdue_pod(seconds, finalizer).remedy;
        remedy.unwrap().command.unwrap()
    };
    assert!(command(10, None).contains("describe pod"));
    assert!(command(600, Some("example.com/backup")).contains("describe pod"));
    assert!(!command(600, None).contains("describe pod"));
}

/// A run that started exactly at its deadline has started. The finding needs two later ones, and half of all.
#[test]
fn deadline_is_too_short_if_runs_start_later() {
    const SHORT: &str = "starting-deadline-shorter-than-delay";
    // The runs started 41, 45 and 38 s late.
    let with_deadline = |seconds: i64| {
        changed(SHORT, |example| {
            example.spec().starting_deadline_seconds = Some(seconds);
        })
    };
    assert!(with_deadline(40).is_some());
    assert_eq!(with_deadline(41), None);
    assert_eq!(with_deadline(45), None);
}

/// The first controllers try again on their own every ten seconds.
#[test]
fn attempt_can_be_triggered_where_the_controller_backs_off() {
    let of_release = |release: &str| {
        remedy("job-creation-fails", |example| {
            example.controller = controller_in(Zone::utc(), release);
        })
    };
    assert!(of_release("1.36").contains("to try immediately"));
    assert!(!of_release("1.20").contains("to try immediately"));
}

#[test]
fn image_that_may_not_be_pulled_is_reported_from_events() {
    const PULL: &str = "pod-image-pull-fails";
    for reason in ["ErrImageNeverPull", "InspectFailed"] {
        let message = "Container image \"thumbnails:2.0\" is not present with pull policy of Never";
        let found = detail(PULL, |example| {
            example.evidence.pods.clear();
            example.evidence.events.truncate(1);
            let event = &mut example.evidence.events[0];
            (event.reason, event.message) = (reason.to_owned(), message.to_owned());
        });
        assert!(found.contains(message), "{found}");
    }
}

/// The settings that a mesh documents for injected proxies have no effect on one in the template.
#[test]
fn proxy_in_the_template_is_to_become_a_native_sidecar() {
    let prevention = |in_template: bool| {
        remedy("held-by-sidecar", |example| {
            let proxy = example.evidence.pods[0].containers[1].name.clone();
            if in_template {
                let pod = &mut example.template()["spec"]["template"]["spec"];
                let containers = pod["containers"].as_array_mut().unwrap();
                containers.push(serde_json::json!({"name": proxy, "image": "proxy"}));
            }
        })
    };
    let injected = prevention(false);
    assert!(
        !injected.contains("a native sidecar: an init"),
        "{injected}"
    );
    let own = prevention(true);
    assert!(own.contains("a native sidecar: an init"), "{own}");
}

/// A Job that ended by the deadline, five minutes after the run was due on the 9th at 22:00, left the run time to
/// start.
#[test]
fn job_that_was_active_until_after_the_deadline_is_why_a_run_was_lost() {
    let until = |end: &str| {
        detail("starting-deadline-exceeded", |example| {
            example.spec().concurrency_policy = ConcurrencyPolicy::Forbid;
            let name = "mirror-29551500".to_owned();
            let mut job = example.cron_job().job_named(name, "9".to_owned());
            job.creation_timestamp = "2026-03-09T21:00:00Z".parse().ok();
            job.start_time = job.creation_timestamp;
            let end = end.parse().ok();
            job.completion_time = end;
            job.conditions = vec![condition("Complete", "", "22:00:00")];
            job.conditions[0].last_transition_time = end;
            example.evidence.jobs.push(job);
        })
    };
    let after = until("2026-03-09T22:05:01Z");
    assert!(after.contains("mirror-29551500 was active"), "{after}");
    let by = until("2026-03-09T22:05:00Z");
    assert!(!by.is_empty() && !by.contains("was active"), "{by}");
}
