//! `backfill`: its Jobs beside those of the real controller, and what that makes of them.

use std::thread;

use serde_json::{Value, json};

use crate::control_plane::resuming::{jobs_of, suspended};
use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, job_name};
use crate::support::control_plane::{Look, batch, eventually};

/// What the controller is told when it asks for the Job that is in its way without a namespace.
const NO_NAMESPACE: &str = "the server could not find the requested resource";

/// Backfills, and lets the pods of so many Jobs succeed: there are no nodes here.
fn backfill(stage: &Stage<'_>, name: &str, arguments: &[&str], jobs: usize) -> String {
    let arguments = [&["backfill", name, "-yq"], arguments].concat();
    thread::scope(|scope| {
        let call = scope.spawn(|| stage.doctor(&arguments).fine());
        let mut ended: Vec<String> = Vec::new();
        while ended.len() < jobs {
            let pod = eventually("the pod of a Job", || {
                let mut pods = pods_of(stage, name).into_iter();
                pods.find(|pod| !ended.contains(pod))
            });
            let path = format!("/api/v1/namespaces/{}/pods/{pod}/status", stage.namespace);
            stage
                .api
                .patch(&path, &json!({"status": {"phase": "Succeeded"}}));
            ended.push(pod);
        }
        call.join().unwrap()
    })
}

/// The pods whose names begin with that of a `CronJob`.
fn pods_of(stage: &Stage<'_>, name: &str) -> Vec<String> {
    let list = stage
        .api
        .get(&format!("/api/v1/namespaces/{}/pods", stage.namespace));
    let pods = list["items"].as_array().unwrap().iter();
    let pods = pods.map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned());
    pods.filter(|pod| pod.starts_with(&format!("{name}-")))
        .collect()
}

fn job(stage: &Stage<'_>, name: &str) -> Value {
    let path = format!("{}/{name}", batch(&stage.namespace, "jobs"));
    stage.api.get(&path)
}

/// A Job without what no two Jobs share.
fn shared_with_others(mut job: Value) -> Value {
    let metadata = job["metadata"].as_object_mut().unwrap();
    for own in [
        "name",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "managedFields",
        "generation",
    ] {
        metadata.remove(own);
    }
    // What backfill makes is marked, and nothing else.
    if let Some(annotations) = job["metadata"]["annotations"].as_object_mut() {
        annotations.remove("cronjob-doctor/backfilled");
    }
    let owner = job["metadata"]["ownerReferences"][0]
        .as_object_mut()
        .unwrap();
    for own in ["name", "uid", "blockOwnerDeletion"] {
        owner.remove(own);
    }
    let spec = job["spec"].as_object_mut().unwrap();
    spec.remove("selector");
    spec["template"]["metadata"].take();
    job.as_object_mut().unwrap().remove("status");
    job
}

/// The slots of three, two and one hours ago and ten minutes.
#[test]
fn three_slots_run_once_each_as_the_jobs_that_the_controller_makes() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "backfilled");
    let spec = json!({
        "timeZone": "Europe/Berlin",
        "jobTemplate": {
            "metadata": {"labels": {"app": "x"}, "annotations": {"team": "data"}},
            "spec": {"backoffLimit": 2, "template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox"}],
            }}},
        },
    });
    let slot = |hours| stage.clock.hours_and_minutes_ago(hours, 10);
    suspended(&stage, "ours", &spec);
    let created = backfill(&stage, "ours", &["--since", "4h"], 3);
    let names = [2, 1, 0].map(|hours| job_name("ours", slot(hours)));
    let lines = names
        .each_ref()
        .map(|name| format!("job.batch/{name} created\n"));
    assert_eq!(created, lines.concat());
    assert_eq!(jobs_of(&stage, "ours"), names);
    // Again there is nothing to run.
    let again = stage.doctor(&["backfill", "ours", "--since", "4h", "-yq"]);
    assert_eq!((again.stdout.as_str(), again.code), ("", 0));
    assert_eq!(jobs_of(&stage, "ours"), names);

    // The controller's own for the same slot.
    suspended(&stage, "theirs", &spec);
    stage.edit("theirs", &json!({"spec": {"suspend": false}}));
    let theirs = job_name("theirs", slot(0));
    eventually("the controller's Job", || {
        (jobs_of(&stage, "theirs") == [theirs.clone()]).then_some(())
    });
    assert_eq!(
        shared_with_others(job(&stage, &names[2])),
        shared_with_others(job(&stage, &theirs))
    );
}

/// With the newest slot run by somebody else the controller tries in vain, as is said.
#[test]
fn resumed_after_the_newest_slot_was_run() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "backfilled-newest");
    suspended(&stage, "newest", &json!({}));
    backfill(&stage, "newest", &["--last", "1"], 1);
    let names = [job_name("newest", stage.clock.minutes_ago(10))];
    let log = plane.log();
    stage.edit("newest", &json!({"spec": {"suspend": false}}));
    let failure = eventually("a look that fails", || {
        log.looks(&stage.namespace, "newest").pop()
    });
    assert_eq!(failure, Look::Failed(NO_NAMESPACE.to_owned()));
    assert_eq!(jobs_of(&stage, "newest"), names);
    let before = stage.clock.hours_and_minutes_ago(3, 10);
    assert_eq!(
        stage.cron_job("newest")["status"]["lastScheduleTime"],
        json!(before)
    );

    // Skipped, it goes on with the next slot.
    suspended(&stage, "skipped", &json!({}));
    backfill(&stage, "skipped", &["--last", "1"], 1);
    let log = plane.log();
    stage
        .doctor(&["resume", "skipped", "-yq", "--catch-up=skip"])
        .fine();
    let look = eventually("a look", || log.looks(&stage.namespace, "skipped").pop());
    assert!(matches!(look, Look::Again(_)), "{look:?}");
    assert_eq!(jobs_of(&stage, "skipped").len(), 1);
}

/// What was not run is what the controller makes up for.
#[test]
fn resumed_after_older_slots_were_run() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "backfilled-older");
    suspended(&stage, "older", &json!({}));
    let until = stage.clock.hours_and_minutes_ago(1, 10).to_string();
    backfill(&stage, "older", &["--last", "1", "--until", &until], 1);
    let slot = |hours| stage.clock.hours_and_minutes_ago(hours, 10);
    let ours = job_name("older", slot(1));
    assert_eq!(jobs_of(&stage, "older"), std::slice::from_ref(&ours));
    stage.edit("older", &json!({"spec": {"suspend": false}}));
    let both = [ours, job_name("older", slot(0))];
    eventually("the controller's Job", || {
        (jobs_of(&stage, "older") == both).then_some(())
    });
}

/// The README's "Resume without running missed jobs", and then its "Run missed jobs again".
#[test]
fn runs_that_resume_skipped_can_be_started() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "backfilled-skipped");
    let slot = |hours| stage.clock.hours_and_minutes_ago(hours, 10);
    for method in ["status", "deadline"] {
        stage.create(method, &json!({"schedule": stage.clock.hourly(10)}));
        stage.set_last(method, slot(0));
        stage.doctor(&["suspend", method, "-yq"]).fine();
        stage.set_last(method, slot(3));
        let skip = ["--catch-up=skip", "--skip-method", method];
        let resume = [&["resume", method, "-yq"], &skip[..]].concat();
        stage.doctor(&resume).fine();
        let history = stage.doctor(&["history", method, "--since=2h30m", "-o=json"]);
        let history: Value = serde_json::from_str(&history.fine()).unwrap();
        let runs = history["items"][0]["runs"].as_array().unwrap();
        let last = runs.last().unwrap();
        assert_eq!(
            (&last["status"], &last["cause"]),
            (&json!("skipped"), &json!("skipped"))
        );
        // The earlier ones were before the CronJob was created.
        let created = backfill(&stage, method, &["--last", "1"], 1);
        let name = job_name(method, slot(0));
        assert_eq!(created, format!("job.batch/{name} created\n"));
        assert_eq!(jobs_of(&stage, method), [name]);
    }
}
