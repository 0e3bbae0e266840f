//! Pods that are disrupted, Jobs that wait in a queue, and Jobs that a tool created without a controller reference.

use crate::control_plane::prelude::*;

/// Creates a CronJob with the Job of its last scheduled time, as the controller creates it. Returns the Job and its
/// pod.
fn running(ns: &Namespace<'_>, name: &str) -> (String, String) {
    let spec = json!({
        "schedule": ns.clock.hourly(5),
        "jobTemplate": {"spec": {"backoffLimit": 0, "template": template()}},
    });
    let cron_job = ns.create(name, &spec);
    let scheduled = ns.clock.minutes_ago(5);
    let job = job_name(name, scheduled);
    let created = ns.create_from_template(&cron_job, &job);
    let status = json!({"lastScheduleTime": scheduled, "active": [reference(&created)]});
    ns.set_status(name, &status);
    let pod = ns.pod_of(&job);
    (job, pod)
}

fn template() -> Value {
    json!({"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "registry.invalid/main"}],
    }})
}

/// Binds a pod to a node, and marks it as running.
fn start(ns: &Namespace<'_>, pod: &str, node: &str) {
    let binding = json!({
        "metadata": {"name": pod},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    let path = format!("{}/binding", ns.pod_path(pod));
    ns.api.create(&path, &binding);
    let state = json!({"running": {"startedAt": ns.clock.minutes_ago(0)}});
    set_state(ns, pod, "Running", &state);
}

/// Writes the phase and the state of the container, as a kubelet does.
fn set_state(ns: &Namespace<'_>, pod: &str, phase: &str, state: &Value) {
    let container = container_status("main", "main", state);
    let status = json!({"phase": phase, "containerStatuses": [container]});
    ns.set_pod_status(pod, &status);
}

/// Ends a pod that is being deleted and then removes it, as a kubelet does.
fn end(ns: &Namespace<'_>, pod: &str) {
    let object = ns.api.get(&ns.pod_path(pod));
    let at = object["metadata"]["deletionTimestamp"].clone();
    let ended = json!({"terminated": {"exitCode": 143, "reason": "Error", "finishedAt": at}});
    set_state(ns, pod, "Failed", &ended);
    let path = format!("{}?gracePeriodSeconds=0", ns.pod_path(pod));
    ns.api.delete(&path);
}

fn evict(ns: &Namespace<'_>, pod: &str) {
    let eviction = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod, "namespace": ns.name},
    });
    let path = format!("{}/eviction", ns.pod_path(pod));
    ns.api.create(&path, &eviction);
}

/// Sends the patches of a remedy as kubectl would send them, and returns the spec of the Job template.
fn apply_patches(ns: &Namespace<'_>, name: &str, remedy: &str) -> Value {
    for part in remedy.split(" -p '").skip(1) {
        let patch: Value = serde_json::from_str(part.split('\'').next().unwrap()).unwrap();
        ns.edit(name, &patch);
    }
    ns.cron_job(name)["spec"]["jobTemplate"]["spec"].clone()
}

#[test]
fn evicted_and_deleted_pods_are_reported_with_the_cause() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    if !plane.is_since(29) {
        return;
    }
    // The node lifecycle controller adds an index that the taint eviction controller uses.
    let more = ["taint-eviction", "node-lifecycle"];
    plane.start_controllers_and("UTC", &more);
    let ns = Namespace::new(&plane, "disrupted");
    for node in ["node-1", "node-2"] {
        let node = json!({"metadata": {"name": node}});
        ns.api.create("/api/v1/nodes", &node);
    }

    // Evicted while it runs: the API server sets the condition.
    let (evicted_job, evicted) = running(&ns, "evicted");
    start(&ns, &evicted, "node-1");
    evict(&ns, &evicted);
    let explained = ns.explain("evicted", "");
    let state = &explained["pods"][0];
    assert_eq!(state["disruption"], "EvictionByEvictionAPI", "{state:#}");
    let has_failed = ns.has_condition(&evicted_job, "Failed");
    assert!(!has_failed, "the pod still terminates");
    assert!(finding(&explained, "last-run-failed").is_none());
    end(&ns, &evicted);
    wait_until("the Job fails", || ns.has_condition(&evicted_job, "Failed"));

    // Evicted before it has a node: it is removed immediately.
    let (waiting_job, waiting) = running(&ns, "waiting");
    evict(&ns, &waiting);
    wait_until("the Job fails", || ns.has_condition(&waiting_job, "Failed"));
    let left = ns.pods().into_iter().map(|pod| name_of(&pod));
    let mut left = left.filter(|pod| [&evicted, &waiting].contains(&pod));
    assert!(left.next().is_none(), "neither pod is left");

    // Deleted because of a taint: an event records it.
    let (tainted_job, tainted) = running(&ns, "tainted");
    start(&ns, &tainted, "node-2");
    let taint = json!({"key": "maintenance", "effect": "NoExecute"});
    let tainted_node = json!({"spec": {"taints": [taint]}});
    ns.api.patch("/api/v1/nodes/node-2", &tainted_node);
    let disruption = eventually("the pod is deleted", || {
        let pod = ns.api.get(&ns.pod_path(&tainted));
        let is_deleted = !pod["metadata"]["deletionTimestamp"].is_null();
        is_deleted.then(|| ns.explain("tainted", "")["pods"][0]["disruption"].clone())
    });
    assert_eq!(disruption, "DeletionByTaintManager");
    end(&ns, &tainted);
    wait_until("the Job fails", || ns.has_condition(&tainted_job, "Failed"));
    let detail = eventually("the event", || {
        let explained = ns.explain("tainted", "");
        let found = finding(&explained, "last-run-failed")?;
        let detail = found["detail"].text().to_owned();
        detail.contains("NoExecute taint").then_some(detail)
    });
    assert_contains!(detail, &format!("Its pod {tainted} was deleted at "));

    // Stopped by the kubelet: the pod stays.
    let (stopped_job, stopped) = running(&ns, "stopped");
    start(&ns, &stopped, "node-1");
    let message = "The node was low on resource: memory. ";
    let status = json!({
        "phase": "Failed",
        "reason": "Evicted",
        "message": message,
        "conditions": [{
            "type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
            "message": message, "lastTransitionTime": ns.clock.minutes_ago(0),
        }],
    });
    ns.set_pod_status(&stopped, &status);
    wait_until("the Job fails", || ns.has_condition(&stopped_job, "Failed"));
    let explained = ns.explain("stopped", "");
    let found = finding(&explained, "last-run-failed").unwrap();
    let detail = found["detail"].text();
    let by_kubelet = format!("Its pod {stopped} was evicted by the kubelet at ");
    assert_contains!(detail, &by_kubelet);
    // The API server accepts the patches of the remedy, and then the remedy no longer suggests them.
    let spec = apply_patches(&ns, "stopped", found["remedy"]["text"].text());
    let rule = &spec["podFailurePolicy"]["rules"][0];
    assert_eq!(rule["action"], "Ignore", "{rule:#}");
    let condition = &rule["onPodConditions"][0];
    assert_eq!(condition["type"], "DisruptionTarget", "{rule:#}");
    let explained = ns.explain("stopped", "");
    let found = finding(&explained, "last-run-failed").unwrap();
    assert_lacks!(found["remedy"]["text"].text(), "podFailurePolicy");
}

/// The policy is read from the protobuf list, and the patch of the remedy contains each of its rules.
#[test]
fn remedy_keeps_the_rules_of_a_pod_failure_policy() {
    let ns = namespace!("disrupted-rules", since 25);
    let rules = json!([
        {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [3, 143]}},
        {"action": "Count", "onPodConditions": [{"type": "ConfigIssue", "status": "True"}]},
    ]);
    let spec = json!({
        "schedule": ns.clock.hourly(5),
        "jobTemplate": {"spec": {
            "backoffLimit": 0,
            "podFailurePolicy": {"rules": rules},
            "template": template(),
        }},
    });
    let cron_job = ns.create("rules", &spec);
    let job = job_name("rules", ns.clock.minutes_ago(5));
    let object = json!({
        "metadata": {"name": job, "ownerReferences": [owner(&cron_job)]},
        "spec": {"backoffLimit": 0, "template": template()},
    });
    ns.api.create(&batch(&ns.name, "jobs"), &object);
    let pod = ns.pod_of(&job);
    let status = json!({"phase": "Failed", "conditions": [{
        "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
        "lastTransitionTime": ns.clock.minutes_ago(0),
    }]});
    ns.set_pod_status(&pod, &status);
    wait_until("the Job fails", || ns.has_condition(&job, "Failed"));
    let explained = ns.explain("rules", "");
    let found = finding(&explained, "last-run-failed").unwrap();
    let spec = apply_patches(&ns, "rules", found["remedy"]["text"].text());
    let mut after = spec["podFailurePolicy"]["rules"].items().to_vec();
    // Older servers write null for fields that a rule does not have.
    for rule in &mut after {
        rule.as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
    }
    assert_eq!(after.len(), 3, "{after:#?}");
    assert_eq!(after[1..], rules.items()[..]);
}

/// Argo CD names such a Job by date and time, and gives it an owner that is not its controller.
#[test]
fn job_of_another_tool_does_not_block_scheduled_runs() {
    let ns = namespace!("unowned", since 22);
    let spec = json!({
        "schedule": "* * * * *",
        "concurrencyPolicy": "Forbid",
        "successfulJobsHistoryLimit": 1,
        "suspend": true,
    });
    let cron_job = ns.create("report", &spec);
    let mut owner = owner(&cron_job);
    owner.as_object_mut().unwrap().remove("controller");
    for minute in 25..=27 {
        let name = format!("report-2026031014{minute}");
        ns.create_job(&name, Some(&owner));
        if minute < 27 {
            finish(&ns, &name, "Complete");
        }
    }
    let explained = ns.explain("report", "");
    let found = finding(&explained, "job-not-owned").unwrap();
    let detail = found["detail"].text();
    assert_starts!(detail, "report-202603101427 has not finished");
    // The controller does what was reported: it starts a run while that Job runs, and deletes none of the Jobs.
    ns.edit("report", &json!({"spec": {"suspend": false}}));
    let beside = eventually("a run of the schedule", || {
        let mut names = ns.job_names().into_iter();
        names.find(|name| name.len() == "report-29552160".len())
    });
    ns.edit("report", &json!({"spec": {"suspend": true}}));
    ns.succeed_pod(&ns.pod_of(&beside));
    wait_until("the end is noted", || {
        let status = &ns.cron_job("report")["status"];
        status["active"].is_null()
    });
    let left = ns.jobs().len();
    assert_eq!(left, 4, "the run of the schedule, and all three others");
}

/// The Job is suspended, as it is until Kueue admits it.
#[test]
fn queued_job_blocks_the_next_run_and_is_reported_as_waiting() {
    let ns = namespace!("queued", since 24);
    let spec = json!({
        "schedule": "*/5 * * * *",
        "concurrencyPolicy": "Forbid",
        "jobTemplate": {
            "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "batch"}},
            "spec": {"suspend": true, "template": template()},
        },
    });
    let cron_job = ns.create("train", &spec);
    let job = job_name("train", ns.clock.minutes_ago(7));
    let created = ns.create_from_template(&cron_job, &job);
    ns.set_status("train", &json!({"active": [reference(&created)]}));
    let suspended = eventually("the Job controller reports that it is suspended", || {
        let conditions = ns.jobs()[0]["status"]["conditions"].clone();
        let first = conditions.as_array()?.first()?.clone();
        (first["type"] == "Suspended").then(|| first["lastTransitionTime"].clone())
    });
    let suspended: Timestamp = suspended.text().parse().unwrap();
    // Ten minutes later, the next run waits for it.
    let later = suspended + SignedDuration::from_mins(10);
    let explained = ns.explain("train", ["--now", &later.to_string()]);
    let found = finding(&explained, "blocked-by-running-job").unwrap();
    let detail = found["detail"].text();
    let message =
        format!("{job} has been waiting for admission by Kueue in queue batch for 10m (since ");
    assert_starts!(detail, &message);
    assert!(finding(&explained, "job-template-suspended").is_none());
    let remedy = found["remedy"]["text"].text();
    assert_starts!(remedy, "kubectl get workloads -n queued ");
    assert_contains!(remedy, "kubectl describe localqueue batch -n queued");
}
