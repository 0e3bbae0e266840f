//! `suspend --wait` beside the real controllers.

use std::thread;

use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, owner};
use crate::support::control_plane::{batch, eventually};

/// A `CronJob` with a run that is due: the controller starts it as soon as it is resumed.
fn overdue(stage: &Stage<'_>, name: &str) {
    let spec = json!({"schedule": stage.clock.hourly(10), "suspend": true});
    stage.create(name, &spec);
    stage.set_last(name, stage.clock.minutes_ago(70));
}

fn resume(stage: &Stage<'_>, name: &str) {
    stage.edit(name, &json!({"spec": {"suspend": false}}));
}

/// Lets all pods succeed, as a kubelet does: there are no nodes here.
fn succeed_pods(stage: &Stage<'_>) {
    let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
    let list = stage.api.get(&pods);
    for pod in list["items"].as_array().unwrap() {
        if pod["status"]["phase"] != "Succeeded" {
            let name = pod["metadata"]["name"].as_str().unwrap();
            let status = json!({"status": {"phase": "Succeeded"}});
            stage.api.patch(&format!("{pods}/{name}/status"), &status);
        }
    }
}

fn has_finished(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Complete")
}

/// Suspended while the controller starts their runs: whatever it started has finished in the end, and nothing
/// starts any more.
#[test]
fn suspend_wait_ends_when_no_job_is_running() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "suspend-wait");
    let names: Vec<String> = (0..10).map(|number| format!("due-{number}")).collect();
    for name in &names {
        overdue(&stage, name);
    }
    let manual = stage.cron_job("due-0");
    stage.api.create(
        &batch(&stage.namespace, "jobs"),
        &json!({
            "metadata": {"name": "manual", "ownerReferences": [owner(&manual)]},
            "spec": manual["spec"]["jobTemplate"]["spec"],
        }),
    );
    for name in &names {
        resume(&stage, name);
    }
    let arguments = ["suspend", "--all", "-yq", "--wait=2m", "-o", "json"];
    let ran = thread::scope(|scope| {
        let call = scope.spawn(|| stage.doctor(&arguments));
        while !call.is_finished() {
            succeed_pods(&stage);
        }
        call.join().unwrap()
    });
    let jobs = stage.jobs();
    assert!(jobs.iter().all(has_finished), "{jobs:#?}");
    let document: Value = serde_json::from_str(&ran.fine()).unwrap();
    for item in document["items"].as_array().unwrap() {
        assert_eq!(item["observed"]["allEnded"], true, "{item:#}");
    }
    // Once the controller has started this one, it has synced the others.
    overdue(&stage, "last");
    resume(&stage, "last");
    eventually("a Job of the last CronJob", || {
        let jobs = stage.jobs();
        let of_last = jobs
            .iter()
            .any(|job| job["metadata"]["ownerReferences"][0]["name"] == "last");
        of_last.then_some(())
    });
    assert_eq!(stage.jobs().len(), jobs.len() + 1);
}

#[test]
fn suspend_wait_that_times_out_names_the_job() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "suspend-wait-long");
    overdue(&stage, "due");
    resume(&stage, "due");
    let job = eventually("the Job", || {
        let name = stage.jobs().first()?["metadata"]["name"].clone();
        Some(name.as_str().unwrap().to_owned())
    });
    let ran = stage.doctor(&["suspend", "due", "-y", "--wait=1s"]);
    assert_eq!(ran.code, 2, "{ran}");
    let error = format!("error: timed out after 1s: 1 Job has not finished: {job}\n");
    assert!(ran.stderr.contains(&error), "{ran}");
    assert_eq!(stage.cron_job("due")["spec"]["suspend"], true);
}
