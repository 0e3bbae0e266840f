//! The API server of the tests against the recorded answers of a real one: the same request gets the
//! same answer, byte for byte.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::apiserver::{ApiServer, Options};
use crate::support::https::{Answer, Client};

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

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join("apiserver").join(name))
        .or_else(|_| std::fs::read(folder.join(name)))
        .unwrap()
}

/// The body is the recorded one, and so are the status and the headers that were recorded.
fn assert_recorded(answer: &Answer, name: &str) {
    assert_eq!(
        String::from_utf8_lossy(&answer.body),
        String::from_utf8_lossy(&fixture(name)),
        "{name}"
    );
    assert_eq!(answer.body, fixture(name), "{name}");
    let headers = String::from_utf8(fixture(&format!("{name}.headers"))).unwrap();
    let mut lines = headers.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    assert_eq!(answer.status.to_string(), status, "{name}");
    let mut wanted: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    wanted.retain(|(header, _)| *header != "content-length");
    for (header, value) in wanted {
        assert_eq!(answer.header(header), Some(value), "{name}: {header}");
    }
    let length = lines_of(&headers, "content-length");
    assert_eq!(answer.header("content-length"), length, "{name}");
    let chunked = answer.header("transfer-encoding").is_some();
    assert_eq!(chunked, length.is_none(), "{name}");
}

fn lines_of<'a>(headers: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = headers.lines().filter_map(|line| line.split_once(": "));
    pairs.find(|(header, _)| *header == name).map(|pair| pair.1)
}

#[test]
fn lists_and_objects_in_json() {
    let server = recorded_server();
    let curl = curl(&server, "admin");
    for (path, name) in [
        ("/apis/batch/v1/cronjobs", "cronjobs.json"),
        ("/apis/batch/v1/jobs", "jobs.json"),
        ("/apis/batch/v1/jobs?limit=2", "jobs-page1.json"),
        (
            "/api/v1/events?fieldSelector=involvedObject.kind%3DCronJob",
            "events.json",
        ),
        (
            "/apis/batch/v1/namespaces/ops/cronjobs/blocked",
            "cronjob-get.json",
        ),
        ("/version", "version.json"),
    ] {
        assert_recorded(&curl.get(path), name);
    }
}

#[test]
fn lists_and_objects_in_protobuf() {
    let server = recorded_server();
    let client = client(&server, "viewer").with("Accept", PROTOBUF);
    for (path, name) in [
        ("/apis/batch/v1/cronjobs", "cronjobs.pb"),
        ("/apis/batch/v1/jobs", "jobs.pb"),
        ("/apis/batch/v1/jobs?limit=2", "jobs-page1.pb"),
        (
            "/apis/batch/v1/namespaces/ops/cronjobs/blocked",
            "cronjob-get.pb",
        ),
        ("/apis/batch/v1/namespaces/shop/cronjobs/nope", "err-404.pb"),
    ] {
        assert_recorded(&client.get(path), name);
    }
}

/// The bodies of these refusals were recorded, and their headers were not.
fn assert_body(answer: &Answer, status: u16, name: &str) {
    assert_eq!(answer.text(), String::from_utf8(fixture(name)).unwrap());
    assert_eq!(answer.status, status, "{name}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[test]
fn refusals() {
    let server = recorded_server();
    let admin = curl(&server, "admin");
    let shop = "/apis/batch/v1/namespaces/shop/cronjobs";
    assert_recorded(
        &admin.get("/apis/batch/v1/cronjobs?limit=1&continue=garbage"),
        "err-400-continue.json",
    );
    assert_recorded(&admin.get(&format!("{shop}/nope")), "err-404.json");
    let text = [("Accept", "text/plain")];
    assert_recorded(
        &admin.ask("GET", "/apis/batch/v1/cronjobs", "", &text),
        "err-406.json",
    );
    let unknown = curl(&server, "unknown");
    assert_body(&unknown.get("/version"), 401, "err-401.json");
    let nobody = curl(&server, "nobody");
    assert_body(
        &nobody.get("/apis/batch/v1/cronjobs"),
        403,
        "err-403-list.json",
    );
    let patch = |client: &Client, patch: &Value| {
        let kind = [("Content-Type", "application/merge-patch+json")];
        let path = format!("{shop}/nightly");
        client.ask("PATCH", &path, patch.to_string(), &kind)
    };
    let resume = json!({"spec": {"suspend": false}});
    let viewer = curl(&server, "viewer");
    assert_body(&patch(&viewer, &resume), 403, "err-403-patch.json");
    let stale = json!({"metadata": {"resourceVersion": "1"}, "spec": {"suspend": false}});
    assert_body(&patch(&admin, &stale), 409, "err-409-conflict.json");
    let negative = json!({"spec": {"startingDeadlineSeconds": -1}});
    assert_body(&patch(&admin, &negative), 422, "err-422.json");
    let mut job: Value =
        serde_json::from_slice(&fixture("job-made-by-kubectl-create-from.json")).unwrap();
    job["metadata"] = json!({"name": "manual-run"});
    assert_body(
        &admin.ask(
            "POST",
            "/apis/batch/v1/namespaces/ops/jobs",
            job.to_string(),
            &[],
        ),
        409,
        "err-409-exists.json",
    );
}

/// The token that was recorded begins after `ops/a`, at a version that was forgotten.
#[test]
fn continue_tokens_that_are_too_old() {
    let server = recorded_server();
    server.expire_continue_tokens();
    // {"v":"meta.k8s.io/v1","rv":1,"start":"ops/a\u0000"}
    let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJvcHMvYVx1MDAwMCJ9";
    let path = format!("/apis/batch/v1/jobs?limit=2&continue={token}");
    assert_recorded(&curl(&server, "admin").get(&path), "err-410-continue.json");
}

#[test]
fn a_question_about_ones_own_rights() {
    let server = recorded_server();
    let question = json!({
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "spec": {"resourceAttributes": {
            "namespace": "shop",
            "verb": "patch",
            "group": "batch",
            "resource": "cronjobs",
            "subresource": "status",
        }},
    });
    let ask = |user: &str| {
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        curl(&server, user).ask("POST", path, question.to_string(), &[])
    };
    assert_body(&ask("admin"), 201, "access-review.json");
    assert_eq!(ask("viewer").json()["status"], json!({"allowed": false}));
}

#[test]
fn a_patch_that_is_only_tried() {
    let server = recorded_server();
    let answer = curl(&server, "admin").ask(
        "PATCH",
        "/apis/batch/v1/namespaces/shop/cronjobs/nightly?dryRun=All&fieldManager=kubectl-cronjob-doctor",
        json!({"spec": {"suspend": false}}).to_string(),
        &[("Content-Type", "application/merge-patch+json")],
    );
    assert_body(&answer, 200, "patch-dryrun.json");
    let nightly = server.object("batch/v1", "CronJob", "shop", "nightly");
    assert_eq!(nightly.unwrap()["spec"]["suspend"], true);
}

/// What a 1.36 says to a watch that it cannot serve.
#[test]
fn a_watch_that_wants_its_list_first() {
    let server = recorded_server();
    let path = "/apis/batch/v1/cronjobs?watch=1&sendInitialEvents=true\
        &resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let answer = client(&server, "admin").get(path);
    assert_eq!(
        (answer.status, &answer.body),
        (200, &fixture("watch-cronjobs.jsonl"))
    );
}
