//! `CronJob`s in every state, resumed.

use serde_json::json;

use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, finish, job_name, owner};
use crate::control_plane::trial::{Trial, Trigger, compare};

/// 08:00 to 18:00, and then nothing until the next morning.
const OFFICE_HOURS: &str = "0 8-18 * * *";

/// How much was missed, and how much of it counts.
#[test]
fn what_was_missed() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "missed");
    let clock = stage.clock;
    let hourly = clock.hourly(10);
    let slot = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let trial = |name, outcome| Trial::new(name, outcome, &hourly);
    let evening = clock.zone_where_it_is(20);
    let office = |name, outcome| {
        Trial::new(name, outcome, OFFICE_HOURS).with("timeZone", evening.name.as_str())
    };
    let uneven: Vec<String> = [9, 16, 23, 30, 37, 44]
        .iter()
        .map(|minutes| clock.minute(*minutes).to_string())
        .collect();
    let uneven = format!("{} * * * *", uneven.join(","));
    compare(
        &stage,
        &[
            trial("up-to-date", "wait").last(slot(0)),
            trial("one", "start").last(slot(1)),
            trial("two", "start").last(slot(2)),
            // The first gap is an hour: it is taken for 100 missed slots, and for 101.
            trial("hundred", "start").last(slot(100)),
            trial("hundred-and-one", "start").last(slot(101)),
            trial("never-ran", "wait"),
            trial("annotated", "wait")
                .last(slot(0))
                .trigger(Trigger::Annotate),
            trial("deadline-0", "wait")
                .last(slot(1))
                .with("startingDeadlineSeconds", 0),
            trial("deadline-5", "wait")
                .last(slot(1))
                .with("startingDeadlineSeconds", 5),
            Trial::new("deadline-300", "start", &clock.hourly(2))
                .last(clock.hours_and_minutes_ago(1, 2))
                .with("startingDeadlineSeconds", 300),
            // Without the deadline it would be too many.
            trial("deadline-hides", "start")
                .last(slot(300))
                .with("startingDeadlineSeconds", 7200),
            // 11:00 to 18:00 were missed, an hour apart, and the two hours before now have no slot.
            office("office-hours", "noRunFound").last(evening.today_at(10)),
            // A single slot was missed; that is always found.
            office("last-of-the-day", "start").last(evening.today_at(17)),
            Trial::new("uneven", "", &uneven).last(slot(30)),
            Trial::new("monthly", "", "0 0 1 * *").last(slot(24 * 100)),
            Trial::new("every", "start", "@every 1h").last(slot(3)),
            Trial::new("leap-day", "wait", "0 0 29 2 *"),
            Trial::new("leap-day-missed", "start", "0 0 29 2 *")
                .last("2020-02-29T00:00:00Z".parse().unwrap()),
            Trial::new("never", "invalidSchedule", "0 0 31 2 *"),
        ],
    );
}

/// What stands in the way, or seems to.
#[test]
fn what_runs_and_what_is_wrong() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "running");
    let clock = stage.clock;
    let slot = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let trial = |name, outcome| Trial::new(name, outcome, &clock.hourly(10)).last(slot(1));
    let policy =
        |name, outcome, policy: &str| trial(name, outcome).with("concurrencyPolicy", policy);
    let half_past = clock.minute(40);
    compare(
        &stage,
        &[
            policy("forbid", "blocked", "Forbid")
                .arranged(|stage, name| stage.create_running(name, &["forbid-1"])),
            policy("forbid-late", "blocked", "Forbid")
                .last(slot(200))
                .arranged(|stage, name| stage.create_running(name, &["forbid-late-1"])),
            policy("replace", "replace", "Replace")
                .arranged(|stage, name| stage.create_running(name, &["replace-1", "replace-2"])),
            policy("replace-nothing", "start", "Replace"),
            policy("allow", "start", "Allow")
                .arranged(|stage, name| stage.create_running(name, &["allow-1"])),
            // A Job that somebody made by hand does not count as running.
            policy("manual", "start", "Forbid").arranged(|stage, name| {
                stage.create_job("manual-1", Some(&owner(&stage.cron_job(name))));
            }),
            trial("started-before", "alreadyProcessed").arranged(move |stage, name| {
                stage.create_running(name, &[&job_name(name, slot(0))]);
            }),
            trial("failed-before", "start").arranged(|stage, name| {
                stage.create_job("failed-before-1", Some(&owner(&stage.cron_job(name))));
                finish(stage, "failed-before-1", "Failed");
            }),
            trial("zone", "start").with("timeZone", "Asia/Tokyo"),
            trial("unknown-zone", "unknownTimeZone").arranged(|stage, name| {
                stage.smuggle(name, &json!({"timeZone": "Mars/Base"}));
            }),
            // As an older release let it in; India is half an hour off.
            trial("time-zone-in-schedule", "start").arranged(move |stage, name| {
                let schedule = format!("TZ=Asia/Kolkata {half_past} * * * *");
                stage.smuggle(name, &json!({"schedule": schedule}));
            }),
            trial("unparseable", "unparseableSchedule")
                .trigger(Trigger::ResumeBelow)
                .arranged(|stage, name| stage.smuggle(name, &json!({"schedule": "0 2 * * 7"}))),
            trial("being-deleted", "deleted").arranged(|stage, name| {
                let finalizers = json!({"metadata": {"finalizers": ["example.com/hold"]}});
                stage.edit(name, &finalizers);
                stage.delete(name);
            }),
        ],
    );
}
