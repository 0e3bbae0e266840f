//! The state of the last run, read from what a real controller left.

use crate::control_plane::cases::Case;
use crate::control_plane::linting::{BINDINGS, deny};
use crate::control_plane::prelude::*;

/// Creates a `CronJob` whose controller starts the run of ten minutes past the last hour, and returns the name of the
/// Job.
pub(crate) fn start(
    ns: &Namespace<'_>,
    name: &str,
    spec: &Value,
    job: &Value,
    labels: &Value,
) -> String {
    let mut job_spec = job_spec();
    for (field, value) in job.as_object().unwrap() {
        job_spec[field] = value.clone();
    }
    let template = json!({"metadata": {"labels": labels}, "spec": job_spec});
    let mut spec = spec.clone();
    spec["schedule"] = json!(ns.clock.hourly(10));
    spec["suspend"] = json!(true);
    spec["jobTemplate"] = template;
    ns.create(name, &spec);
    ns.set_last(name, ns.clock.hours_and_minutes_ago(1, 10));
    ns.edit(name, &json!({"spec": {"suspend": false}}));
    let started = job_name(name, ns.clock.hours_and_minutes_ago(0, 10));
    wait_until("the run starts", || ns.job_names().contains(&started));
    started
}

/// Waits for a state of the last run.
fn until(ns: &Namespace<'_>, name: &str, state: &str) -> Value {
    eventually(&format!("{name} is {state}"), || {
        let explanation = ns.explain(name, "");
        let is_so = |state| explanation["lastRun"]["state"] == state;
        state.split(" or ").any(is_so).then_some(explanation)
    })
}

#[test]
fn last_run_state_matches_what_the_controller_left() {
    let ns = namespace!("last-run", since 29);
    let none = json!({});
    let reason = |explanation: &Value| explanation["lastRun"]["reason"].clone();

    let job = start(&ns, "succeeds", &none, &none, &none);
    ns.end_pod_of("succeeds", "Succeeded");
    let found = until(&ns, "succeeds", "succeeded");
    assert_eq!(found["lastRun"]["jobName"], json!(job));
    assert_eq!(found["lastSuccess"]["jobName"], json!(job));
    assert_eq!(found["runsSinceSuccess"], 0);

    start(&ns, "fails", &none, &json!({"backoffLimit": 0}), &none);
    ns.end_pod_of("fails", "Failed");
    assert_eq!(reason(&until(&ns, "fails", "failed")), "exit code 1");

    let suspended = json!({"suspend": true});
    let waiting = [
        (
            "suspended",
            suspended.clone(),
            none.clone(),
            "the Job is suspended",
        ),
        (
            "queued",
            suspended,
            json!({"kueue.x-k8s.io/queue-name": "batch"}),
            "not admitted by Kueue (queue batch)",
        ),
        (
            "parallel",
            json!({"parallelism": 0}),
            none.clone(),
            "spec.parallelism of the Job is 0",
        ),
        (
            "managed",
            json!({"managedBy": "example.com/queue"}),
            none.clone(),
            "its pods are left to example.com/queue (spec.managedBy), which has started none",
        ),
    ];
    for (name, job, labels, expected) in waiting {
        if name == "managed" && !ns.plane.is_since(32) {
            continue;
        }
        start(&ns, name, &none, &job, &labels);
        assert_eq!(reason(&until(&ns, name, "waiting")), expected, "{name}");
    }
    let mut gated = job_spec();
    gated["template"]["spec"]["schedulingGates"] = json!([{"name": "example.com/wait"}]);
    start(&ns, "gated", &none, &gated, &none);
    ns.pod_of("gated");
    let found = until(&ns, "gated", "waiting");
    let expected = "the scheduling gate example.com/wait holds its pod";
    assert_eq!(reason(&found), expected);

    let job = start(&ns, "deleted", &none, &none, &none);
    ns.delete_job(&job);
    until(&ns, "deleted", "deletedWithoutSuccess");
    let limits = json!({"successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 0});
    start(
        &ns,
        "forgotten",
        &limits,
        &json!({"backoffLimit": 0}),
        &none,
    );
    ns.end_pod_of("forgotten", "Failed");
    // The controller would have recorded a success while it removed the Job, unless it found it missing afterwards.
    let found = until(&ns, "forgotten", "deletedWithoutSuccess or deleted");
    assert_eq!(found["lastSuccess"], Value::Null);
    start(&ns, "removed", &limits, &none, &none);
    ns.end_pod_of("removed", "Succeeded");
    until(&ns, "removed", "deleted or succeeded");

    start(&ns, "tested", &none, &none, &none);
    ns.end_pod_of("tested", "Succeeded");
    until(&ns, "tested", "succeeded");
    let manual = ["trigger", "tested", "-yq"];
    ns.doctor(manual).fine();
    let found = until(&ns, "tested", "waiting");
    assert_eq!(found["lastRun"]["manual"], true);
    assert_eq!(found["lastRun"]["scheduledTime"], Value::Null);
}

/// The API server rejects the Job until the policy is deleted, and then the remedy starts it.
#[test]
fn run_that_a_policy_rejects_starts_with_the_remedy_after_the_policy_is_deleted() {
    let Some(plane) = shared_plane().filter(|plane| plane.is_since(30)) else {
        return;
    };
    let ns = Namespace::new(plane, "denied");
    let due = |hours_before| ns.clock.hours_and_minutes_ago(hours_before, 10);
    let case = Case::new("late", "start", &ns.clock.hourly(10)).last(due(1));
    case.set(&ns);
    deny(&ns.api, "denied", "jobs", "false", "no Jobs tonight");
    let trial = ["trigger", "late", "--dry-run=server", "-yq"];
    wait_until("the policy is in effect", || ns.doctor(trial).code != 0);
    let mut events = ns.api.events("denied");
    case.pull(&ns);
    events.up_to("FailedCreate", "late");
    let found = eventually("the finding", || {
        finding(&ns.explain("late", ""), "job-creation-fails").cloned()
    });
    let detail = found["detail"].text();
    assert!(detail.contains("no Jobs tonight"), "{detail}");
    assert_eq!(ns.jobs().len(), 0);
    let touch = eventually("a back-off that is worth ending", || {
        let explained = ns.explain("late", "");
        let notes = finding(&explained, "job-creation-fails")?["remedy"]["notes"].clone();
        let mut notes = notes.as_array().cloned()?.into_iter();
        notes.find_map(|note| Some(note["command"].as_str()?.to_owned()))
    });
    ns.api.delete(&format!("{BINDINGS}/denied"));
    wait_until("the policy is no longer in effect", || {
        ns.doctor(trial).code == 0
    });
    let words = shlex::split(&touch).unwrap();
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    if ns.kubectl(&words, "").is_none() {
        let touched = json!({"metadata": {"annotations": {"touched": "1"}}});
        ns.edit("late", &touched);
    }
    let started = events.up_to("SuccessfulCreate", "late").pop().unwrap();
    let name = job_name("late", due(0));
    assert_eq!(started["message"], format!("Created job {name}"));
}
