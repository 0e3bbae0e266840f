//! Parts of an explanation, derived manually.

use serde_json::{Value, json};

use crate::support::edited::{LAST_APPLIED, SATURDAY_NIGHT, edited, writes_schedule};
use crate::support::json::{Json as _, list};
use crate::support::mutate::recorded_lists;
use crate::support::world::{explained, explained_by_name};

const NOW: &str = "2026-11-22T03:00:00Z";

/// A deadline of zero leaves no time to start anything, whatever is due next.
#[test]
fn verdict_with_a_deadline_of_zero_predicts_no_run() {
    let verdict = |manifest: &str| {
        let item = explained(manifest, "1.36", "2026-03-10T06:30:10Z");
        item["verdict"].text().to_owned()
    };
    let manifest = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: zero, creationTimestamp: \
                    \"2026-03-10T06:05:00Z\"}\nspec: {schedule: \"0 * * * *\", startingDeadlineSeconds: 0, \
                    jobTemplate: {}, suspend: false}\n";
    assert_texts!(
        verdict(manifest),
        verdict(&manifest.replace("suspend: false", "suspend: true")),
        verdict(&manifest.replace("0 * * * *", "0 0 31 2 *")),
    );
}

/// `office` runs on the hour from 08:00 to 18:00 on working days in New York. It last ran on
/// Wednesday, and its missed runs are those of Wednesday, Thursday and Friday: three times eleven.
/// The first two are an hour apart; from Wednesday 13:00Z until now 61 whole hours passed, so the
/// controller estimates 62, and searches from an hour before the last of them on, when no run is scheduled.
#[test]
fn runs_missed_after_a_gap_have_their_count_and_the_controllers_estimate() {
    let lists = recorded_lists("cronjobs jobs events");
    let now = "2026-11-21T02:13:08Z";
    let office = explained_by_name(&list(&lists), "office", "1.36.2", now);
    let missed = &office["missed"];
    let range = json!([missed["count"], missed["first"], missed["last"]]);
    let expected = json!([33, "2026-11-18T13:00:00Z", "2026-11-20T23:00:00Z"]);
    assert_eq!(range, expected);
    let estimate = json!([missed["controllerEstimate"], missed["controllerClass"]]);
    assert_eq!(estimate, json!([62, "few"]));
    // 100 hours after the first one.
    assert_eq!(missed["crossesLimitAt"], "2026-11-22T17:00:00Z");
    assert_eq!(office["decision"]["wakesAt"], "2026-11-23T13:00:00.1Z");
    assert_eq!(
        office["verdict"],
        "Missed 33 runs since Wed 2026-11-18 08:00 America/New_York; Kubernetes 1.36.2 will not start \
         any of them. Next run: Mon 2026-11-23 08:00 America/New_York (in 2d10h)"
    );
}

#[test]
fn expectations_are_durations_and_any_text_in_one_line() {
    let stated = [
        ("90s", json!(90)),
        ("30m", json!(1_800)),
        ("1h30m", json!(5_400)),
        (" 26h ", json!(93_600)),
        ("1d12h", json!(129_600)),
        ("2w", json!(1_209_600)),
        ("36500d", json!(3_153_600_000_i64)),
        ("36501d", Value::Null),
        ("0s", Value::Null),
        ("-5m", Value::Null),
        ("1.5h", Value::Null),
        ("30", Value::Null),
        ("half an hour", Value::Null),
        ("", Value::Null),
    ];
    let explained = |annotations: Value| {
        let edited = edited(|cron_job| cron_job["metadata"]["annotations"] = annotations);
        explained(&list(&[edited]), "1.36", NOW)
    };
    for (text, seconds) in stated {
        let item = explained(json!({
            "cronjob-doctor/max-duration": text,
            "cronjob-doctor/success-within": text,
            "cronjob-doctor/runbook": "call\nAda\u{1b}[31m",
        }));
        let expectations = &item["expectations"];
        for field in ["maxDurationSeconds", "successWithinSeconds"] {
            assert_eq!(expectations[field], seconds, "{text}");
        }
        assert_eq!(expectations["runbook"], "call Ada [31m");
        let is_invalid = item["findings"]
            .texts("code")
            .contains(&"invalid-expectation");
        assert_eq!(is_invalid, seconds.is_null(), "{text}");
    }
    let item = explained(json!({"cronjob-doctor/runbook": " ", "other": "x"}));
    assert_eq!(item["expectations"], Value::Null);
}

fn schedule_edit(cron_job: &Value) -> Value {
    explained(&cron_job.to_string(), "1.36", NOW)["scheduleEdit"].take()
}

#[test]
fn edit_of_the_schedule_is_known_with_what_was_applied_before() {
    let mut by_edit = edited(|it| writes_schedule(it, "kubectl-edit", "Update", SATURDAY_NIGHT));
    let expected = json!({
        "fieldManager": "kubectl-edit", "noLaterThan": SATURDAY_NIGHT, "isCertain": true,
        "appliedSchedule": null, "appliedTimeZone": null,
    });
    assert_eq!(schedule_edit(&by_edit), expected);
    let applied = json!({"spec": {"schedule": "0 2 * * *", "timeZone": "Europe/Berlin"}});
    by_edit["metadata"]["annotations"] = json!({LAST_APPLIED: applied.to_string()});
    let edit = schedule_edit(&by_edit);
    assert_eq!(edit["appliedSchedule"], "0 2 * * *");
    assert_eq!(edit["appliedTimeZone"], "Europe/Berlin");
}

/// A client that created the object, or that applies it, owns the schedule whether it changed it or not.
#[test]
fn write_of_the_owner_may_have_changed_the_schedule() {
    let upgraded = |last_run: &str| {
        edited(|it| {
            it["metadata"]["managedFields"][0]["time"] = json!(SATURDAY_NIGHT);
            it["status"]["lastScheduleTime"] = json!(last_run);
        })
    };
    let before = upgraded("2026-11-21T04:30:00Z");
    assert_eq!(schedule_edit(&before)["isCertain"], false);
    // It has run since.
    let expected = Value::Null;
    assert_eq!(schedule_edit(&upgraded("2026-11-22T02:00:00Z")), expected);
    let applied = edited(|it| writes_schedule(it, "flux", "Apply", SATURDAY_NIGHT));
    assert_eq!(schedule_edit(&applied)["isCertain"], false);
}

/// Edits of the last three days, or since the last run, are shown.
#[test]
fn edit_is_shown_while_it_matters() {
    let shown = |time: &str, last_run: &str, change: &dyn Fn(&mut Value)| {
        let cron_job = edited(|it| {
            writes_schedule(it, "kubectl-edit", "Update", time);
            it["status"]["lastScheduleTime"] = json!(last_run);
            change(it);
        });
        !schedule_edit(&cron_job).is_null()
    };
    let as_it_is = |_: &mut Value| {};
    let suspended = |it: &mut Value| it["spec"]["suspend"] = json!(true);
    let unchanged = |it: &mut Value| it["metadata"]["generation"] = json!(1);
    let (three_days, last_run) = ("2026-11-19T03:00:00Z", "2026-11-21T02:00:00Z");
    assert!(shown(three_days, last_run, &as_it_is));
    assert!(shown(three_days, last_run, &suspended));
    assert!(!shown("2026-11-19T02:59:59Z", last_run, &as_it_is));
    let (long_ago, before) = ("2026-11-10T03:00:00Z", "2026-11-10T02:00:00Z");
    assert!(shown(long_ago, before, &as_it_is));
    assert!(!shown(long_ago, before, &suspended));
    // The generation counts changes of the spec.
    assert!(!shown(SATURDAY_NIGHT, last_run, &unchanged));
    // As it was created.
    let (created, before) = ("2026-11-01T12:00:00Z", "2026-11-01T00:00:00Z");
    assert!(!shown(created, before, &as_it_is));
}

/// The run of 02:58 did not start because of the edit at 02:59.
#[test]
fn edit_that_is_in_the_verdict_is_known() {
    let cron_job = edited(|it| {
        writes_schedule(it, "kubectl-edit", "Update", "2026-11-22T02:59:00Z");
        it["spec"]["schedule"] = json!("58 * * * *");
    });
    assert!(!schedule_edit(&cron_job).is_null());
}
