//! The output is the same for a cluster that is read in protobuf, in JSON and from files.

use crate::live::prelude::*;
use crate::live::scene::objects;

/// The calls whose output is compared.
const QUESTIONS: [&str; 9] = [
    "scan -A",
    "scan -A -o json",
    "scan -A -o wide",
    "scan -A -o yaml",
    "explain -A",
    "explain -A -o json",
    "next-runs -A -o json",
    "history -A",
    "history -A -o json",
];
const FORMATS: [&str; 3] = ["name", "csv", "prometheus"];

/// The time and the release, so that the output does not depend on where the objects come from.
const SETTING: &str = "--now=2026-11-21T02:13:08Z --kubernetes-version=1.36.2";

/// The same server without protobuf.
fn json_only() -> Options {
    let mut options = Options::default();
    for resource in &mut options.resources {
        resource.has_protobuf = false;
    }
    options
}

fn load_recorded(server: &ApiServer) {
    for list in ["cronjobs", "jobs", "events"] {
        server.load_list(&format!("tests/fixtures/{list}.json"));
    }
}

/// The recorded bytes are those of a real 1.36.2 API server for the same objects.
#[test]
fn protobuf_of_the_test_server_equals_that_of_a_real_one() {
    let server = ApiServer::start(Options::default());
    load_recorded(&server);
    for (kind, recorded) in [
        ("CronJob", &include_bytes!("../fixtures/cronjobs.pb")[..]),
        ("Job", &include_bytes!("../fixtures/jobs.pb")[..]),
    ] {
        assert_eq!(server.protobuf("batch/v1", kind), recorded, "{kind}");
    }
}

fn live(server: &ApiServer, question: &str) -> Ran {
    let arguments = (question, SETTING);
    Call::new(arguments)
        .with(server, &Kubeconfig::user("viewer"))
        .run()
}

fn from_files(path: &str, question: &str) -> Ran {
    Call::new((question.replace(" -A", ""), ["-f", path], SETTING)).run()
}

/// Compares line by line, because the whole output would be too long to read.
#[track_caller]
fn same(question: &str, one: &Ran, other: &Ran) {
    // Lists as protobuf have few fields of a Job, and not its template.
    let lines = |ran: &Ran| {
        let lines = ran.stdout.lines();
        let lines = lines.filter(|line| !line.contains("\"templateFingerprint\": "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let said = |ran: &Ran| (ran.stderr.clone(), ran.code);
    let (one, other) = ((lines(one), said(one)), (lines(other), said(other)));
    for (number, (one, other)) in one.0.iter().zip(&other.0).enumerate() {
        assert_eq!(one, other, "{question:?}, line {}", number + 1);
    }
    assert_eq!(one, other, "{question:?}");
}

/// Compares the output of all calls for protobuf, JSON and files.
fn compare(populate: impl Fn(&ApiServer), path: &str) {
    let in_protobuf = ApiServer::start(Options::default());
    populate(&in_protobuf);
    let in_json = ApiServer::start(json_only());
    populate(&in_json);
    let formats = FORMATS.map(|format| format!("scan -A -o {format}"));
    let questions = QUESTIONS
        .into_iter()
        .chain(formats.iter().map(String::as_str));
    for question in questions {
        let reference = live(&in_protobuf, question);
        let said = (reference.stderr.as_str(), reference.code);
        assert_eq!(said, ("", 0), "{question:?}");
        assert!(!reference.stdout.is_empty(), "{question:?}");
        same(question, &reference, &live(&in_json, question));
        same(question, &reference, &from_files(path, question));
    }
    // The release is set by a flag, so the version is not requested.
    for server in [&in_protobuf, &in_json] {
        let versions = server.requests_where(|request| request.path == "/version");
        assert!(versions.is_empty());
    }
}

#[test]
fn recorded_cluster_is_the_same_in_protobuf_json_and_files() {
    compare(load_recorded, "examples/cluster");
}

#[test]
fn test_cluster_is_the_same_in_protobuf_json_and_files() {
    let keeper = ApiServer::start(Options::default());
    let mut items = objects();
    let key = |object: &Value| {
        let text = |pointer: &str| object.pointer(pointer).unwrap().text().to_owned();
        (
            text("/kind"),
            text("/metadata/namespace"),
            text("/metadata/name"),
        )
    };
    items.sort_by_key(key);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let path = keeper.file("snapshot.json", &list.to_string());
    compare(crate::live::scene::populate, path.to_str().unwrap());
}
