//! The controllers restart after an outage, in another time zone.

use crate::control_plane::cases::{Case, Trigger, compare, compare_once};
use crate::control_plane::prelude::*;
use crate::control_plane::taken::lookup_fails;

/// The time zone of the controllers. Its half-hour offset distinguishes it from UTC at any hour.
const ZONE: &str = "Asia/Kolkata";
/// How far it is ahead of UTC.
const AHEAD_MINUTES: i64 = 5 * 60 + 30;

#[test]
fn restarted_controllers_decide_as_predicted() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    if !plane.is_since(25) {
        return;
    }
    let ns = Namespace::new(&plane, "outage");
    // CronJobs without a time zone: their runs show the time zone of the controllers.
    let daily = |hours: i64| {
        let due = ns.clock.hours_and_minutes_ago(hours, 10);
        let minutes = (due.as_second() / 60 + AHEAD_MINUTES) % (24 * 60);
        let schedule = format!("{} {} * * *", minutes % 60, minutes / 60);
        (schedule, ns.clock.hours_and_minutes_ago(hours + 48, 10))
    };
    let witnesses = ["first", "second", "third"];
    for (hours, name) in (1..).zip(witnesses) {
        let (schedule, last) = daily(hours);
        ns.create(name, &json!({"schedule": schedule}));
        ns.set_last(name, last);
    }
    after_an_outage(&ns);

    let (schedule, last) = daily(4);
    let unzoned = Case::new("unzoned", "start", &schedule)
        .last(last)
        .beside(&witnesses);
    // Before 1.28, the sync that starts the run schedules the next sync in UTC, until the Job's first event.
    if plane.is_since(28) {
        compare(&ns, &[unzoned]);
    }
    let explained = ns.explain("first", "second third");
    let controller = &explained["controller"];
    assert_eq!(controller["timeZone"], ZONE);
    assert_eq!(controller["timeZoneSource"], "evidence");
}

/// The first sync after the outage handles what happened in the meantime.
fn after_an_outage(ns: &Namespace<'_>) {
    let clock = ns.clock;
    let due = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let case = |name, outcome| {
        let case = Case::new(name, outcome, &clock.hourly(10)).last(due(1));
        case.with("timeZone", "Etc/UTC").trigger(Trigger::Nothing)
    };
    let forbid = |name| case(name, "start").with("concurrencyPolicy", "Forbid");
    let gone = |ns: &Namespace<'_>, name: &str| {
        let job = format!("{name}-1");
        ns.create_running(name, &[&job]);
        ns.delete_job(&job);
    };
    let cases = [
        case("late", "start"),
        case("long-late", "start").last(due(200)),
        case("up-to-date", "wait").last(due(0)),
        forbid("gone").arranged(gone),
        case("replace-gone", "start")
            .with("concurrencyPolicy", "Replace")
            .arranged(gone),
        forbid("completed").arranged(|ns, name| {
            ns.create_running(name, &["completed-1"]);
            finish(ns, "completed-1", "Complete");
        }),
        forbid("failed").arranged(|ns, name| {
            ns.create_running(name, &["failed-1"]);
            finish(ns, "failed-1", "Failed");
        }),
        case("history", "wait")
            .last(due(0))
            .with("successfulJobsHistoryLimit", 1)
            .with("failedJobsHistoryLimit", 0)
            .arranged(|ns, name| {
                let owner = owner(&ns.cron_job(name));
                for number in 1..=3 {
                    let job = format!("history-{number}");
                    ns.create_job(&job, Some(&owner));
                    finish_at(ns, &job, "Complete", 30 - number);
                }
                ns.create_job("history-4", Some(&owner));
                finish(ns, "history-4", "Failed");
            }),
        // The controller was killed after it created the Job and before it recorded that.
        case("crashed", "nameTaken")
            .corrected(lookup_fails)
            .arranged(move |ns, name| {
                let owner = owner(&ns.cron_job(name));
                ns.create_job(&job_name(name, due(0)), Some(&owner));
            }),
    ];
    compare_once(ns, &cases, || ns.plane.start_controllers(ZONE));
}
