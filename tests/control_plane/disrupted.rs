//! Pods that something else stops, Jobs that wait in a queue, and Jobs that a tool created without a
//! controller.

use serde_json::{Value, json};

use crate::control_plane::stage::{Stage, job_name, owner, reference};
use crate::support::control_plane::{ControlPlane, assets, batch, eventually};

/// A Job of the last scheduled time, as the controller creates it, and its pod.
fn running(stage: &Stage<'_>, name: &str) -> (String, String) {
    let spec = json!({
        "schedule": stage.clock.hourly(5),
        "jobTemplate": {"spec": {"backoffLimit": 0, "template": template()}},
    });
    let cron_job = stage.create(name, &spec);
    let scheduled = stage.clock.minutes_ago(5);
    let job = job_name(name, scheduled);
    let object = json!({
        "metadata": {"name": job, "ownerReferences": [owner(&cron_job)]},
        "spec": cron_job["spec"]["jobTemplate"]["spec"],
    });
    let created = stage.api.create(&batch(&stage.namespace, "jobs"), &object);
    let status = json!({"lastScheduleTime": scheduled, "active": [reference(&created)]});
    stage.set_status(name, &status);
    let pod = eventually("the pod of the Job", || {
        let pods = stage.api.get(&pods(stage));
        let names = pods["items"].as_array().unwrap().iter();
        let mut names = names.map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned());
        names.find(|pod| pod.starts_with(&job))
    });
    (job, pod)
}

fn template() -> Value {
    json!({"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "registry.invalid/main"}],
    }})
}

fn pods(stage: &Stage<'_>) -> String {
    format!("/api/v1/namespaces/{}/pods", stage.namespace)
}

fn path(stage: &Stage<'_>, pod: &str) -> String {
    format!("{}/{pod}", pods(stage))
}

/// Puts a pod on a node, where it runs.
fn start(stage: &Stage<'_>, pod: &str, node: &str) {
    let binding = json!({
        "metadata": {"name": pod},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    stage
        .api
        .create(&format!("{}/binding", path(stage, pod)), &binding);
    let state = json!({"running": {"startedAt": stage.clock.minutes_ago(0)}});
    set_state(stage, pod, "Running", &state);
}

/// What the kubelet writes: the phase, and the state of the container.
fn set_state(stage: &Stage<'_>, pod: &str, phase: &str, state: &Value) {
    let container = json!({
        "name": "main", "image": "main", "imageID": "", "ready": false, "restartCount": 0,
        "state": state,
    });
    let status = json!({"status": {"phase": phase, "containerStatuses": [container]}});
    stage
        .api
        .patch(&format!("{}/status", path(stage, pod)), &status);
}

/// The kubelet ends a pod that is being deleted, and then removes it.
fn end(stage: &Stage<'_>, pod: &str) {
    let object = stage.api.get(&path(stage, pod));
    let at = object["metadata"]["deletionTimestamp"].clone();
    let ended = json!({"terminated": {"exitCode": 143, "reason": "Error", "finishedAt": at}});
    set_state(stage, pod, "Failed", &ended);
    stage
        .api
        .delete(&format!("{}?gracePeriodSeconds=0", path(stage, pod)));
}

fn evict(stage: &Stage<'_>, pod: &str) {
    let eviction = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod, "namespace": stage.namespace},
    });
    stage
        .api
        .create(&format!("{}/eviction", path(stage, pod)), &eviction);
}

fn has_failed(stage: &Stage<'_>, name: &str) -> Option<()> {
    let jobs = stage.jobs();
    let job = jobs.iter().find(|job| job["metadata"]["name"] == name)?;
    let conditions = job["status"]["conditions"].as_array()?.iter();
    let mut conditions = conditions.map(|condition| condition["type"].as_str().unwrap());
    conditions
        .any(|condition| condition == "Failed")
        .then_some(())
}

fn finding<'e>(explanation: &'e Value, code: &str) -> Option<&'e Value> {
    let findings = explanation["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["code"] == code)
}

/// The patches of a remedy, sent as kubectl would send them.
fn apply_patches(stage: &Stage<'_>, name: &str, remedy: &str) -> Value {
    for part in remedy.split(" -p '").skip(1) {
        let patch: Value = serde_json::from_str(part.split('\'').next().unwrap()).unwrap();
        stage.edit(name, &patch);
    }
    stage.cron_job(name)["spec"]["jobTemplate"]["spec"].clone()
}

#[test]
fn evicted_and_deleted_pods_are_named_as_such() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    // The node controller adds an index that the other one uses.
    let more = ["taint-eviction-controller", "node-lifecycle-controller"];
    plane.start_controllers_and("UTC", &more);
    let stage = Stage::new(&plane, "disrupted");
    for node in ["node-1", "node-2"] {
        stage
            .api
            .create("/api/v1/nodes", &json!({"metadata": {"name": node}}));
    }

    // Evicted while it runs: the API server sets the condition.
    let (evicted_job, evicted) = running(&stage, "evicted");
    start(&stage, &evicted, "node-1");
    evict(&stage, &evicted);
    let explained = stage.explain("evicted", &[]);
    let state = &explained["pods"][0];
    assert_eq!(state["disruption"], "EvictionByEvictionAPI", "{state:#}");
    assert!(
        has_failed(&stage, &evicted_job).is_none(),
        "the pod still terminates"
    );
    assert!(finding(&explained, "last-run-failed").is_none());
    end(&stage, &evicted);
    eventually("the Job fails", || has_failed(&stage, &evicted_job));

    // Evicted before it has a node: it is gone at once.
    let (waiting_job, waiting) = running(&stage, "waiting");
    evict(&stage, &waiting);
    eventually("the Job fails", || has_failed(&stage, &waiting_job));
    let list = stage.api.get(&pods(&stage));
    let left = list["items"].as_array().unwrap().iter();
    let mut left = left.filter(|pod| {
        [evicted.as_str(), &waiting].contains(&pod["metadata"]["name"].as_str().unwrap())
    });
    assert!(left.next().is_none(), "neither pod is left");

    // Deleted because of a taint: an event says so.
    let (tainted_job, tainted) = running(&stage, "tainted");
    start(&stage, &tainted, "node-2");
    let taint = json!({"key": "maintenance", "effect": "NoExecute"});
    stage.api.patch(
        "/api/v1/nodes/node-2",
        &json!({"spec": {"taints": [taint]}}),
    );
    let disruption = eventually("the pod is deleted", || {
        let pod = stage.api.get(&path(&stage, &tainted));
        let is_deleted = !pod["metadata"]["deletionTimestamp"].is_null();
        is_deleted.then(|| stage.explain("tainted", &[])["pods"][0]["disruption"].clone())
    });
    assert_eq!(disruption, "DeletionByTaintManager");
    end(&stage, &tainted);
    eventually("the Job fails", || has_failed(&stage, &tainted_job));
    let detail = eventually("the event", || {
        let explained = stage.explain("tainted", &[]);
        let found = finding(&explained, "last-run-failed")?;
        let detail = found["detail"].as_str().unwrap().to_owned();
        detail.contains("NoExecute taint").then_some(detail)
    });
    assert!(
        detail.contains(&format!("Its pod {tainted} was deleted at ")),
        "{detail}"
    );

    // Stopped by the kubelet: the pod stays.
    let (stopped_job, stopped) = running(&stage, "stopped");
    start(&stage, &stopped, "node-1");
    let message = "The node was low on resource: memory. ";
    let status = json!({"status": {
        "phase": "Failed",
        "reason": "Evicted",
        "message": message,
        "conditions": [{
            "type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
            "message": message, "lastTransitionTime": stage.clock.minutes_ago(0),
        }],
    }});
    stage
        .api
        .patch(&format!("{}/status", path(&stage, &stopped)), &status);
    eventually("the Job fails", || has_failed(&stage, &stopped_job));
    let explained = stage.explain("stopped", &[]);
    let found = finding(&explained, "last-run-failed").unwrap();
    let detail = found["detail"].as_str().unwrap();
    assert!(
        detail.contains(&format!("Its pod {stopped} was evicted by the kubelet at ")),
        "{detail}"
    );
    // The API server accepts what the remedy says, and then there is nothing left to say.
    let spec = apply_patches(&stage, "stopped", found["remedy"]["text"].as_str().unwrap());
    let rule = &spec["podFailurePolicy"]["rules"][0];
    assert_eq!(rule["action"], "Ignore", "{rule:#}");
    assert_eq!(
        rule["onPodConditions"][0]["type"], "DisruptionTarget",
        "{rule:#}"
    );
    let explained = stage.explain("stopped", &[]);
    let found = finding(&explained, "last-run-failed").unwrap();
    assert!(
        !found["remedy"]["text"]
            .as_str()
            .unwrap()
            .contains("podFailurePolicy"),
        "{found:#}"
    );
}

/// The policy is read from the protobuf list, and each rule is sent back.
#[test]
fn remedy_keeps_the_rules_of_a_pod_failure_policy() {
    let Some(plane) = crate::control_plane::shared_plane() else {
        return;
    };
    let stage = Stage::new(plane, "disrupted-rules");
    let rules = json!([
        {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [3, 143]}},
        {"action": "Count", "onPodConditions": [{"type": "ConfigIssue", "status": "True"}]},
    ]);
    let spec = json!({
        "schedule": stage.clock.hourly(5),
        "jobTemplate": {"spec": {
            "backoffLimit": 0,
            "podFailurePolicy": {"rules": rules},
            "template": template(),
        }},
    });
    let cron_job = stage.create("rules", &spec);
    let job = job_name("rules", stage.clock.minutes_ago(5));
    let object = json!({
        "metadata": {"name": job, "ownerReferences": [owner(&cron_job)]},
        "spec": {"backoffLimit": 0, "template": template()},
    });
    stage.api.create(&batch(&stage.namespace, "jobs"), &object);
    let pod = eventually("the pod of the Job", || {
        let pods = stage.api.get(&pods(&stage));
        let pod = pods["items"].as_array().unwrap().first()?.clone();
        Some(pod["metadata"]["name"].as_str().unwrap().to_owned())
    });
    let status = json!({"status": {"phase": "Failed", "conditions": [{
        "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
        "lastTransitionTime": stage.clock.minutes_ago(0),
    }]}});
    stage
        .api
        .patch(&format!("{}/status", path(&stage, &pod)), &status);
    eventually("the Job fails", || has_failed(&stage, &job));
    let explained = stage.explain("rules", &[]);
    let found = finding(&explained, "last-run-failed").unwrap();
    let spec = apply_patches(&stage, "rules", found["remedy"]["text"].as_str().unwrap());
    let after = spec["podFailurePolicy"]["rules"].as_array().unwrap();
    assert_eq!(after.len(), 3, "{after:#?}");
    assert_eq!(after[1..], rules.as_array().unwrap()[..]);
}

/// As Argo CD creates it: named by date and time, with an owner that is not its controller.
#[test]
fn job_of_another_tool_runs_beside_the_schedule() {
    let Some(plane) = crate::control_plane::shared_plane() else {
        return;
    };
    let stage = Stage::new(plane, "unowned");
    let spec = json!({
        "schedule": "* * * * *",
        "concurrencyPolicy": "Forbid",
        "successfulJobsHistoryLimit": 1,
        "suspend": true,
    });
    let cron_job = stage.create("report", &spec);
    let mut owner = owner(&cron_job);
    owner.as_object_mut().unwrap().remove("controller");
    for name in [
        "report-202603101425",
        "report-202603101426",
        "report-202603101427",
    ] {
        stage.create_job(name, Some(&owner));
    }
    for name in ["report-202603101425", "report-202603101426"] {
        super::stage::finish(&stage, name, "Complete");
    }
    let explained = stage.explain("report", &[]);
    let found = finding(&explained, "job-not-owned").unwrap();
    let detail = found["detail"].as_str().unwrap();
    assert!(
        detail.starts_with(
            "report-202603101427 has not finished, and concurrencyPolicy: Forbid does not wait for \
             it. 2 finished Jobs are not deleted by the history limits: "
        ),
        "{detail}"
    );
    // The controller does what was said: it starts a run beside it, and deletes none of them.
    stage.edit("report", &json!({"spec": {"suspend": false}}));
    let beside = eventually("a run of the schedule", || {
        let jobs = stage.jobs().into_iter();
        let mut names = jobs.map(|job| job["metadata"]["name"].as_str().unwrap().to_owned());
        names.find(|name| name.len() == "report-29552160".len())
    });
    stage.edit("report", &json!({"spec": {"suspend": true}}));
    let pod = eventually("its pod", || {
        let pods = stage.api.get(&pods(&stage));
        let pods = pods["items"].as_array().unwrap().iter();
        let mut names = pods.map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned());
        names.find(|pod| pod.starts_with(&beside))
    });
    let status = json!({"status": {"phase": "Succeeded"}});
    stage
        .api
        .patch(&format!("{}/status", path(&stage, &pod)), &status);
    eventually("the end is noted", || {
        let status = &stage.cron_job("report")["status"];
        status["active"].is_null().then_some(())
    });
    let left = stage.jobs().len();
    assert_eq!(left, 4, "the run of the schedule, and all three others");
}

/// As Kueue leaves it until it admits it.
#[test]
fn job_in_a_queue_blocks_and_says_that_it_waits() {
    let Some(plane) = crate::control_plane::shared_plane() else {
        return;
    };
    let stage = Stage::new(plane, "queued");
    let spec = json!({
        "schedule": "*/5 * * * *",
        "concurrencyPolicy": "Forbid",
        "jobTemplate": {
            "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "batch"}},
            "spec": {"suspend": true, "template": template()},
        },
    });
    let cron_job = stage.create("train", &spec);
    let job = job_name("train", stage.clock.minutes_ago(7));
    let object = json!({
        "metadata": {
            "name": job,
            "labels": {"kueue.x-k8s.io/queue-name": "batch"},
            "ownerReferences": [owner(&cron_job)],
        },
        "spec": {"suspend": true, "template": template()},
    });
    let created = stage.api.create(&batch(&stage.namespace, "jobs"), &object);
    stage.set_status("train", &json!({"active": [reference(&created)]}));
    let suspended = eventually("the Job controller says that it is suspended", || {
        let conditions = stage.jobs()[0]["status"]["conditions"].clone();
        let first = conditions.as_array()?.first()?.clone();
        (first["type"] == "Suspended").then(|| first["lastTransitionTime"].clone())
    });
    let suspended: jiff::Timestamp = suspended.as_str().unwrap().parse().unwrap();
    // Ten minutes later, the next run waits for it.
    let later = suspended + jiff::SignedDuration::from_mins(10);
    let explained = stage.explain("train", &["--now", &later.to_string()]);
    let found = finding(&explained, "blocked-by-running-job").unwrap();
    let detail = found["detail"].as_str().unwrap();
    let said =
        format!("{job} has been waiting for admission by Kueue in queue batch for 10m (since ");
    assert!(detail.starts_with(&said), "{detail}");
    assert!(finding(&explained, "job-template-suspended").is_none());
    let remedy = found["remedy"]["text"].as_str().unwrap();
    assert!(
        remedy.starts_with("kubectl get workloads -n queued "),
        "{remedy}"
    );
    assert!(
        remedy.contains("kubectl describe localqueue batch -n queued"),
        "{remedy}"
    );
}
