//! What happened to the last run: each state, derived manually from objects as a cluster has them.

use crate::support::files::{text, yaml};
use crate::support::json::merge;
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
fn page_of_a_healthy_nightly_cron_job_is_short() {
    let end = "2026-11-22T22:04:27Z";
    let cron_job = cron_job(&json!({}), &succeeded_at(end));
    let healthy = [cron_job, finished(JOB, SCHEDULED, "Complete", end)];
    let page = call("explain", &healthy).fine();
    assert!(page.lines().count() <= 6, "{page}");
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
