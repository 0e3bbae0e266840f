//! Several commands, or parts of a page, report the same state in the same way.

use crate::support::json::owner_reference;
use crate::support::prelude::*;

const NOW: &str = "2026-11-26T19:12:00Z";

fn cron_job(schedule: &str, last: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": "ops", "name": "one", "uid": "one", "generation": 1,
            "creationTimestamp": "2026-11-20T10:20:30Z",
        },
        "spec": {"schedule": schedule, "jobTemplate": {}},
        "status": {"lastScheduleTime": last},
    })
}

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

/// A deadline of 9,000 s is longer than most outages: a shorter one would lose more runs.
#[test]
fn remedies_about_a_deadline_do_not_contradict_each_other() {
    let mut object = cron_job("* * * * *", "2026-11-26T15:00:00Z");
    object["spec"]["startingDeadlineSeconds"] = json!(9000);
    let seen = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "ops", "name": "seen"},
        "involvedObject": {"kind": "Pod", "namespace": "ops", "name": "other"},
        "type": "Normal", "reason": "Pulled", "firstTimestamp": NOW, "lastTimestamp": NOW,
    });
    let explained = call("explain -o json", &[object, seen]).document()["items"][0].clone();
    let codes = explained["findings"].texts("code");
    assert!(codes.contains(&"starting-deadline-exceeded") && codes.contains(&"too-many-missed"));
    let remedies = explained["findings"].items().iter();
    let remedies = remedies.filter_map(|found| found["remedy"]["text"].as_str());
    let shorter = remedies.filter(|text| text.contains("\"startingDeadlineSeconds\":60"));
    assert_eq!(shorter.count(), 0);
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

/// `*/4` was edited to `*/10` after the run of 18:36: the runs from 18:28 to 18:36 stay in the history, and 18:30 was
/// not a scheduled time.
#[test]
fn runs_before_an_edit_of_the_schedule_stay_in_the_history() {
    let job = |minute: u64| {
        let at = format!("2026-11-26T18:{minute}:00Z");
        let end = format!("2026-11-26T18:{minute}:20Z");
        let name = format!("one-{}", 29_928_600 + minute);
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "namespace": "ops", "name": name, "uid": name, "creationTimestamp": at,
                "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": at},
                "ownerReferences": [owner_reference("CronJob", "one", "one")],
            },
            "spec": {},
            "status": {
                "startTime": at, "completionTime": end, "succeeded": 1,
                "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": end}],
            },
        })
    };
    let mut edited = cron_job("*/10 * * * *", "2026-11-26T18:36:00Z");
    edited["metadata"]["generation"] = json!(2);
    edited["metadata"]["managedFields"] = json!([{
        "manager": "kubectl-edit", "operation": "Update", "time": "2026-11-26T18:37:10Z",
        "fieldsV1": {"f:spec": {"f:schedule": {}}},
    }]);
    let objects = [edited, job(28), job(32), job(36)];
    let line = "-q -f - --now 2026-11-26T18:39:00Z --kubernetes-version 1.36";
    let history = doctor_with_objects(("history -o json", line), &objects).document();
    let item = &history["items"][0];
    let runs = item["runs"].items().iter();
    let runs = runs.map(|run| {
        (
            run["scheduledTime"].text(),
            run["status"].text(),
            run["result"].clone(),
        )
    });
    let expected = [
        "2026-11-26T18:28:00Z",
        "2026-11-26T18:32:00Z",
        "2026-11-26T18:36:00Z",
    ];
    let expected = expected.map(|at| (at, "onTime", json!("succeeded")));
    assert_eq!(runs.collect::<Vec<_>>(), expected);
    assert_eq!(item["offSchedule"], json!([]));
    let explained = doctor_with_objects(("explain -o json", line), &objects).document();
    let last = &explained["items"][0]["lastRun"];
    assert_eq!(
        [&last["scheduledTime"], &last["state"]],
        ["2026-11-26T18:36:00Z", "succeeded"]
    );
}

/// The name of a Job has the minute of its scheduled time, and `@every` has seconds: a Job that only events mention is
/// the run of the second that `lastScheduleTime` names, and not another one.
#[test]
fn deleted_job_is_the_run_of_the_status_for_a_schedule_with_seconds() {
    let mut object = cron_job("@every 1m30s", "2026-11-26T19:10:44Z");
    object["metadata"]["creationTimestamp"] = json!("2026-11-26T19:07:44Z");
    let event = |name: &str, reason: &str, message: String, at: &str| {
        json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "ops", "name": name},
            "involvedObject": {"kind": "CronJob", "namespace": "ops", "name": "one", "uid": "one"},
            "type": "Normal", "reason": reason, "message": message, "firstTimestamp": at, "lastTimestamp": at,
        })
    };
    let other = json!({
        "apiVersion": "batch/v1", "kind": "Job", "spec": {}, "status": {},
        "metadata": {"namespace": "ops", "name": "other", "uid": "other", "creationTimestamp": NOW},
    });
    let mut objects = vec![object, other];
    for (at, minutes) in [("19:09", 29_928_669), ("19:10", 29_928_670)] {
        let seconds = if at == "19:09" { 14 } else { 44 };
        let (from, to) = (
            format!("2026-11-26T{at}:{seconds}Z"),
            format!("2026-11-26T{at}:{}Z", seconds + 10),
        );
        let created = format!("Created job one-{minutes}");
        let completed = format!("Saw completed job: one-{minutes}, condition: Failed");
        let deleted = format!("Deleted job one-{minutes}");
        objects.push(event(
            &format!("a{minutes}"),
            "SuccessfulCreate",
            created,
            &from,
        ));
        objects.push(event(
            &format!("b{minutes}"),
            "SawCompletedJob",
            completed,
            &to,
        ));
        objects.push(event(
            &format!("c{minutes}"),
            "SuccessfulDelete",
            deleted,
            &to,
        ));
    }
    let explained = call("explain -o json", &objects).document()["items"][0].clone();
    let last = &explained["lastScheduledRun"];
    assert_eq!(last["scheduledTime"], "2026-11-26T19:10:44Z");
    assert_eq!(last["state"], "failed");
    let history = call("history -o json", &objects).document()["items"][0].clone();
    let runs = history["runs"].items().iter().map(|run| {
        let texts = ["scheduledTime", "status", "jobName", "result"];
        texts.map(|field| run[field].as_str().unwrap_or("-").to_owned())
    });
    let expected = [
        ["2026-11-26T19:09:14Z", "onTime", "one-29928669", "failed"],
        ["2026-11-26T19:10:44Z", "onTime", "one-29928670", "failed"],
    ];
    assert_eq!(runs.collect::<Vec<_>>(), expected);
}

/// A Job that was started for 19:10, with one pod.
fn unfinished(ready: i64) -> Value {
    let at = "2026-11-26T19:10:00Z";
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "spec": {},
        "metadata": {
            "namespace": "ops", "name": "one-29928670", "uid": "job", "creationTimestamp": at,
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": at},
            "ownerReferences": [owner_reference("CronJob", "one", "one")],
        },
        "status": {"startTime": at, "active": 1, "ready": ready},
    })
}

/// `scan` reads pods only of a Job with a problem, and the events of all Jobs of its namespace then.
#[test]
fn job_that_has_its_pod_is_not_rejected_if_pods_were_not_read() {
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "ops", "name": "rejected"},
        "involvedObject": {"kind": "Job", "namespace": "ops", "name": "one-29928670", "uid": "job"},
        "type": "Warning", "reason": "FailedCreate", "message": "Error creating: pods is forbidden: exceeded quota: q",
        "count": 1, "firstTimestamp": "2026-11-26T19:10:00Z", "lastTimestamp": "2026-11-26T19:10:00Z",
    });
    let mut object = cron_job("*/10 * * * *", "2026-11-26T19:10:00Z");
    object["status"]["active"] = json!([{"name": "one-29928670", "uid": "job"}]);
    for (active, rejected) in [(1, false), (0, true)] {
        let mut job = unfinished(active);
        job["status"]["active"] = json!(active);
        let row = call("scan -o json", &[object.clone(), job, event.clone()]).document()["items"]
            [0]
        .clone();
        let codes = row["findings"].texts("code");
        assert_eq!(
            codes.contains(&"pod-creation-rejected"),
            rejected,
            "{codes:?}"
        );
    }
}

#[test]
fn job_without_a_ready_pod_is_waiting_in_history_too() {
    let mut object = cron_job("*/10 * * * *", "2026-11-26T19:10:00Z");
    object["status"]["active"] = json!([{"name": "one-29928670", "uid": "job"}]);
    for (ready, state) in [(0, "waiting"), (1, "running")] {
        let objects = [object.clone(), unfinished(ready)];
        for verb in ["explain -o json", "scan -o json"] {
            let item = call(verb, &objects).document()["items"][0].clone();
            assert_eq!(item["lastRun"]["state"], state, "{verb}");
        }
        let history = call("history -o json", &objects).document()["items"][0].clone();
        let run = history["runs"].items().last().unwrap().clone();
        assert_eq!(run["waitingFor"].is_string(), state == "waiting", "{run}");
        assert_eq!(run["status"], state, "{run}");
    }
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

/// Its first pod has failed, and the next one has no node: the Job waits, and has been active since its start.
#[test]
fn job_that_waits_for_another_pod_is_not_running() {
    let mut object = cron_job("* * * * *", "2026-11-26T19:10:00Z");
    object["spec"]["concurrencyPolicy"] = json!("Forbid");
    object["status"]["active"] = json!([{"name": "one-29928670", "uid": "job"}]);
    let mut job = unfinished(0);
    job["status"]["failed"] = json!(1);
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "main"}]},
        "metadata": {
            "namespace": "ops", "name": "one-29928670-x", "uid": "pod", "creationTimestamp": "2026-11-26T19:11:00Z",
            "labels": {"batch.kubernetes.io/job-name": "one-29928670"},
            "ownerReferences": [owner_reference("Job", "one-29928670", "job")],
        },
        "status": {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"},
        ]},
    });
    let item = call("explain -o json", &[object, job, pod]).document()["items"][0].clone();
    assert_eq!(item["lastRun"]["state"], "waiting");
    let verdict = item["verdict"].text();
    assert_contains!(verdict, "one-29928670 has been active for 2m");
}

/// Before Kubernetes 1.28, only the name of a Job contains its scheduled time, to the minute.
#[test]
fn job_without_annotation_is_the_run_of_the_status_for_a_schedule_with_seconds() {
    // The schedule may have been edited since the last run.
    let cases = [
        ("@every 1m30s", "19:10:44"),
        ("@every 30s", "19:10:53"),
        ("* * * * *", "19:10:44"),
    ];
    for (schedule, at) in cases {
        let at = format!("2026-11-26T{at}Z");
        let mut object = cron_job(schedule, &at);
        object["metadata"]["creationTimestamp"] = json!("2026-11-26T19:07:44Z");
        object["status"]["active"] = json!([{"name": "one-29928670", "uid": "job"}]);
        let mut job = unfinished(1);
        job["metadata"]["creationTimestamp"] = json!(at);
        job["metadata"]["annotations"] = json!({});
        let objects = [object, job];
        let line = "-q -f - --now 2026-11-26T19:11:00Z --kubernetes-version 1.25";
        let answer =
            |verb| doctor_with_objects((verb, line), &objects).document()["items"][0].clone();
        for verb in ["explain -o json", "scan -o json"] {
            let last = answer(verb)["lastScheduledRun"].clone();
            assert_eq!(
                [&last["state"], &last["scheduledTime"]],
                [&json!("running"), &json!(at)],
                "{verb}"
            );
        }
        let history = answer("history -o json");
        let runs = ["runs", "offSchedule"]
            .iter()
            .flat_map(|field| history[field].items());
        let mut runs = runs.filter(|run| run["jobName"] == "one-29928670");
        let run = runs.next().unwrap();
        assert_eq!(
            [&run["scheduledTime"], &run["result"]],
            [&json!(at), &json!("running")]
        );
    }
}
