//! A namespace in which a test puts CronJobs into the state that it needs.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::prelude::*;
use jiff::Timestamp;
use test_requirements::KUBECTL;

use crate::control_plane::clock::Clock;
use crate::support::control_plane::{Api, ControlPlane, assets, batch, eventually};

/// A test's namespace on a control plane.
pub(crate) struct Namespace<'p> {
    pub(crate) plane: &'p ControlPlane,
    pub(crate) api: Api,
    pub(crate) name: String,
    pub(crate) clock: Clock,
}

impl<'p> Namespace<'p> {
    pub(crate) fn new(plane: &'p ControlPlane, name: &str) -> Namespace<'p> {
        let api = plane.api("admin");
        let clock = Clock(api.create_namespace(name));
        let name = name.to_owned();
        Namespace {
            plane,
            api,
            name,
            clock,
        }
    }

    fn path(&self, resource: &str, name: &str) -> String {
        format!("{}/{name}", batch(&self.name, resource))
    }

    /// Creates a `CronJob` with these fields in its spec, and a default `jobTemplate`.
    pub(crate) fn create(&self, name: &str, spec: &Value) -> Value {
        let full = with_fields(json!({"jobTemplate": {"spec": job_spec()}}), spec);
        let object = json!({"metadata": {"name": name}, "spec": full});
        self.api.create(&batch(&self.name, "cronjobs"), &object)
    }

    pub(crate) fn cron_job(&self, name: &str) -> Value {
        self.api.get(&self.path("cronjobs", name))
    }

    /// Patches a `CronJob`, as an edit does.
    pub(crate) fn edit(&self, name: &str, patch: &Value) {
        self.api.patch(&self.path("cronjobs", name), patch);
    }

    /// Deletes a `CronJob`. With finalizers, it stays and is only marked for deletion.
    pub(crate) fn delete(&self, name: &str) {
        self.api.delete(&self.path("cronjobs", name));
    }

    /// Patches the status of a `CronJob`, which usually only the controller does.
    pub(crate) fn set_status(&self, name: &str, status: &Value) {
        let path = format!("{}/status", self.path("cronjobs", name));
        self.api.patch(&path, &json!({"status": status}));
    }

    /// Sets `status.lastScheduleTime` of a `CronJob`.
    pub(crate) fn set_last(&self, name: &str, last: Timestamp) {
        self.set_status(name, &json!({"lastScheduleTime": last}));
    }

    /// Changes the spec of a `CronJob` in etcd, because the API server would reject the change.
    pub(crate) fn smuggle(&self, name: &str, spec: &Value) {
        let mut object = self.cron_job(name);
        object["spec"] = with_fields(object["spec"].take(), spec);
        self.plane.etcd().put("cronjobs", &object);
    }

    /// Creates a Job with this owner reference, if any. The Job is suspended so that the Job controller does not change
    /// it.
    pub(crate) fn create_job(&self, name: &str, owner: Option<&Value>) -> Value {
        let owners: Vec<&Value> = owner.into_iter().collect();
        let mut spec = job_spec();
        spec["suspend"] = json!(true);
        let metadata = json!({"name": name, "ownerReferences": owners});
        let object = json!({"metadata": metadata, "spec": spec});
        let mut job = self.api.create(&batch(&self.name, "jobs"), &object);
        // A Job that was created a moment ago may not be in the status of its CronJob yet, so this one is made older.
        job["metadata"]["creationTimestamp"] = json!(self.clock.minutes_ago(1));
        self.plane.etcd().put("jobs", &job);
        job
    }

    /// Creates a Job from the template of a `CronJob`, as its controller does.
    pub(crate) fn create_from_template(&self, cron_job: &Value, name: &str) -> Value {
        let template = &cron_job["spec"]["jobTemplate"];
        let object = json!({
            "metadata": {
                "name": name, "labels": template["metadata"]["labels"],
                "ownerReferences": [owner(cron_job)],
            },
            "spec": template["spec"],
        });
        self.api.create(&batch(&self.name, "jobs"), &object)
    }

    pub(crate) fn delete_job(&self, name: &str) {
        let path = self.path("jobs", name);
        let path = format!("{path}?propagationPolicy=Background");
        self.api.delete(&path);
    }

    pub(crate) fn set_job_status(&self, name: &str, status: &Value) {
        let path = format!("{}/status", self.path("jobs", name));
        let status = self.plane.job_status(status.clone());
        self.api.patch(&path, &json!({"status": status}));
    }

    /// Creates Jobs of a `CronJob`, and lists them in its `status.active`.
    pub(crate) fn create_running(&self, cron_job: &str, names: &[&str]) {
        let owner = owner(&self.cron_job(cron_job));
        let create = |name: &&str| reference(&self.create_job(name, Some(&owner)));
        let active: Vec<Value> = names.iter().map(create).collect();
        self.set_status(cron_job, &json!({"active": active}));
    }

    pub(crate) fn jobs(&self) -> Vec<Value> {
        let list = self.api.get(&batch(&self.name, "jobs"));
        list["items"].items().to_vec()
    }

    pub(crate) fn job_names(&self) -> Vec<String> {
        self.jobs().iter().map(name_of).collect()
    }

    pub(crate) fn job(&self, name: &str) -> Value {
        self.api.get(&self.path("jobs", name))
    }

    /// Whether a Job has a condition of this type.
    pub(crate) fn has_condition(&self, job: &str, r#type: &str) -> bool {
        has_condition(&self.job(job), r#type)
    }

    /// The path of the pods, or of one of them.
    pub(crate) fn pod_path(&self, pod: &str) -> String {
        let path = format!("/api/v1/namespaces/{}/pods/{pod}", self.name);
        path.trim_end_matches('/').to_owned()
    }

    pub(crate) fn pods(&self) -> Vec<Value> {
        let list = self.api.get(&self.pod_path(""));
        list["items"].items().to_vec()
    }

    /// Waits for a pod whose name begins with that of a Job or `CronJob`.
    pub(crate) fn pod_of(&self, owner: &str) -> String {
        eventually("the Job has a pod", || {
            let mut names = self.pods().into_iter().map(|pod| name_of(&pod));
            names.find(|pod| pod.starts_with(&format!("{owner}-")))
        })
    }

    /// Writes the status of a pod in place of a kubelet, because there are no nodes here.
    pub(crate) fn set_pod_status(&self, pod: &str, status: &Value) {
        let path = format!("{}/status", self.pod_path(pod));
        self.api.patch(&path, &json!({"status": status}));
    }

    pub(crate) fn succeed_pod(&self, pod: &str) {
        self.set_pod_status(pod, &json!({"phase": "Succeeded"}));
    }

    /// Ends the only container of the pod of a Job or `CronJob`; the phase is `Succeeded` or `Failed`.
    pub(crate) fn end_pod_of(&self, owner: &str, phase: &str) {
        let pod = self.pod_of(owner);
        let [began, ended] = [4, 3].map(|minutes| self.clock.minutes_ago(minutes));
        let code = i32::from(phase == "Failed");
        let state = json!({"terminated": {
            "exitCode": code, "reason": "Error", "startedAt": began, "finishedAt": ended,
        }});
        let container = container_status("main", "busybox", &state);
        let status = json!({"phase": phase, "startTime": began, "containerStatuses": [container]});
        self.set_pod_status(&pod, &status);
    }

    /// Calls kubectl as the administrator with this stdin; `None` if kubectl is not installed.
    pub(crate) fn kubectl(&self, arguments: &[&str], stdin: &str) -> Option<()> {
        let kubectl = assets()?.join("kubectl");
        if !kubectl.is_file() {
            KUBECTL.skip();
            return None;
        }
        let kubeconfig = self.plane.kubeconfig("admin");
        let home = kubeconfig.with_file_name(format!("home-of-{}", self.name));
        let mut child = Command::new(kubectl)
            .args(arguments)
            .args(["-n", &self.name, "--kubeconfig"])
            .arg(&kubeconfig)
            .env_clear()
            // kubectl caches there what it discovers.
            .env("HOME", home)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(stdin.as_bytes()).unwrap();
        drop(pipe);
        assert!(child.wait().unwrap().success(), "{arguments:?} {stdin}");
        Some(())
    }

    /// The document that a call prints.
    pub(crate) fn document(&self, arguments: impl CommandLine) -> Value {
        self.doctor((arguments, "-o json")).document()
    }

    /// Calls the program as the administrator, in this namespace.
    pub(crate) fn doctor(&self, arguments: impl CommandLine) -> Ran {
        let kubeconfig = self.plane.kubeconfig("admin");
        let kubeconfig = kubeconfig.to_str().unwrap();
        doctor((arguments, ["--kubeconfig", kubeconfig, "-n", &self.name]))
    }

    /// Makes the controller sync.
    pub(crate) fn annotate(&self, name: &str) {
        self.edit(
            name,
            &json!({"metadata": {"annotations": {"look": "again"}}}),
        );
    }

    /// The item of a `CronJob` in the JSON document of `explain`.
    pub(crate) fn explain(&self, name: &str, arguments: impl CommandLine) -> Value {
        let document = self.document((["explain", name], arguments));
        document["items"].named(name).clone()
    }
}

/// Whether a Job has a condition of this type.
pub(crate) fn has_condition(job: &Value, r#type: &str) -> bool {
    let conditions = job["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| condition["type"] == r#type)
}

/// The finding with this code in an explanation.
pub(crate) fn finding<'e>(explanation: &'e Value, code: &str) -> Option<&'e Value> {
    let findings = explanation["findings"].items();
    findings.iter().find(|finding| finding["code"] == code)
}

pub(crate) fn name_of(object: &Value) -> String {
    object["metadata"]["name"].text().to_owned()
}

/// Sets fields of an object.
pub(crate) fn with_fields(mut object: Value, fields: &Value) -> Value {
    for (field, value) in fields.as_object().unwrap() {
        object[field] = value.clone();
    }
    object
}

/// A reference to a `CronJob`, as its Jobs have it.
pub(crate) fn owner(cron_job: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": cron_job["metadata"]["name"],
        "uid": cron_job["metadata"]["uid"],
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// A reference to a Job, as `status.active` has it.
pub(crate) fn reference(job: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": job["metadata"]["namespace"],
        "name": job["metadata"]["name"],
        "uid": job["metadata"]["uid"],
    })
}

/// Marks a Job as finished, as the Job controller does, with the condition `Complete` or `Failed`.
pub(crate) fn finish(ns: &Namespace<'_>, job: &str, how: &str) {
    finish_at(ns, job, how, 5);
}

/// Marks a Job as finished some minutes ago, with the condition `Complete` or `Failed`.
pub(crate) fn finish_at(ns: &Namespace<'_>, job: &str, how: &str, minutes_ago: i64) {
    let ended = ns.clock.minutes_ago(minutes_ago);
    let (before, end) = match how {
        "Complete" => (
            "SuccessCriteriaMet",
            json!({"completionTime": ended, "succeeded": 1}),
        ),
        _ => ("FailureTarget", json!({"failed": 1})),
    };
    let condition =
        |r#type: &str| json!({"type": r#type, "status": "True", "lastTransitionTime": ended});
    let status = json!({
        "startTime": ns.clock.minutes_ago(minutes_ago + 1),
        "conditions": [condition(before), condition(how)],
    });
    ns.set_job_status(job, &with_fields(status, &end));
}

/// The name of the Job of a run.
pub(crate) fn job_name(cron_job: &str, scheduled: Timestamp) -> String {
    format!("{cron_job}-{}", scheduled.as_second() / 60)
}

/// The status of a container, as a kubelet writes it.
pub(crate) fn container_status(name: &str, image: &str, state: &Value) -> Value {
    let is_running = state["running"].is_object();
    json!({
        "name": name, "image": image, "imageID": "", "ready": is_running, "started": is_running,
        "restartCount": 0, "state": state,
    })
}

pub(crate) fn job_spec() -> Value {
    json!({"template": {"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox"}],
    }}})
}
