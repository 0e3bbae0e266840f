//! What happened to the last run: each state, derived manually from objects as a cluster has them.

use crate::support::files::{text, yaml};
use crate::support::prelude::*;

pub(crate) const NOW: &str = "--now=2026-11-22T23:00:00Z";
const CREATED: &str = "2026-11-01T12:00:00Z";
/// The run of 22:04 on November 22.
pub(crate) const JOB: &str = "report-29923084";
pub(crate) const SCHEDULED: &str = "2026-11-22T22:04:00Z";
pub(crate) const YESTERDAY: &str = "2026-11-21T22:04:30Z";

/// The CronJob `report`, which is due at 22:04, with fields of its Job template and of its status.
pub(crate) fn cron_job(template: &Value, status: &Value) -> Value {
    let mut job_spec = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "report:1"}]}}});
    merge(&mut job_spec, template);
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"namespace": "ops", "name": "report", "uid": "u", "generation": 1, "creationTimestamp": CREATED},
        "spec": {"schedule": "4 22 * * *", "jobTemplate": {"spec": job_spec}},
        "status": status,
    })
}

pub(crate) fn merge(object: &mut Value, fields: &Value) {
    for (name, value) in fields.as_object().unwrap() {
        match &mut object[name] {
            known @ Value::Object(_) if value.is_object() => merge(known, value),
            known => *known = value.clone(),
        }
    }
}

pub(crate) fn job(name: &str, created: &str, spec: &Value, status: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "namespace": "ops", "name": name, "uid": name, "creationTimestamp": created,
            "ownerReferences": [owner_reference("CronJob", "report", "u")],
        },
        "spec": spec,
        "status": status,
    })
}

pub(crate) fn finished(name: &str, created: &str, condition: &str, at: &str) -> Value {
    let mut status = json!({
        "startTime": created,
        "conditions": [{"type": condition, "status": "True", "lastTransitionTime": at}],
    });
    if condition == "Complete" {
        merge(&mut status, &json!({"completionTime": at, "succeeded": 1}));
    }
    job(name, created, &json!({}), &status)
}

fn manual(mut job: Value) -> Value {
    job["metadata"]["annotations"] = json!({"cronjob.kubernetes.io/instantiate": "manual"});
    job
}

/// The unfinished Job of 22:04, with fields of its spec and the number of its pods.
pub(crate) fn unfinished(spec: &Value, pods: u64) -> Value {
    let status = json!({"active": pods, "ready": 0, "startTime": SCHEDULED});
    job(JOB, SCHEDULED, spec, &status)
}

pub(crate) fn pod(status: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "ops", "name": format!("{JOB}-x"), "creationTimestamp": "2026-11-22T22:04:01Z",
            "ownerReferences": [owner_reference("Job", JOB, JOB)],
        },
        "spec": {"containers": [{"name": "main"}], "initContainers": [{"name": "wait"}]},
        "status": status,
    })
}

/// A Job of another CronJob, which shows that Jobs were read.
pub(crate) fn other_job() -> Value {
    let mut job = finished("other-1", CREATED, "Complete", "2026-11-22T22:50:00Z");
    job["metadata"]["ownerReferences"] = json!([owner_reference("CronJob", "other", "other")]);
    job
}

fn call(verb: &str, objects: &[Value]) -> Ran {
    doctor_with_objects((verb, ["-f", "-", NOW]), objects)
}

fn explained(objects: &[Value]) -> Value {
    call("explain -o json", objects).json()["items"][0].take()
}

pub(crate) fn active() -> Value {
    json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": YESTERDAY,
           "active": [{"namespace": "ops", "name": JOB, "uid": JOB}]})
}

pub(crate) fn ended() -> Value {
    succeeded_at(YESTERDAY)
}

/// The status after the run of 22:04 was started, with the time of the last success.
fn succeeded_at(time: &str) -> Value {
    json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": time})
}

/// State, since when, and reason.
type Expected<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn check(name: &str, objects: &[Value], expected: Expected<'_>) -> Value {
    let item = explained(objects);
    let last = &item["lastRun"];
    let [since, reason] = ["since", "reason"].map(|field| last[field].as_str());
    assert_eq!((last["state"].text(), since, reason), expected, "{name}");
    assert_eq!(last["jobName"].as_str(), Some(JOB), "{name}");
    assert_eq!(last["scheduledTime"].as_str(), Some(SCHEDULED), "{name}");
    assert_eq!(last["manual"], false, "{name}");
    item
}

fn codes(item: &Value) -> Vec<&str> {
    item["findings"].texts("code")
}

fn finding<'i>(item: &'i Value, code: &str) -> Option<&'i Value> {
    let mut findings = item["findings"].items().iter();
    findings.find(|one| one["code"] == code)
}

#[test]
fn finished_job_has_its_result_duration_and_cause() {
    let end = "2026-11-22T22:04:27Z";
    let success = finished(JOB, SCHEDULED, "Complete", end);
    let objects = [cron_job(&json!({}), &succeeded_at(end)), success];
    let item = check("succeeded", &objects, ("succeeded", Some(end), None));
    assert_eq!(item["lastRun"]["durationSeconds"], 27);
    assert_eq!(item["lastSuccess"]["jobName"], JOB);
    assert_eq!(item["lastSuccess"]["finishedAt"], end);
    assert_eq!(item["runsSinceSuccess"], 0);

    let failed = finished(JOB, SCHEDULED, "Failed", end);
    let exit = json!({"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": {
        "exitCode": 1, "reason": "Error", "startedAt": SCHEDULED, "finishedAt": end}}}]});
    let objects = [cron_job(&json!({}), &ended()), failed, pod(&exit)];
    let expected = ("failed", Some(end), Some("exit code 1"));
    let item = check("failed", &objects, expected);
    assert_eq!(item["lastSuccess"]["finishedAt"], YESTERDAY);
    assert_eq!(item["lastSuccess"]["jobName"], Value::Null);
    assert_eq!(item["runsSinceSuccess"], 1);
    assert!(codes(&item).contains(&"last-run-failed"), "{item}");
}

/// Kubernetes 1.38 can add the name of the rule to the reason of the condition, or its index. The name of the reason
/// stays what it is if nothing follows.
#[test]
fn rule_of_a_pod_failure_policy_is_named() {
    let end = "2026-11-22T22:04:27Z";
    let message = "Container main for pod ops/report-29923084-x failed with exit code 42 matching FailJob rule at index 0";
    let exit = json!({"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": {
        "exitCode": 42, "reason": "Error", "startedAt": SCHEDULED, "finishedAt": end}}}]});
    let by = |rule: &str| format!("{message} (podFailurePolicy rule {rule})");
    let cases = [
        ("PodFailurePolicy", message.to_owned(), "exit code 42"),
        ("PodFailurePolicy_", message.to_owned(), "exit code 42"),
        (
            "PodFailurePolicy_0",
            message.to_owned(),
            "exit code 42 (podFailurePolicy rule 0)",
        ),
        (
            "PodFailurePolicy_bad-config",
            by("bad-config"),
            "exit code 42 (podFailurePolicy rule bad-config)",
        ),
    ];
    for (reason, without_pods, with_pods) in cases {
        let mut failed = finished(JOB, SCHEDULED, "Failed", end);
        let conditions = &mut failed["status"]["conditions"][0];
        merge(conditions, &json!({"reason": reason, "message": message}));
        let mut objects = vec![cron_job(&json!({}), &ended()), failed];
        let expected = ("failed", Some(end), Some(&*without_pods));
        let item = check(reason, &objects, expected);
        let found = finding(&item, "last-run-failed").unwrap();
        let detail = format!(": {reason}: {message}");
        assert_contains!(found["detail"].text(), &detail);
        objects.push(pod(&exit));
        check(reason, &objects, ("failed", Some(end), Some(with_pods)));
    }
}

/// All have been waiting for 56 minutes: that is a finding already, and not only when the next run is blocked.
#[test]
fn job_without_a_started_container_waits_for_something() {
    for case in yaml(&text("tests/last_run.yaml")) {
        let reason = case["reason"].text();
        let mut job = job(JOB, SCHEDULED, &case["job"]["spec"], &case["job"]["status"]);
        job["metadata"]["labels"] = case["job"]["labels"].clone();
        let mut objects = vec![cron_job(&case["template"], &active()), job];
        let mut since = SCHEDULED;
        if case["pod"].is_object() {
            objects.push(pod(&case["pod"]));
            since = "2026-11-22T22:04:01Z";
        }
        let item = check(reason, &objects, ("waiting", Some(since), Some(reason)));
        let found = finding(&item, case["code"].text());
        let found = found.unwrap_or_else(|| panic!("{reason}: {:?}", codes(&item)));
        assert_starts!(found["remedy"]["text"].text(), "kubectl ");
        // The run may still succeed, but nothing shows how long runs take.
        assert_eq!(item["lastSuccess"]["finishedAt"], YESTERDAY, "{reason}");
    }
}

#[test]
fn job_with_a_started_container_runs() {
    let running = json!({"phase": "Running", "containerStatuses": [
        {"name": "main", "ready": true, "state": {"running": {"startedAt": SCHEDULED}}}]});
    let status = json!({"active": 1, "ready": 1, "startTime": SCHEDULED});
    let job = job(JOB, SCHEDULED, &json!({}), &status);
    let objects = [cron_job(&json!({}), &active()), job, pod(&running)];
    check("running", &objects, ("running", Some(SCHEDULED), None));
}

#[test]
fn deleted_job_did_not_succeed_unless_a_success_may_be_its_own() {
    let none = json!({});
    let gone = |template: &Value, status: &Value| [cron_job(template, status), other_job()];
    let unsuccessful = ("deletedWithoutSuccess", None, None);
    let item = check("an older success", &gone(&none, &ended()), unsuccessful);
    assert_eq!(item["runsSinceSuccess"], 1);
    assert_eq!(codes(&item), ["last-run-without-success"]);
    // It is known that it did not succeed, no matter how long the run usually takes, or when the files end.
    let mut ends_then = gone(&none, &ended());
    ends_then[1] = finished("other-1", CREATED, "Complete", CREATED);
    ends_then[1]["metadata"]["ownerReferences"] = json!([]);
    let item = check("files end with the start", &ends_then, unsuccessful);
    assert_eq!(item["runsSinceSuccess"], 1);
    merge(
        &mut ends_then[0]["status"],
        &json!({"lastSuccessfulTime": "2026-11-19T22:04:30Z"}),
    );
    let item = check("two earlier runs", &ends_then, unsuccessful);
    assert_eq!(item["runsSinceSuccess"], 3);
    let status = json!({"lastScheduleTime": SCHEDULED});
    let item = check("no success", &gone(&none, &status), unsuccessful);
    assert_eq!(item["lastSuccess"], Value::Null);

    let status = succeeded_at("2026-11-22T22:04:30Z");
    let reason = "success recorded at Sun 2026-11-22 22:04:30 UTC";
    let deleted = ("deleted", None, Some(reason));
    let item = check("a success afterwards", &gone(&none, &status), deleted);
    assert_eq!(item["runsSinceSuccess"], 0);
    assert_eq!(item["lastSuccess"]["finishedAt"], "2026-11-22T22:04:30Z");
    // The Job may be deleted before the controller has seen its success.
    let ttl = json!({"ttlSecondsAfterFinished": 5});
    let deleted = ("deleted", None, None);
    check("deleted soon", &gone(&ttl, &ended()), deleted);
    // The controller deletes it first, and records the success in the same sync.
    let without_history = |status: &Value| {
        let mut objects = gone(&none, status).to_vec();
        objects[0]["spec"]["successfulJobsHistoryLimit"] = json!(0);
        objects
    };
    let item = check("no history", &without_history(&ended()), unsuccessful);
    assert_eq!(item["runsSinceSuccess"], 1);
    // A conflict can prevent that write. Then the next sync finds the Job missing.
    check("still active", &without_history(&active()), deleted);
    let mut objects = without_history(&ended());
    let message = format!("Active job went missing: {JOB}");
    objects.push(event("MissingJob", &message, "2026-11-22T22:05:00Z", 1));
    check("noticed to be missing", &objects, deleted);
}

/// The next start neither makes the problem go away nor makes it worse: its own run may still succeed.
#[test]
fn last_run_without_success_stays_a_warning_when_the_next_one_starts() {
    let health = |now: &str, objects: &[Value]| {
        let ran = doctor_with_objects(("scan -o json", ["-f", "-", now]), objects);
        let row = ran.json()["items"][0].take();
        (row["health"].text().to_owned(), codes(&row).join(" "))
    };
    let before = health(NOW, &[cron_job(&json!({}), &ended()), other_job()]);
    let without = "last-run-without-success".to_owned();
    assert_eq!(before, ("warning".to_owned(), without));
    let next = "report-29924524";
    let starts = "2026-11-23T22:04:00Z";
    let status = json!({"lastScheduleTime": starts, "lastSuccessfulTime": YESTERDAY,
                        "active": [{"namespace": "ops", "name": next, "uid": next}]});
    let under_way = json!({"active": 1, "ready": 1, "startTime": starts});
    let running = job(next, starts, &json!({}), &under_way);
    let objects = [cron_job(&json!({}), &status), running, other_job()];
    let (after, _) = health("--now=2026-11-23T22:04:30Z", &objects);
    assert_eq!(after, "warning");
}

/// `*/3`, limits of zero, created at 20:30: each run fails, and the controller deletes its Job.
fn without_history(runs_now: bool) -> Vec<Value> {
    let [at, job] = ["2026-11-22T22:57:00Z", "report-29923137"];
    let status = json!({"lastScheduleTime": at});
    let mut objects = vec![cron_job(&json!({}), &status), other_job()];
    objects[0]["metadata"]["creationTimestamp"] = json!("2026-11-22T20:30:00Z");
    merge(
        &mut objects[0]["spec"],
        &json!({"schedule": "*/3 * * * *", "successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0}),
    );
    if runs_now {
        objects[0]["status"]["active"] = json!([{"namespace": "ops", "name": job, "uid": job}]);
        let status = json!({"active": 1, "ready": 1, "startTime": at});
        objects.push(self::job(job, at, &json!({}), &status));
    } else {
        let created = format!("Created job {job}");
        objects.push(event("SuccessfulCreate", &created, at, 1));
        let deleted = format!("Deleted job {job}");
        objects.push(event(
            "SuccessfulDelete",
            &deleted,
            "2026-11-22T22:57:20Z",
            1,
        ));
    }
    objects
}

#[test]
fn failed_run_without_history_is_unsuccessful_in_every_command() {
    let objects = without_history(false);
    let item = explained(&objects);
    assert_eq!(item["lastRun"]["state"], "deletedWithoutSuccess");
    // From 20:33 to 22:57; the run of 23:00 may still succeed.
    assert_eq!(item["runsSinceSuccess"], 49);
    let found = finding(&item, "never-succeeded").unwrap();
    assert_contains!(found["detail"].text(), "No success in 49 runs");
    assert_contains!(found["remedy"].to_string(), "cronjob-doctor history");
    let table = call("history --since=5m", &objects).fine();
    assert_contains!(table, "no success");
}

#[test]
fn never_succeeded_stays_while_the_next_run_is_running() {
    let found = |runs_now| {
        let item = explained(&without_history(runs_now));
        (
            codes(&item).contains(&"never-succeeded"),
            item["runsSinceSuccess"].clone(),
        )
    };
    assert_eq!(found(false), (true, json!(49)));
    assert_eq!(found(true), (true, json!(48)));
}

#[test]
fn job_that_was_not_read_is_unknown() {
    let status = json!({"lastScheduleTime": SCHEDULED});
    let expected = ("unknown", None, Some("Jobs were not read"));
    check("unknown", &[cron_job(&json!({}), &status)], expected);
}

#[test]
fn re_created_cron_job_says_when_the_one_before_it_ran() {
    let mut created = cron_job(&json!({}), &json!({}));
    created["metadata"]["creationTimestamp"] = json!("2026-11-22T22:14:52Z");
    let (name, namespace) = (
        &created["metadata"]["name"],
        &created["metadata"]["namespace"],
    );
    let event = |uid: &str, at: &str| {
        json!({"apiVersion": "v1", "kind": "Event", "reason": "SuccessfulCreate", "type": "Normal",
            "metadata": {"name": format!("{uid}-{at}"), "namespace": namespace}, "message": "Created job",
            "involvedObject": {"kind": "CronJob", "name": name, "namespace": namespace, "uid": uid},
            "lastTimestamp": at})
    };
    let earlier = ["2026-11-22T22:02:00Z", "2026-11-22T22:12:00Z"].map(|at| event("earlier", at));
    let text = call(
        "explain",
        &[vec![created.clone(), other_job()], earlier.to_vec()].concat(),
    );
    assert_contains!(
        words(&text.fine()),
        "none yet (created 22:14:52 an earlier CronJob with this name last started a Job at 22:12)"
    );
    let text = call("explain", &[created, other_job()]).fine();
    assert_contains!(text, "Last run: none yet (created 22:14:52).");
}

#[test]
fn cron_job_without_a_run_says_when_it_was_created() {
    let mut created = cron_job(&json!({}), &json!({}));
    created["metadata"]["creationTimestamp"] = json!("2026-11-22T22:04:27Z");
    let objects = [created.clone(), other_job()];
    assert_eq!(explained(&objects)["lastRun"], Value::Null);
    insta::assert_snapshot!(call("explain", &objects).fine());
}

#[test]
fn cron_job_created_hours_ago_shows_its_creation_time() {
    let mut created = cron_job(&json!({}), &json!({}));
    created["metadata"]["creationTimestamp"] = json!("2026-11-22T12:04:00Z");
    created["spec"]["schedule"] = json!("4 2 * * *");
    let text = call("explain", &[created, other_job()]).fine();
    assert_contains!(text, "Last run: none yet (created 12:04).\n");
}

#[test]
fn manual_run_counts_if_it_is_newer_and_its_success_ends_a_failure() {
    let of = |condition, end: &str| {
        let job = finished("report-test", "2026-11-22T22:30:00Z", condition, end);
        manual(job)
    };
    let succeeded = finished(JOB, SCHEDULED, "Complete", "2026-11-22T22:04:27Z");
    let status = succeeded_at("2026-11-22T22:04:27Z");
    let test = of("Failed", "2026-11-22T22:31:00Z");
    let item = explained(&[cron_job(&json!({}), &status), succeeded, test]);
    let last = ["state", "manual", "scheduledTime"].map(|field| item["lastRun"][field].clone());
    assert_eq!(last, [json!("failed"), json!(true), Value::Null]);
    let codes_of = |item: &Value, code: &str| codes(item).contains(&code);
    assert!(codes_of(&item, "manual-run-failed") && !codes_of(&item, "last-run-failed"));
    // A failed manual Job is not a run that was due.
    assert_eq!(item["runsSinceSuccess"], 0);

    let failed = finished(JOB, SCHEDULED, "Failed", "2026-11-22T22:04:27Z");
    let status = succeeded_at("2026-11-22T22:36:00Z");
    let test = of("Complete", "2026-11-22T22:36:00Z");
    let item = explained(&[cron_job(&json!({}), &status), failed, test]);
    assert_eq!(item["lastRun"]["state"], "succeeded");
    assert!(!codes_of(&item, "last-run-failed") && !codes_of(&item, "manual-run-failed"));
}

/// The manual Job is `lastRun`; everywhere else it is shown below the scheduled run.
#[test]
fn manual_job_is_below_the_last_run_of_the_schedule() {
    let mut blocked = cron_job(&json!({}), &active());
    blocked["spec"]["concurrencyPolicy"] = json!("Forbid");
    blocked["spec"]["schedule"] = json!("*/4 * * * *");
    let created = "2026-11-22T22:40:00Z";
    let pending = json!({"active": 1, "ready": 0, "startTime": created});
    let manual_job = manual(job("report-by-hand", created, &json!({}), &pending));
    let objects = [blocked, unfinished(&json!({}), 1), manual_job];
    let item = explained(&objects);
    assert_eq!(item["lastRun"]["jobName"], "report-by-hand");
    assert_eq!(item["lastScheduledRun"]["jobName"], JOB);
    assert_eq!(codes(&item)[0], "blocked-by-running-job");
    let page = call("explain", &objects).fine();
    let [run, other] = ["Last run: ", "Manual run: "].map(|label| page.find(label).unwrap());
    assert!(run < other, "{page}");
    let row = call("scan -o json", &objects).json()["items"][0].take();
    assert_eq!(row["lastScheduledRun"]["jobName"], JOB);
    assert_eq!(codes(&row)[0], "blocked-by-running-job");
    // Without a run of the schedule there is no result.
    let new = cron_job(&json!({}), &json!({}));
    let test = finished("report-test", created, "Complete", "2026-11-22T22:41:00Z");
    let table = call("scan -o wide", &[new, manual(test)]).fine();
    assert_lacks!(table, "succeeded");
}

/// A failure is still reported after its Job was deleted.
#[test]
fn failure_that_only_events_report_is_an_error() {
    let end = "2026-11-22T22:04:27Z";
    let saw = format!("Saw completed job: {JOB}, condition: Failed");
    let events = [
        event(
            "SuccessfulCreate",
            &format!("Created job {JOB}"),
            SCHEDULED,
            1,
        ),
        event("SawCompletedJob", &saw, end, 1),
    ];
    let of = |condition: &str, status: &Value| {
        let mut objects = vec![cron_job(&json!({}), status), other_job()];
        objects.extend(events.clone());
        let saw = saw.replace("Failed", condition);
        objects[3]["message"] = json!(saw);
        let row = call("scan -o json --problems-only", &objects).json();
        let rows = row["items"].items().iter();
        rows.flat_map(|row| codes(row))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("Failed", &ended()), ["last-run-failed"]);
    assert_eq!(of("Complete", &ended()).len(), 0);
    // A later success ends it.
    assert_eq!(of("Failed", &succeeded_at("2026-11-22T22:30:00Z")).len(), 0);
    // While the next run is under way, the failure is still the last result.
    let next = "report-29923085";
    let start = "2026-11-22T22:05:00Z";
    let status = json!({"lastScheduleTime": start, "lastSuccessfulTime": YESTERDAY,
                        "active": [{"namespace": "ops", "name": next, "uid": next}]});
    let mut cron_job = cron_job(&json!({}), &status);
    cron_job["spec"]["schedule"] = json!("4,5 22 * * *");
    let running = json!({"active": 1, "ready": 1, "startTime": start});
    let mut objects = vec![cron_job, job(next, start, &json!({}), &running)];
    objects.extend(events);
    let item = explained(&objects);
    assert_eq!(item["lastRun"]["state"], "running");
    assert!(codes(&item).contains(&"last-run-failed"), "{item}");
    // Unless another run has ended since then.
    let between = "2026-11-22T22:04:40Z";
    objects.push(finished("report-a", SCHEDULED, "Complete", between));
    assert!(!codes(&explained(&objects)).contains(&"last-run-failed"));
}

/// Runs stop being due when the deletion of the CronJob is requested.
#[test]
fn no_run_is_due_while_a_finalizer_holds_the_deletion() {
    let status = json!({"lastScheduleTime": "2026-11-19T22:04:00Z", "lastSuccessfulTime": "2026-11-19T22:04:30Z"});
    let mut deleted = cron_job(&json!({}), &status);
    let item = explained(&[deleted.clone(), other_job()]);
    assert_eq!(item["runsSinceSuccess"], 3);
    deleted["metadata"]["deletionTimestamp"] = json!("2026-11-20T12:00:00Z");
    let item = explained(&[deleted, other_job()]);
    assert_eq!(item["runsSinceSuccess"], 0);
    assert_eq!(codes(&item), ["deletion-stuck"]);
}

#[test]
fn suspension_that_misses_runs_is_a_warning_unless_its_end_is_planned() {
    let of = |last: &str, annotations: Value| {
        let mut suspended = cron_job(
            &json!({}),
            &json!({"lastScheduleTime": last, "lastSuccessfulTime": last}),
        );
        suspended["spec"]["suspend"] = json!(true);
        suspended["spec"]["startingDeadlineSeconds"] = json!(600);
        suspended["metadata"]["annotations"] = annotations;
        let document = call("scan -o json --problems-only", &[suspended, other_job()]).json();
        let rows = document["items"].items().iter();
        rows.flat_map(|row| codes(row))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let yesterday = "2026-11-21T22:04:00Z";
    assert_eq!(of(yesterday, json!({})), ["suspended"]);
    let until = |time: &str| json!({"cronjob-doctor/suspended-until": time});
    assert_eq!(of(yesterday, until("2026-11-23T06:00:00Z")).len(), 0);
    // No run is missed yet.
    assert_eq!(of(SCHEDULED, json!({})).len(), 0);
    let past = of(yesterday, until("2026-11-22T06:00:00Z"));
    assert_eq!(past, ["suspended-past-until"]);
    assert_eq!(of("2026-11-12T22:04:00Z", json!({})), ["suspended-long"]);
}

/// The clock in Berlin was set forward on March 28, 2027, at 02:00, and is set back on October 31, at 03:00.
#[test]
fn clock_change_finding_reports_a_recent_change() {
    let explain = |now: &str, created: &str| {
        let mut cron_job = cron_job(&json!({}), &json!({}));
        cron_job["spec"]["schedule"] = json!("30 2 * * *");
        cron_job["spec"]["timeZone"] = json!("Europe/Berlin");
        cron_job["metadata"]["creationTimestamp"] = json!(created);
        let call = format!("explain -f - --now={now} -o json");
        doctor_with_stdin(call, &cron_job.to_string()).json()["items"][0].take()
    };
    let detail = |item: &Value, code: &str| {
        finding(item, code).map(|finding| finding["detail"].text().to_owned())
    };
    let skips = "clock-change-skips-run";
    let past =
        "There was no run at 02:30 on 2027-03-28: the clock in Europe/Berlin was set forward.";
    let created = "2027-01-01T00:00:00Z";
    let skipped = |now| detail(&explain(now, created), skips);
    let before = skipped("2027-03-28T00:30:00Z").unwrap();
    assert_contains!(before, "changes on 2027-03-28");
    for now in ["2027-03-28T03:00:00Z", "2027-03-29T23:59:59Z"] {
        assert_eq!(skipped(now).as_deref(), Some(past), "{now}");
    }
    assert_eq!(skipped("2027-03-30T01:30:00Z"), None);
    // Created after the change.
    let later = explain("2027-03-28T12:00:00Z", "2027-03-28T02:00:00Z");
    assert_eq!(detail(&later, skips), None);

    let repeats = "clock-change-repeats-run";
    let after = explain("2027-10-31T05:00:00Z", created);
    let past =
        "There were two runs at 02:30 on 2027-10-31: the clock in Europe/Berlin was set back.";
    assert_eq!(detail(&after, repeats).as_deref(), Some(past));
    // Between the two runs.
    let between = explain("2027-10-31T00:45:00Z", created);
    let notes = &between["nextRuns"][0];
    assert_eq!(notes["scheduledTime"], "2027-10-31T01:30:00Z");
    assert_contains!(notes["notes"].to_string(), "second of two runs");
}

/// Chatham sets its clock back at 03:45 on April 5, 2026. The cron library then returns 02:53, and 03:53 has no run.
#[test]
fn clock_that_was_set_back_is_not_said_to_be_set_forward() {
    let last = json!({"lastScheduleTime": "2026-04-03T14:08:00Z"});
    let mut cron_job = cron_job(&json!({}), &last);
    cron_job["spec"]["schedule"] = json!("53 3 * * *");
    cron_job["spec"]["timeZone"] = json!("Pacific/Chatham");
    cron_job["metadata"]["creationTimestamp"] = json!("2026-03-01T00:00:00Z");
    let call = "explain -f - --now=2026-04-05T16:00:00Z -o json";
    let item = doctor_with_stdin(call, &cron_job.to_string()).json()["items"][0].take();
    let lost = finding(&item, "clock-change-skips-run").unwrap();
    let expected =
        "There was no run at 03:53 on 2026-04-05: the clock in Pacific/Chatham was set back.";
    assert_eq!(lost["detail"], expected);
}

/// The status of the CronJob was not updated after its Job was created. Since 1.37 the next sync takes the Job as the
/// run; before, the name is taken.
#[test]
fn job_that_is_adopted_is_not_in_the_way() {
    let cron_job = cron_job(
        &json!({}),
        &json!({"lastScheduleTime": "2026-11-21T22:04:00Z"}),
    );
    let objects = [cron_job, unfinished(&json!({}), 1)];
    let verdict = |release: &str| {
        let call = format!(
            "explain -f - --now=2026-11-22T22:09:05Z -o json --kubernetes-version={release}"
        );
        let item = doctor_with_objects(call, &objects).json()["items"][0].take();
        let missed = item["missed"]["causes"].to_string();
        let verdict = item["verdict"].text().to_owned();
        (
            verdict.contains(JOB),
            verdict.contains("in the way"),
            missed.contains("nameTaken"),
        )
    };
    assert_eq!(verdict("1.36"), (true, true, true));
    assert_eq!(verdict("1.37"), (true, false, false));
}

/// A suspension that has a reason needs none.
#[test]
fn reason_is_asked_for_only_where_there_is_none() {
    let asked = |annotations: Value| {
        let mut cron_job = cron_job(&json!({}), &json!({"lastScheduleTime": YESTERDAY}));
        cron_job["spec"]["suspend"] = json!(true);
        cron_job["metadata"]["annotations"] = annotations;
        let call = format!("explain -f - {NOW} -o json");
        let item = doctor_with_stdin(call, &cron_job.to_string()).json()["items"][0].take();
        let findings = item["findings"].to_string();
        assert_contains!(findings, "cronjob-doctor resume");
        findings.contains("or state why it is suspended")
    };
    let since = "2026-11-22T08:00:00Z";
    assert!(asked(json!({})));
    assert!(!asked(json!({
        "cronjob-doctor/suspended-by": "ann",
        "cronjob-doctor/suspended-at": since,
        "cronjob-doctor/suspend-reason": "migration",
    })));
}

fn event(reason: &str, message: &str, at: &str, count: u64) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "ops", "name": format!("{reason}.{at}")},
        "involvedObject": {"apiVersion": "batch/v1", "kind": "CronJob", "namespace": "ops", "name": "report", "uid": "u"},
        "reason": reason, "message": message, "count": count, "firstTimestamp": at, "lastTimestamp": at,
    })
}

/// Cause and reason of each past run since a time.
fn history(objects: &[Value], since: &str) -> Vec<(String, String, String)> {
    let document = call(&format!("history -o json --since={since}"), objects).document();
    let runs = document["items"][0]["runs"].items().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let fields = ["scheduledTime", "cause", "reason"];
    runs.map(|run| fields.map(|field| text(&run[field])).into())
        .collect()
}

/// The Job of 22:50 was deleted just before 22:56, while it ran: the runs that were due until then were blocked by it.
#[test]
fn history_reports_runs_as_blocked_until_the_job_was_deleted() {
    let status = json!({"lastScheduleTime": "2026-11-22T22:56:00Z"});
    let mut forbids = cron_job(&json!({}), &status);
    forbids["spec"]["schedule"] = json!("*/2 * * * *");
    forbids["spec"]["concurrencyPolicy"] = json!("Forbid");
    let (start, end) = ("2026-11-22T22:50:00Z", "2026-11-22T22:56:20Z");
    let missing = "Active job went missing: report-29923130";
    let objects = [
        forbids,
        finished("report-29923136", "2026-11-22T22:56:00Z", "Complete", end),
        event("SuccessfulCreate", "Created job report-29923130", start, 1),
        event("MissingJob", missing, "2026-11-22T22:55:55Z", 1),
    ];
    let runs = history(&objects, "2026-11-22T22:49:00Z");
    for (minute, cause) in [(50, "jobMissing"), (52, "forbid"), (54, "forbid")] {
        let time = format!("2026-11-22T22:{minute}:00Z");
        let run = runs.iter().find(|run| run.0 == time).unwrap();
        assert_eq!(run.1, cause, "{runs:?}");
    }
}

/// What an event records about a run is certain, even if the schedule was a different one then.
#[test]
fn history_uses_events_from_before_a_spec_change() {
    let mut forbids = cron_job(&json!({}), &ended());
    forbids["metadata"]["generation"] = json!(2);
    forbids["metadata"]["managedFields"] = json!([{"manager": "kubectl-client-side-apply", "operation": "Update",
        "time": "2026-11-22T22:30:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:schedule": {}}}}]);
    let message =
        "Not starting job because prior execution is running and concurrency policy is Forbid";
    let before = event("JobAlreadyActive", message, "2026-11-21T22:04:00Z", 1);
    let objects = [forbids, other_job(), before];
    let runs = history(&objects, "2026-11-20T23:00:00Z");
    assert_eq!(runs[0].0, "2026-11-21T22:04:00Z");
    assert_eq!(runs[0].1, "forbid", "{runs:?}");
}

#[test]
fn history_says_that_a_deleted_job_did_not_succeed() {
    let name = format!("Created job {JOB}");
    let created = event("SuccessfulCreate", &name, SCHEDULED, 1);
    let objects = [cron_job(&json!({}), &ended()), other_job(), created];
    let runs = history(&objects, "2026-11-22T22:00:00Z");
    assert_starts!(runs[0].2, "did not succeed; ");
    // Without the event, the status shows that it was started.
    let runs = history(&objects[..2], "2026-11-22T22:00:00Z");
    assert_contains!(runs[0].2, "did not succeed");
}

#[test]
fn history_reports_same_name_for_a_run_in_the_same_minute() {
    let status = json!({"lastScheduleTime": "2026-11-22T22:59:12Z"});
    let mut every = cron_job(&json!({}), &status);
    every["spec"]["schedule"] = json!("@every 30s");
    every["spec"]["successfulJobsHistoryLimit"] = json!(100);
    every["metadata"]["creationTimestamp"] = json!("2026-11-22T22:50:12Z");
    let minutes = 51..60;
    let jobs = minutes.map(|minute| {
        let name = format!("report-{}", 29_923_080 + minute);
        let at = |second: u64| format!("2026-11-22T22:{minute}:{second}Z");
        let mut job = finished(&name, &at(12), "Complete", &at(20));
        let annotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
        job["metadata"]["annotations"][annotation] = json!(at(12));
        job
    });
    let objects: Vec<Value> = std::iter::once(every).chain(jobs).collect();
    let runs = history(&objects, "2026-11-22T22:55:00Z");
    let run = runs.iter().find(|run| run.0 == "2026-11-22T22:55:42Z");
    assert_eq!(run.map(|run| run.1.as_str()), Some("sameName"), "{runs:?}");
}

/// One event counts 40 deletions, and two more deletions have events of their own.
#[test]
fn replaced_runs_are_all_counted_and_an_error_if_none_finishes() {
    let last = "2026-11-22T22:59:00Z";
    let status = json!({"lastScheduleTime": last, "lastSuccessfulTime": "2026-11-22T21:00:20Z"});
    let mut replaces = cron_job(&json!({}), &status);
    replaces["spec"]["schedule"] = json!("* * * * *");
    replaces["spec"]["concurrencyPolicy"] = json!("Replace");
    let deleted = |minute: u64, count| {
        let name = format!("Deleted job report-{}", 29_923_080 + minute - 1);
        let message = match count {
            1 => name,
            _ => format!("(combined from similar events): {name}"),
        };
        let at = format!("2026-11-22T22:{minute}:01Z");
        event("SuccessfulDelete", &message, &at, count)
    };
    let status = json!({"active": 1, "ready": 1, "startTime": last});
    let running = job("report-29923139", last, &json!({}), &status);
    let deletions = [(17, 1), (18, 1), (58, 40)].map(|(minute, count)| deleted(minute, count));
    let item = explained(&[&[replaces, running], &deletions[..]].concat());
    let found = finding(&item, "runs-longer-than-period").unwrap();
    assert_eq!(found["severity"], "error", "{found}");
    assert_starts!(found["detail"].text(), "42 runs were deleted");
}

/// The health script of Argo CD 3.2 as a table: it depends on suspension, active Jobs, last schedule and last success.
#[test]
fn argo_cd_health_is_shown_if_it_differs_from_the_last_run() {
    let shown = |suspend: bool, status: &Value, annotation: &str| {
        let mut managed = cron_job(&json!({}), status);
        managed["spec"]["suspend"] = json!(suspend);
        let tracked = "argocd.argoproj.io/tracking-id";
        managed["metadata"]["annotations"] = json!({tracked: "shop:batch/CronJob:ops/report"});
        if !annotation.is_empty() {
            managed["metadata"]["annotations"][annotation] = json!("true");
        }
        let text = call("explain -o wide", &[managed, other_job()]).fine();
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("  Argo CD     "));
        line.map(|line| line.split([' ', ',']).next().unwrap().to_owned())
    };
    let ignored = "argocd.argoproj.io/ignore-healthcheck";
    let scheduled = json!({"lastScheduleTime": SCHEDULED});
    let met = succeeded_at("2026-11-22T22:04:30Z");
    let cases = [
        (false, ended(), "", Some("Degraded")),
        (false, ended(), ignored, None),
        (false, active(), "", None),
        (false, met, "", None),
        (false, scheduled, "", Some("Healthy")),
        (false, json!({}), "", None),
        (true, ended(), "", None),
    ];
    for (suspend, status, annotation, expected) in cases {
        let found = shown(suspend, &status, annotation);
        let case = format!("{suspend} {status} {annotation}");
        assert_eq!(found.as_deref(), expected, "{case}");
    }
}

#[test]
fn page_of_a_healthy_nightly_cron_job_is_short() {
    let end = "2026-11-22T22:04:27Z";
    let cron_job = cron_job(&json!({}), &succeeded_at(end));
    let healthy = [cron_job, finished(JOB, SCHEDULED, "Complete", end)];
    let page = call("explain", &healthy).fine();
    assert!(page.lines().count() <= 6, "{page}");
}

/// The Job of 22:00 is stuck, and 11 later runs were blocked by it until 22:55. It may still succeed itself.
#[test]
fn runs_that_a_stuck_job_blocks_did_not_succeed() {
    let name = "report-29923080";
    let created = "2026-11-22T22:00:00Z";
    let status = json!({"lastScheduleTime": created, "lastSuccessfulTime": "2026-11-22T21:55:20Z",
                        "active": [{"namespace": "ops", "name": name, "uid": name}]});
    let mut forbids = cron_job(&json!({}), &status);
    forbids["spec"]["schedule"] = json!("*/5 * * * *");
    forbids["spec"]["concurrencyPolicy"] = json!("Forbid");
    let status = json!({"active": 1, "ready": 1, "startTime": created});
    let stuck = job(name, created, &json!({}), &status);
    let item = explained(&[forbids, stuck, other_job()]);
    assert_eq!(item["lastRun"]["state"], "running");
    // The runs from 22:05 to 22:45: the last evidence is from 22:50, and a run may start a minute late.
    assert_eq!(item["runsSinceSuccess"], 9);
}
