//! A Job that does not get on, and what its pods say.

use serde_json::json;

use crate::live::call::{ask, check, fine, fine_but};
use crate::live::scene::{cron_job, job, job_name};
use crate::support::apiserver::{ApiServer, Options};

const SLOT: &str = "2026-11-21T02:00:00Z";

/// A CronJob whose Job of 02:00 waits for its image.
fn server() -> ApiServer {
    let server = ApiServer::start(Options::default());
    let name = job_name("nightly", SLOT);
    let mut nightly = cron_job("shop", "nightly", "0 2 * * *");
    nightly["status"] = json!({
        "lastScheduleTime": SLOT,
        "active": [{
            "apiVersion": "batch/v1",
            "kind": "Job",
            "namespace": "shop",
            "name": name,
            "uid": format!("uid-of-{name}"),
        }],
    });
    server.add(nightly);
    let mut running = job("shop", "nightly", SLOT, None);
    running["status"]["ready"] = json!(0);
    server.add(running);
    server.add(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("{name}-abcde"),
            "namespace": "shop",
            "creationTimestamp": SLOT,
            "labels": {"job-name": name},
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": name,
                "uid": format!("uid-of-{name}"),
                "controller": true,
            }],
        },
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/main:1.4"}]},
        "status": {
            "phase": "Pending",
            "containerStatuses": [{
                "name": "main",
                "image": "registry.example.com/main:1.4",
                "imageID": "",
                "ready": false,
                "restartCount": 0,
                "state": {"waiting": {
                    "reason": "ImagePullBackOff",
                    "message": "Back-off pulling image \"registry.example.com/main:1.4\"",
                }},
            }],
        },
    }));
    server
}

/// What is said before the pods.
const BEFORE: &str = "\
shop/nightly
  Runs next Sun 2026-11-22 02:00 Etc/UTC (in 23h) if nightly-29920440 has
  finished by then (concurrencyPolicy: Forbid)

  Schedule    0 2 * * * in Etc/UTC
              at 02:00
  Controller  Kubernetes 1.36.2 (v2), its clock in UTC
  Now         2026-11-21T02:13:08Z

What the controller does when it looks now
  pass Jobs        1 of its Jobs known, 1 of them unfinished; 1 count as active
  pass time zone   Etc/UTC
  pass suspend     not suspended
  STOP slot        no slot is due
  looks again at 2026-11-22T02:00:00.1Z (in 23h)
";

/// What is said after them.
const AFTER: &str = "
Next slots
  2026-11-22T02:00:00Z   23h      Sun 2026-11-22 02:00 UTC
                         if nightly-29920440 has finished by then
  2026-11-23T02:00:00Z   47h      Mon 2026-11-23 02:00 UTC
  2026-11-24T02:00:00Z   2d23h    Tue 2026-11-24 02:00 UTC
  2026-11-25T02:00:00Z   3d23h    Wed 2026-11-25 02:00 UTC
  2026-11-26T02:00:00Z   4d23h    Thu 2026-11-26 02:00 UTC
";

const FOUND: &str = "
Pods of Jobs that run or failed last
  nightly-29920440-abcde: Pending, ImagePullBackOff
";

const FINDING: &str = "
Findings
  error    a pod gets no image [pod-image-not-pulled]
           nightly-29920440 gets no image for its pod nightly-29920440-abcde
           since 2026-11-21T02:00:00Z (13m ago), container main:
           ImagePullBackOff: Back-off pulling image
           \"registry.example.com/main:1.4\". Until it ends, nothing else starts
           (concurrencyPolicy: Forbid).
           -> kubectl -n shop describe pod nightly-29920440-abcde  # the Job keeps its template; \
after correcting the CronJob: kubectl -n shop delete job nightly-29920440; the next run is then the \
one scheduled at 2026-11-22T02:00:00Z
";

/// The status of the Job shows that something is wrong, and no more.
const WITHOUT_PODS: &str = "
Findings
  warning  no pod of an active Job is ready [no-pod-ready]
           nightly-29920440 has had no ready pod since 2026-11-21T02:00:00Z (13m
           ago). Its pods were not read. Until it ends, nothing else starts
           (concurrencyPolicy: Forbid).
           -> kubectl -n shop describe pods -l job-name=nightly-29920440
";

#[test]
fn an_image_that_cannot_be_pulled() {
    let server = server();
    let expected = [BEFORE, FOUND, AFTER, FINDING].concat();
    check(
        &ask(&server, "viewer", &["explain", "nightly"]),
        &fine(&expected),
    );
    // Only those of the Job that does not get on, and what happened to the one that it has.
    let name = job_name("nightly", SLOT);
    let requests = server.requests();
    let about = |path: &str, parameter: &str| {
        let asked = requests.iter().filter(|request| request.path == path);
        let mut selectors: Vec<_> = asked
            .filter_map(|request| request.parameter(parameter))
            .collect();
        selectors.sort_unstable();
        selectors.last().map(|&selector| selector.to_owned())
    };
    assert_eq!(
        about("/api/v1/namespaces/shop/pods", "labelSelector"),
        Some(format!("job-name={name}"))
    );
    assert_eq!(
        about("/api/v1/namespaces/shop/events", "fieldSelector"),
        Some(format!(
            "involvedObject.kind=Pod,involvedObject.name={name}-abcde"
        ))
    );
}

#[test]
fn pods_are_forbidden() {
    let server = server();
    server.deny(|attempt| attempt.resource == "pods");
    let warning = "warning: without pods, why a Job is stuck or failed cannot be told: from the \
                   server (Forbidden): pods is forbidden: User \"viewer\" cannot list resource \
                   \"pods\" in API group \"\" in the namespace \"shop\"\n";
    let expected = [BEFORE, AFTER, WITHOUT_PODS].concat();
    check(
        &ask(&server, "viewer", &["explain", "nightly"]),
        &fine_but(&expected, warning),
    );
}
