//! The phases of a run, derived manually from objects as a cluster has them.

use serde_json::{Value, json};

use crate::support::json::{Json as _, list};
use crate::support::nightly::{
    JOB, NOW, STARTED, YESTERDAY, container_ended, pulled_run, unfinished,
};
use crate::support::world::{explained, past};

/// The seconds queued, waiting, for a node, for an image, in init containers, running and ending, which are the same in
/// `history` and `explain`.
fn phases(objects: &[Value]) -> Value {
    let manifest = list(objects);
    let explained = explained(&manifest, "1.36", NOW)["lastRun"]["phases"].take();
    let history = past(&manifest, "1.36", NOW);
    let last = history["runs"].items().last().unwrap()["phases"].clone();
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
    let mut objects = pulled_run();
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
fn job_that_was_suspended_first_was_queued() {
    let mut objects = pulled_run();
    objects[1]["status"]["startTime"] = json!("2026-11-22T22:04:01Z");
    assert_eq!(phases(&objects)[0], 1);
    assert_eq!(phases(&objects)[1], 182);
}

/// The first pod fails after 10 seconds, the second one succeeds.
#[test]
fn retries_count_from_the_first_start_to_the_last_end() {
    let mut objects = pulled_run();
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

#[test]
fn start_before_a_restart_is_known_only_while_the_status_shows_it() {
    let restarted = |count: u64, now: &Value, last: &str| {
        let mut objects = pulled_run();
        objects[1] = running();
        objects[2]["status"]["phase"] = json!("Running");
        objects[2]["status"]["containerStatuses"] = json!([{
            "name": "main", "restartCount": count, "state": now, "lastState": container_ended(last, "2026-11-22T22:08:00Z"),
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
    unfinished(&json!({}), 1)
}

/// An init container ran from 22:04:20 to 22:06:00.
#[test]
fn init_containers_are_part_of_the_waiting() {
    let mut objects = pulled_run();
    let init = container_ended("2026-11-22T22:04:20Z", "2026-11-22T22:06:00Z");
    objects[2]["status"]["initContainerStatuses"] =
        json!([{"name": "wait", "restartCount": 0, "state": init}]);
    assert_eq!(phases(&objects), json!([0, 183, 12, null, 100, 120, 31]));
}

#[test]
fn run_that_is_not_over_shows_what_it_waited_for() {
    let mut objects = pulled_run();
    objects[0]["status"]["lastSuccessfulTime"] = json!(YESTERDAY);
    objects[0]["status"]["active"] = json!([{"namespace": "ops", "name": JOB, "uid": JOB}]);
    objects[1] = running();
    objects[2]["status"]["phase"] = json!("Running");
    objects[2]["status"]["containerStatuses"] =
        json!([{"name": "main", "restartCount": 0, "state": {"running": {"startedAt": STARTED}}}]);
    assert_eq!(phases(&objects), json!([0, 183, 12, 168, null, null, null]));
}
