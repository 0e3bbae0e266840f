//! A Job whose main container has ended while another container runs: what `scan` and `explain` find.

use crate::live::prelude::*;

/// 13 minutes before the time of the scene.
const SCHEDULED: &str = "2026-11-21T02:00:00Z";

fn container(name: &str, state: &Value) -> Value {
    json!({
        "name": name, "image": format!("registry.example.com/{name}:1"), "imageID": "",
        "ready": state["running"].is_object(), "restartCount": 0, "state": state,
    })
}

fn running() -> Value {
    json!({"running": {"startedAt": "2026-11-21T02:00:03Z"}})
}

fn completed() -> Value {
    json!({"terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": "2026-11-21T02:00:04Z",
        "finishedAt": "2026-11-21T02:05:00Z",
    }})
}

/// A CronJob that forbids overlaps, with a Job of 02:00 and its pod. As the kubelet reports it, a pod is
/// not ready when one of its containers has ended.
fn server(change: impl FnOnce(&mut Value)) -> ApiServer {
    server_with(
        &json!([{"name": "main", "image": "registry.example.com/main:1"}]),
        change,
    )
}

/// The same with these containers in the template.
fn server_with(containers: &Value, change: impl FnOnce(&mut Value)) -> ApiServer {
    let server = ApiServer::start(Options::default());
    let mut active = job("shop", "nightly", SCHEDULED, None);
    active["status"]["ready"] = json!(0);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["spec"]["concurrencyPolicy"] = json!("Forbid");
    nightly["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"] = containers.clone();
    nightly["status"] = status_with_active(&active);
    server.add(nightly);
    let status = json!({
        "phase": "Running",
        "containerStatuses": [container("main", &completed()), container("mesh", &running())],
    });
    let mut pod = pod_of(&active, "abcde", &status);
    pod["spec"] = json!({
        "restartPolicy": "Never",
        "containers": [
            {"name": "main", "image": "registry.example.com/main:1"},
            {"name": "mesh", "image": "docker.io/istio/proxyv2:1.26.2"},
        ],
    });
    server.add(active);
    change(&mut pod);
    server.add(pod);
    server
}

/// The severity of the finding about the sidecar, which is the same in both verbs, if there is one.
fn held(server: &ApiServer) -> Option<String> {
    let [scanned, explained] = ["scan -o json", "explain nightly -o json"].map(|verb| {
        let document = view(server, verb).json();
        let mut findings = document["items"][0]["findings"].items().iter();
        let held = findings.find(|finding| finding["code"] == "held-by-sidecar");
        held.map(|finding| finding["severity"].text().to_owned())
    });
    assert_eq!(scanned, explained);
    scanned
}

#[test]
fn sidecar_that_holds_a_job_is_found_by_scan_and_explain() {
    let server = server(|_| {});
    assert_eq!(held(&server).as_deref(), Some("error"));
    assert_ran!(view(&server, "explain nightly"), 0);
}

/// The pods of a namespace are read if one of its Jobs is in trouble. What is said of the others is the same as without
/// them.
#[test]
fn answer_does_not_depend_on_the_trouble_of_other_jobs() {
    let server = server(|_| {});
    let mut active = job("shop", "nightly", SCHEDULED, None);
    active["status"]["ready"] = json!(1);
    server.add(active);
    let findings = || {
        let document = view(&server, "scan -o json").json();
        let items = document["items"].items();
        let nightly = items.iter().find(|item| item["name"] == "nightly");
        nightly.unwrap()["findings"].clone()
    };
    let alone = findings();
    let mut stuck = job("shop", "weekly", SCHEDULED, None);
    stuck["status"]["ready"] = json!(0);
    let mut weekly = cron_job("shop", "weekly", "0 2 * * *");
    weekly["status"] = status_with_active(&stuck);
    server.add(weekly);
    server.add(stuck);
    assert_eq!(findings(), alone);
}

/// Settings for injected containers have no effect on a container of the CronJob's own template.
#[test]
fn remedy_depends_on_the_template() {
    let remedy = |server: &ApiServer, verb: &str| {
        let document = view(server, verb).json();
        let finding = &document["items"][0]["findings"][0];
        assert_eq!(finding["code"], "held-by-sidecar");
        finding["remedy"]["text"].text().to_owned()
    };
    let containers = json!([{"name": "main", "image": "m:1"}, {"name": "mesh", "image": "p:1"}]);
    let servers = [server(|_| {}), server_with(&containers, |_| {})];
    for verb in ["scan -o json", "explain nightly -o json"] {
        let [injected, own] = [0, 1].map(|index: usize| remedy(&servers[index], verb));
        assert_contains!(injected, "sidecar.istio.io/nativeSidecar");
        assert_contains!(own, "make mesh a native sidecar");
        assert_lacks!(own, "istio.io");
    }
}

#[test]
fn held_by_sidecar_depends_on_fields_of_the_spec() {
    // An injected native sidecar is only in the pod's spec.
    let native = server(|pod| {
        let mut mesh = pod["spec"]["containers"].as_array_mut().unwrap().remove(1);
        mesh["restartPolicy"] = json!("Always");
        pod["spec"]["initContainers"] = json!([mesh]);
        let statuses = pod["status"]["containerStatuses"].as_array_mut().unwrap();
        let mesh = statuses.remove(1);
        pod["status"]["initContainerStatuses"] = json!([mesh]);
    });
    assert_eq!(held(&native), None);
    // The container is started again.
    let own = server(|pod| pod["spec"]["containers"][0]["restartPolicy"] = json!("Always"));
    assert_eq!(held(&own), None);
    let rules = server(|pod| {
        pod["spec"]["containers"][0]["restartPolicy"] = json!("Never");
        pod["spec"]["containers"][0]["restartPolicyRules"] = json!([{
            "action": "Restart", "exitCodes": {"operator": "In", "values": [0]},
        }]);
    });
    assert_eq!(held(&rules), None);
    let failed = |policy: &str| {
        server(|pod| {
            pod["spec"]["restartPolicy"] = json!(policy);
            pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] = json!(3);
        })
    };
    assert_eq!(held(&failed("Never")).as_deref(), Some("error"));
    assert_eq!(held(&failed("OnFailure")), None);
    // The image is usually in the spec, but here only in the status.
    let of_status = server(|pod| {
        pod["spec"]["containers"].as_array_mut().unwrap().remove(1);
        let image = json!("docker.io/istio/proxyv2:1.26.2");
        pod["status"]["containerStatuses"][1]["image"] = image;
    });
    assert_eq!(held(&of_status).as_deref(), Some("error"));
    let deleted = server(|pod| {
        pod["metadata"]["deletionTimestamp"] = json!("2026-11-21T02:12:50Z");
    });
    assert_eq!(held(&deleted), None);
}
