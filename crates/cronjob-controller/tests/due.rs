//! What a sync does about a run that is due, derived from `syncCronJob` and its helpers in each release.

use std::sync::Arc;

use cronjob_controller::controller::{
    Controller, Decision, MissedClass, Outcome, Verdict, crosses_limit_at, decide,
};
use kube_cron::{BundledZones, Schedule, Zone, Zones};
use kube_model::{ConcurrencyPolicy, CronJob, Job};

use crate::support::model::{active, at, cron_job, ended, job, owner};
use crate::support::recorded::controller;

/// Every hour; the run of 09:00 was started.
fn hourly() -> CronJob {
    let mut hourly = cron_job("hourly", "0 * * * *");
    hourly.status.last_schedule_time = Some(at("09:00"));
    hourly
}

fn sync(release: &str, cron_job: &CronJob, jobs: &[Job], now: &str) -> Decision {
    decide(&controller(release), cron_job, jobs, at(now))
}

/// The Job that has the name of the run of 10:00, and has another owner.
fn of_another() -> Job {
    let mut taken = job("hourly", at("10:00"));
    taken.owner_references = Arc::new(vec![owner("CronJob", "hourly", "2")]);
    taken
}

/// The steps name the run that is due before they say what happens to it.
#[test]
fn steps_name_the_run_that_is_due() {
    for release in ["1.20", "1.27.0", "1.36"] {
        let decision = sync(release, &hourly(), &[], "2026-03-10T10:00:01Z");
        let due = "the run scheduled at 2026-03-10T10:00:00Z is due";
        let mut steps = decision.steps.iter();
        let is_due = steps.any(|step| step.verdict == Verdict::Pass && step.detail == due);
        assert!(is_due, "{release}: {:?}", decision.steps);
    }
}

/// `tooLate` is whether the scheduled time plus the deadline is before now. Since 1.6, times as old as the deadline do not
/// count at all, and are never checked for it.
#[test]
fn run_is_late_after_its_deadline_and_not_at_it() {
    let mut hourly = hourly();
    hourly.spec.starting_deadline_seconds = Some(30);
    for (now, outcome) in [
        ("2026-03-10T10:00:30Z", Outcome::Start),
        ("2026-03-10T10:00:31Z", Outcome::DeadlineExceeded),
    ] {
        assert_eq!(sync("1.5", &hourly, &[], now).outcome, outcome, "{now}");
    }
}

/// 1.21 to 1.27.5 return before they clean up if the sync fails; later ones clean up first.
#[test]
fn history_is_cleaned_up_after_a_successful_sync_or_before_it() {
    let mut hourly = hourly();
    hourly.spec.successful_jobs_history_limit = Some(1);
    let earlier = ["08:00", "09:00"].map(|run| ended(job("hourly", at(run)), "Complete", at(run)));
    let oldest = earlier[0].name.clone();
    let failing = [&earlier[..], &[of_another()]].concat();
    for (release, jobs, outcome, is_deleted) in [
        ("1.27.0", &earlier[..], Outcome::Start, true),
        ("1.27.0", &failing[..], Outcome::NameTaken, false),
        ("1.36", &failing[..], Outcome::NameTaken, true),
    ] {
        let decision = sync(release, &hourly, jobs, "2026-03-10T10:00:01Z");
        assert_eq!(decision.outcome, outcome, "{release}");
        assert_eq!(
            decision.deleted_jobs.contains(&oldest),
            is_deleted,
            "{release}, {outcome:?}"
        );
    }
}

/// A Job of this name is adopted only if the `CronJob` controls it: both the UID and `controller: true` must match.
#[test]
fn job_of_the_name_is_adopted_only_from_its_own_controller() {
    let owned = |uid: &str, controller: Option<bool>| {
        let mut job = job("hourly", at("10:00"));
        let owner = &mut Arc::make_mut(&mut job.owner_references)[0];
        (owner.uid, owner.controller) = (uid.to_owned(), controller);
        job
    };
    for (job, is_adopted) in [
        (owned("1", Some(true)), true),
        (owned("2", Some(true)), false),
        (owned("1", None), false),
    ] {
        let decision = sync("1.37", &hourly(), &[job], "2026-03-10T10:00:01Z");
        assert_eq!(decision.outcome, Outcome::NameTaken);
        // A Job that is not adopted ends the sync, and nothing is queued.
        assert_eq!(
            decision.wakes_at.is_some(),
            is_adopted,
            "{:?}",
            decision.steps
        );
    }
}

/// `nextScheduledTimeDuration` of 1.25.0 multiplies the estimate, converts it to a time in UTC, and searches from there:
/// 09:00 on the controller's clock in Tokyo is midnight, but the next sync is at 09:00 in UTC. With a single missed run it
/// does not multiply.
#[test]
fn wake_up_after_several_missed_runs_was_in_utc_for_some_releases() {
    let mut nightly = cron_job("nightly", "0 9 * * *");
    nightly.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
    let running = job("nightly", at("2026-03-07T00:00:00Z"));
    nightly.status.last_schedule_time = Some(at("2026-03-07T00:00:00Z"));
    nightly.status.active = vec![active(&running)];
    for (release, now, wakes_at) in [
        ("1.25.0", "2026-03-08T00:00:01Z", "2026-03-09T00:00:00.1Z"),
        ("1.25.0", "2026-03-10T00:00:01Z", "2026-03-10T09:00:00.1Z"),
        ("1.25.12", "2026-03-10T00:00:01Z", "2026-03-11T00:00:00.1Z"),
        ("1.36", "2026-03-10T00:00:01Z", "2026-03-11T00:00:00.1Z"),
    ] {
        let in_tokyo = Controller {
            local: BundledZones.load("Asia/Tokyo").unwrap(),
            ..controller(release)
        };
        let decision = decide(&in_tokyo, &nightly, std::slice::from_ref(&running), at(now));
        assert_eq!(decision.outcome, Outcome::Blocked, "{release}");
        let found = decision.wakes_at.map(|at| at.to_string());
        assert_eq!(found.as_deref(), Some(wakes_at), "{release} at {now}");
    }
}

/// More than a hundred are too many, but a hundred are not: 09:40 is the hundredth minute after 08:00.
#[test]
fn hundred_missed_runs_are_not_too_many() {
    let mut minutes = cron_job("minutes", "* * * * *");
    minutes.status.last_schedule_time = Some(at("08:00"));
    for release in ["1.20", "1.21", "1.27.0", "1.36"] {
        let warns = |now: &str| {
            let decision = sync(release, &minutes, &[], now);
            let mut events = decision.events.iter();
            events.any(|event| event.reason == "TooManyMissedTimes")
                || decision
                    .events
                    .iter()
                    .any(|event| event.message.contains("(> 100)"))
                || decision.outcome == Outcome::TooManyMissed
        };
        assert!(!warns("2026-03-10T09:40:01Z"), "{release}");
        assert!(warns("2026-03-10T09:41:01Z"), "{release}");
    }
}

/// The first releases list each run; later ones estimate from the interval of the first two. The 101st run after
/// 08:00 is the first that makes more than a hundred.
#[test]
fn limit_is_crossed_a_hundred_runs_after_the_first() {
    let crosses = |release: &str, schedule: &str, deadline| {
        let controller = controller(release);
        let schedule = Schedule::parse(schedule, controller.dialect(), &BundledZones).unwrap();
        let timetable = schedule.in_zone(&Zone::utc());
        let crossing = crosses_limit_at(controller.behavior(), &timetable, at("08:00"), deadline);
        crossing.map(|at| at.to_string())
    };
    let tens = Some("2026-03-11T00:50:00Z".to_owned());
    for release in ["1.20", "1.21", "1.36"] {
        assert_eq!(crosses(release, "*/10 * * * *", None), tens, "{release}");
        // Runs older than the deadline do not count; from the first to the 101st are 60,000 seconds.
        assert_eq!(
            crosses(release, "*/10 * * * *", Some(60_000)),
            None,
            "{release}"
        );
        assert_eq!(
            crosses(release, "*/10 * * * *", Some(60_001)),
            tens,
            "{release}"
        );
    }
    // At 08:10, 09:00, 09:10, …: the 101st is at 10:10 two days later. The estimate uses an interval of 50 minutes.
    for (release, expected) in [
        ("1.20", "2026-03-12T10:10:00Z"),
        ("1.21", "2026-03-13T19:30:00Z"),
        ("1.36", "2026-03-13T19:30:00Z"),
    ] {
        let crossing = crosses(release, "0,10 * * * *", None);
        assert_eq!(crossing.as_deref(), Some(expected), "{release}");
    }
}

#[test]
fn outcomes_have_distinct_words() {
    let all = [
        Outcome::Start,
        Outcome::Replace,
        Outcome::Wait,
        Outcome::Suspended,
        Outcome::Deleted,
        Outcome::UnknownTimeZone,
        Outcome::UnparseableSchedule,
        Outcome::InvalidSchedule,
        Outcome::AlreadyProcessed,
        Outcome::Blocked,
        Outcome::DeadlineExceeded,
        Outcome::TooManyMissed,
        Outcome::NoRunFound,
        Outcome::NameTaken,
        Outcome::Hangs,
        Outcome::Panics,
    ];
    let words = all.map(Outcome::in_words);
    for (place, word) in words.iter().enumerate() {
        assert!(
            !word.is_empty() && !words[..place].contains(word),
            "{word:?}"
        );
    }
}

/// The first releases list the runs, and later ones estimate them from the interval of the first two: up to the second
/// run both know how many there are. With one, it is the run that is due, and above a hundred the list is given up.
#[test]
fn decision_has_the_estimate_of_missed_runs() {
    let mut minutes = cron_job("minutes", "* * * * *");
    minutes.status.last_schedule_time = Some(at("08:00"));
    let believed = |release: &str, cron_job: &CronJob, now: &str| {
        let decision = sync(release, cron_job, &[], &format!("2026-03-10T{now}Z"));
        let missed = decision.missed.unwrap();
        (missed.estimate, missed.class)
    };
    for (now, estimate, class) in [
        ("08:00:30", 0, MissedClass::None),
        ("08:01:30", 1, MissedClass::None),
        ("08:02:30", 2, MissedClass::Few),
        ("09:40:01", 100, MissedClass::Few),
    ] {
        for release in ["1.20", "1.27.0", "1.36"] {
            let expected = (Some(estimate), class);
            assert_eq!(
                believed(release, &minutes, now),
                expected,
                "{release} at {now}"
            );
        }
    }
    let over = |release| believed(release, &minutes, "09:41:01");
    assert_eq!(over("1.20"), (None, MissedClass::Many));
    assert_eq!(over("1.36"), (Some(101), MissedClass::Many));
    // The first two runs are both in the year 1.
    let mut never = cron_job("never", "0 0 31 2 *");
    never.status.last_schedule_time = Some(at("08:00"));
    assert_eq!(
        believed("1.36", &never, "09:00:00"),
        (None, MissedClass::None)
    );
}

/// The first controllers name a Job by the second of its run.
#[test]
fn first_controllers_record_that_a_name_is_taken() {
    let mut taken = of_another();
    taken.name = format!("hourly-{}", at("10:00").as_second());
    let decision = sync("1.20", &hourly(), &[taken], "2026-03-10T10:00:01Z");
    assert_eq!(decision.outcome, Outcome::NameTaken);
    let error = decision.error.unwrap();
    assert!(error.contains("already exists"), "{error}");
    assert_eq!(decision.events[0].reason, "FailedCreate");
}
