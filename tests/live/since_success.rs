//! What `explain` reads to compare the last run with the last success: only of one named CronJob with a problem.

use crate::live::prelude::*;

const SUCCEEDED: &str = "2026-11-20T02:00:00Z";
const LAST: &str = "nightly-29920440";
const FAILED: &str = "2026-11-21T02:00:00Z";

fn image(tag: &str) -> String {
    format!("registry.example.com/main:{tag}")
}

/// A server with a run that succeeded, and a later one with the image of this tag that failed or not.
fn server(tag: &str, how: &str) -> ApiServer {
    let server = ApiServer::start(Options::default());
    add(&server, "nightly", tag, how);
    server
}

/// Adds a CronJob with both runs.
pub(crate) fn add(server: &ApiServer, name: &str, tag: &str, how: &str) {
    let mut nightly = cron_job("shop", name, "0 2 * * *");
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
    let first = job("shop", name, SUCCEEDED, Some("2026-11-20T02:03:00Z"));
    let mut last = job("shop", name, FAILED, None);
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

/// A server whose last run failed with the image of the success, and whose pods refer to `ConfigMap`s.
fn server_with_config_maps(names: &[&str]) -> ApiServer {
    let server = server("1.4", "Failed");
    let sources: Vec<Value> = names
        .iter()
        .map(|name| json!({"configMapRef": {"name": name}}))
        .collect();
    server.edit("batch/v1", "Job", "shop", LAST, |job| {
        job["spec"]["template"]["spec"]["containers"][0]["envFrom"] = json!(sources);
    });
    server
}

fn config_map(name: &str, changed: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "namespace": "shop", "name": name, "creationTimestamp": "2026-11-01T12:00:00Z",
            "managedFields": [{
                "manager": "kubectl-edit", "operation": "Update", "apiVersion": "v1", "time": changed,
                "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:value": {}}},
            }],
        },
        "data": {"value": "unread"},
    })
}

/// The name of each `ConfigMap` that was asked for. Nothing but its metadata may be.
fn asked_for(server: &ApiServer) -> Vec<String> {
    let asked = server.requests_where(|request| request.path.contains("/configmaps"));
    let name = |request: &Recorded| {
        let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        assert_eq!(
            (&*request.method, request.header("accept")),
            ("GET", Some(metadata))
        );
        let name = request
            .path
            .strip_prefix("/api/v1/namespaces/shop/configmaps/");
        name.unwrap().to_owned()
    };
    let mut names: Vec<String> = asked.iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn config_map_that_was_changed_before_the_failure_is_found_by_its_metadata() {
    let server = server_with_config_maps(&["settings", "older"]);
    server.add(config_map("settings", "2026-11-20T14:03:00Z"));
    server.add(config_map("older", "2026-11-19T14:03:00Z"));
    let found = since(&server, "nightly");
    let changed = json!([{"name": "settings", "changedAt": "2026-11-20T14:03:00Z", "fieldManager": "kubectl-edit"}]);
    assert_eq!(found["configMaps"], changed);
    assert_eq!(
        found["compared"],
        json!(["template", "images", "configMaps"])
    );
    assert_eq!(asked_for(&server), ["older", "settings"]);
}

#[test]
fn at_most_five_config_maps_are_read() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let server = server_with_config_maps(&names);
    for name in names {
        server.add(config_map(name, "2026-11-20T14:03:00Z"));
    }
    let found = since(&server, "nightly");
    assert_eq!(asked_for(&server), ["a", "b", "c", "d", "e"]);
    assert_eq!(found["configMapsNotCompared"], json!(["f"]));
}

#[test]
fn config_map_that_cannot_be_read_is_named_with_wide_only() {
    let path = "/api/v1/namespaces/shop/configmaps/settings";
    for refused in [true, false] {
        let server = server_with_config_maps(&["settings"]);
        if refused {
            server.add(config_map("settings", "2026-11-20T14:03:00Z"));
            server.fault(Match::path(path), Fault::Status(403));
        }
        let ran = view(&server, "explain nightly");
        assert_eq!(ran.stderr, "");
        assert_lacks!(ran.stdout, "ConfigMap");
        let wide = view(&server, "explain nightly -o wide");
        assert_eq!(wide.stderr, "");
        assert_contains!(
            wide.stdout,
            "Not compared, as it could not be read: ConfigMap settings."
        );
    }
}

/// The node of the failed pod: ready for 43 seconds when the pod started, or for weeks, or not to be read.
#[test]
fn node_of_the_failed_pod_that_had_just_become_ready_is_named() {
    for (ready, seconds) in [
        ("2026-11-21T01:59:17Z", json!(43)),
        ("2026-11-01T00:00:00Z", Value::Null),
    ] {
        for refused in [false, true] {
            let server = server("1.4", "Failed");
            let pod = format!("{LAST}-abcde");
            server.edit("v1", "Pod", "shop", &pod, |pod| {
                pod["spec"]["nodeName"] = json!("node-7");
            });
            server.add(json!({
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": "node-7", "creationTimestamp": "2026-11-01T00:00:00Z"},
                "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ready}]},
            }));
            if refused {
                server.fault(Match::path("/api/v1/nodes"), Fault::Status(403));
            }
            let ran = view(&server, "explain nightly -o json");
            assert_eq!(ran.stderr, "");
            let document = ran.document();
            let node = &document["items"][0]["sinceSuccess"]["node"];
            let seconds = if refused { &Value::Null } else { &seconds };
            assert_eq!(node["readyForSeconds"], *seconds, "{ready} {refused}");
            let asked = server.requests_where(|request| request.path == "/api/v1/nodes");
            let selectors: Vec<_> = asked
                .iter()
                .map(|request| request.parameter("fieldSelector"))
                .collect();
            assert_eq!(selectors, [Some("metadata.name=node-7")]);
        }
    }
}

#[test]
fn nothing_more_is_read_of_a_cron_job_that_is_not_broken() {
    for arguments in ["", "nightly"] {
        let server = server("1.5", "Complete");
        assert_eq!(since(&server, arguments), Value::Null);
        assert_eq!(
            ["/cronjobs", "/jobs"].map(|resource| lists(&server, resource)),
            [1, 1]
        );
    }
}

/// The names of those whose last run was compared.
fn compared(explanations: &Value) -> Vec<String> {
    let items = explanations["items"].items().iter();
    let compared = items.filter(|item| !item["sinceSuccess"].is_null());
    compared
        .map(|item| item["name"].text().to_owned())
        .collect()
}

/// Of 22 that failed the first 20 are compared, and none that succeeded. What is beside the runs is not read.
#[test]
fn of_many_only_the_first_twenty_that_failed_are_compared() {
    let server = ApiServer::start(Options::default());
    let failed: Vec<String> = (10..32).map(|number| format!("failed-{number}")).collect();
    for name in &failed {
        add(&server, name, "1.5", "Failed");
        server.edit(
            "batch/v1",
            "Job",
            "shop",
            &format!("{name}-29920440"),
            |job| {
                let source = json!([{"configMapRef": {"name": "settings"}}]);
                job["spec"]["template"]["spec"]["containers"][0]["envFrom"] = source;
            },
        );
    }
    add(&server, "again", "1.5", "Complete");
    let asked = || {
        [
            "/cronjobs",
            "/jobs",
            "/pods",
            "/nodes",
            "/configmaps/settings",
        ]
        .map(|it| lists(&server, it))
    };
    let explained = view(&server, "explain -o json").document();
    assert_eq!(compared(&explained), failed[..20]);
    // One list, and of each CronJob itself, both Jobs, and the pods of the success.
    let expected = [1 + 20, 1 + 2 * 20, 1 + 20, 0, 0];
    assert_eq!(asked(), expected);
    server.clear_requests();
    let report = view(&server, "report -o json").document();
    assert_eq!(compared(&report["explanations"]), failed[..20]);
    // Runs are missing, so the CronJobs and Jobs of other namespaces are listed.
    let beside = [1, 1, 0, 0, 0];
    assert_eq!(asked(), std::array::from_fn(|it| expected[it] + beside[it]));
}
