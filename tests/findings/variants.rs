//! The other forms that a finding takes: an example, changed in one place.

use cronjob_doctor::diagnose::{Facts, Finding, diagnose};
use cronjob_doctor::model::{Event, Job};

use super::{Example, codes, example};

fn detail(example: &Example, code: &str) -> String {
    let found = example
        .findings()
        .into_iter()
        .find(|finding| finding.code == code);
    found.map(|finding| finding.detail).unwrap_or_default()
}

/// What is said of a Job that blocks, after it was changed.
fn blocked_by(change: impl FnOnce(&mut Job)) -> String {
    let mut example = example("blocked-by-running-job");
    change(&mut example.evidence.jobs[1]);
    let detail = detail(&example, "blocked-by-running-job");
    let (_, stuck) = detail.split_once(" before it are skipped.").unwrap();
    stuck.trim().to_owned()
}

#[test]
fn why_a_job_may_never_end() {
    let held = "2026-03-10T08:50:00Z".parse().ok();
    assert_eq!(
        blocked_by(|job| job.deletion_timestamp = held),
        "It is being deleted since 2026-03-10T08:50:00Z: something, such as a finalizer, holds it."
    );
    assert_eq!(
        blocked_by(|job| job.suspend = Some(true)),
        "It is suspended itself: it has no pods, and never ends by itself."
    );
    assert_eq!(
        blocked_by(|job| job.start_time = None),
        "No Job controller has taken it up yet."
    );
    assert_eq!(blocked_by(|job| job.active = 0), "None of its pods runs.");
    // The one before took 125 seconds.
    assert_eq!(
        blocked_by(|job| job.ready = Some(1)),
        "The longest of its earlier runs took 2m5s: it may be stuck."
    );
}

/// What stands before the controller's own words, and the remedy, for a message of the API server.
fn creation(message: &str) -> (String, String) {
    let mut example = example("creation-fails");
    example.evidence.events[0].message = format!("Error creating job: {message}");
    let found = example.findings();
    let [finding] = found.as_slice() else {
        panic!("{:?}", codes(&found))
    };
    let (why, _) = finding.detail.split_once(" The controller failed").unwrap();
    (why.to_owned(), finding.remedy.clone().unwrap())
}

#[test]
fn why_a_job_cannot_be_created() {
    let try_it =
        "kubectl -n batch create job import-by-hand --from=cronjob/import --dry-run=server";
    let webhooks = "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations";
    let namespace = "kubectl get namespace batch -o yaml";
    let cases = [
        (
            "admission webhook \"policy.example.com\" denied the request: no owner label",
            ("An admission check refuses the Job.", try_it),
        ),
        (
            "Internal error occurred: failed calling webhook \"policy.example.com\": timeout",
            ("An admission webhook cannot be reached.", webhooks),
        ),
        (
            "jobs.batch \"import-1\" is forbidden: unable to create new content in namespace batch \
             because it is being terminated",
            ("The namespace is being deleted.", namespace),
        ),
        (
            "Job.batch \"import-1\" is invalid: spec.template.spec.containers: Required value",
            ("The Job template is not valid.", try_it),
        ),
        (
            "the server is on fire",
            ("The API server refuses the Job.", try_it),
        ),
    ];
    for (message, (why, remedy)) in cases {
        assert_eq!(
            creation(message),
            (why.to_owned(), remedy.to_owned()),
            "{message}"
        );
    }
}

#[test]
fn a_failure_to_create_that_is_over() {
    let mut example = example("creation-fails");
    // A Job was created after the last failure.
    example.evidence.jobs[0].creation_timestamp = "2026-03-10T08:17:00Z".parse().ok();
    assert!(!codes(&example.findings()).contains(&"creation-fails"));
}

#[test]
fn control_characters_of_the_cluster_do_not_reach_the_terminal() {
    let mut example = example("creation-fails");
    let nasty = Event {
        message: "a\u{1b}[2J\nb".to_owned(),
        ..example.evidence.events[0].clone()
    };
    example.evidence.events = vec![nasty];
    assert!(detail(&example, "creation-fails").ends_with("ago): a [2J b"));
}

#[test]
fn nothing_is_said_of_jobs_that_were_not_read() {
    let mut example = example("vanished-job-still-active");
    example.evidence.jobs.clear();
    assert_eq!(example.findings(), []);
    // Unless somebody has asked, and there was none.
    let cron_job = &example.evidence.cron_jobs[0].object;
    let mut facts = Facts::gather(&example.controller, cron_job, &[], &[], example.now);
    facts.reach.jobs_read = true;
    assert_eq!(codes(&diagnose(&facts)), ["vanished-job-still-active"]);
}

#[test]
fn a_start_is_overdue_only_if_somebody_looked_later() {
    let mut example = example("start-overdue");
    // Without the other Job the evidence ends with the last run of its own.
    example.evidence.jobs.truncate(1);
    assert_eq!(example.findings(), []);
    let Example {
        evidence,
        controller,
        now,
    } = &example;
    let mut facts = Facts::gather(
        controller,
        &evidence.cron_jobs[0].object,
        &evidence.jobs,
        &[],
        *now,
    );
    facts.reach.as_of = *now;
    assert_eq!(codes(&diagnose(&facts)), ["start-overdue"]);
}

#[test]
fn suspended_and_run_by_hand_on_purpose() {
    let mut example = example("never-runs");
    example.evidence.cron_jobs[0].object.spec.suspend = Some(true);
    assert_eq!(example.findings(), []);
}

#[test]
fn the_same_gap_in_other_releases() {
    let findings = |release: &str| -> Vec<Finding> {
        let mut example = example("hot-loop");
        example.controller.release = release.parse().unwrap();
        example.findings()
    };
    let codes_of = |release: &str| codes(&findings(release));
    // Up to 1.20 all are listed, and the last is started: half past eight, the run of 18:00 (the
    // evidence is too old to call it overdue).
    assert_eq!(codes_of("1.20"), [""; 0]);
    // Up to 1.27.3 a multiple of an hour after 11:00 is started: 20:00.
    assert_eq!(codes_of("1.27.3"), ["phantom-start"]);
    // Repaired, but as silent as before.
    for release in ["1.27.8", "1.28.4", "1.29.0", "1.36"] {
        assert_eq!(codes_of(release), ["slots-lost-silently"], "{release}");
    }
}

#[test]
fn deadlines_in_the_first_generation_and_since() {
    let mut example = example("deadline-under-ten-seconds");
    example.controller.release = "1.21".parse().unwrap();
    assert_eq!(example.findings(), []);
}

#[test]
fn being_resumed_with_replace_kills_what_runs() {
    let mut example = example("resume-starts-at-once");
    let Example { evidence, .. } = &mut example;
    let cron_job = &mut evidence.cron_jobs[0].object;
    cron_job.spec.concurrency_policy = "Replace".into();
    let mut running = super::example("finished-job-still-active")
        .evidence
        .jobs
        .remove(0);
    running.namespace.clone_from(&cron_job.namespace);
    running.conditions.clear();
    running.owner_references[0].uid.clone_from(&cron_job.uid);
    running.owner_references[0].name.clone_from(&cron_job.name);
    let mut reference = super::example("vanished-job-still-active")
        .evidence
        .cron_jobs
        .remove(0);
    let mut active = reference.object.status.active.remove(0);
    active.name.clone_from(&running.name);
    active.uid.clone_from(&running.uid);
    active.namespace.clone_from(&running.namespace);
    cron_job.status.active = vec![active];
    evidence.jobs = vec![running];
    assert_eq!(
        detail(&example, "resume-starts-at-once"),
        "If it is resumed now, the controller starts reindex-29551740 for the slot of \
         2026-03-10T01:00:00Z, 13h late. Before that it deletes mail-29552160. For 1 other missed \
         slot it starts nothing."
    );
}
