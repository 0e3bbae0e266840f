//! POST, PUT, PATCH and DELETE.

use serde_json::{Value, json};

use super::{client, cron_job, names, recorded_server};
use crate::support::apiserver::{ApiServer, Match, Options};
use crate::support::https::Answer;

const SHOP: &str = "/apis/batch/v1/namespaces/shop/cronjobs";
const MERGE: &str = "application/merge-patch+json";

fn send(server: &ApiServer, method: &str, path: &str, body: &Value) -> Answer {
    let kind = if method == "PATCH" {
        MERGE
    } else {
        "application/json"
    };
    let client = client(server, "admin").with("User-Agent", "doctor/1.0 (test)");
    client.ask(method, path, body.to_string(), &[("Content-Type", kind)])
}

fn nightly(server: &ApiServer) -> Value {
    server
        .object("batch/v1", "CronJob", "shop", "nightly")
        .unwrap()
}

/// A Job that kubectl made from a `CronJob` is stored as the real server stored it.
#[test]
fn a_job_is_filled_in_as_a_real_server_does() {
    let server = recorded_server();
    let text = include_str!("../fixtures/job-made-by-kubectl-create-from.json");
    let stored: Value = serde_json::from_str(text).unwrap();
    let mut sent = stored.clone();
    for name in [
        "creationTimestamp",
        "generation",
        "resourceVersion",
        "uid",
        "labels",
    ] {
        sent["metadata"].as_object_mut().unwrap().remove(name);
    }
    sent["metadata"]["name"] = json!("another-run");
    sent["metadata"]["labels"] = json!({"run": "manual"});
    sent["spec"] = json!({"backoffLimit": 0, "template": {"spec": {
        "containers": [{
            "name": "main",
            "image": "busybox:1.36",
            "command": ["sh", "-c", "date"],
            "env": [{"name": "MODE", "value": "nightly"}],
        }],
        "restartPolicy": "Never",
    }}});
    let answer = send(&server, "POST", "/apis/batch/v1/namespaces/ops/jobs", &sent);
    assert_eq!(answer.status, 201);
    let made = answer.json();
    let uid = made["metadata"]["uid"].as_str().unwrap();
    let expected = stored["spec"]
        .to_string()
        .replace("77b8ba64-7896-42ec-baa8-9ddce2d4f0cd", uid)
        .replace("manual-run", "another-run");
    assert_eq!(
        made["spec"],
        serde_json::from_str::<Value>(&expected).unwrap()
    );
    assert_eq!(made["status"], json!({}));
    assert_eq!(
        made["metadata"]["creationTimestamp"],
        "2026-11-21T02:13:08Z"
    );
    assert_eq!(made["metadata"]["generation"], 1);
    assert_eq!(made["metadata"]["resourceVersion"], "1402");
    assert_eq!(made["metadata"]["managedFields"][0]["manager"], "doctor");
}

#[test]
fn names_that_the_server_makes_up() {
    let server = recorded_server();
    let mut object = cron_job("shop", "");
    object["metadata"] = json!({"generateName": "nightly-"});
    let name = |object: &Value| {
        let made = send(&server, "POST", SHOP, object).json();
        made["metadata"]["name"].as_str().unwrap().to_owned()
    };
    let (first, second) = (name(&object), name(&object));
    assert!(
        first.starts_with("nightly-") && first.len() == 13,
        "{first}"
    );
    assert_ne!(first, second);
    object["metadata"] = json!({});
    let answer = send(&server, "POST", SHOP, &object);
    assert_eq!(answer.status, 422);
    assert_eq!(
        answer.json()["message"],
        "CronJob.batch \"\" is invalid: metadata.name: Required value: name or generateName is required"
    );
}

#[test]
fn what_cannot_be_created() {
    let server = recorded_server();
    let path = "/apis/batch/v1/namespaces/none/cronjobs";
    let answer = send(&server, "POST", path, &cron_job("none", "a"));
    assert_eq!(answer.status, 404);
    assert_eq!(answer.json()["message"], "namespaces \"none\" not found");
    let answer = send(&server, "POST", SHOP, &cron_job("ops", "a"));
    assert_eq!(answer.status, 400);
    let mut object = cron_job("shop", "a");
    object["spec"]["schedule"] = json!("* * *");
    object["spec"]["concurrencyPolicy"] = json!("Sometimes");
    let answer = send(&server, "POST", SHOP, &object);
    assert_eq!(
        answer.json()["message"],
        "CronJob.batch \"a\" is invalid: [spec.schedule: Invalid value: \"* * *\": expected \
         exactly 5 fields, found 3: [* * *], spec.concurrencyPolicy: Unsupported value: \
         \"Sometimes\": supported values: \"Allow\", \"Forbid\", \"Replace\"]"
    );
    let path = format!("{SHOP}?dryRun=All");
    let answer = send(&server, "POST", &path, &cron_job("shop", "a"));
    assert_eq!(answer.status, 201);
    assert_eq!(answer.json()["metadata"]["resourceVersion"], Value::Null);
    assert_eq!(server.object("batch/v1", "CronJob", "shop", "a"), None);
}

#[test]
fn a_spec_has_its_generation_and_its_managers() {
    let server = recorded_server();
    let path = format!("{SHOP}/nightly");
    let before = nightly(&server);
    let generation = before["metadata"]["generation"].as_i64().unwrap();
    let answer = send(
        &server,
        "PATCH",
        &path,
        &json!({"spec": {"suspend": false}}),
    );
    assert_eq!(answer.status, 200);
    let after = answer.json();
    assert_eq!(after, nightly(&server));
    assert_eq!(after["metadata"]["generation"], generation + 1);
    assert_eq!(after["metadata"]["resourceVersion"], "1402");
    let managers = after["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(managers.last().unwrap()["manager"], "doctor");
    // What changes nothing is no change.
    send(
        &server,
        "PATCH",
        &path,
        &json!({"spec": {"suspend": false}}),
    );
    assert_eq!(nightly(&server)["metadata"]["resourceVersion"], "1402");
    let labels = json!({"metadata": {"labels": {"team": "data"}}});
    send(&server, "PATCH", &path, &labels);
    assert_eq!(nightly(&server)["metadata"]["generation"], generation + 1);
    assert_eq!(nightly(&server)["metadata"]["resourceVersion"], "1403");
}

#[test]
fn a_status_has_its_own_door() {
    let server = recorded_server();
    let both = json!({
        "spec": {"suspend": false},
        "status": {"lastScheduleTime": "2026-11-21T02:00:00Z"},
    });
    let before = nightly(&server);
    send(&server, "PATCH", &format!("{SHOP}/nightly/status"), &both);
    let after = nightly(&server);
    assert_eq!(after["spec"], before["spec"]);
    assert_eq!(after["status"], both["status"]);
    assert_eq!(
        after["metadata"]["generation"],
        before["metadata"]["generation"]
    );
    let entries = after["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.last().unwrap()["subresource"], "status");
    let later = json!({"spec": {"suspend": false}, "status": {"lastScheduleTime": null}});
    send(&server, "PATCH", &format!("{SHOP}/nightly"), &later);
    assert_eq!(nightly(&server)["status"], both["status"]);
    assert_eq!(nightly(&server)["spec"]["suspend"], false);
}

#[test]
fn kinds_of_patches() {
    let server = recorded_server();
    let path = format!("{SHOP}/nightly");
    let patch = |kind: &str, patch: &Value| {
        client(&server, "admin").ask("PATCH", &path, patch.to_string(), &[("Content-Type", kind)])
    };
    let json_patch = "application/json-patch+json";
    let good = json!([
        {"op": "test", "path": "/spec/suspend", "value": true},
        {"op": "replace", "path": "/spec/suspend", "value": false},
        {"op": "add", "path": "/metadata/annotations/example.com~1why", "value": "because"},
    ]);
    let answer = patch(json_patch, &good);
    assert_eq!(answer.status, 200);
    let annotations = &nightly(&server)["metadata"]["annotations"];
    assert_eq!(annotations["example.com/why"], "because");
    // It is not suspended any longer.
    let answer = patch(json_patch, &good);
    assert_eq!(answer.status, 422);
    assert_eq!(
        answer.json()["message"],
        "the server rejected our request due to an error in our request"
    );
    let strategic = "application/strategic-merge-patch+json";
    let answer = patch(
        strategic,
        &json!({"spec": {"suspend": true, "timeZone": null}}),
    );
    assert_eq!(answer.json()["spec"]["timeZone"], Value::Null);
    let answer = patch("application/json", &json!({}));
    assert_eq!(answer.status, 415);
}

#[test]
fn replacing_an_object() {
    let server = recorded_server();
    let path = format!("{SHOP}/nightly");
    let mut object = nightly(&server);
    object["spec"]["suspend"] = json!(false);
    object["metadata"]["uid"] = json!("11111111-0000-4000-8000-000000000000");
    assert_eq!(send(&server, "PUT", &path, &object).status, 409);
    object["metadata"].as_object_mut().unwrap().remove("uid");
    assert_eq!(send(&server, "PUT", &path, &object).status, 200);
    // Somebody, namely we, has changed it since.
    assert_eq!(send(&server, "PUT", &path, &object).status, 409);
    object["metadata"]["name"] = json!("daily");
    assert_eq!(send(&server, "PUT", &path, &object).status, 400);
}

fn jobs(server: &ApiServer) -> Vec<String> {
    names(
        &client(server, "admin")
            .get("/apis/batch/v1/namespaces/ops/jobs")
            .json(),
    )
}

#[test]
fn what_becomes_of_dependents() {
    let path = "/apis/batch/v1/namespaces/ops/cronjobs/blocked";
    let server = recorded_server();
    let answer = send(&server, "DELETE", path, &json!({}));
    assert_eq!(answer.json()["status"], "Success");
    let left = jobs(&server);
    assert!(
        !left.contains(&"ops/blocked-29920451".to_owned()),
        "{left:?}"
    );

    let server = recorded_server();
    let options = json!({"propagationPolicy": "Orphan"});
    let answer = send(&server, "DELETE", path, &options);
    assert_eq!(answer.json()["metadata"]["finalizers"], json!(["orphan"]));
    let job = server
        .object("batch/v1", "Job", "ops", "blocked-29920451")
        .unwrap();
    assert_eq!(job["metadata"]["ownerReferences"], Value::Null);
}

#[test]
fn deleting_a_job() {
    let server = recorded_server();
    let path = "/apis/batch/v1/namespaces/ops/jobs/manual-run";
    let wrong = json!({"preconditions": {"uid": "1"}});
    let answer = send(&server, "DELETE", path, &wrong);
    assert_eq!(answer.status, 409);
    let tried = json!({"dryRun": ["All"], "propagationPolicy": "Background"});
    assert_eq!(send(&server, "DELETE", path, &tried).status, 200);
    assert!(jobs(&server).contains(&"ops/manual-run".to_owned()));
    let answer = send(&server, "DELETE", path, &json!({}));
    let warning = answer.header("warning").unwrap();
    assert!(
        warning.starts_with("299 - \"child pods are preserved by default"),
        "{warning}"
    );
    assert!(!jobs(&server).contains(&"ops/manual-run".to_owned()));
    assert_eq!(send(&server, "DELETE", path, &json!({})).status, 404);
}

#[test]
fn finalizers_hold_objects_back() {
    let server = ApiServer::start(Options::default());
    let mut object = cron_job("shop", "held");
    object["metadata"]["finalizers"] = json!(["example.com/hold"]);
    server.add(object);
    let path = format!("{SHOP}/held");
    send(&server, "DELETE", &path, &json!({}));
    let held = client(&server, "admin").get(&path).json();
    assert_eq!(
        held["metadata"]["deletionTimestamp"],
        "2026-11-21T02:13:08Z"
    );
    send(
        &server,
        "PATCH",
        &path,
        &json!({"metadata": {"finalizers": null}}),
    );
    assert_eq!(client(&server, "admin").get(&path).status, 404);
}

#[test]
fn warnings() {
    let server = recorded_server();
    server.warn(Match::path(SHOP).method("GET"), "an \"old\" version");
    let answer = client(&server, "admin").get(SHOP);
    assert_eq!(
        answer.header("warning"),
        Some(r#"299 - "an \"old\" version""#)
    );
}
