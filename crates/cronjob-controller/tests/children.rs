//! What a sync does first: it compares the Jobs that are there with those in `status.active`. Derived from `syncCronJob`
//! (1.21 and later) and `syncOne` (before) of each release.

use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

use cronjob_controller::controller::{Decision, Outcome, Verdict, decide};
use kube_model::{ConcurrencyPolicy, CronJob, Job};

use crate::support::model::{active, at, cron_job, ended, job, reference};
use crate::support::recorded::controller;

/// Every hour; the run of 09:00 was started.
fn hourly() -> CronJob {
    let mut hourly = cron_job("hourly", "0 * * * *");
    hourly.status.last_schedule_time = Some(at("09:00"));
    hourly
}

fn run(r#type: &str) -> Job {
    ended(job("hourly", at("09:00")), r#type, at("09:03"))
}

fn decision(release: &str, cron_job: &CronJob, jobs: &[Job]) -> Decision {
    decide(&controller(release), cron_job, jobs, at("09:30"))
}

/// 1.22 began to record it, for each finished Job that is no longer active; 1.30 only for those that succeeded; 1.31 also
/// in the sync that sees that the Job has completed.
#[test]
fn success_is_recorded_as_in_each_release() {
    let success = Some(at("09:03"));
    for (release, of_active, of_earlier) in [
        ("1.20", None, None),
        ("1.25", None, success),
        ("1.30", None, success),
        ("1.31", success, success),
        ("1.36", success, success),
    ] {
        let done = run("Complete");
        let mut listed = hourly();
        listed.status.active = vec![active(&done)];
        let noted = |cron_job: &CronJob| {
            let status = decision(release, cron_job, slice::from_ref(&done)).status_after;
            status.last_successful_time
        };
        assert_eq!(noted(&listed), of_active, "{release}, still active");
        assert_eq!(noted(&hourly()), of_earlier, "{release}, no longer active");
    }
}

#[test]
fn only_a_later_success_is_noted() {
    for release in ["1.25", "1.30", "1.36"] {
        let noted = |known: &str, r#type: &str| {
            let mut cron_job = hourly();
            cron_job.status.last_successful_time = Some(at(known));
            let after = decision(release, &cron_job, &[run(r#type)]);
            (
                after.status_after.last_successful_time,
                after.updates_status,
            )
        };
        assert_eq!(noted("08:03", "Complete"), (Some(at("09:03")), true));
        assert_eq!(noted("09:03", "Complete"), (Some(at("09:03")), false));
        assert_eq!(noted("09:10", "Complete"), (Some(at("09:10")), false));
        assert_eq!(noted("08:03", "Failed"), (Some(at("08:03")), false));
    }
}

/// The second controller gets a Job that it does not know by its name; the first one uses the UIDs that it has.
#[test]
fn active_job_that_another_one_replaced_is_missing_for_the_first_controller() {
    let mut hourly = hourly();
    hourly.status.active = vec![reference("Job", "hourly-29552220", "uid-of-the-first")];
    let other = Job {
        name: "hourly-29552220".to_owned(),
        owner_references: Arc::default(),
        ..job("hourly", at("09:00"))
    };
    let events = |release: &str, jobs: &[Job]| {
        let events = decision(release, &hourly, jobs).events;
        events.iter().map(|event| event.reason).collect::<Vec<_>>()
    };
    assert_eq!(events("1.20", slice::from_ref(&other)), ["MissingJob"]);
    assert_eq!(events("1.36", &[other]), [""; 0]);
    assert_eq!(events("1.36", &[]), ["MissingJob"]);
}

#[test]
fn step_counts_the_jobs() {
    let step = |jobs: &[Job], active: usize| {
        let mut cron_job = hourly();
        cron_job.status.active = jobs
            .iter()
            .take(active)
            .map(crate::support::model::active)
            .collect();
        let decision = decision("1.36", &cron_job, jobs);
        let step = &decision.steps[0];
        assert_eq!((step.check, step.verdict), ("Jobs", Verdict::Pass));
        step.detail.clone()
    };
    assert_eq!(
        step(&[], 0),
        "owns 0 Jobs: 0 unfinished, 0 in status.active"
    );
    let running = job("hourly", at("09:00"));
    assert_eq!(
        step(slice::from_ref(&running), 1),
        "owns 1 Job: 1 unfinished, 1 in status.active"
    );
    let earlier = ended(job("hourly", at("08:00")), "Complete", at("08:03"));
    assert_eq!(
        step(&[running, earlier], 1),
        "owns 2 Jobs: 1 unfinished, 1 in status.active"
    );
}

/// More Jobs than are searched linearly before an index is built: all of them are found, in any order.
#[test]
fn many_active_jobs_in_another_order_are_all_known() {
    let jobs: Vec<Job> = (0..40)
        .map(|minute| job("hourly", at(&format!("08:{minute:02}"))))
        .collect();
    let mut cron_job = hourly();
    cron_job.status.active = jobs.iter().rev().map(active).collect();
    let decision = decision("1.36", &cron_job, &jobs);
    assert_eq!(decision.events, []);
    assert_eq!(decision.status_after.active.len(), 40);
}

/// The history limit of successful Jobs is 1, so that the older one is deleted, too.
#[test]
fn replaced_jobs_are_those_that_run() {
    let mut hourly = hourly();
    hourly.spec.concurrency_policy = ConcurrencyPolicy::Replace;
    hourly.spec.successful_jobs_history_limit = Some(1);
    let running = job("hourly", at("09:00"));
    hourly.status.active = vec![active(&running)];
    let earlier =
        ["07:00", "08:00"].map(|time| ended(job("hourly", at(time)), "Complete", at("08:03")));
    let jobs = [earlier.as_slice(), slice::from_ref(&running)].concat();
    let decision = decide(&controller("1.36"), &hourly, &jobs, at("10:00"));
    assert_eq!(decision.outcome, Outcome::Replace);
    assert_eq!(decision.replaced(&hourly), [running.name.as_str()]);
    let deleted: BTreeSet<&str> = decision.deleted_jobs.iter().map(String::as_str).collect();
    assert_eq!(
        deleted,
        BTreeSet::from([earlier[0].name.as_str(), &running.name])
    );
}

#[test]
fn only_the_step_about_jobs_says_that_they_were_not_read() {
    let mut decision = decision("1.36", &hourly(), &[]);
    let before = decision.steps.clone();
    decision.jobs_were_not_read(2);
    let detail = "not read; 2 in status.active may still be running";
    assert_eq!(
        (decision.steps[0].verdict, decision.steps[0].detail.as_str()),
        (Verdict::Note, detail)
    );
    assert_eq!(decision.steps[1..], before[1..]);
}

#[test]
fn first_controller_is_blocked_by_an_active_job_under_forbid_only() {
    let outcome = |policy: ConcurrencyPolicy, is_active: bool| {
        let mut hourly = hourly();
        hourly.spec.concurrency_policy = policy;
        let running = job("hourly", at("09:00"));
        if is_active {
            hourly.status.active = vec![active(&running)];
        }
        let jobs = if is_active { vec![running] } else { Vec::new() };
        decide(&controller("1.20"), &hourly, &jobs, at("10:00")).outcome
    };
    assert_eq!(outcome(ConcurrencyPolicy::Forbid, true), Outcome::Blocked);
    assert_eq!(outcome(ConcurrencyPolicy::Forbid, false), Outcome::Start);
    assert_eq!(outcome(ConcurrencyPolicy::Allow, true), Outcome::Start);
    assert_eq!(outcome(ConcurrencyPolicy::Allow, false), Outcome::Start);
}

/// 1.36 tries to adopt a Job of its own, and 1.37 does; both leave another one alone. A run whose Job is listed was
/// started before.
#[test]
fn job_with_the_name_of_the_run_is_adopted_if_it_is_owned() {
    let due = job("hourly", at("10:00"));
    let foreign = Job {
        owner_references: Arc::default(),
        ..due.clone()
    };
    let decided = |release: &str, job: &Job, is_listed: bool| {
        let mut hourly = hourly();
        if is_listed {
            hourly.status.active = vec![active(job)];
        }
        decide(
            &controller(release),
            &hourly,
            slice::from_ref(job),
            at("10:01"),
        )
    };
    for release in ["1.36", "1.37"] {
        for (job, last) in [(&due, "10:00"), (&foreign, "09:00")] {
            let decision = decided(release, job, false);
            assert_eq!(decision.outcome, Outcome::NameTaken);
            let last_schedule_time = decision.status_after.last_schedule_time;
            assert_eq!(last_schedule_time, Some(at(last)), "{release}");
            let mut steps = decision.steps.iter();
            let name = steps.find(|step| step.check == "name").unwrap();
            assert_eq!(
                name.detail.contains("rejects"),
                release == "1.36",
                "{}",
                name.detail
            );
        }
        assert_eq!(
            decided(release, &due, true).outcome,
            Outcome::AlreadyProcessed
        );
    }
}

/// Up to 1.5 a run past its deadline is found, and not started. Later releases do not search back that far.
#[test]
fn run_past_its_deadline_is_not_started() {
    let outcome = |release: &str, deadline: i64| {
        let mut hourly = hourly();
        hourly.spec.starting_deadline_seconds = Some(deadline);
        decide(&controller(release), &hourly, &[], at("10:30")).outcome
    };
    assert_eq!(outcome("1.5", 1_799), Outcome::DeadlineExceeded);
    assert_eq!(outcome("1.5", 1_801), Outcome::Start);
    assert_eq!(outcome("1.6", 1_799), Outcome::Wait);
    assert_eq!(outcome("1.36", 1_801), Outcome::Start);
}
