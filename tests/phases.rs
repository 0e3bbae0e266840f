//! The phases of a run, derived manually from objects as a cluster has them.

use crate::last_run::{JOB, NOW, SCHEDULED, YESTERDAY, cron_job, finished, pod};
use crate::support::prelude::*;

const STARTED: &str = "2026-11-22T22:07:03Z";
const ENDED: &str = "2026-11-22T22:09:03Z";
const COMPLETE: &str = "2026-11-22T22:09:34Z";

/// The run of 22:04: its pod was created a second later, had a node at 22:04:13, ran from 22:07:03 to 22:09:03, and
/// the Job was complete at 22:09:34.
fn objects() -> Vec<Value> {
    let status = json!({"lastScheduleTime": SCHEDULED, "lastSuccessfulTime": COMPLETE});
    vec![
        cron_job(&json!({}), &status),
        finished(JOB, SCHEDULED, "Complete", COMPLETE),
        pod(&json!({
            "phase": "Succeeded",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-22T22:04:13Z"},
            ],
            "containerStatuses": [{"name": "main", "restartCount": 0, "state": ended(STARTED, ENDED)}],
        })),
        pull("Pulling", "2026-11-22T22:04:14Z"),
        pull("Pulled", "2026-11-22T22:07:02Z"),
    ]
}

fn ended(from: &str, to: &str) -> Value {
    json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": from, "finishedAt": to}})
}

fn pull(reason: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "ops", "name": format!("{reason}-{at}")},
        "involvedObject": {"kind": "Pod", "namespace": "ops", "name": format!("{JOB}-x")},
        "reason": reason,
        "type": "Normal",
        "message": "image",
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    })
}

fn call(verb: &str, objects: &[Value]) -> Ran {
    doctor_with_objects((verb, ["-f", "-", NOW]), objects)
}

/// The seconds queued, waiting, for a node, for an image, in init containers, running and ending, which are the same in
/// `history` and `explain`.
fn phases(objects: &[Value]) -> Value {
    let explained = call("explain -o json", objects).json()["items"][0]["lastRun"]["phases"].take();
    let mut history = call("history -o json", objects).json();
    let runs = history["items"][0]["runs"].as_array_mut().unwrap();
    let last = runs.pop().unwrap()["phases"].take();
    assert_eq!(explained, last);
    let names = "queued waiting node image init running ending";
    let names = names.split(' ').map(|name| format!("{name}Seconds"));
    match &last {
        Value::Null => Value::Null,
        phases => names.map(|name| phases[name].clone()).collect(),
    }
}

#[test]
fn time_of_a_run_is_split_by_its_pod_and_the_pull_of_its_image() {
    let mut objects = objects();
    assert_eq!(phases(&objects), json!([0, 183, 12, 168, null, 120, 31]));
    // The image was on the node already; then, without any event about it, its time is unknown.
    objects.remove(3);
    assert_eq!(phases(&objects), json!([0, 183, 12, 0, null, 120, 31]));
    objects.remove(3);
    assert_eq!(phases(&objects), json!([0, 183, 12, null, null, 120, 31]));
    objects.remove(2);
    assert_eq!(phases(&objects), Value::Null);
}

#[test]
fn texts_name_what_a_run_waited_for() {
    let objects = objects();
    let expected = "waited 3m3s (node 12s, image 2m48s), ran 2m, ended 31s later";
    let unwrapped = |ran: Ran| {
        let words = ran.fine();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_contains!(unwrapped(call("explain -o wide", &objects)), expected);
    assert_contains!(unwrapped(call("history -o wide", &objects)), expected);
}

#[test]
fn job_that_was_suspended_first_was_queued() {
    let mut objects = objects();
    objects[1]["status"]["startTime"] = json!("2026-11-22T22:04:01Z");
    assert_eq!(phases(&objects)[0], 1);
    assert_eq!(phases(&objects)[1], 182);
}

/// The first pod fails after 10 seconds, the second one succeeds.
#[test]
fn retries_count_from_the_first_start_to_the_last_end() {
    let mut objects = objects();
    let mut first = objects[2].clone();
    first["metadata"]["name"] = json!(format!("{JOB}-a"));
    let failed = json!({"exitCode": 1, "startedAt": "2026-11-22T22:04:20Z", "finishedAt": "2026-11-22T22:04:30Z"});
    first["status"]["phase"] = json!("Failed");
    first["status"]["containerStatuses"] =
        json!([{"name": "main", "restartCount": 0, "state": {"terminated": failed}}]);
    objects[1]["status"]["failed"] = json!(1);
    // The pod that failed is missing.
    assert_eq!(
        phases(&objects),
        json!([0, null, null, null, null, null, null])
    );
    objects.push(first);
    assert_eq!(phases(&objects), json!([0, 20, 12, null, null, 283, 31]));
}

/// Of a Job whose pod waits for a `ConfigMap`, nothing took any time yet.
#[test]
fn job_without_a_known_phase_has_no_line_of_its_last_run() {
    let mut objects = objects();
    objects[1] = running();
    objects[2]["status"] = json!({"phase": "Pending", "containerStatuses": [{
        "name": "main", "restartCount": 0, "state": {"waiting": {"reason": "CreateContainerConfigError"}},
    }]});
    let text = call("explain -o wide", &objects).stdout;
    let is_empty = |line: &&str| line.trim() == "Last run";
    assert_eq!(text.lines().find(is_empty), None, "{text}");
}

#[test]
fn start_before_a_restart_is_known_only_while_the_status_shows_it() {
    let restarted = |count: u64, now: &Value, last: &str| {
        let mut objects = objects();
        objects[1] = running();
        objects[2]["status"]["phase"] = json!("Running");
        objects[2]["status"]["containerStatuses"] = json!([{
            "name": "main", "restartCount": count, "state": now, "lastState": ended(last, "2026-11-22T22:08:00Z"),
        }]);
        phases(&objects)[1].clone()
    };
    let running = json!({"running": {"startedAt": "2026-11-22T22:08:10Z"}});
    assert_eq!(restarted(1, &running, STARTED), 183);
    assert_eq!(restarted(2, &running, STARTED), Value::Null);
    let waiting = json!({"waiting": {"reason": "CrashLoopBackOff"}});
    assert_eq!(restarted(0, &waiting, STARTED), 183);
    assert_eq!(restarted(1, &waiting, STARTED), Value::Null);
}

fn running() -> Value {
    crate::last_run::unfinished(&json!({}), 1)
}

/// An init container ran from 22:04:20 to 22:06:00.
#[test]
fn init_containers_are_part_of_the_waiting() {
    let mut objects = objects();
    let init = ended("2026-11-22T22:04:20Z", "2026-11-22T22:06:00Z");
    objects[2]["status"]["initContainerStatuses"] =
        json!([{"name": "wait", "restartCount": 0, "state": init}]);
    assert_eq!(phases(&objects), json!([0, 183, 12, null, 100, 120, 31]));
}

#[test]
fn run_that_is_not_over_shows_what_it_waited_for() {
    let mut objects = objects();
    objects[0]["status"]["lastSuccessfulTime"] = json!(YESTERDAY);
    objects[0]["status"]["active"] = json!([{"namespace": "ops", "name": JOB, "uid": JOB}]);
    objects[1] = running();
    objects[2]["status"]["phase"] = json!("Running");
    objects[2]["status"]["containerStatuses"] =
        json!([{"name": "main", "restartCount": 0, "state": {"running": {"startedAt": STARTED}}}]);
    assert_eq!(phases(&objects), json!([0, 183, 12, 168, null, null, null]));
}
