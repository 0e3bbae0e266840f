//! What `explain` reads to compare the last run with the last success: only of one named CronJob with a problem.

use crate::live::prelude::*;

const SUCCEEDED: &str = "2026-11-20T02:00:00Z";
const FAILED: &str = "2026-11-21T02:00:00Z";

fn image(tag: &str) -> String {
    format!("registry.example.com/main:{tag}")
}

/// A server with a run that succeeded, and a later one with the image of this tag that failed or not.
fn server(tag: &str, how: &str) -> ApiServer {
    let server = ApiServer::start(Options::default());
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    let template = "/spec/jobTemplate/spec/template/spec/containers/0/image";
    *nightly.pointer_mut(template).unwrap() = json!(image(tag));
    nightly["status"] =
        json!({"lastScheduleTime": FAILED, "lastSuccessfulTime": "2026-11-20T02:03:00Z"});
    nightly["metadata"]["managedFields"] = json!([{
        "manager": "argocd-controller", "operation": "Apply", "apiVersion": "batch/v1",
        "time": "2026-11-20T14:03:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:jobTemplate": {"f:spec": {"f:template": {"f:spec": {"f:containers": {
            "k:{\"name\":\"main\"}": {".": {}, "f:name": {}, "f:image": {}},
        }}}}}}},
    }]);
    server.add(nightly);
    let first = job("shop", "nightly", SUCCEEDED, Some("2026-11-20T02:03:00Z"));
    let mut last = job("shop", "nightly", FAILED, None);
    last["status"] = ended_status(how, [FAILED, "2026-11-21T02:00:20Z"]);
    *last
        .pointer_mut("/spec/template/spec/containers/0/image")
        .unwrap() = json!(image(tag));
    for (job, phase, digit) in [(&first, "Succeeded", "a"), (&last, "Failed", "b")] {
        let running = &job["spec"]["template"]["spec"]["containers"][0]["image"];
        let id = format!("registry.example.com/main@sha256:{}", digit.repeat(64));
        let status = json!({"phase": phase, "containerStatuses": [{
            "name": "main", "image": running, "imageID": id, "restartCount": 0, "ready": false,
            "state": {"terminated": {"exitCode": i32::from(digit == "b"), "startedAt": FAILED}},
        }]});
        let mut pod = pod_of(job, "abcde", &status);
        pod["spec"]["containers"][0]["image"] = running.clone();
        server.add(pod);
    }
    server.add(first);
    server.add(last);
    server
}

fn since(server: &ApiServer, arguments: &str) -> Value {
    let ran = view(server, ("explain -o json", arguments));
    ran.document()["items"][0]["sinceSuccess"].clone()
}

/// How often each resource was listed.
fn lists(server: &ApiServer, resource: &str) -> usize {
    let asked = server.requests_where(|request| request.path.ends_with(resource));
    asked.len()
}

#[test]
fn changed_image_of_a_named_cron_job_is_found() {
    let server = server("1.5", "Failed");
    let found = since(&server, "nightly");
    let field = &found["fields"][0];
    assert_eq!(
        json!([field["old"], field["new"]]),
        json!([image("1.4"), image("1.5")])
    );
    assert_eq!(field["setBy"]["fieldManager"], "argocd-controller");
    assert_eq!(found["compared"], json!(["template"]));
    // The whole CronJob, both whole Jobs, and the pods of the success.
    let asked = ["/cronjobs", "/jobs", "/pods"].map(|resource| lists(&server, resource));
    assert_eq!(asked, [2, 3, 2]);
}

#[test]
fn digest_of_the_success_is_read_from_its_pods() {
    let server = server("1.4", "Failed");
    let found = since(&server, "nightly");
    assert_eq!(found["fields"], json!([]));
    assert_eq!(
        found["images"][0]["newDigest"],
        format!("sha256:{}", "b".repeat(64))
    );
}

#[test]
fn nothing_more_is_read_of_a_cron_job_that_is_not_named_or_not_broken() {
    for (how, arguments) in [("Failed", ""), ("Complete", "nightly")] {
        let server = server("1.5", how);
        assert_eq!(since(&server, arguments), Value::Null);
        assert_eq!(
            ["/cronjobs", "/jobs"].map(|resource| lists(&server, resource)),
            [1, 1]
        );
    }
}
