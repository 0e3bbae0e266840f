//! The server that end-to-end tests run against, held against the recorded answers of a real one.

use crate::support::apiserver;
use crate::support::https;

mod access;
mod faults;
mod herd;
mod languages;
mod logs;
mod pages;
// The plugin that it logs in with is a script.
#[cfg(unix)]
mod real_client;
mod recorded;
mod watches;
mod writes;

use apiserver::{ApiServer, Options};
use https::Client;
use serde_json::{Value, json};

/// A server with the objects that the recorded one had, when it was recorded.
fn recorded_server() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for list in ["cronjobs", "jobs", "events"] {
        server.load_list(&format!("tests/fixtures/{list}.json"));
    }
    server
}

/// Speaks to it as one of its users.
fn client(server: &ApiServer, user: &str) -> Client {
    Client::new(&server.url(), server.authority(), None)
        .with("Authorization", &format!("Bearer {user}-token"))
}

/// Looks like the client that the answers were recorded with, and gets indented JSON as it did.
fn curl(server: &ApiServer, user: &str) -> Client {
    client(server, user).with("User-Agent", "curl/8.5.0")
}

/// The names of a list's items, with their namespaces.
fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    let text = |item: &Value, field: &str| item["metadata"][field].as_str().unwrap().to_owned();
    items
        .map(|item| format!("{}/{}", text(item, "namespace"), text(item, "name")))
        .collect()
}

/// The smallest `CronJob` that a server takes.
fn cron_job(namespace: &str, name: &str) -> Value {
    json!({
        "kind": "CronJob",
        "apiVersion": "batch/v1",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "schedule": "0 2 * * *",
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox:1.36"}],
            }}}},
        },
    })
}
