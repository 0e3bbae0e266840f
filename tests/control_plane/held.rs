//! A Job whose main container has ended while a sidecar still runs, with the status that a kubelet writes.

use crate::control_plane::prelude::*;

/// Creates a CronJob with `concurrencyPolicy: Forbid` and this pod spec, whose missed run is started now, and returns
/// the pod of that run.
fn started(ns: &Namespace<'_>, name: &str, pod: &Value) -> Value {
    let mut pod = pod.clone();
    pod["restartPolicy"] = json!("Never");
    let spec = json!({
        "schedule": ns.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "suspend": true,
        "jobTemplate": {"spec": {"template": {"spec": pod}}},
    });
    ns.create(name, &spec);
    ns.set_last(name, ns.clock.hours_and_minutes_ago(1, 10));
    ns.edit(name, &json!({"spec": {"suspend": false}}));
    ns.api.get(&ns.pod_path(&ns.pod_of(name)))
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
fn findings(ns: &Namespace<'_>, name: &str) -> [Vec<(String, String)>; 2] {
    let now = format!("--now={}", ns.clock.minutes_ago(-2));
    let calls = [&["explain", name][..], &["scan"]];
    calls.map(|call| {
        let ran = ns.doctor([call, &["-o", "json", &now]].concat());
        let document = ran.json();
        let item = document["items"].named(name);
        let found = item["findings"].items().iter();
        let text = |finding: &Value, field: &str| finding[field].text().to_owned();
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
    let ns = namespace!("held", since 25);
    let image = "docker.io/istio/proxyv2:1.26.2";
    let main = json!({"name": "main", "image": "busybox:1"});
    let proxy = json!({"name": "istio-proxy", "image": image});
    let [began, ended] = [4, 3].map(|minutes| ns.clock.minutes_ago(minutes));
    let completed = json!({"terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": ended,
    }});
    let running = json!({"running": {"startedAt": began}});

    let pod = started(&ns, "mesh", &json!({"containers": [main, proxy]}));
    let status = |proxy: &Value, phase: &str| {
        json!({
            "phase": phase,
            "startTime": began,
            "conditions": not_ready(ended),
            "containerStatuses": [
                container_status("main", "busybox:1", &completed),
                container_status("istio-proxy", image, proxy),
            ],
        })
    };
    ns.set_pod_status(&name_of(&pod), &status(&running, "Running"));
    // The Job controller counts the pod as active, and as not ready.
    let job = pod["metadata"]["ownerReferences"][0]["name"].clone();
    let job = job.text().to_owned();
    let status_of_job = || ns.job(&job)["status"].take();
    let counted = eventually("the Job counts its pod", || {
        Some(status_of_job()).filter(|status| status["ready"].is_number())
    });
    assert_eq!(
        (&counted["active"], &counted["ready"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(findings(&ns, "mesh"), expected("held-by-sidecar", "error"));
    // When the sidecar ends, so does the Job.
    ns.set_pod_status(&name_of(&pod), &status(&completed, "Succeeded"));
    eventually("the Job is complete", || {
        Some(()).filter(|()| status_of_job()["succeeded"] == 1)
    });
    assert_eq!(findings(&ns, "mesh"), [vec![], vec![]]);
}

#[test]
fn native_sidecar_holds_no_job() {
    let ns = namespace!("native");
    let image = "docker.io/istio/proxyv2:1.27.1";
    let spec = json!({
        "containers": [{"name": "main", "image": "busybox:1"}],
        "initContainers": [{"name": "istio-proxy", "image": image, "restartPolicy": "Always"}],
    });
    let pod = started(&ns, "native", &spec);
    let [began, ended] = [4, 3].map(|minutes| ns.clock.minutes_ago(minutes));
    // The state while the kubelet stops the sidecar, which here lasts much too long.
    let status = json!({
        "phase": "Running",
        "startTime": began,
        "conditions": not_ready(ended),
        "initContainerStatuses": [
            container_status("istio-proxy", image, &json!({"running": {"startedAt": began}})),
        ],
        "containerStatuses": [container_status("main", "busybox:1", &json!({"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": ended,
        }}))],
    });
    ns.set_pod_status(&name_of(&pod), &status);
    assert_eq!(findings(&ns, "native"), [vec![], vec![]]);
}
