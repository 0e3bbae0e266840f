//! The controllers come back after they were away, with a clock in another zone.

use serde_json::json;

use crate::control_plane::stage::{Stage, finish, finish_at, job_name, owner};
use crate::control_plane::taken::look_up_fails;
use crate::control_plane::trial::{Trial, Trigger, compare, compare_once};
use crate::support::control_plane::{ControlPlane, assets};

/// The zone of the controllers. Half hours tell it from UTC at any hour.
const ZONE: &str = "Asia/Kolkata";
/// By how much it is ahead of UTC.
const AHEAD_MINUTES: i64 = 5 * 60 + 30;

#[test]
fn the_controllers_come_back() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    let stage = Stage::new(&plane, "outage");
    // CronJobs without a zone: their runs will tell in which zone the controllers are.
    let daily = |hours: i64| {
        let slot = stage.clock.hours_and_minutes_ago(hours, 10);
        let minutes = (slot.as_second() / 60 + AHEAD_MINUTES) % (24 * 60);
        let schedule = format!("{} {} * * *", minutes % 60, minutes / 60);
        (schedule, stage.clock.hours_and_minutes_ago(hours + 48, 10))
    };
    let witnesses = ["first", "second", "third"];
    for (hours, name) in (1..).zip(witnesses) {
        let (schedule, last) = daily(hours);
        stage.create(name, &json!({"schedule": schedule}));
        stage.set_last(name, last);
    }
    after_an_outage(&stage);

    let (schedule, last) = daily(4);
    let unzoned = Trial::new("unzoned", "start", &schedule)
        .last(last)
        .beside(&witnesses);
    compare(&stage, &[unzoned]);
    let explained = stage.explain("first", &["second", "third"]);
    let controller = &explained["controller"];
    assert_eq!(controller["timeZone"], ZONE);
    assert_eq!(controller["timeZoneSource"], "evidence");
}

/// What happened meanwhile is found at the first look.
fn after_an_outage(stage: &Stage<'_>) {
    let clock = stage.clock;
    let slot = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let trial = |name, outcome| {
        let trial = Trial::new(name, outcome, &clock.hourly(10)).last(slot(1));
        trial.with("timeZone", "Etc/UTC").trigger(Trigger::Nothing)
    };
    let forbid = |name| trial(name, "start").with("concurrencyPolicy", "Forbid");
    let gone = |stage: &Stage<'_>, name: &str| {
        let job = format!("{name}-1");
        stage.create_running(name, &[&job]);
        stage.delete_job(&job);
    };
    let trials = [
        trial("late", "start"),
        trial("long-late", "start").last(slot(200)),
        trial("up-to-date", "wait").last(slot(0)),
        forbid("gone").arranged(gone),
        trial("replace-gone", "start")
            .with("concurrencyPolicy", "Replace")
            .arranged(gone),
        forbid("completed").arranged(|stage, name| {
            stage.create_running(name, &["completed-1"]);
            finish(stage, "completed-1", "Complete");
        }),
        forbid("failed").arranged(|stage, name| {
            stage.create_running(name, &["failed-1"]);
            finish(stage, "failed-1", "Failed");
        }),
        trial("history", "wait")
            .last(slot(0))
            .with("successfulJobsHistoryLimit", 1)
            .with("failedJobsHistoryLimit", 0)
            .arranged(|stage, name| {
                let owner = owner(&stage.cron_job(name));
                for number in 1..=3 {
                    let job = format!("history-{number}");
                    stage.create_job(&job, Some(&owner));
                    finish_at(stage, &job, "Complete", 30 - number);
                }
                stage.create_job("history-4", Some(&owner));
                finish(stage, "history-4", "Failed");
            }),
        // It was killed between creating the Job and saying so.
        trial("crashed", "nameTaken")
            .corrected(look_up_fails)
            .arranged(move |stage, name| {
                let owner = owner(&stage.cron_job(name));
                stage.create_job(&job_name(name, slot(0)), Some(&owner));
            }),
    ];
    compare_once(stage, &trials, || stage.plane.start_controllers(ZONE));
}
