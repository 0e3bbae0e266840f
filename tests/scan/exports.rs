//! The formats for other programs, and what hostile names do to them.

use serde_json::{Value, json};

use super::support::markup::xml;
use super::support::run::doctor_with_stdin;
use super::{metrics, scan};

#[test]
fn csv_has_the_codes_of_the_findings() {
    let csv = scan(&["-o", "csv", "blocked", "leapday"]).fine();
    let expected = "\
namespace,name,schedule,timeZone,suspended,nextRun,lastScheduleTime,lastSuccessfulTime,active,\
missed,health,findings,verdict\r
ops,blocked,* * * * *,,false,,2026-11-21T02:11:00Z,,1,2,warning,\
blocked-by-running-job; manual-job-unexpected,\
\"Blocked: blocked-29920451 has been waiting for its pod for 2m8s (concurrencyPolicy: Forbid). When it finishes, \
blocked-29920453 starts immediately for the run scheduled at Sat 2026-11-21 02:13 UTC\"\r
ops,leapday,0 0 29 2 *,Etc/UTC,false,2028-02-29T00:00:00Z,,,0,0,ok,,\
Next run: Tue 2028-02-29 00:00 Etc/UTC (in 464d)\r
";
    assert_eq!(csv, expected);
    let bare = scan(&["-o", "csv", "blocked", "leapday", "--no-headers"]).fine();
    assert_eq!(bare, expected.split_once("\r\n").unwrap().1);
}

#[test]
fn junit_has_a_suite_for_each_namespace() {
    let junit = scan(&["-o", "junit", "never", "nightly", "tight"]).fine();
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="ops" package="cronjob-doctor" id="0" timestamp="2026-11-21T02:13:08" hostname="localhost" tests="1" failures="0" errors="0" skipped="0" time="0">
    <properties>
      <property name="controller" value="v2"/>
      <property name="kubernetesVersion" value="1.36.2"/>
    </properties>
    <testcase name="tight" classname="ops" time="0"/>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite name="shop" package="cronjob-doctor" id="1" timestamp="2026-11-21T02:13:08" hostname="localhost" tests="2" failures="2" errors="0" skipped="0" time="0">
    <properties>
      <property name="controller" value="v2"/>
      <property name="kubernetesVersion" value="1.36.2"/>
    </properties>
    <testcase name="never" classname="shop" time="0">
      <failure type="never-scheduled" message="Schedule never runs">error: never-scheduled: &quot;0 0 31 2 *&quot; never runs: February 31 does not exist. No Job is ever started.
-&gt; Use dates that exist. If the CronJob is only started manually, set spec.suspend: true.
</failure>
    </testcase>
    <testcase name="nightly" classname="shop" time="0">
      <failure type="suspended-long" message="Suspended for a long time">warning: suspended-long: It was suspended with kubectl apply at Sat 2026-11-21 02:10:06 UTC (or earlier). 9 runs since Fri 2026-11-13 02:00 Europe/Berlin (8d ago) have not been started.
-&gt; kubectl cronjob-doctor resume nightly -n shop
</failure>
    </testcase>
    <system-out>nightly: info: resume-starts-immediately: If it is resumed now, the controller immediately starts nightly-29920380 for the run scheduled at Sat 2026-11-21 02:00 Europe/Berlin (73m late). It will not start the other 8 missed runs.
</system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
"#;
    assert_eq!(junit, expected);
    xml(&junit);
}

/// `failing`, `zero` and `never` have errors; `blocked`, `replacer`, `nightly` and `office` warnings.
#[test]
fn junit_fails_from_the_severity_of_fail_on() {
    let failures = |arguments: &[&str]| {
        let ran = scan(&[&["-o", "junit"], arguments].concat());
        let root = xml(&ran.stdout);
        let mut failures = 0;
        for suite in root.named("testsuite") {
            let failed = suite
                .named("testcase")
                .filter(|case| case.named("failure").count() == 1)
                .count();
            assert_eq!(suite.attribute("failures"), failed.to_string());
            failures += failed;
        }
        (failures, ran.code)
    };
    assert_eq!(failures(&[]), (7, 0));
    assert_eq!(failures(&["--fail-on", "warning"]), (7, 1));
    assert_eq!(failures(&["--fail-on", "error"]), (3, 1));
    assert_eq!(failures(&["--fail-on", "never"]), (0, 0));
    assert_eq!(failures(&["--fail-on", "info", "nightly"]), (1, 1));
}

/// The first run of `blocked` began at 02:11: its success is due an hour and five minutes later.
/// Minute 29,920,454 since 1970 is 02:14; 29 February 2028 begins 464 days, 21 hours and 46 minutes
/// and 52 seconds after now.
#[test]
fn prometheus_has_each_metric_once() {
    let text = scan(&["-o", "prometheus", "blocked", "nightly", "--sort", "next"]).fine();
    let expected = r#"# HELP cronjob_doctor_health Health of the CronJob: 0 ok, 1 info, 2 warning, 3 error.
# TYPE cronjob_doctor_health gauge
cronjob_doctor_health{namespace="ops",cronjob="blocked"} 2
cronjob_doctor_health{namespace="shop",cronjob="nightly"} 2
# HELP cronjob_doctor_last_schedule_timestamp_seconds Scheduled time of the last run that was started.
# TYPE cronjob_doctor_last_schedule_timestamp_seconds gauge
cronjob_doctor_last_schedule_timestamp_seconds{namespace="ops",cronjob="blocked"} 1795227060
cronjob_doctor_last_schedule_timestamp_seconds{namespace="shop",cronjob="nightly"} 1794449400
# HELP cronjob_doctor_success_due_timestamp_seconds Time when the next success is due, by the schedule; absent while suspended.
# TYPE cronjob_doctor_success_due_timestamp_seconds gauge
cronjob_doctor_success_due_timestamp_seconds{namespace="ops",cronjob="blocked"} 1795230960
# HELP cronjob_doctor_running_since_timestamp_seconds Time when the Job started that has been running longest; absent if none is running.
# TYPE cronjob_doctor_running_since_timestamp_seconds gauge
cronjob_doctor_running_since_timestamp_seconds{namespace="ops",cronjob="blocked"} 1795227060
# HELP cronjob_doctor_missed_runs Exact number of missed runs since the last run that was started.
# TYPE cronjob_doctor_missed_runs gauge
cronjob_doctor_missed_runs{namespace="ops",cronjob="blocked"} 2
cronjob_doctor_missed_runs{namespace="shop",cronjob="nightly"} 9
# HELP cronjob_doctor_active_jobs Number of Jobs in status.active.
# TYPE cronjob_doctor_active_jobs gauge
cronjob_doctor_active_jobs{namespace="ops",cronjob="blocked"} 1
cronjob_doctor_active_jobs{namespace="shop",cronjob="nightly"} 0
# HELP cronjob_doctor_suspended Whether the CronJob is suspended.
# TYPE cronjob_doctor_suspended gauge
cronjob_doctor_suspended{namespace="ops",cronjob="blocked"} 0
cronjob_doctor_suspended{namespace="shop",cronjob="nightly"} 1
# HELP cronjob_doctor_findings Problems and risks of the CronJob; always 1.
# TYPE cronjob_doctor_findings gauge
cronjob_doctor_findings{namespace="ops",cronjob="blocked",code="blocked-by-running-job",severity="warning"} 1
cronjob_doctor_findings{namespace="ops",cronjob="blocked",code="manual-job-unexpected",severity="info"} 1
cronjob_doctor_findings{namespace="shop",cronjob="nightly",code="resume-starts-immediately",severity="info"} 1
cronjob_doctor_findings{namespace="shop",cronjob="nightly",code="suspended-long",severity="warning"} 1
# HELP cronjob_doctor_scan_timestamp_seconds Time of this scan.
# TYPE cronjob_doctor_scan_timestamp_seconds gauge
cronjob_doctor_scan_timestamp_seconds 1795227188
"#;
    assert_eq!(text, expected);
    let all = metrics::parse(&scan(&["-o", "prometheus"]).fine());
    assert_eq!(all["cronjob_doctor_health"].len(), 12);
    assert_eq!(all["cronjob_doctor_next_run_timestamp_seconds"].len(), 8);
    let (labels, next) = all["cronjob_doctor_next_run_timestamp_seconds"]
        .iter()
        .max_by_key(|(_, next)| **next)
        .unwrap();
    assert_eq!(labels["cronjob"], "leapday");
    let until = 464 * 86_400 + 21 * 3_600 + 46 * 60 + 52;
    assert_eq!(*next, 1_795_227_188 + until);
}

/// The API server takes none of these names, but a file can have any.
#[test]
fn names_that_mean_harm_stay_names() {
    let name = "a\"},{\\\n<b>&]]>\u{1b}[2Jc";
    let suspended = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "x\ny", "creationTimestamp": "2026-11-21T00:00:00Z"},
        "spec": {"schedule": "0 3 * * *", "suspend": true, "jobTemplate": {}},
    });
    let run = |format: &[&str]| {
        let arguments = ["scan", "--quiet", "-f", "-", "--now=2026-11-21T02:13:08Z"];
        let arguments = [&arguments[..], format].concat();
        doctor_with_stdin(&arguments, &suspended.to_string()).fine()
    };
    let table = run(&["-A"]);
    insta::assert_snapshot!(table);
    assert_eq!(
        run(&["-o", "name"]),
        "cronjob.batch/a\"},{\\\\n<b>&]]>\\u{1b}[2Jc\n"
    );
    let document: Value = serde_json::from_str(&run(&["-o", "json"])).unwrap();
    assert_eq!(document["items"][0]["name"], name);
    let junit = xml(&run(&["-o", "junit"]));
    let suite = junit.named("testsuite").next().unwrap();
    let case = suite.named("testcase").next().unwrap();
    assert_eq!(case.attribute("name"), name.replace('\u{1b}', r"\u{1b}"));
    assert_eq!(case.attribute("classname"), "x\ny");
    let metrics = metrics::parse(&run(&["-o", "prometheus"]));
    let labels = metrics["cronjob_doctor_suspended"].keys().next().unwrap();
    assert_eq!(labels["cronjob"], name.replace('\u{1b}', "\\u{1b}"));
    assert_eq!(labels["namespace"], "x\ny");
    let csv = run(&["-o", "csv", "--no-headers"]);
    let expected = "x\\ny,\"a\"\"},{\\\\n<b>&]]>\\u{1b}[2Jc\",0 3 * * *,,true,,,,0,0,ok,,";
    assert!(csv.starts_with(expected), "{csv}");
}

/// A file with the same name twice must not make the collector refuse all metrics.
#[test]
fn of_namesakes_the_worst_counts_in_metrics() {
    let cron_job = |schedule: &str| {
        json!({
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "twin", "creationTimestamp": "2026-11-21T00:00:00Z"},
            "spec": {"schedule": schedule, "jobTemplate": {}},
        })
    };
    let items = [cron_job("0 3 * * *"), cron_job("0 0 31 2 *")];
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let arguments = [
        "scan",
        "-q",
        "-f",
        "-",
        "-o",
        "prometheus",
        "--now=2026-11-21T02:13:08Z",
    ];
    let metrics = metrics::parse(&doctor_with_stdin(&arguments, &list).fine());
    let health: Vec<i64> = metrics["cronjob_doctor_health"].values().copied().collect();
    assert_eq!(health, [3]);
}

#[test]
fn planned_end_of_a_suspension_is_a_metric() {
    let suspended = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "name": "nightly", "namespace": "shop", "creationTimestamp": "2026-11-21T00:00:00Z",
            "annotations": {"cronjob-doctor/suspended-until": "2026-11-22T00:00:00Z"},
        },
        "spec": {"schedule": "0 3 * * *", "suspend": true, "jobTemplate": {}},
    });
    let metrics = |cron_job: &Value| {
        let call = [
            "scan",
            "-q",
            "-f",
            "-",
            "--now=2026-11-21T02:13:08Z",
            "-o=prometheus",
        ];
        metrics::parse(&doctor_with_stdin(&call, &cron_job.to_string()).fine())
    };
    let name = "cronjob_doctor_suspended_until_timestamp_seconds";
    let ends: Vec<i64> = metrics(&suspended)[name].values().copied().collect();
    // date -u -d 2026-11-22 +%s
    assert_eq!(ends, [1_795_305_600]);
    let mut resumed = suspended;
    resumed["spec"]["suspend"] = json!(false);
    assert!(!metrics(&resumed).contains_key(name));
}
