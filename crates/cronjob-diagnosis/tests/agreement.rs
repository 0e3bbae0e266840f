//! The explanation, the row and the history of a CronJob show the same state in the same way.

use serde_json::{Value, json};

use crate::support::json::{Json as _, list, owner_reference};
use crate::support::one::{NOW, cron_job, unfinished};
use crate::support::world;

fn explained(objects: &[Value]) -> Value {
    world::explained(&list(objects), "1.36", NOW)
}

fn row(objects: &[Value]) -> Value {
    world::scanned(&list(objects), "1.36", NOW)["items"][0].take()
}

fn past(objects: &[Value]) -> Value {
    world::past(&list(objects), "1.36", NOW)
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
    let explained = explained(&[object, seen]);
    let codes = explained["findings"].texts("code");
    assert!(codes.contains(&"starting-deadline-exceeded") && codes.contains(&"too-many-missed"));
    let remedies = explained["findings"].items().iter();
    let remedies = remedies.filter_map(|found| found["remedy"]["text"].as_str());
    let shorter = remedies.filter(|text| text.contains("\"startingDeadlineSeconds\":60"));
    assert_eq!(shorter.count(), 0);
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
    let (manifest, now) = (list(&objects), "2026-11-26T18:39:00Z");
    let item = world::past(&manifest, "1.36", now);
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
    let last = world::explained(&manifest, "1.36", now)["lastRun"].take();
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
    let explained = explained(&objects);
    let last = &explained["lastScheduledRun"];
    assert_eq!(last["scheduledTime"], "2026-11-26T19:10:44Z");
    assert_eq!(last["state"], "failed");
    let history = past(&objects);
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
        let row = row(&[object.clone(), job, event.clone()]);
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
        for item in [explained(&objects), row(&objects)] {
            assert_eq!(item["lastRun"]["state"], state);
        }
        let history = past(&objects);
        let run = history["runs"].items().last().unwrap().clone();
        assert_eq!(run["waitingFor"].is_string(), state == "waiting", "{run}");
        assert_eq!(run["status"], state, "{run}");
    }
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
    let item = explained(&[object, job, pod]);
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
        let (manifest, now) = (list(&objects), "2026-11-26T19:11:00Z");
        let row = world::scanned(&manifest, "1.25", now)["items"][0].take();
        for answer in [world::explained(&manifest, "1.25", now), row] {
            let last = &answer["lastScheduledRun"];
            assert_eq!(
                [&last["state"], &last["scheduledTime"]],
                [&json!("running"), &json!(at)]
            );
        }
        let history = world::past(&manifest, "1.25", now);
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
