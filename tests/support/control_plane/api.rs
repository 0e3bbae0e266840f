//! A client of the API server, for tests.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A watch that is silent for this long ends.
const SILENCE: Duration = Duration::from_secs(60);

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// A client of the API server, for one user.
pub(crate) struct Api(Client);

/// A whole response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Api {
    pub(super) fn new(kubeconfig: &Path) -> Api {
        let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
        Api(RUNTIME.block_on(async {
            let options = KubeConfigOptions::default();
            let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
            Client::try_from(config.unwrap()).unwrap()
        }))
    }

    fn open(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Result<http::Response<Body>, kube::Error> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.as_bytes().to_vec())).unwrap();
        RUNTIME.block_on(self.0.send(request))
    }

    pub(super) fn is_ready(&self) -> bool {
        let response = self.open("GET", "/readyz", "", &[]);
        response.is_ok_and(|response| response.status().is_success())
    }

    /// Grants the role `view` to the group `viewers`, and `edit`, which does not include the status of CronJobs, to
    /// `editors`.
    pub(super) fn let_viewers_view(&self) {
        let group = "rbac.authorization.k8s.io";
        for (name, role) in [("viewers", "view"), ("editors", "edit")] {
            self.create(
                &format!("/apis/{group}/v1/clusterrolebindings"),
                &json!({
                    "metadata": {"name": name},
                    "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
                    "subjects": [{"apiGroup": group, "kind": "Group", "name": name}],
                }),
            );
        }
    }

    /// Sends a request of any kind, which may fail.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let (head, body) = self.open(method, path, body, headers).unwrap().into_parts();
        let body = RUNTIME.block_on(body.collect()).unwrap();
        Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.to_bytes().to_vec(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        good(&self.ask("GET", path, "", &[]))
    }

    pub(crate) fn create(&self, path: &str, object: &Value) -> Value {
        let headers = [("Content-Type", "application/json")];
        good(&self.ask("POST", path, &object.to_string(), &headers))
    }

    /// A merge patch.
    pub(crate) fn patch(&self, path: &str, patch: &Value) -> Value {
        let headers = [("Content-Type", "application/merge-patch+json")];
        good(&self.ask("PATCH", path, &patch.to_string(), &headers))
    }

    pub(crate) fn delete(&self, path: &str) {
        good(&self.ask("DELETE", path, "", &[]));
    }

    /// Creates a namespace for one test, and returns the server's time at its creation.
    pub(crate) fn create_namespace(&self, name: &str) -> Timestamp {
        let namespace = self.create("/api/v1/namespaces", &json!({"metadata": {"name": name}}));
        let created = namespace["metadata"]["creationTimestamp"].as_str();
        created.unwrap().parse().unwrap()
    }

    /// The events of a namespace from now on, as they are recorded.
    pub(crate) fn events(&self, namespace: &str) -> Events {
        let path = format!("/api/v1/namespaces/{namespace}/events");
        let list = self.get(&path);
        let version = list["metadata"]["resourceVersion"].as_str().unwrap();
        let path = format!("{path}?watch=1&resourceVersion={version}");
        Events(self.watch(&path).unwrap())
    }

    /// Opens a watch; `None` if it cannot be opened.
    pub(crate) fn watch(&self, path: &str) -> Option<Watch> {
        let response = self.open("GET", path, "", &[]).ok()?;
        Some(Watch {
            body: response.into_body(),
            received: Vec::new(),
        })
    }
}

/// A watch, whose changes are lines of JSON.
pub(crate) struct Watch {
    body: Body,
    received: Vec<u8>,
}

impl Iterator for Watch {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                let change: Value = serde_json::from_slice(&line).unwrap();
                assert_ne!(change["type"], "ERROR", "{change}");
                return Some(change);
            }
            let frame = async { tokio::time::timeout(SILENCE, self.body.frame()).await };
            let frame = RUNTIME.block_on(frame).ok()??.ok()?;
            self.received.extend(frame.into_data().unwrap_or_default());
        }
    }
}

/// Events as they are recorded.
pub(crate) struct Events(Watch);

impl Events {
    /// All events up to one of this reason about the object of this name.
    pub(crate) fn up_to(&mut self, reason: &str, name: &str) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let event = self.0.next().expect("the watch continues")["object"].take();
            let is_last = event["reason"] == reason && event["involvedObject"]["name"] == name;
            seen.push(event);
            if is_last {
                return seen;
            }
        }
    }
}

fn good(answer: &Answer) -> Value {
    let json = answer.json();
    assert!(answer.status < 300, "{} {json}", answer.status);
    json
}

/// The path of the objects of a namespace.
pub(crate) fn batch(namespace: &str, resource: &str) -> String {
    let path = Path::new("/apis/batch/v1/namespaces").join(namespace);
    path.join(resource).display().to_string()
}
