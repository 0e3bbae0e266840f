//! The API server, as a test speaks to it.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::credentials::{self, Credentials};
use crate::support::https::{Answer, Client, Incoming};

/// The API server, asked by one user.
pub(crate) struct Api(Client);

impl Api {
    pub(super) fn new(url: &str, credentials: &Credentials, user: &str) -> Api {
        let token = credentials::token(user);
        let client = Client::new(url, &credentials.certificate, None)
            .with("Authorization", &format!("Bearer {token}"));
        Api(client)
    }

    pub(super) fn is_ready(&self) -> bool {
        let answer = self.0.try_ask("GET", "/readyz", "", &[]);
        answer.is_ok_and(|answer| answer.status == 200)
    }

    /// Those in the group `viewers` may see what the role `view` shows.
    pub(super) fn let_viewers_view(&self) {
        let group = "rbac.authorization.k8s.io";
        self.create(
            &format!("/apis/{group}/v1/clusterrolebindings"),
            &json!({
                "metadata": {"name": "viewers"},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "view"},
                "subjects": [{"apiGroup": group, "kind": "Group", "name": "viewers"}],
            }),
        );
    }

    /// A request of any kind, whatever comes of it.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        self.0.ask(method, path, body, headers)
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        good(&self.0.get(path))
    }

    pub(crate) fn create(&self, path: &str, object: &Value) -> Value {
        let headers = [("Content-Type", "application/json")];
        good(&self.0.ask("POST", path, object.to_string(), &headers))
    }

    /// A merge patch.
    pub(crate) fn patch(&self, path: &str, patch: &Value) -> Value {
        let headers = [("Content-Type", "application/merge-patch+json")];
        good(&self.0.ask("PATCH", path, patch.to_string(), &headers))
    }

    pub(crate) fn delete(&self, path: &str) {
        good(&self.0.ask("DELETE", path, "", &[]));
    }

    /// A namespace for a test of its own, and the server's time at its creation.
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

    /// Changes as they come, one a line.
    pub(crate) fn watch(&self, path: &str) -> io::Result<Incoming> {
        self.0.open("GET", path, "", &[])
    }
}

/// Events as they are recorded.
pub(crate) struct Events(Incoming);

impl Events {
    /// All events up to one of this reason about the object of this name.
    pub(crate) fn up_to(&mut self, reason: &str, name: &str) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let line = self.0.line().unwrap().expect("the watch goes on");
            let change: Value = serde_json::from_str(&line).unwrap();
            assert_ne!(change["type"], "ERROR", "{line}");
            let event = change["object"].clone();
            let is_last = event["reason"] == reason && event["involvedObject"]["name"] == name;
            seen.push(event);
            if is_last {
                return seen;
            }
        }
    }
}

fn good(answer: &Answer) -> Value {
    assert!(answer.status < 300, "{} {}", answer.status, answer.text());
    answer.json()
}

/// Where the objects of a namespace are.
pub(crate) fn batch(namespace: &str, resource: &str) -> String {
    let path = Path::new("/apis/batch/v1/namespaces").join(namespace);
    path.join(resource).display().to_string()
}
