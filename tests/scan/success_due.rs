//! When the next success is due, derived manually, and the alert on it, as Prometheus evaluates it.

use crate::support::json::merge;
use crate::support::prelude::*;
use jiff::{SignedDuration, Timestamp};

use crate::last_run;
use crate::support::files::{text, yaml};
use crate::support::promtool::{accepts, promtool};

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A Job of `report` that was created at a time, and its result after some seconds.
fn job(created: &str, ended: Option<(i64, &str)>) -> Value {
    let name = format!("report-{}", time(created).as_second() / 60);
    let Some((seconds, condition)) = ended else {
        let status = json!({"startTime": created, "active": 1, "ready": 1});
        return last_run::job(&name, created, &json!({}), &status);
    };
    let end = time(created) + SignedDuration::from_secs(seconds);
    last_run::finished(&name, created, condition, &end.to_string())
}

/// On weekdays at 09:00 UTC.
fn cron_job(last_scheduled: &str, last_success: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": "report", "uid": "u", "generation": 1,
            "creationTimestamp": "1970-01-01T00:00:00Z",
        },
        "spec": {"schedule": "0 9 * * 1-5", "timeZone": "Etc/UTC", "jobTemplate": {}},
        "status": {"lastScheduleTime": last_scheduled, "lastSuccessfulTime": last_success},
    })
}

fn scan(objects: &[Value], arguments: impl CommandLine) -> String {
    let call = "scan -q -f -";
    doctor_with_objects((call, arguments), objects).fine()
}

fn due_in(objects: &[Value], now: &str, release: &str) -> Option<String> {
    let now = format!("--now={now}");
    let call = [now.as_str(), "--kubernetes-version", release, "-o", "json"];
    let document: Value = serde_json::from_str(&scan(objects, call)).unwrap();
    let due = &document["items"][0]["successDue"];
    due.as_str().map(str::to_owned)
}

fn due(objects: &[Value], now: &str) -> String {
    due_in(objects, now, "1.36").unwrap_or_default()
}

/// Runs from Monday, March 2 to Friday, March 6, 2026, which took four minutes each, as of Friday 09:04. `change`
/// modifies the `CronJob`.
fn after_the_week(change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let mut cron_job = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
    change(&mut cron_job);
    let days = (2..=6).map(|day| format!("2026-03-{day:02}T09:00:00Z"));
    let jobs = days.map(|day| job(&day, Some((240, "Complete"))));
    [cron_job].into_iter().chain(jobs).collect()
}

const SATURDAY: &str = "2026-03-07T12:00:00Z";

/// The success is due on Monday at 09:00, plus twice four minutes, and five minutes for the start.
#[test]
fn success_on_friday_makes_the_next_one_due_on_monday() {
    let week = after_the_week(|_| {});
    assert_eq!(due(&week, SATURDAY), "2026-03-09T09:13:00Z");
    // It stays due while runs are missed, fail or are late.
    for now in ["2026-03-09T09:12:59Z", "2026-03-11T12:00:00Z"] {
        assert_eq!(due(&week, now), "2026-03-09T09:13:00Z");
    }
    // A run that is running was due at the same time.
    let mut running = week.clone();
    running.push(job("2026-03-09T09:00:02Z", None));
    let now = "2026-03-09T09:05:00Z";
    assert_eq!(due(&running, now), "2026-03-09T09:13:00Z");
    // Runs that are not started in time are missed, too.
    let strict = after_the_week(|cron_job| {
        cron_job["spec"]["startingDeadlineSeconds"] = json!(60);
    });
    let now = "2026-03-09T18:00:00Z";
    assert_eq!(due(&strict, now), "2026-03-09T09:13:00Z");
}

#[test]
fn failed_run_does_not_count_as_success() {
    let mut failed = after_the_week(|cron_job| {
        cron_job["status"]["lastScheduleTime"] = json!("2026-03-11T09:00:00Z");
    });
    failed.push(job("2026-03-11T09:00:00Z", Some((10, "Failed"))));
    let now = "2026-03-11T12:00:00Z";
    assert_eq!(due(&failed, now), "2026-03-09T09:13:00Z");
}

/// In New York until the 8th: midnight is at 05:00 UTC.
#[test]
fn success_of_a_daily_run_is_due_in_its_time_zone() {
    let daily = after_the_week(|cron_job| {
        let spec = json!({"schedule": "@daily", "timeZone": "America/New_York"});
        merge(&mut cron_job["spec"], &spec);
    });
    assert_eq!(due(&daily, "2026-03-06T12:00:00Z"), "2026-03-07T05:13:00Z");
}

#[test]
fn duration_is_stated_or_usual_or_an_hour() {
    let stated = |annotations: Value| {
        let week = after_the_week(|cron_job| cron_job["metadata"]["annotations"] = annotations);
        due(&week, SATURDAY)
    };
    let max = json!({"cronjob-doctor/max-duration": "30m"});
    assert_eq!(stated(max), "2026-03-09T09:35:00Z");
    let invalid = json!({"cronjob-doctor/max-duration": "often"});
    assert_eq!(stated(invalid), "2026-03-09T09:13:00Z");
    // 74 hours after Friday 09:04, whatever the schedule is.
    let within =
        json!({"cronjob-doctor/success-within": "74h", "cronjob-doctor/max-duration": "30m"});
    assert_eq!(stated(within), "2026-03-09T11:04:00Z");
    // Four runs are too few for a usual duration.
    let mut week = after_the_week(|_| {});
    week.remove(1);
    assert_eq!(due(&week, SATURDAY), "2026-03-09T10:05:00Z");
}

#[test]
fn success_of_cronjob_that_does_not_have_to_run_is_not_due() {
    for changed in [
        json!({"spec": {"suspend": true}}),
        json!({"spec": {"schedule": "0 0 31 2 *"}}),
        json!({"metadata": {"deletionTimestamp": "2026-03-07T11:00:00Z"}}),
    ] {
        let week = after_the_week(|cron_job| merge(cron_job, &changed));
        assert_eq!(due(&week, SATURDAY), "", "{changed}");
    }
    let mut manifest = cron_job("", "");
    manifest.as_object_mut().unwrap().remove("status");
    let metadata = manifest["metadata"].as_object_mut().unwrap();
    metadata.remove("creationTimestamp");
    metadata.remove("uid");
    assert_eq!(due(&[manifest], SATURDAY), "");
}

/// Created on Friday at noon.
#[test]
fn without_a_success_the_first_run_since_the_creation_is_due() {
    let mut new = cron_job("", "");
    new.as_object_mut().unwrap().remove("status");
    new["metadata"]["creationTimestamp"] = json!("2026-03-06T12:00:00Z");
    let new = [new];
    assert_eq!(due(&new, SATURDAY), "2026-03-09T10:05:00Z");
    // 1.20 does not record successes.
    assert_eq!(due_in(&new, SATURDAY, "1.20"), None);
}

/// Hourly: the run of 09:00 took until 10:30, and the run of 10:00 started only then.
#[test]
fn late_start_counts_instead_of_the_scheduled_time() {
    let mut hourly = cron_job("2026-03-09T10:00:00Z", "2026-03-09T10:30:00Z");
    hourly["spec"]["schedule"] = json!("0 * * * *");
    hourly["spec"]["concurrencyPolicy"] = json!("Forbid");
    let late = job("2026-03-09T10:30:01Z", None);
    let now = "2026-03-09T11:10:00Z";
    let found = due(&[hourly.clone(), late], now);
    assert_eq!(found, "2026-03-09T11:35:01Z");
    // Without that Job, the next run is that of 11:00: its success is due an hour and five minutes later.
    let found = due(&[hourly], "2026-03-09T10:31:00Z");
    assert_eq!(found, "2026-03-09T12:05:00Z");
}

/// The `CronJob` was changed on Tuesday the 10th at noon; the runs before that did not have to succeed.
#[test]
fn runs_before_the_last_change_are_not_due() {
    for field in ["f:schedule", "f:suspend"] {
        let mut changed = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
        changed["metadata"]["generation"] = json!(3);
        changed["metadata"]["managedFields"] = json!([{
            "manager": "kubectl-edit", "operation": "Update", "apiVersion": "batch/v1",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {field: {}}},
            "time": "2026-03-10T12:00:00Z",
        }]);
        let now = "2026-03-10T13:00:00Z";
        let found = due(&[changed.clone()], now);
        assert_eq!(found, "2026-03-11T10:05:00Z");
        // The run of Monday failed before the change: its success is still due.
        changed["status"]["lastScheduleTime"] = json!("2026-03-09T09:00:00Z");
        let failed = job("2026-03-09T09:00:00Z", Some((10, "Failed")));
        let found = due(&[changed, failed], now);
        assert_eq!(found, "2026-03-09T10:05:00Z");
    }
}

#[test]
fn metrics_pass_promtool_check() {
    let folder = Folder::new("promtool-metrics", &[]);
    let mut week = after_the_week(|_| {});
    week.push(job("2026-03-09T09:00:02Z", None));
    let metrics = scan(&week, "--now=2026-03-09T09:05:00Z -o prometheus");
    let names = "success_due_timestamp_seconds last_run_result last_run_duration_seconds \
                 running_since_timestamp_seconds usual_duration_seconds";
    for name in names.split(' ') {
        assert_contains!(metrics, &format!("# TYPE cronjob_doctor_{name} "));
    }
    let Some(output) = promtool(&folder, &["check", "metrics"], &metrics) else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
    assert_eq!((output.stdout, output.stderr), (vec![], vec![]));
}

/// The Jobs of successes are deleted, or the status does not record successes: up to 1.21.
#[test]
fn last_success_counts_whether_its_job_or_only_its_time_is_known() {
    const LAST: &str = "2026-03-09T09:04:00Z";
    let failed = job("2026-03-06T09:00:00Z", Some((10, "Failed")));
    let succeeded = job("2026-03-09T09:00:00Z", Some((240, "Complete")));
    let metrics = |objects: &[Value], release: &str| {
        let call = "--now=2026-03-09T12:00:00Z -o prometheus --kubernetes-version";
        let metrics = scan(objects, (call, release));
        let names = [
            "last_success_timestamp_seconds",
            "last_run_result",
            "last_run_duration_seconds",
        ];
        names.map(|name| {
            let start = format!("cronjob_doctor_{name}{{");
            let line = metrics.lines().find(|line| line.starts_with(&start));
            line.map(|line| line.rsplit_once(' ').unwrap().1.parse::<i64>().unwrap())
        })
    };
    let last = Some(time(LAST).as_second());
    let recorded = cron_job("2026-03-09T09:00:00Z", LAST);
    assert_eq!(
        metrics(&[recorded, failed.clone()], "1.36"),
        [last, Some(1), None]
    );
    let mut unrecorded = cron_job("2026-03-09T09:00:00Z", "");
    unrecorded["status"]
        .as_object_mut()
        .unwrap()
        .remove("lastSuccessfulTime");
    assert_eq!(
        metrics(&[unrecorded, failed, succeeded], "1.20"),
        [last, Some(1), Some(240)]
    );
}

/// The value of the metric after a scan.
fn due_metric(objects: &[Value], now: &str) -> i64 {
    let metrics = scan(objects, [&format!("--now={now}"), "-o", "prometheus"]);
    let mut lines = metrics.lines();
    let name = "cronjob_doctor_success_due_timestamp_seconds{";
    let line = lines.find(|line| line.starts_with(name)).unwrap();
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// The time of `promtool test rules` begins in 1970. January 2 was a Friday, and its run succeeded at
/// 09:04. On Monday the 5th a success is due at 09:13, four days, nine hours and 13 minutes after the beginning.
#[test]
fn alert_is_silent_over_a_weekend_and_fires_after_a_missed_success() {
    // The other alerts would be evaluated every minute of a week, too.
    let mut rules = yaml(&text("deploy/alerts.yaml")).remove(0);
    for group in rules["groups"].as_array_mut().unwrap() {
        let rules = group["rules"].as_array_mut().unwrap();
        rules.retain(|rule| rule["record"].is_string() || rule["alert"] == "CronJobSuccessOverdue");
    }
    let folder = Folder::new("promtool-rules", &[("rules.yaml", &rules.to_string())]);

    let friday = cron_job("1970-01-02T09:00:00Z", "1970-01-02T09:04:00Z");
    let days = "1969-12-29 1969-12-30 1969-12-31 1970-01-01 1970-01-02".split(' ');
    let jobs = days.map(|day| job(&format!("{day}T09:00:00Z"), Some((240, "Complete"))));
    let jobs: Vec<Value> = jobs.collect();
    let friday = [&[friday], &jobs[..]].concat();
    let monday = cron_job("1970-01-05T09:00:00Z", "1970-01-05T09:04:00Z");
    let success = job("1970-01-05T09:00:00Z", Some((240, "Complete")));
    let monday = [&[monday], &jobs[..], &[success]].concat();

    let missed = due_metric(&friday, "1970-01-05T09:30:00Z");
    assert_eq!(missed, 4 * 86_400 + 9 * 3_600 + 13 * 60);
    assert_eq!(due_metric(&friday, "1970-01-03T12:00:00Z"), missed);
    let met = due_metric(&monday, "1970-01-05T09:30:00Z");
    assert_eq!(met, missed + 86_400);

    // The metric at every minute; it ends after six days and 14 hours.
    let series = |name: &str, values: &str| {
        let labels = format!("namespace=\"ops\",cronjob=\"{name}\"");
        let series = format!("cronjob_doctor_success_due_timestamp_seconds{{{labels}}}");
        json!({"series": series, "values": values})
    };
    // `met` is scanned again on Monday at 09:10: minute 6310 since the beginning.
    let read = json!({"series": "cronjob_doctor_scan_timestamp_seconds", "values": "0+60x9500"});
    let input = [
        read,
        series("missed", &format!("{missed}+0x9500")),
        series("met", &format!("{missed}+0x6309 {met}+0x1000")),
    ];
    let alerts = [
        ("1d9h30m", false),
        ("2d12h", false),
        ("3d23h", false),
        ("4d9h13m", false),
        ("4d9h14m", true),
        ("4d23h", true),
    ];
    let queries = alerts.map(|(time, fires)| {
        let query = "count by (cronjob) (ALERTS{alertname=\"CronJobSuccessOverdue\"})";
        let fired = json!([{"labels": "{cronjob=\"missed\"}", "value": 1}]);
        let expected = if fires { fired } else { json!([]) };
        json!({"eval_time": time, "expr": query, "exp_samples": expected})
    });
    let tests = json!({
        "rule_files": ["rules.yaml"], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": input, "promql_expr_test": queries}],
    });
    folder.write("tests.yaml", tests.to_string());
    accepts(&folder, "check", "rules.yaml");
    accepts(&folder, "test", "tests.yaml");
}

/// One run is too few for a usual duration: the success is due on Monday at 09:00, plus the `activeDeadlineSeconds` of
/// the Job, at most an hour, and five minutes for the start.
#[test]
fn success_of_job_with_shorter_deadline_is_due_earlier() {
    let due_with = |deadline: Value| {
        let mut cron_job = cron_job("2026-03-06T09:00:00Z", "2026-03-06T09:04:00Z");
        cron_job["spec"]["jobTemplate"] = json!({"spec": {"activeDeadlineSeconds": deadline}});
        let last = job("2026-03-06T09:00:00Z", Some((240, "Complete")));
        due(&[cron_job, last], SATURDAY)
    };
    assert_eq!(due_with(json!(600)), "2026-03-09T09:15:00Z");
    assert_eq!(due_with(json!(7_200)), "2026-03-09T10:05:00Z");
    assert_eq!(due_with(Value::Null), "2026-03-09T10:05:00Z");
}
