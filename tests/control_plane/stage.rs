//! A namespace in which CronJobs are put into the state that a test is about.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::control_plane::clock::Clock;
use crate::support::control_plane::{Api, ControlPlane, batch};
use crate::support::run::{Ran, doctor};

/// A namespace of a test.
pub(crate) struct Stage<'p> {
    pub(crate) plane: &'p ControlPlane,
    pub(crate) api: Api,
    pub(crate) namespace: String,
    pub(crate) clock: Clock,
}

impl<'p> Stage<'p> {
    pub(crate) fn new(plane: &'p ControlPlane, namespace: &str) -> Stage<'p> {
        let api = plane.api("admin");
        let clock = Clock(api.create_namespace(namespace));
        let namespace = namespace.to_owned();
        Stage {
            plane,
            api,
            namespace,
            clock,
        }
    }

    fn path(&self, resource: &str, name: &str) -> String {
        format!("{}/{name}", batch(&self.namespace, resource))
    }

    /// Creates a `CronJob` with these fields of its spec beside a template.
    pub(crate) fn create(&self, name: &str, spec: &Value) -> Value {
        let mut full = json!({"jobTemplate": {"spec": job_spec()}});
        for (field, value) in spec.as_object().unwrap() {
            full[field] = value.clone();
        }
        let object = json!({"metadata": {"name": name}, "spec": full});
        self.api
            .create(&batch(&self.namespace, "cronjobs"), &object)
    }

    pub(crate) fn cron_job(&self, name: &str) -> Value {
        self.api.get(&self.path("cronjobs", name))
    }

    /// Changes fields of a `CronJob`, as an edit does.
    pub(crate) fn edit(&self, name: &str, patch: &Value) {
        self.api.patch(&self.path("cronjobs", name), patch);
    }

    /// Deletes a `CronJob`, or begins to.
    pub(crate) fn delete(&self, name: &str) {
        self.api.delete(&self.path("cronjobs", name));
    }

    /// Changes fields of a `CronJob`'s status, as nobody but the controller should.
    pub(crate) fn set_status(&self, name: &str, status: &Value) {
        let path = format!("{}/status", self.path("cronjobs", name));
        self.api.patch(&path, &json!({"status": status}));
    }

    /// Sets when a `CronJob` was last started.
    pub(crate) fn set_last(&self, name: &str, last: Timestamp) {
        self.set_status(name, &json!({"lastScheduleTime": last}));
    }

    /// Changes fields of a `CronJob`'s spec which the API server would not change.
    pub(crate) fn smuggle(&self, name: &str, spec: &Value) {
        let mut object = self.cron_job(name);
        for (field, value) in spec.as_object().unwrap() {
            object["spec"][field] = value.clone();
        }
        self.plane.etcd().put("cronjobs", &object);
    }

    /// Creates a Job whose controller is what the reference says, if anything. It is suspended, so
    /// that the Job controller leaves it alone.
    pub(crate) fn create_job(&self, name: &str, owner: Option<&Value>) -> Value {
        let owners: Vec<&Value> = owner.into_iter().collect();
        let mut spec = job_spec();
        spec["suspend"] = json!(true);
        let object = json!({
            "metadata": {"name": name, "ownerReferences": owners},
            "spec": spec,
        });
        let mut job = self.api.create(&batch(&self.namespace, "jobs"), &object);
        // The Job of a run that was created a moment ago may still come into the status.
        job["metadata"]["creationTimestamp"] = json!(self.clock.minutes_ago(1));
        self.plane.etcd().put("jobs", &job);
        job
    }

    pub(crate) fn delete_job(&self, name: &str) {
        let path = self.path("jobs", name);
        self.api
            .delete(&format!("{path}?propagationPolicy=Background"));
    }

    pub(crate) fn set_job_status(&self, name: &str, status: &Value) {
        let path = format!("{}/status", self.path("jobs", name));
        self.api.patch(&path, &json!({"status": status}));
    }

    /// Creates Jobs of a `CronJob` which its status lists as running.
    pub(crate) fn create_running(&self, cron_job: &str, names: &[&str]) {
        let owner = owner(&self.cron_job(cron_job));
        let create = |name: &&str| reference(&self.create_job(name, Some(&owner)));
        let active: Vec<Value> = names.iter().map(create).collect();
        self.set_status(cron_job, &json!({"active": active}));
    }

    /// The Jobs of the namespace.
    pub(crate) fn jobs(&self) -> Vec<Value> {
        let list = self.api.get(&batch(&self.namespace, "jobs"));
        list["items"].as_array().unwrap().clone()
    }

    /// Calls the program as the administrator, in this namespace.
    pub(crate) fn doctor(&self, arguments: &[&str]) -> Ran {
        let kubeconfig = self.plane.kubeconfig("admin");
        let common = [
            "--kubeconfig",
            kubeconfig.to_str().unwrap(),
            "-n",
            &self.namespace,
        ];
        doctor(&[arguments, &common].concat())
    }

    /// What `explain` says of a `CronJob`, in JSON.
    pub(crate) fn explain(&self, name: &str, arguments: &[&str]) -> Value {
        let own = ["explain", name, "-o", "json"];
        let text = self.doctor(&[&own, arguments].concat()).fine();
        let document: Value = serde_json::from_str(&text).unwrap();
        let items = document["items"].as_array().unwrap().iter();
        let mut about = items.filter(|item| item["name"] == name);
        about.next().unwrap().clone()
    }
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

/// Ends a Job as the Job controller does: `Complete` or `Failed`.
pub(crate) fn finish(stage: &Stage<'_>, job: &str, how: &str) {
    finish_at(stage, job, how, 5);
}

/// The same, some minutes ago.
pub(crate) fn finish_at(stage: &Stage<'_>, job: &str, how: &str, minutes_ago: i64) {
    let ended = stage.clock.minutes_ago(minutes_ago);
    let complete = how == "Complete";
    let before = if complete {
        "SuccessCriteriaMet"
    } else {
        "FailureTarget"
    };
    let condition =
        |r#type: &str| json!({"type": r#type, "status": "True", "lastTransitionTime": ended});
    let mut status = json!({
        "startTime": stage.clock.minutes_ago(minutes_ago + 1),
        "conditions": [condition(before), condition(how)],
    });
    if complete {
        status["completionTime"] = json!(ended);
        status["succeeded"] = json!(1);
    } else {
        status["failed"] = json!(1);
    }
    stage.set_job_status(job, &status);
}

/// The name of the Job of a slot.
pub(crate) fn job_name(cron_job: &str, slot: Timestamp) -> String {
    format!("{cron_job}-{}", slot.as_second() / 60)
}

fn job_spec() -> Value {
    json!({"template": {"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox"}],
    }}})
}
