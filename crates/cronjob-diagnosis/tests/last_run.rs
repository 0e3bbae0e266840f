//! What happened to the last run: each state, derived manually from objects as a cluster has them.

use serde_json::{Value, json};

use crate::support::files::yaml;
use crate::support::json::{Json as _, list, merge};
use crate::support::nightly::{
    JOB, NOW, SCHEDULED, YESTERDAY, active, cron_job, ended, finished, job, pod, unfinished,
};
use crate::support::world;

fn explained(objects: &[Value]) -> Value {
    world::explained(&list(objects), "1.36", NOW)
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
    for case in yaml(include_str!("last_run.yaml")) {
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

/// Chatham sets its clock back at 03:45 on April 5, 2026. The cron library then returns 02:53, and 03:53 has no run.
#[test]
fn clock_that_was_set_back_is_not_said_to_be_set_forward() {
    let last = json!({"lastScheduleTime": "2026-04-03T14:08:00Z"});
    let mut cron_job = cron_job(&json!({}), &last);
    cron_job["spec"]["schedule"] = json!("53 3 * * *");
    cron_job["spec"]["timeZone"] = json!("Pacific/Chatham");
    cron_job["metadata"]["creationTimestamp"] = json!("2026-03-01T00:00:00Z");
    let item = world::explained(&cron_job.to_string(), "1.36", "2026-04-05T16:00:00Z");
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
        let item = world::explained(&list(&objects), release, "2026-11-22T22:09:05Z");
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
        let item = explained(&[cron_job]);
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
