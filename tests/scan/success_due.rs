//! The metrics about the last success and about the next one, and the alert on it, as Prometheus evaluates it.

use crate::support::files::{text, yaml};
use crate::support::prelude::*;
use crate::support::promtool::{accepts, promtool};
use crate::support::weekdays::{after_the_week, cron_job, job, time};

fn scan(objects: &[Value], arguments: impl CommandLine) -> String {
    let call = "scan -q -f -";
    doctor_with_objects((call, arguments), objects).fine()
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
