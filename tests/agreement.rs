//! Several commands, or parts of a page, report the same state in the same way.

use crate::support::one::{NOW, cron_job, unfinished};
use crate::support::prelude::*;

fn call(verb: &str, objects: &[Value]) -> Ran {
    let common = format!("-q -f - --now {NOW} --kubernetes-version 1.36");
    doctor_with_objects((verb, common.as_str()), objects)
}

/// Nothing is started up to `lastScheduleTime`, 22 minutes and 59 seconds ahead: the next run is that of 19:40.
#[test]
fn last_schedule_time_in_the_future_is_respected_by_all() {
    let objects = [cron_job("*/10 * * * *", "2026-11-26T19:34:59Z")];
    let first = "2026-11-26T19:40:00Z";
    let explained = call("explain -o json", &objects).document()["items"][0].clone();
    assert_eq!(explained["forecast"][0]["scheduledTime"], first);
    assert_eq!(explained["nextRuns"][0]["scheduledTime"], first);
    let mut findings = explained["findings"].items().iter();
    let skew = findings.find(|found| found["code"] == "clock-skew");
    assert_contains!(skew.unwrap()["detail"].text(), "19:40");
    let next = call("next-runs -o json", &objects).document()["items"][0].clone();
    assert_eq!(next["runs"][0]["scheduledTime"], first);
    let row = call("scan -o json", &objects).document()["items"][0].clone();
    assert_eq!(row["nextRun"], first);
    let table = call("scan --no-headers", &objects).fine();
    let columns: Vec<&str> = table.split("   ").map(str::trim).collect();
    assert_eq!(columns[..3], ["one", "in 28m", "in 22m"]);
    let page = call("explain", &objects).fine();
    assert_contains!(
        page,
        "Last run: unknown: status.lastScheduleTime is in the future"
    );
    // Runs that are requested explicitly are listed.
    let after = call("next-runs -o json --after 2026-11-26T19:00:00Z", &objects).document();
    assert_eq!(
        after["items"][0]["runs"][0]["scheduledTime"],
        "2026-11-26T19:10:00Z"
    );
}

/// While the creation of each Job is rejected, the report does not show the runs as starts.
#[test]
fn refused_runs_are_not_starts_in_the_timeline() {
    let failed = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "ops", "name": "failed"},
        "involvedObject": {"kind": "CronJob", "namespace": "ops", "name": "one", "uid": "one"},
        "type": "Warning", "reason": "FailedCreate", "message": "Error creating job: exceeded quota",
        "count": 16, "firstTimestamp": "2026-11-26T19:08:00Z", "lastTimestamp": "2026-11-26T19:10:43Z",
    });
    let objects = [cron_job("*/2 * * * *", "2026-11-26T19:06:00Z"), failed];
    let row = call("scan -o json", &objects).document()["items"][0].clone();
    assert_eq!(row["nextState"], "retry");
    let report = call("report -o json", &objects).document();
    assert_eq!(report["timeline"]["items"][0]["outlook"], "refused");
    assert_contains!(call("report", &objects).fine(), "creating a Job fails");
}

/// A manual Job that is newer is not the last run of the schedule.
#[test]
fn last_run_metric_and_columns_ignore_a_manual_job() {
    let mut manual = unfinished(1);
    manual["metadata"]["name"] = json!("one-manual");
    manual["metadata"]["uid"] = json!("manual");
    manual["metadata"]["creationTimestamp"] = json!("2026-11-26T19:11:00Z");
    manual["metadata"]["annotations"] = json!({"cronjob.kubernetes.io/instantiate": "manual"});
    let mut scheduled = unfinished(0);
    let end = "2026-11-26T19:10:20Z";
    scheduled["status"] = json!({
        "startTime": "2026-11-26T19:10:00Z", "completionTime": end, "succeeded": 1,
        "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": end}],
    });
    let objects = [
        cron_job("*/10 * * * *", "2026-11-26T19:10:00Z"),
        scheduled,
        manual,
    ];
    let row = call("scan -o json", &objects).document()["items"][0].clone();
    let states = ["lastRun", "lastScheduledRun"].map(|run| row[run]["state"].text().to_owned());
    assert_eq!(states, ["running", "succeeded"]);
    let metrics = call("scan -o prometheus", &objects).fine();
    let metric =
        r#"cronjob_doctor_last_run_state{namespace="ops",cronjob="one",state="succeeded"} 1"#;
    assert_contains!(metrics, metric);
    let table = call("scan -o csv", &objects).fine();
    assert_contains!(table, ",succeeded,");
}
