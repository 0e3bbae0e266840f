//! Jobs without a ready pod, and full quotas: what `scan` finds with and without reading further lists,
//! and how much it reads.

use crate::live::prelude::*;
use crate::live::scene::waiting;

/// 13 minutes before the time of the scene.
const SCHEDULED: &str = "2026-11-21T02:00:00Z";

/// None of these CronJobs has ever succeeded.
const NEVER_SUCCEEDED: (&str, &str) = ("never-succeeded", "warning");

/// A CronJob whose Job of 02:00 is active, and has no ready pod.
fn stuck(server: &ApiServer, namespace: &str, name: &str, active: u32) {
    let mut running = job(namespace, name, SCHEDULED, None);
    let mut cron_job = cron_job(namespace, name, "0 2 * * *");
    cron_job["status"] = status_with_active(&running);
    server.add(cron_job);
    running["status"]["active"] = json!(active);
    running["status"]["ready"] = json!(0);
    server.add(running);
}

/// The pod of that Job, with a status.
fn pod(server: &ApiServer, namespace: &str, name: &str, status: &Value) {
    let job = job(namespace, name, SCHEDULED, None);
    server.add(pod_of(&job, "abcde", status));
}

fn event(server: &ApiServer, kind: &str, involved: &str, reason: &str, message: &str) {
    server.add(json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"name": format!("{involved}.18ab"), "namespace": "shop"}, "type": "Warning",
        "reason": reason, "message": message,
        "involvedObject": {"kind": kind, "namespace": "shop", "name": involved},
        "firstTimestamp": "2026-11-21T02:00:05Z", "lastTimestamp": "2026-11-21T02:12:05Z",
        "count": 14,
    }));
}

/// A full quota on Jobs.
fn quota(server: &ApiServer, namespace: &str) {
    let amount = json!({"count/jobs.batch": "2"});
    server.add(json!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "jobs", "namespace": namespace}, "spec": {"hard": amount},
        "status": {"hard": amount, "used": amount},
    }));
}

/// The codes and severities of the findings of a verb.
fn codes(ran: &Ran, part: &str) -> Vec<(String, String)> {
    let document = ran.json();
    let items = document.pointer(part).unwrap().items();
    let findings = items.iter().flat_map(|item| {
        let findings = item["findings"].items().iter();
        findings.map(|finding| {
            let text = |field: &str| finding[field].text().to_owned();
            (text("code"), text("severity"))
        })
    });
    findings.collect()
}

/// A server with one Job that has this number of pods, none of them ready.
fn one_stuck(pods: u32) -> ApiServer {
    let server = ApiServer::start(Options::default());
    stuck(&server, "shop", "nightly", pods);
    server
}

/// The same with one pod, which has this status.
fn one_stuck_pod(status: &Value) -> ApiServer {
    let server = one_stuck(1);
    pod(&server, "shop", "nightly", status);
    server
}

/// The lists of a resource with their selectors for labels and for fields.
fn lines(server: &ApiServer, resource: &str) -> Vec<(String, String, String)> {
    let lists = server.requests_where(|request| request.path.ends_with(resource));
    let line = |request: &Recorded| {
        let selector = |name| request.parameter(name).unwrap_or_default().to_owned();
        (
            request.line(),
            selector("labelSelector"),
            selector("fieldSelector"),
        )
    };
    let mut lines: Vec<_> = lists.iter().map(line).collect();
    lines.sort();
    lines
}

/// A list as [`lines`] shows it.
fn list(path: &str, labels: &str, fields: &str) -> (String, String, String) {
    (format!("GET {path}"), labels.to_owned(), fields.to_owned())
}

/// What `scan`, `explain` and `report` find.
#[track_caller]
fn found(server: &ApiServer, flags: &str) -> [Vec<(String, String)>; 3] {
    let verbs = [
        ("scan", "/items"),
        ("explain", "/items"),
        ("report", "/scan/items"),
    ];
    verbs.map(|(verb, part)| {
        let ran = view(server, (verb, "-o json", flags));
        assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{verb}");
        codes(&ran, part)
    })
}

/// All verbs find the same cause, and nothing else.
#[test]
fn cause_of_a_job_without_ready_pod_is_found_by_all_verbs() {
    let unscheduled = json!({
        "phase": "Pending",
        "conditions": [{
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
            "message": "0/3 nodes are available: 3 Insufficient memory.",
            "lastTransitionTime": SCHEDULED,
        }],
    });
    let job = job_name("nightly", SCHEDULED);
    let refused = one_stuck(0);
    let message = "Error creating: pods \"nightly-1\" is forbidden: exceeded quota: pods";
    event(&refused, "Job", &job, "FailedCreate", message);
    // Only events show what a volume is waiting for.
    let unmounted = one_stuck_pod(&waiting("ContainerCreating"));
    let message = "MountVolume.SetUp failed for volume \"config\" : configmap \"main\" not found";
    let pod = format!("{job}-abcde");
    event(&unmounted, "Pod", &pod, "FailedMount", message);
    // No Job controller runs.
    let unattended = one_stuck(0);
    unattended.edit("batch/v1", "Job", "shop", &job, |job| {
        job["status"] = json!({});
    });
    let unpulled = one_stuck_pod(&waiting("ImagePullBackOff"));
    let initializing = one_stuck_pod(&waiting("PodInitializing"));
    for (server, code, severity) in [
        (unpulled, "pod-image-pull-fails", "error"),
        (one_stuck_pod(&unscheduled), "pod-not-scheduled", "warning"),
        (refused, "pod-creation-rejected", "error"),
        (unmounted, "pod-config-missing", "error"),
        // No reason is known.
        (initializing, "no-pod-ready", "warning"),
        (unattended, "no-pod-ready", "warning"),
    ] {
        let expected = [(code, severity), NEVER_SUCCEEDED];
        let expected = expected.map(|(code, severity)| (code.to_owned(), severity.to_owned()));
        for found in found(&server, "") {
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn job_with_a_ready_pod_is_not_a_finding_and_reads_no_pods() {
    let server = one_stuck(1);
    let name = job_name("nightly", SCHEDULED);
    server.edit("batch/v1", "Job", "shop", &name, |job| {
        job["status"]["ready"] = json!(1);
    });
    let ran = view(&server, "scan -o json");
    let (code, severity) = NEVER_SUCCEEDED;
    assert_eq!(
        codes(&ran, "/items"),
        [(code.to_owned(), severity.to_owned())]
    );
    assert_eq!(lines(&server, "/pods"), []);
}

/// There are two stuck Jobs in each of two namespaces, and none in a third.
#[test]
fn pods_are_listed_once_a_namespace() {
    let server = ApiServer::start(Options::default());
    populate(&server);
    for namespace in ["one", "two"] {
        for name in ["a", "b"] {
            stuck(&server, namespace, name, 1);
            pod(&server, namespace, name, &waiting("ImagePullBackOff"));
        }
    }
    let ran = view(&server, "scan -A -o json");
    let found = codes(&ran, "/items");
    let is_image = |(code, _): &&(String, String)| code == "pod-image-pull-fails";
    let images = found.iter().filter(is_image);
    assert_eq!(images.count(), 4, "{found:?}");
    let [a, b] = ["a", "b"].map(|name| job_name(name, SCHEDULED));
    let selector = format!("job-name in ({a},{b})");
    let pods = ["one", "two"].map(|name| format!("/api/v1/namespaces/{name}/pods"));
    let pods = pods.map(|path| list(&path, &selector, ""));
    assert_eq!(lines(&server, "/pods"), pods);
    // The pods show the cause, so only the events about CronJobs are read.
    let about_cron_jobs = list("/api/v1/events", "", "involvedObject.kind=CronJob");
    assert_eq!(lines(&server, "/events"), [about_cron_jobs]);
}

/// 500 CronJobs, and one with a stuck Job in each of 60 more namespaces.
#[test]
fn stuck_jobs_in_many_namespaces_need_one_list_of_each_resource() {
    let server = ApiServer::start(Options::synthetic(500, 1));
    for number in 0..60 {
        let namespace = format!("team-{number:02}");
        stuck(&server, &namespace, "nightly", 0);
    }
    let ran = view(&server, "scan -A -o json --quiet");
    let found = codes(&ran, "/items");
    let stuck = found.iter().filter(|(code, _)| code == "no-pod-ready");
    assert_eq!(stuck.count(), 60);
    let pods = list("/api/v1/pods", "job-name", "status.phase!=Succeeded");
    assert_eq!(lines(&server, "/pods"), [pods]);
    let about = [
        "involvedObject.kind=CronJob",
        "involvedObject.kind=Job,reason=FailedCreate",
    ];
    let about = about.map(|fields| list("/api/v1/events", "", fields));
    assert_eq!(lines(&server, "/events"), about);
    let quotas = list("/api/v1/resourcequotas", "", "");
    assert_eq!(lines(&server, "/resourcequotas"), [quotas]);
}

/// `explain` reads all events about the pods: pod by pod, or in one list if there are many pods.
#[test]
fn events_about_many_pods_are_one_list() {
    for (jobs, lists) in [(10, 10), (11, 1)] {
        let server = ApiServer::start(Options::default());
        for number in 0..jobs {
            let name = format!("nightly-{number:02}");
            stuck(&server, "shop", &name, 1);
            pod(&server, "shop", &name, &waiting("ImagePullBackOff"));
        }
        assert_eq!(view(&server, "explain").code, 0);
        let about_pods = lines(&server, "/events");
        let is_of_pod = |fields: &str| fields.starts_with("involvedObject.kind=Pod");
        let about_pods = about_pods.iter().filter(|(_, _, fields)| is_of_pod(fields));
        assert_eq!(about_pods.count(), lists);
        assert_eq!(lines(&server, "/pods").len(), 1);
    }
}

#[test]
fn stuck_jobs_without_permission_to_list_pods_are_findings() {
    let server = ApiServer::start(Options::default());
    server.deny(|attempt| attempt.resource == "pods");
    for name in ["a", "b"] {
        stuck(&server, "shop", name, 1);
        pod(&server, "shop", name, &waiting("ImagePullBackOff"));
    }
    let ran = view(&server, "scan -o json");
    let warning = "warning: the causes of stuck and failed Jobs are not shown: cannot list pods \
                   (forbidden)\n";
    assert_eq!((ran.stderr.as_str(), ran.code), (warning, 0));
    let expected = [("no-pod-ready", "warning"), NEVER_SUCCEEDED];
    let expected = expected.map(|(code, severity)| (code.to_owned(), severity.to_owned()));
    assert_eq!(codes(&ran, "/items"), [expected.clone(), expected].concat());
    assert_eq!(ran.json()["lacks"][0]["what"], "pods");
}

/// In protobuf and in JSON.
#[test]
fn full_quota_is_found_by_all_verbs() {
    for speaks_protobuf in [true, false] {
        let mut options = Options::default();
        for resource in &mut options.resources {
            resource.has_protobuf = speaks_protobuf;
        }
        let server = ApiServer::start(options);
        server.add(cron_job("shop", "nightly", "0 2 * * *"));
        quota(&server, "shop");
        quota(&server, "ops");
        let expected = ("quota-exceeded".to_owned(), "error".to_owned());
        for found in found(&server, "-A") {
            assert!(found.contains(&expected), "{found:?}");
        }
    }
}

#[test]
fn quotas_are_read_only_where_there_are_cron_jobs() {
    let server = ApiServer::start(Options::default());
    quota(&server, "shop");
    assert_eq!(view(&server, "scan").code, 0);
    assert_eq!(lines(&server, "/resourcequotas"), []);
}

#[test]
fn quotas_without_permission_are_not_reported() {
    let server = ApiServer::start(Options::default());
    populate(&server);
    quota(&server, "shop");
    server.deny(|attempt| attempt.resource == "resourcequotas");
    for verb in ["scan", "explain", "report"] {
        let ran = view(&server, [verb, "-o", "json"]);
        assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{verb}");
        assert!(!ran.stdout.contains("quota-exceeded"), "{verb}");
    }
}

#[test]
fn scan_that_watches_reads_the_pods_and_quotas_that_scan_reads() {
    let server = one_stuck_pod(&waiting("ImagePullBackOff"));
    quota(&server, "shop");
    let watch = RunningCall::start(Call::by(&server, "viewer", "scan --watch -q"));
    watch.line();
    let row = watch.line();
    assert_ends!(row, "error: quota-exceeded (+2)");
    server.wait_for(|requests| watches(requests) == 3);
    watch.interrupt();
    assert_eq!(lines(&server, "/pods").len(), 1);
    assert_eq!(lines(&server, "/resourcequotas").len(), 1);
}
