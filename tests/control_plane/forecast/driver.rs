//! Acts on CronJobs at random moments.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::forecasts::Forecasts;
use super::history::End;
use super::record::{Key, Log, Record, now};
use super::specs;
use crate::control_plane::prelude::*;
use crate::support::random::Random;

const QUOTA: &str = "jobs";
/// After a restart the controller syncs all CronJobs at the same time; this is how long that may take.
const SETTLED: std::time::Duration = std::time::Duration::from_secs(4);

/// The CronJobs that an act affects.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    All,
    Namespace(String),
    CronJob(Key),
}

/// Something that was done.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub(crate) what: &'static str,
    pub(crate) detail: String,
    pub(crate) scope: Scope,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    /// Whether forecasts hold only until then. They already include that Jobs finish.
    pub(crate) ends_forecasts: bool,
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.from, self.what, self.detail)
    }
}

/// A planned act.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    ActOn(Key),
    Finish(Key, String),
    DeleteJob(Key, String),
    SetQuota(String, bool),
    Restart,
}

struct CronJob {
    spec: Value,
    uid: String,
    /// Whether it is changed with `kubectl apply`.
    applied: bool,
    /// The average time between two acts, in seconds.
    pace: i64,
    /// The average time that its Jobs take, in seconds.
    duration: i64,
}

pub(crate) struct Driver<'p> {
    plane: &'p ControlPlane,
    api: Api,
    record: Arc<Record>,
    random: Random,
    cron_jobs: BTreeMap<Key, CronJob>,
    tasks: std::collections::BinaryHeap<Reverse<(Timestamp, Task)>>,
    pub(crate) acts: Vec<Act>,
}

impl<'p> Driver<'p> {
    pub(crate) fn new(plane: &'p ControlPlane, record: Arc<Record>, random: Random) -> Driver<'p> {
        Driver {
            plane,
            api: plane.api("admin"),
            record,
            random,
            cron_jobs: BTreeMap::new(),
            tasks: std::collections::BinaryHeap::new(),
            acts: Vec::new(),
        }
    }

    pub(crate) fn namespaces(&self) -> Vec<String> {
        let names = self
            .cron_jobs
            .keys()
            .map(|(namespace, _)| namespace.clone());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    }

    /// Creates CronJobs, and plans what is done to them.
    pub(crate) fn set_up(&mut self, namespaces: usize, cron_jobs: usize) {
        for number in 0..namespaces {
            let namespace = format!("trial-{number}");
            self.api.create_namespace(&namespace);
            self.create_quota(&namespace);
            // In a third of them the quota is zero from time to time.
            if number % 3 == 0 {
                let after = self.random.between(30, 90);
                self.plan(after, Task::SetQuota(namespace.clone(), true));
            }
            for letter in (b'a'..).take(cron_jobs) {
                let name = format!("{}{number}", char::from(letter));
                self.create((namespace.clone(), name));
            }
        }
        let after = self.random.between(60, 120);
        self.plan(after, Task::Restart);
    }

    fn create_quota(&self, namespace: &str) {
        let quota =
            json!({"metadata": {"name": QUOTA}, "spec": {"hard": {"count/jobs.batch": "100000"}}});
        let path = format!("/api/v1/namespaces/{namespace}/resourcequotas");
        self.api.create(&path, &quota);
        let used = json!({"count/jobs.batch": "0"});
        self.api.patch(
            &format!("{path}/{QUOTA}/status"),
            &json!({"status": {"hard": {"count/jobs.batch": "100000"}, "used": used}}),
        );
    }

    fn create(&mut self, key: Key) {
        let random = &mut self.random;
        let spec = specs::spec(random, now());
        let applied = random.one_in(2);
        let pace = *random.pick(&[90, 180, 400, 900]);
        let duration = *random.pick(&[10, 40, 90, 200]);
        let mut object = json!({"metadata": {"name": key.1}, "spec": spec});
        object["spec"]["jobTemplate"] = json!({"spec": job_spec()});
        if applied {
            object["metadata"]["annotations"] = annotations(&spec);
        }
        let manager = if applied { APPLY } else { "kubectl-create" };
        let path = format!("{}?fieldManager={manager}", batch(&key.0, "cronjobs"));
        self.record.add(&key);
        let from = now();
        let created = self.api.create(&path, &object);
        self.note_edit("create", spec.to_string(), &key, from);
        let cron_job = CronJob {
            spec,
            uid: created["metadata"]["uid"].text().to_owned(),
            applied,
            pace,
            duration,
        };
        self.cron_jobs.insert(key.clone(), cron_job);
        let after = self.random.between(10, 2 * pace);
        self.plan(after, Task::ActOn(key));
    }

    /// Plans something some seconds from now, at a random moment of its second.
    fn plan(&mut self, seconds: i64, task: Task) {
        let after = SignedDuration::from_millis(seconds * 1_000 + self.random.between(0, 999));
        self.tasks.push(Reverse((now() + after, task)));
    }

    fn note(
        &mut self,
        what: &'static str,
        detail: String,
        scope: Scope,
        from: Timestamp,
        ends_forecasts: bool,
    ) {
        self.acts.push(Act {
            what,
            detail,
            scope,
            from,
            to: now(),
            ends_forecasts,
        });
    }

    /// Notes an act on one `CronJob`, whose forecasts hold until then.
    fn note_edit(&mut self, what: &'static str, detail: String, key: &Key, from: Timestamp) {
        self.note(what, detail, Scope::CronJob(key.clone()), from, true);
    }

    /// Does the tasks that are due.
    pub(crate) fn work(&mut self, log: &mut Log, forecasts: &Forecasts) {
        for (key, job) in self.record.take_fresh() {
            self.plan_end(key, job);
        }
        while let Some(Reverse((at, _))) = self.tasks.peek() {
            if *at > now() {
                break;
            }
            let Some(Reverse((_, task))) = self.tasks.pop() else {
                break;
            };
            match task {
                Task::ActOn(key) => {
                    self.act(&key);
                    forecasts.hasten(Some(&key.0));
                    let pace = self.cron_jobs[&key].pace;
                    let after = self.random.between(15, 2 * pace - 15);
                    self.plan(after, Task::ActOn(key));
                }
                Task::Finish(key, job) => self.finish(&key, &job),
                Task::DeleteJob(key, job) => {
                    self.delete_job(&key, &job);
                    forecasts.hasten(Some(&key.0));
                }
                Task::SetQuota(namespace, zero) => {
                    self.set_quota(&namespace, zero);
                    forecasts.hasten(Some(&namespace));
                    let after = if zero {
                        self.random.between(20, 120)
                    } else {
                        self.random.between(60, 240)
                    };
                    self.plan(after, Task::SetQuota(namespace, !zero));
                }
                Task::Restart => {
                    self.restart(log);
                    forecasts.hasten(None);
                    let after = self.random.between(150, 420);
                    self.plan(after, Task::Restart);
                }
            }
        }
    }

    /// Plans when a new Job finishes, or when it is deleted while it runs.
    fn plan_end(&mut self, key: Key, job: String) {
        let Some(cron_job) = self.cron_jobs.get(&key) else {
            return;
        };
        let usual = cron_job.duration;
        let seconds = self.random.between(2, 2 * usual);
        let task = if self.random.one_in(25) {
            Task::DeleteJob(key, job)
        } else {
            Task::Finish(key, job)
        };
        self.plan(seconds, task);
    }

    fn act(&mut self, key: &Key) {
        let now = now();
        let zone = |driver: &Self| driver.cron_jobs[key].spec["timeZone"].clone();
        match self.random.below(21) {
            0..=4 => {
                let zone = zone(self);
                let schedule = specs::schedule(&mut self.random, &zone, now);
                self.edit(key, "edit schedule", &json!({"schedule": schedule}));
            }
            5 | 6 => {
                let zone = specs::zone(&mut self.random);
                self.edit(key, "edit zone", &json!({"timeZone": zone}));
            }
            7 | 8 => {
                let deadline = specs::deadline(&mut self.random);
                self.edit(
                    key,
                    "edit deadline",
                    &json!({"startingDeadlineSeconds": deadline}),
                );
            }
            9 | 10 => {
                let policy = specs::policy(&mut self.random);
                self.edit(key, "edit policy", &json!({"concurrencyPolicy": policy}));
            }
            11..=14 => {
                let suspended = self.cron_jobs[key].spec["suspend"] == true;
                let mut spec = json!({"suspend": !suspended});
                if suspended && self.random.one_in(3) {
                    let zone = zone(self);
                    spec["schedule"] = json!(specs::schedule(&mut self.random, &zone, now));
                }
                let what = if suspended { "resume" } else { "suspend" };
                self.edit(key, what, &spec);
            }
            15 | 16 => self.take_name(key),
            17 | 18 => {
                let jobs = self.jobs(key);
                if !jobs.is_empty() {
                    let job = self.random.pick(&jobs).clone();
                    self.delete_job(key, &job);
                }
            }
            19 => self.run_manually(key),
            _ => {
                let mark = self.random.next().to_string();
                let patch = json!({"metadata": {"annotations": {"example.com/mark": mark}}});
                self.change(key, "annotate", mark, &patch, "kubectl-annotate");
            }
        }
    }

    /// The Jobs of a `CronJob` that exist.
    fn jobs(&self, key: &Key) -> Vec<String> {
        let histories = self.record.histories();
        let history = &histories[key];
        let created = history.created.iter().map(|one| one.job.clone());
        let is_there = |job: &String| !matches!(history.ended.get(job), Some(End::Deleted(_)));
        created.filter(is_there).collect()
    }

    fn edit(&mut self, key: &Key, what: &'static str, fields: &Value) {
        let cron_job = self.cron_jobs.get_mut(key).unwrap();
        for (field, value) in fields.as_object().unwrap() {
            cron_job.spec[field] = value.clone();
        }
        let mut patch = json!({"spec": fields});
        let manager = if cron_job.applied && !self.random.one_in(3) {
            patch["metadata"] = json!({"annotations": annotations(&cron_job.spec)});
            APPLY
        } else {
            self.random
                .pick(&["kubectl-edit", "kubectl-patch", "kubectl-create"])
        };
        self.change(key, what, format!("{fields} by {manager}"), &patch, manager);
    }

    fn change(&mut self, key: &Key, what: &'static str, detail: String, patch: &Value, by: &str) {
        let path = format!("{}/{}?fieldManager={by}", batch(&key.0, "cronjobs"), key.1);
        let from = now();
        self.api.patch(&path, patch);
        self.note_edit(what, detail, key, from);
    }

    /// Creates a Job with the name of an upcoming run's Job, and deletes it later.
    fn take_name(&mut self, key: &Key) {
        let minute = now().as_second().div_euclid(60) + self.random.between(1, 2);
        let job = format!("{}-{minute}", key.1);
        let owned = self.random.one_in(2);
        let from = now();
        self.create_job(key, &job, owned, &json!({}));
        let detail = format!("{job}{}", if owned { " with the owner" } else { "" });
        self.note_edit("take name", detail, key, from);
        let after = self.random.between(30, 240);
        self.plan(after, Task::DeleteJob(key.clone(), job));
    }

    fn run_manually(&mut self, key: &Key) {
        let job = format!("{}-manual-{}", key.1, self.random.below(100_000));
        let from = now();
        let annotations = json!({"cronjob.kubernetes.io/instantiate": "manual"});
        self.create_job(key, &job, true, &annotations);
        self.note_edit("run manually", job.clone(), key, from);
        self.plan_end(key.clone(), job);
    }

    fn create_job(&self, key: &Key, job: &str, owned: bool, annotations: &Value) {
        let owner = json!({
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": key.1,
            "uid": self.cron_jobs[key].uid,
            "controller": true,
        });
        let owners: Vec<Value> = owned.then_some(owner).into_iter().collect();
        let object = json!({
            "metadata": {"name": job, "ownerReferences": owners, "annotations": annotations},
            "spec": job_spec(),
        });
        // The quota may refuse it.
        self.try_request("POST", &batch(&key.0, "jobs"), &object);
    }

    fn try_request(&self, method: &str, path: &str, body: &Value) -> bool {
        let kind = if method == "PATCH" {
            "application/merge-patch+json"
        } else {
            "application/json"
        };
        let headers = [("Content-Type", kind)];
        let answer = self.api.ask(method, path, &body.to_string(), &headers);
        answer.status < 300
    }

    fn delete_job(&mut self, key: &Key, job: &str) {
        let path = format!(
            "{}/{job}?propagationPolicy=Background",
            batch(&key.0, "jobs")
        );
        let from = now();
        if self.api.ask("DELETE", &path, "", &[]).status < 300 {
            self.note_edit("delete Job", job.to_owned(), key, from);
        }
    }

    /// Finishes a Job, as the Job controller does when its pods end.
    fn finish(&mut self, key: &Key, job: &str) {
        let fails = self.random.one_in(6);
        let at = now();
        let condition =
            |name: &str| json!({"type": name, "status": "True", "lastTransitionTime": at});
        let second = Timestamp::from_second(at.as_second()).unwrap();
        let path = format!("{}/{job}", batch(&key.0, "jobs"));
        let found = self.api.ask("GET", &path, "", &[]);
        if found.status != 200 {
            return;
        }
        let created = found.json()["metadata"]["creationTimestamp"].clone();
        let status = if fails {
            json!({
                "startTime": created,
                "failed": 1,
                "conditions": [condition("FailureTarget"), condition("Failed")],
            })
        } else {
            json!({
                "startTime": created,
                "completionTime": second,
                "succeeded": 1,
                "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
            })
        };
        let what = if fails { "fail Job" } else { "finish Job" };
        if self.try_request(
            "PATCH",
            &format!("{path}/status"),
            &json!({"status": self.plane.job_status(status)}),
        ) {
            self.note(what, job.to_owned(), Scope::CronJob(key.clone()), at, false);
        }
    }

    fn set_quota(&mut self, namespace: &str, zero: bool) {
        let hard = if zero { "0" } else { "100000" };
        let path = format!("/api/v1/namespaces/{namespace}/resourcequotas/{QUOTA}/status");
        let from = now();
        self.api.patch(
            &path,
            &json!({"status": {"hard": {"count/jobs.batch": hard}}}),
        );
        let what = if zero {
            "set quota to zero"
        } else {
            "set quota back"
        };
        self.note(
            what,
            String::new(),
            Scope::Namespace(namespace.to_owned()),
            from,
            true,
        );
        let to = now();
        for (key, history) in &mut *self.record.histories() {
            if key.0 != namespace {
                continue;
            }
            if zero {
                history.refused.push((from, None));
            } else if let Some((_, end)) = history.refused.last_mut() {
                *end = Some(to);
            }
        }
    }

    /// Kills the controllers, and starts them some time later.
    fn restart(&mut self, log: &mut Log) {
        let from = now();
        let seconds = self.random.between(0, 15);
        self.plane.stop_controllers();
        thread::sleep(std::time::Duration::from_secs(seconds.unsigned_abs()));
        log.read_on(&self.record);
        self.plane.start_controllers("UTC");
        log.begin_again();
        // The first controller does not log its syncs.
        if !self.plane.has_first_controller() {
            wait_until("the controllers sync", || log.read_on(&self.record) > 0);
        }
        thread::sleep(SETTLED);
        self.note(
            "restart controllers",
            format!("after {seconds} s"),
            Scope::All,
            from,
            true,
        );
    }
}

/// The field manager of `kubectl apply`.
const APPLY: &str = "kubectl-client-side-apply";

/// The annotation in which `kubectl apply` stores a manifest.
fn annotations(spec: &Value) -> Value {
    let manifest = json!({"apiVersion": "batch/v1", "kind": "CronJob", "spec": spec});
    json!({"kubectl.kubernetes.io/last-applied-configuration": manifest.to_string()})
}

/// A suspended Job: it has no pods, but still counts as running.
fn job_spec() -> Value {
    json!({"suspend": true, "template": {"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox"}],
    }}})
}
