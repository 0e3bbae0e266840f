//! `CronJob`s in every state, resumed.

use crate::control_plane::cases::{Case, Trigger, compare};
use crate::control_plane::prelude::*;

/// 08:00 to 18:00, and then nothing until the next morning.
const OFFICE_HOURS: &str = "0 8-18 * * *";

/// Different numbers of missed runs, and which of them count.
#[test]
fn resume_after_any_number_of_missed_runs_decides_as_predicted() {
    let ns = namespace!("missed", since 25);
    let clock = ns.clock;
    let hourly = clock.hourly(10);
    let due = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let case = |name, outcome| Case::new(name, outcome, &hourly);
    let evening = clock.zone_where_it_is(20);
    let office = |name, outcome| {
        Case::new(name, outcome, OFFICE_HOURS).with("timeZone", evening.name.as_str())
    };
    // Before 1.28 the arithmetic finds a run in the pause, and two starts follow each other for the first of a month.
    let multiplies = ns.plane.minor < 28;
    let in_pause = if multiplies { "start" } else { "noRunFound" };
    let months = if multiplies { 0 } else { 24 * 100 };
    let uneven: Vec<String> = [9, 16, 23, 30, 37, 44]
        .iter()
        .map(|minutes| clock.minute(*minutes).to_string())
        .collect();
    let uneven = format!("{} * * * *", uneven.join(","));
    compare(
        &ns,
        &[
            case("up-to-date", "wait").last(due(0)),
            case("one", "start").last(due(1)),
            case("two", "start").last(due(2)),
            // The first gap is an hour, so the controller counts 100 missed runs, and 101.
            case("hundred", "start").last(due(100)),
            case("hundred-and-one", "start").last(due(101)),
            case("never-ran", "wait"),
            case("annotated", "wait")
                .last(due(0))
                .trigger(Trigger::Annotate),
            case("deadline-0", "wait")
                .last(due(1))
                .with("startingDeadlineSeconds", 0),
            case("deadline-5", "wait")
                .last(due(1))
                .with("startingDeadlineSeconds", 5),
            Case::new("deadline-300", "start", &clock.hourly(2))
                .last(clock.hours_and_minutes_ago(1, 2))
                .with("startingDeadlineSeconds", 300),
            // Without the deadline there would be too many missed runs.
            case("deadline-hides", "start")
                .last(due(300))
                .with("startingDeadlineSeconds", 7200),
            // 11:00 to 18:00 were missed, an hour apart, and the two hours before now have no run.
            office("office-hours", in_pause).last(evening.today_at(10)),
            // A single run was missed; that is always found.
            office("last-of-the-day", "start").last(evening.today_at(17)),
            Case::new("uneven", "", &uneven).last(due(30)),
            Case::new("monthly", "", "0 0 1 * *").last(due(months)),
            Case::new("every", "start", "@every 1h").last(due(3)),
            Case::new("leap-day", "wait", "0 0 29 2 *"),
            Case::new("leap-day-missed", "start", "0 0 29 2 *")
                .last("2020-02-29T00:00:00Z".parse().unwrap()),
            Case::new("never", "invalidSchedule", "0 0 31 2 *"),
        ],
    );
}

/// What blocks a run, and what only seems to.
#[test]
fn resume_with_running_jobs_or_invalid_specs_decides_as_predicted() {
    let ns = namespace!("running", since 25);
    let clock = ns.clock;
    let due = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let case = |name, outcome| Case::new(name, outcome, &clock.hourly(10)).last(due(1));
    let policy =
        |name, outcome, policy: &str| case(name, outcome).with("concurrencyPolicy", policy);
    let half_past = clock.minute(40);
    compare(
        &ns,
        &[
            policy("forbid", "blocked", "Forbid")
                .arranged(|ns, name| ns.create_running(name, &["forbid-1"])),
            policy("forbid-late", "blocked", "Forbid")
                .last(due(200))
                .arranged(|ns, name| ns.create_running(name, &["forbid-late-1"])),
            policy("replace", "replace", "Replace")
                .arranged(|ns, name| ns.create_running(name, &["replace-1", "replace-2"])),
            policy("replace-nothing", "start", "Replace"),
            policy("allow", "start", "Allow")
                .arranged(|ns, name| ns.create_running(name, &["allow-1"])),
            // A manually created Job does not count as running.
            policy("manual", "start", "Forbid").arranged(|ns, name| {
                ns.create_job("manual-1", Some(&owner(&ns.cron_job(name))));
            }),
            case("started-before", "alreadyProcessed").arranged(move |ns, name| {
                ns.create_running(name, &[&job_name(name, due(0))]);
            }),
            case("failed-before", "start").arranged(|ns, name| {
                ns.create_job("failed-before-1", Some(&owner(&ns.cron_job(name))));
                finish(ns, "failed-before-1", "Failed");
            }),
            case("zone", "start").with("timeZone", "Asia/Tokyo"),
            case("unknown-zone", "unknownTimeZone").arranged(|ns, name| {
                ns.smuggle(name, &json!({"timeZone": "Mars/Base"}));
            }),
            // An older release accepted such a schedule. The offset of India includes half an hour.
            case("time-zone-in-schedule", "start").arranged(move |ns, name| {
                let schedule = format!("TZ=Asia/Kolkata {half_past} * * * *");
                ns.smuggle(name, &json!({"schedule": schedule}));
            }),
            case("unparseable", "unparseableSchedule")
                .trigger(Trigger::ResumeInEtcd)
                .arranged(|ns, name| ns.smuggle(name, &json!({"schedule": "0 2 * * 7"}))),
            case("being-deleted", "deleted").arranged(|ns, name| {
                let finalizers = json!({"metadata": {"finalizers": ["example.com/hold"]}});
                ns.edit(name, &finalizers);
                ns.delete(name);
            }),
        ],
    );
}
