//! When alerts about a CronJob fire: thresholds derived manually.

use cronjob_diagnosis::alerts::{AlertScope, AlertSettings, AlertThresholds};
use serde_json::{Value, json};

use crate::support::json::{list, owner_reference};
use crate::support::nightly::finished;
use crate::support::weekdays::manifest;
use crate::support::world::with_facts;

const DAY: i64 = 86_400;
const DEFAULT: AlertSettings = AlertSettings {
    run_duration: None,
    grace: 300,
    after: None,
};

fn thresholds(objects: &[Value], settings: AlertSettings) -> AlertThresholds {
    let now = "2026-11-21T12:00:00Z";
    with_facts(&list(objects), None, "1.36", now, |facts| {
        AlertThresholds::of(&facts, settings).unwrap()
    })
}

/// The age of the last success that is allowed, and the time of the last run.
fn allowed(spec: &Value, annotations: &Value, settings: AlertSettings) -> (i64, Option<i64>) {
    let found = thresholds(&[manifest("a", spec, annotations)], settings);
    (found.success_within, found.run_within)
}

#[test]
fn gap_duration_and_grace_add_up() {
    let none = json!({});
    // From Friday 09:00 to Monday 09:00, an hour for the run, and five minutes.
    assert_eq!(
        allowed(&none, &none, DEFAULT),
        (3 * DAY + 3_600 + 300, Some(3_900))
    );
    let shorter = AlertSettings {
        run_duration: Some(1_800),
        grace: 60,
        after: None,
    };
    let expected = (3 * DAY + 1_800 + 60, Some(1_860));
    assert_eq!(allowed(&none, &none, shorter), expected);
    // The Job is stopped after ten minutes.
    let deadline = json!({"jobTemplate": {"spec": {"activeDeadlineSeconds": 600}}});
    assert_eq!(
        allowed(&deadline, &none, DEFAULT),
        (3 * DAY + 600 + 300, Some(900))
    );
    // A longer deadline than an hour does not show how long a run takes.
    let deadline = json!({"jobTemplate": {"spec": {"activeDeadlineSeconds": 7_200}}});
    assert_eq!(allowed(&deadline, &none, DEFAULT).1, Some(3_900));
}

#[test]
fn annotations_replace_what_is_computed() {
    let stated = json!({"cronjob-doctor/max-duration": "2h"});
    let expected = (3 * DAY + 7_200 + 300, Some(7_500));
    assert_eq!(allowed(&json!({}), &stated, DEFAULT), expected);
    let stated = json!({"cronjob-doctor/success-within": "80h"});
    assert_eq!(
        allowed(&json!({}), &stated, DEFAULT),
        (80 * 3_600, Some(3_900))
    );
}

#[test]
fn calendars_and_clock_changes_lengthen_the_gap() {
    let gap = |schedule: &str, zone: &str| {
        let spec = json!({"schedule": schedule, "timeZone": zone});
        allowed(&spec, &json!({}), DEFAULT).0 - 3_900
    };
    assert_eq!(gap("0 0 1 * *", "Etc/UTC"), 31 * DAY);
    assert_eq!(gap("@every 90m", "Etc/UTC"), 5_400);
    // From 2096 to 2104: 2100 is not a leap year.
    assert_eq!(gap("0 0 29 2 *", "Etc/UTC"), 2_921 * DAY);
    // 02:30 does not exist on the last Sunday of March.
    assert_eq!(gap("30 2 * * *", "Europe/Berlin"), 47 * 3_600);
    // In October a day has 25 hours.
    assert_eq!(gap("0 9 * * *", "Europe/Berlin"), 25 * 3_600);
    // The weekend on which clocks are turned back.
    assert_eq!(gap("0 9 * * 1-5", "Europe/Berlin"), 73 * 3_600);
}

/// The next run would hide that the last one did not succeed.
#[test]
fn short_periods_have_no_rule_about_the_last_run() {
    let every = |schedule: &str| allowed(&json!({"schedule": schedule}), &json!({}), DEFAULT);
    // A run may take an hour and five minutes.
    assert_eq!(every("0 * * * *"), (3_600 + 3_900, None));
    // Nothing shows that it takes an hour: twice the longest gap and five minutes.
    assert_eq!(every("*/2 * * * *"), (120 + 240 + 300, None));
    let berlin = json!({"schedule": "*/5 * * * *", "timeZone": "Europe/Berlin"});
    assert_eq!(
        allowed(&berlin, &json!({}), DEFAULT),
        (300 + 600 + 300, None)
    );
    assert_eq!(every("0,5 * * * *"), (3_300 + 3_600 + 300, None));
    let stated = AlertSettings {
        run_duration: Some(3_600),
        ..DEFAULT
    };
    let every_other = json!({"schedule": "*/2 * * * *"});
    let stated = allowed(&every_other, &json!({}), stated);
    assert_eq!(stated, (120 + 3_600 + 300, None));
    assert_eq!(every("0 */2 * * *"), (7_200 + 3_900, Some(3_900)));
    // At 00:00 and at 01:00: the shortest gap counts.
    assert_eq!(every("0 0,1 * * *"), (23 * 3_600 + 3_900, None));
}

/// Durations of 250 to 290 seconds: twice the longest, rounded up to whole minutes, are ten minutes.
#[test]
fn finished_jobs_show_how_long_a_run_takes() {
    let mut objects = vec![manifest("a", &json!({}), &json!({}))];
    objects[0]["metadata"]["uid"] = json!("a");
    for (number, seconds) in [250, 260, 270, 280, 290].into_iter().enumerate() {
        let minute = 29_920_000 + i64::try_from(number).unwrap() * 1_440;
        let at = |second: i64| jiff::Timestamp::from_second(second).unwrap().to_string();
        let (start, end) = (at(minute * 60), at(minute * 60 + seconds));
        let mut job = finished(&format!("a-{minute}"), &start, "Complete", &end);
        job["metadata"]["namespace"] = json!("shop");
        job["metadata"]["ownerReferences"] = json!([owner_reference("CronJob", "a", "a")]);
        objects.push(job);
    }
    let of = |objects: &[Value]| {
        let found = thresholds(objects, DEFAULT);
        (found.success_within, found.run_within)
    };
    assert_eq!(of(&objects), (3 * DAY + 600 + 300, Some(900)));
    // Four are too few.
    assert_eq!(of(&objects[..5]).1, Some(3_900));
}

/// The rules of a `CronJob` whose schedule is edited are out of date.
#[test]
fn several_runs_have_the_threshold_of_their_schedule() {
    let limit = |schedule: &str, after: u8| {
        let spec = json!({"schedule": schedule});
        let settings = AlertSettings {
            after: Some(after),
            ..DEFAULT
        };
        thresholds(&[manifest("a", &spec, &json!({}))], settings).success_within
    };
    assert_eq!(limit("0 9 * * 1-5", 1), 3 * DAY + 3_900);
    assert_eq!(limit("0 9 * * 1-5", 2), 4 * DAY + 3_900);
    assert_eq!(limit("0 9 * * *", 3), 3 * DAY + 3_900);
    // A run may take twice the longest gap.
    assert_eq!(limit("*/5 * * * *", 2), 600 + 600 + 300);
}

/// A rule that finds CronJobs without alerts leaves out what the API server would not accept.
#[test]
fn invalid_names_are_in_no_scope() {
    let mut scope = AlertScope::default();
    for (namespace, name) in [("shop", "a"), ("shop", "Not_A_Name"), ("Not_A_Name", "a")] {
        scope.add(namespace, name);
    }
    let names: Vec<_> = scope.names.into_iter().collect();
    assert_eq!(names, [("shop".to_owned(), ["a".to_owned()].into())]);
}
