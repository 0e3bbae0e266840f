//! The examples of the README and of docs/ that change a cluster: each document has a cluster of its own, with
//! the objects of examples/cluster, at the time at which they were recorded.
//!
//! They are in blocks marked `console cluster`, and are run in the order of the document: each one
//! sees the changes of the previous ones.

use std::io::{Read as _, pipe};
use std::process::Output;

use serde_json::json;

use crate::live::contexts::joined_kubeconfig;
use crate::live::scene::pod_in_state;
use crate::support::apiserver::{ApiServer, Kubeconfig, Options};
use crate::support::examples::{Example, arguments, check_documents};
use crate::support::run::program;

/// When the objects of examples/cluster were recorded.
const NOW: &str = "2026-11-21T02:13:08Z";

#[test]
fn every_example_does_what_the_documents_show() {
    check_documents("console cluster", 5, |examples| {
        let server = cluster();
        examples
            .iter()
            .map(|example| run(&server, example))
            .collect()
    });
}

pub(crate) fn cluster() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for list in ["cronjobs", "jobs", "events"] {
        server.load_list(&format!("examples/cluster/{list}.json"));
    }
    server.set_date(NOW);
    add_log(&server);
    server
}

/// Adds the pod of the Job that failed, and its log.
fn add_log(server: &ApiServer) {
    let names = ["ops", "failing-29920452", "failing-29920452-x7k2p"];
    let state = json!({"terminated": {
        "exitCode": 1,
        "reason": "Error",
        "startedAt": "2026-11-21T02:12:02Z",
        "finishedAt": "2026-11-21T02:12:09Z",
    }});
    let status = [json!("Failed"), state];
    server.add(pod_in_state(server, names, "2026-11-21T02:12:00Z", status));
    let text = "connecting to db:5432\nerror: connection refused\n";
    server.log("ops", "failing-29920452-x7k2p", "main", text);
}

fn run(server: &ApiServer, example: &Example) -> String {
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let other = example.command.contains("--context").then(|| {
        let other = crate::live::scene::server();
        other.set_date(NOW);
        other
    });
    let kubeconfig = match &other {
        Some(other) => joined_kubeconfig(&[("prod-eu", server), ("prod-us", other)]),
        None => kubeconfig,
    };
    // One stream, as at a terminal.
    let (mut reader, writer) = pipe().unwrap();
    let mut child = program()
        .args(arguments(example))
        .env("HOME", "/home/you")
        .env("KUBECONFIG", kubeconfig)
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut printed = String::new();
    reader.read_to_string(&mut printed).unwrap();
    // The recorded time is long past when the example runs, so the note about the local clock is left out.
    let lines = printed
        .lines()
        .filter(|line| !line.contains("local clock is "));
    let lines: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
    example.shown(&Output {
        status: child.wait().unwrap(),
        stdout: lines.concat().into_bytes(),
        stderr: Vec::new(),
    })
}
