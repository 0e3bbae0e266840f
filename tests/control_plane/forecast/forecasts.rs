//! Calls `explain` repeatedly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::compare::{Evidence, Forecast};
use super::record::{Key, is_by_controller, now};
use crate::control_plane::prelude::*;
use crate::support::random::Random;

/// How long the controller has after an act before the next forecast.
const AFTER_ACT: SignedDuration = SignedDuration::from_millis(2_500);
const PAUSE: Duration = Duration::from_millis(50);

/// A forecast about one `CronJob`.
pub(crate) struct Made {
    pub(crate) key: Key,
    /// When the first and the last thing was read for it.
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) forecast: Forecast,
    /// The item that `explain` printed.
    pub(crate) item: Value,
    /// The objects that it was based on, as a List.
    pub(crate) state: Arc<String>,
}

/// Makes forecasts, and keeps them until they are compared.
pub(crate) struct Forecasts {
    api: Api,
    kubeconfig: String,
    version: &'static [&'static str],
    namespaces: Vec<String>,
    /// When each namespace is due.
    due: Mutex<Vec<Timestamp>>,
    random: Mutex<Random>,
    pub(crate) made: Mutex<Vec<Made>>,
}

impl Forecasts {
    pub(crate) fn new(plane: &ControlPlane, namespaces: Vec<String>, random: Random) -> Forecasts {
        let kubeconfig = plane.kubeconfig("admin").display().to_string();
        Forecasts {
            api: plane.api("admin"),
            kubeconfig,
            version: plane.version_arguments(),
            due: Mutex::new(vec![now(); namespaces.len()]),
            namespaces,
            random: Mutex::new(random),
            made: Mutex::default(),
        }
    }

    /// Makes the next forecast earlier after an act in a namespace, or in all.
    pub(crate) fn hasten(&self, namespace: Option<&str>) {
        let soon = now() + AFTER_ACT;
        let mut due = self.due.lock().unwrap();
        for (due, name) in due.iter_mut().zip(&self.namespaces) {
            if namespace.is_none_or(|wanted| wanted == name) {
                *due = soon.min(*due);
            }
        }
    }

    pub(crate) fn make_until(&self, end: Timestamp) {
        while now() < end {
            match self.next() {
                Some(namespace) => self.make(&namespace),
                None => thread::sleep(PAUSE),
            }
        }
    }

    /// The namespace that is due, which is then due again within a minute.
    fn next(&self) -> Option<String> {
        let mut due = self.due.lock().unwrap();
        let (index, first) = due.iter().copied().enumerate().min_by_key(|(_, at)| *at)?;
        if first > now() {
            return None;
        }
        let pause = self.random.lock().unwrap().between(10_000, 50_000);
        due[index] = now() + SignedDuration::from_millis(pause);
        Some(self.namespaces[index].clone())
    }

    fn make(&self, namespace: &str) {
        let from = now();
        let state = self.state(namespace);
        let place = ["-n", namespace, "--kubeconfig", &self.kubeconfig];
        let ran = doctor(("explain -o json", self.version, place));
        let to = now();
        assert_eq!(ran.code, 0, "{ran:?}");
        let document = ran.json();
        let text = Arc::new(state.to_string());
        let mut made = Vec::new();
        for item in document["items"].items() {
            let name = item["name"].text();
            let evidence = evidence(&state, name, item);
            made.push(Made {
                key: (namespace.to_owned(), name.to_owned()),
                from,
                to,
                forecast: Forecast::read(to, &item["forecast"], evidence),
                item: item.clone(),
                state: Arc::clone(&text),
            });
        }
        self.made.lock().unwrap().append(&mut made);
    }

    /// The objects of a namespace, as kubectl would write them to a file.
    fn state(&self, namespace: &str) -> Value {
        let mut items = Vec::new();
        let core = |resource: &str| format!("/api/v1/namespaces/{namespace}/{resource}");
        for (path, version, kind) in [
            (batch(namespace, "cronjobs"), "batch/v1", "CronJob"),
            (batch(namespace, "jobs"), "batch/v1", "Job"),
            (core("events"), "v1", "Event"),
            (core("resourcequotas"), "v1", "ResourceQuota"),
        ] {
            for item in self.api.get(&path)["items"].items() {
                let mut item = item.clone();
                item["apiVersion"] = json!(version);
                item["kind"] = json!(kind);
                items.push(item);
            }
        }
        json!({"apiVersion": "v1", "kind": "List", "items": items})
    }
}

/// What the objects show of attempts that failed.
fn evidence(state: &Value, name: &str, item: &Value) -> Evidence {
    let items = || state["items"].items().iter();
    let created = items().filter(|object| {
        object["kind"] == "Job"
            && object["metadata"]["ownerReferences"][0]["name"] == name
            && is_by_controller(&object["metadata"]["ownerReferences"][0])
    });
    let created = created.filter_map(|job| job["metadata"]["creationTimestamp"].as_str());
    let last = created.max().unwrap_or_default();
    let own = |object: &&Value| object["kind"] == "CronJob" && object["metadata"]["name"] == name;
    let deadline = items()
        .find(own)
        .map(|object| &object["spec"]["startingDeadlineSeconds"]);
    let refused = items().filter(|object| {
        object["kind"] == "Event"
            && object["reason"] == "FailedCreate"
            && object["involvedObject"]["name"] == name
    });
    let refused = refused.filter_map(|event| event["lastTimestamp"].as_str());
    let refused = refused.filter(|at| *at > last).max();
    Evidence {
        refused_at: refused.map(|at| at.parse().unwrap()),
        name_taken: item["decision"]["outcome"] == "nameTaken",
        was_disturbed: false,
        polls: item["controller"]["model"] == "v1",
        deadline: deadline
            .and_then(Value::as_i64)
            .map(SignedDuration::from_secs),
    }
}
