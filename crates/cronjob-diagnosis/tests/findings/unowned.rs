//! Jobs that were created from a CronJob, and that its controller does not count.

use kube_model::{Job, OwnerReference, RelatedObjects, evidence_by_cron_job};
use std::sync::Arc;

use super::pods::{at, changed, condition, silent};
use super::{Example, codes, example};

const UNOWNED: &str = "job-not-owned";

/// The Job of the example that the CronJob does not control.
fn unowned(example: &mut Example) -> &mut Job {
    let jobs = example.evidence.jobs.iter_mut();
    let mut unowned = jobs.filter(|job| job.owner_references[0].controller.is_none());
    unowned.next().unwrap()
}

fn owner(job: &mut Job) -> &mut OwnerReference {
    &mut Arc::make_mut(&mut job.owner_references)[0]
}

fn policy(example: &mut Example, policy: &str) {
    example.spec().concurrency_policy = policy.into();
}

/// Replaces the Job with a copy for each of the names.
fn multiply(example: &mut Example, names: &[&str], change: impl Fn(&mut Job)) {
    let job = unowned(example).clone();
    let jobs = &mut example.evidence.jobs;
    jobs.retain(|known| known.name != job.name);
    jobs.extend(names.iter().map(|name| {
        let mut job = Job {
            name: (*name).to_owned(),
            uid: (*name).to_owned(),
            ..job.clone()
        };
        change(&mut job);
        job
    }));
}

fn end(job: &mut Job, how: &str) {
    job.active = 0;
    job.conditions = vec![condition(how, "", "14:28:00")];
}

/// As the Kubernetes Dashboard and Lens created it in older versions.
fn without_owner(job: &mut Job) {
    job.owner_references = Arc::default();
    let manual = [("cronjob.kubernetes.io/instantiate", "manual")];
    job.annotations = manual.into_iter().collect();
}

const FOUR: [&str; 4] = ["billing-m1", "billing-m2", "billing-m3", "billing-m4"];
const MANUAL: [&str; 4] = [
    "billing-manual-a1b",
    "billing-manual-c2d",
    "billing-manual-e3f",
    "billing-manual-g4h",
];

fn found(change: impl FnOnce(&mut Example)) -> String {
    let found = changed(UNOWNED, change).unwrap();
    let (severity, remedy) = (found.severity.as_str(), found.remedy.unwrap().text);
    format!("{severity}: {}\n-> {remedy}", found.detail)
}

#[test]
fn unfinished_jobs_are_not_subject_to_the_concurrency_policy() {
    let with = |name: &'static str| found(move |example| policy(example, name));
    let texts = [with("Forbid"), with("Replace"), with("Allow")];
    let several = found(|example| multiply(example, &FOUR, |_| {}));
    insta::assert_snapshot!([&texts[..], &[several]].concat().join("\n\n"));
}

#[test]
fn finished_jobs_are_reported_above_the_history_limits() {
    let complete = |names: &'static [&'static str], how: &'static str| {
        move |example: &mut Example| multiply(example, names, |job| end(job, how))
    };
    silent(UNOWNED, complete(&FOUR[..3], "Complete"));
    silent(UNOWNED, complete(&FOUR[..1], "Failed"));
    let four = found(complete(&FOUR, "Complete"));
    let failed = found(complete(&FOUR[..2], "Failed"));
    let delete = "-> kubectl delete job billing-m1 billing-m2 billing-m3 billing-m4 -n shop  # ";
    assert_contains!(four, delete);
    // The TTL deletes them.
    silent(UNOWNED, |example| {
        complete(&FOUR, "Complete")(example);
        example.template()["spec"]["ttlSecondsAfterFinished"] = 3600.into();
    });
    let ownerless = found(|example| {
        multiply(example, &MANUAL, |job| {
            end(job, "Complete");
            without_owner(job);
        });
    });
    let mixed = found(|example| {
        multiply(example, &MANUAL, |job| {
            if job.name.ends_with("1b") {
                without_owner(job);
            }
        });
    });
    insta::assert_snapshot!([four, failed, ownerless, mixed].join("\n\n"));
}

type Change = fn(&mut Job);

#[test]
fn job_without_a_mark_is_not_reported() {
    let with = |name: &'static str, change: fn(&mut Job)| {
        move |example: &mut Example| multiply(example, &[name], change)
    };
    assert!(changed(UNOWNED, with("billing-manual-a1b", without_owner)).is_some());
    let others: [(&str, Change); 7] = [
        ("billing-manual-a1b", |job| {
            job.owner_references = Arc::default();
        }),
        ("billing-db-manual-a1b", without_owner),
        ("billing-a1b", without_owner),
        ("billing-m1", |job| owner(job).controller = Some(true)),
        ("billing-m1", |job| owner(job).kind = "Workflow".to_owned()),
        ("billing-m1", |job| owner(job).uid = "earlier".to_owned()),
        ("billing-m1", |job| job.deletion_timestamp = at("14:29:00")),
    ];
    for (name, change) in others {
        silent(UNOWNED, with(name, change));
    }
}

#[test]
fn ownerless_job_is_assigned_to_the_cron_job_that_it_is_named_after() {
    let mut example = example(UNOWNED);
    let names = [
        "billing-manual-a1b",
        "billing-db-manual-a1b",
        "billing-db-29551981",
    ];
    multiply(&mut example, &names, without_owner);
    let first = example.cron_job().clone();
    let mut other = first.clone();
    other.name = "billing-db".to_owned();
    other.uid = "other".to_owned();
    let seen = RelatedObjects {
        jobs: example.evidence.jobs.clone(),
        ..RelatedObjects::default()
    };
    let all_evidence = evidence_by_cron_job(vec![first, other], seen);
    let names = |number: usize| -> Vec<&str> {
        let jobs = all_evidence[number].jobs.iter();
        jobs.map(|job| job.name.as_str()).collect()
    };
    assert_eq!(names(0), ["billing-29551980", "billing-manual-a1b"]);
    // A name like those of the controller itself counts, too.
    assert_eq!(names(1), ["billing-db-manual-a1b", "billing-db-29551981"]);
}

/// Argo CD writes the date and the time into the name, which are not a scheduled time.
#[test]
fn name_with_a_date_is_not_a_scheduled_time() {
    let example = example(UNOWNED);
    assert_eq!(codes(&example.findings()), [UNOWNED]);
    let cron_job = &example.evidence.cron_jobs[0].object;
    let (controller, jobs) = (&example.controller, &example.evidence.jobs);
    let facts = super::Facts::gather(controller, cron_job, jobs, &[], example.now);
    let times: Vec<_> = facts.runs.iter().map(|run| run.scheduled_time).collect();
    assert_eq!(times, [at("05:00:00"), None]);
}
