//! A Job whose main container has ended beside a sidecar, with the status that a kubelet writes.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::Stage;
use crate::support::control_plane::eventually;

/// A CronJob that forbids overlaps, and whose missed run is started now, with such containers.
fn started(stage: &Stage<'_>, name: &str, pod: &Value) -> Value {
    let mut pod = pod.clone();
    pod["restartPolicy"] = json!("Never");
    let spec = json!({
        "schedule": stage.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "suspend": true,
        "jobTemplate": {"spec": {"template": {"spec": pod}}},
    });
    stage.create(name, &spec);
    stage.set_last(name, stage.clock.hours_and_minutes_ago(1, 10));
    stage.edit(name, &json!({"spec": {"suspend": false}}));
    eventually("the Job has a pod", || {
        let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
        let list = stage.api.get(&pods);
        let mut pods = list["items"].as_array().unwrap().iter();
        let of = |pod: &&Value| {
            let job = pod["metadata"]["ownerReferences"][0]["name"].as_str();
            job.is_some_and(|job| job.starts_with(&format!("{name}-")))
        };
        pods.find(of).cloned()
    })
}

/// Writes the status of a pod: the states of its containers, which is not ready.
fn write_status(stage: &Stage<'_>, pod: &Value, status: &Value) {
    let name = pod["metadata"]["name"].as_str().unwrap();
    let path = format!("/api/v1/namespaces/{}/pods/{name}/status", stage.namespace);
    stage.api.patch(&path, &json!({"status": status}));
}

fn container(name: &str, image: &str, state: &Value) -> Value {
    json!({
        "name": name,
        "image": image,
        "imageID": "",
        "ready": state["running"].is_object(),
        "started": state["running"].is_object(),
        "restartCount": 0,
        "state": state,
    })
}

fn not_ready(since: Timestamp) -> Value {
    let condition = |r#type: &str| {
        json!({
            "type": r#type,
            "status": "False",
            "reason": "ContainersNotReady",
            "lastTransitionTime": since,
        })
    };
    json!([condition("Ready"), condition("ContainersReady")])
}

/// What `explain` and `scan` find about a CronJob, two minutes from now: code and severity.
fn findings(stage: &Stage<'_>, name: &str) -> [Vec<(String, String)>; 2] {
    let now = format!("--now={}", stage.clock.minutes_ago(-2));
    let calls = [&["explain", name][..], &["scan"]];
    calls.map(|call| {
        let ran = stage.doctor(&[call, &["-o", "json", &now]].concat());
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let mut items = document["items"].as_array().unwrap().iter();
        let item = items.find(|item| item["name"] == name).unwrap();
        let found = item["findings"].as_array().unwrap().iter();
        let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
        found
            .map(|finding| (text(finding, "code"), text(finding, "severity")))
            .collect()
    })
}

fn expected(code: &str, severity: &str) -> [Vec<(String, String)>; 2] {
    let found = vec![(code.to_owned(), severity.to_owned())];
    [found.clone(), found]
}

#[test]
fn job_held_by_a_sidecar_is_found() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "held");
    let image = "docker.io/istio/proxyv2:1.26.2";
    let main = json!({"name": "main", "image": "busybox:1"});
    let proxy = json!({"name": "istio-proxy", "image": image});
    let [began, ended] = [4, 3].map(|minutes| stage.clock.minutes_ago(minutes));
    let completed = json!({"terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": ended,
    }});
    let running = json!({"running": {"startedAt": began}});

    let pod = started(&stage, "mesh", &json!({"containers": [main, proxy]}));
    let status = |proxy: &Value, phase: &str| {
        json!({
            "phase": phase,
            "startTime": began,
            "conditions": not_ready(ended),
            "containerStatuses": [
                container("main", "busybox:1", &completed),
                container("istio-proxy", image, proxy),
            ],
        })
    };
    write_status(&stage, &pod, &status(&running, "Running"));
    // The Job controller counts the pod as active, and as not ready.
    let job = pod["metadata"]["ownerReferences"][0]["name"].clone();
    let job = job.as_str().unwrap().to_owned();
    let status_of_job = || {
        let mut jobs = stage.jobs().into_iter();
        jobs.find(|known| known["metadata"]["name"] == *job)
            .unwrap()["status"]
            .clone()
    };
    let counted = eventually("the Job counts its pod", || {
        Some(status_of_job()).filter(|status| status["ready"].is_number())
    });
    assert_eq!(
        (&counted["active"], &counted["ready"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        findings(&stage, "mesh"),
        expected("held-by-sidecar", "error")
    );
    // When the sidecar ends, so does the Job.
    write_status(&stage, &pod, &status(&completed, "Succeeded"));
    eventually("the Job is complete", || {
        Some(()).filter(|()| status_of_job()["succeeded"] == 1)
    });
    assert_eq!(findings(&stage, "mesh"), [vec![], vec![]]);
}

#[test]
fn native_sidecar_holds_no_job() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "native");
    let image = "docker.io/istio/proxyv2:1.27.1";
    let spec = json!({
        "containers": [{"name": "main", "image": "busybox:1"}],
        "initContainers": [{"name": "istio-proxy", "image": image, "restartPolicy": "Always"}],
    });
    let pod = started(&stage, "native", &spec);
    let [began, ended] = [4, 3].map(|minutes| stage.clock.minutes_ago(minutes));
    // The moment in which the kubelet stops the sidecar, much too long.
    let status = json!({
        "phase": "Running",
        "startTime": began,
        "conditions": not_ready(ended),
        "initContainerStatuses": [
            container("istio-proxy", image, &json!({"running": {"startedAt": began}})),
        ],
        "containerStatuses": [container("main", "busybox:1", &json!({"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": ended,
        }}))],
    });
    write_status(&stage, &pod, &status);
    assert_eq!(findings(&stage, "native"), [vec![], vec![]]);
}
