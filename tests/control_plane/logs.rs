//! `logs` of pods that the real Job controller creates and deletes, with logs from a kubelet of the test.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::control_plane::prelude::*;

/// The paths that a kubelet serves, with what the containers wrote.
type Logs = Arc<Mutex<HashMap<String, String>>>;

/// A node whose kubelet serves logs to the API server.
struct Kubelet {
    logs: Logs,
    node: String,
}

impl Kubelet {
    /// Listens on a port of its own, and creates its node.
    fn start(ns: &Namespace<'_>) -> Kubelet {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let logs = Logs::default();
        let served = Arc::clone(&logs);
        let tls = tls();
        thread::spawn(move || {
            for stream in socket.incoming().map_while(Result::ok) {
                let connection = ServerConnection::new(Arc::clone(&tls)).unwrap();
                let mut stream = BufReader::new(StreamOwned::new(connection, stream));
                let served = Arc::clone(&served);
                // The API server may close connections as it likes.
                thread::spawn(move || while answer(&mut stream, &served).is_some() {});
            }
        });
        let kubelet = Kubelet {
            logs,
            node: format!("node-of-{}", ns.name),
        };
        kubelet.create_node(ns, port);
        kubelet
    }

    fn create_node(&self, ns: &Namespace<'_>, port: u16) {
        let node = json!({"metadata": {"name": self.node}});
        ns.api.create("/api/v1/nodes", &node);
        let status = json!({"status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
        }});
        let path = format!("/api/v1/nodes/{}/status", self.node);
        ns.api.patch(&path, &status);
    }

    /// Binds a pod to this node, and sets the status and the log of its container.
    fn run(&self, ns: &Namespace<'_>, pod: &str, phase: &str, container: &Value, log: &str) {
        let path = ns.pod_path(pod);
        let bound = ns.api.get(&path);
        if bound["spec"].get("nodeName").is_none() {
            let target = json!({"apiVersion": "v1", "kind": "Node", "name": self.node});
            let binding = json!({"metadata": {"name": pod}, "target": target});
            ns.api.create(&format!("{path}/binding"), &binding);
        }
        let log_path = format!("/containerLogs/{}/{pod}/main", ns.name);
        self.logs.lock().unwrap().insert(log_path, log.to_owned());
        let status = with_fields(container_status("main", "busybox", &json!({})), container);
        ns.set_pod_status(pod, &json!({"phase": phase, "containerStatuses": [status]}));
    }
}

fn tls() -> Arc<ServerConfig> {
    let signed = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key.into())
        .unwrap();
    Arc::new(config)
}

/// Answers a request as a kubelet does.
fn answer<S: std::io::Read + std::io::Write>(
    stream: &mut BufReader<S>,
    logs: &Mutex<HashMap<String, String>>,
) -> Option<()> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line);
    }
    let path = lines
        .first()?
        .split(' ')
        .nth(1)?
        .split('?')
        .next()?
        .to_owned();
    let log = logs.lock().unwrap().get(&path).cloned();
    let (status, body) = match log {
        Some(log) => ("200 OK", log),
        None => ("404 Not Found", format!("pod {path} does not exist")),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let out = stream.get_mut();
    out.write_all(head.as_bytes()).ok()?;
    out.write_all(body.as_bytes()).ok()?;
    out.flush().ok()
}

/// Creates a suspended CronJob, and one of its Jobs, which is not suspended.
fn start(ns: &Namespace<'_>, name: &str, spec: &Value, policy: &str) -> String {
    let mut job_spec = with_fields(job_spec(), spec);
    job_spec["template"]["spec"]["restartPolicy"] = json!(policy);
    ns.create(
        name,
        &json!({
            "schedule": "0 0 1 1 *",
            "suspend": true,
            "jobTemplate": {"spec": job_spec},
        }),
    );
    let job = format!("{name}-manual");
    ns.create_from_template(&ns.cron_job(name), &job);
    job
}

fn until(is_so: impl FnMut() -> bool) {
    wait_until("the Job controller", is_so);
}

/// The pods of a Job, oldest first.
fn pods_of(ns: &Namespace<'_>, job: &str) -> Vec<Value> {
    let mut pods = ns.pods();
    pods.retain(|pod| pod["metadata"]["labels"]["job-name"] == *job);
    let created = |pod: &Value| pod["metadata"]["creationTimestamp"].to_string();
    pods.sort_by_key(|pod| (created(pod), name_of(pod)));
    pods
}

/// The names of the pods of a Job, oldest first.
fn pods(ns: &Namespace<'_>, job: &str) -> Vec<String> {
    pods_of(ns, job).iter().map(name_of).collect()
}

/// The reason of a condition of a Job.
fn condition(ns: &Namespace<'_>, job: &str, r#type: &str) -> Option<String> {
    let job = ns.job(job);
    let mut conditions = job["status"]["conditions"].as_array()?.iter();
    let found = conditions.find(|condition| condition["type"] == r#type)?;
    Some(found["reason"].text().to_owned())
}

fn ended(ns: &Namespace<'_>, code: i32) -> Value {
    let at = ns.clock.minutes_ago(0);
    json!({"state": {"terminated": {
        "exitCode": code, "reason": "Error", "startedAt": at, "finishedAt": at,
    }}})
}

#[test]
fn logs_show_one_attempt_of_a_failed_job_and_report_a_lost_node() {
    let ns = namespace!("logs-of-attempts", since 27);
    let kubelet = Kubelet::start(&ns);
    let job = start(&ns, "fails", &json!({"backoffLimit": 1}), "Never");
    until(|| pods(&ns, &job).len() == 1);
    let first = pods(&ns, &job).remove(0);
    kubelet.run(&ns, &first, "Failed", &ended(&ns, 1), "one\n");
    until(|| pods(&ns, &job).len() == 2);
    let second = pods(&ns, &job).remove(1);
    let running = json!({"state": {"running": {"startedAt": ns.clock.minutes_ago(0)}}});
    kubelet.run(&ns, &second, "Running", &running, "two\n");
    let ran = ns.doctor("logs fails");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "two\n"), "{ran}");
    let ran = ns.doctor(["logs", &format!("pod/{first}")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "one\n"), "{ran}");
    kubelet.run(&ns, &second, "Failed", &ended(&ns, 2), "two\nend\n");
    until(|| condition(&ns, &job, "Failed").is_some());
    let ran = ns.doctor("logs fails --failed -f");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "two\nend\n"), "{ran}");
    assert_contains!(ran.stderr, "exited with code 2 (Error)");

    // A port without a listener.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let path = format!("/api/v1/nodes/{}", kubelet.node);
    let endpoint = json!({"kubeletEndpoint": {"Port": port}});
    let status = json!({"status": {"daemonEndpoints": endpoint}});
    ns.api.patch(&format!("{path}/status"), &status);
    let ran = ns.doctor("logs fails");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
    let said = "the API server cannot reach the kubelet of its node";
    assert_contains!(ran.stderr, said);
    ns.api.delete(&path);
    let ran = ns.doctor("logs fails");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
    assert_contains!(ran.stderr, "its node no longer exists");
}

/// The kubelet answers that it does not have the container.
#[test]
fn log_that_a_kubelet_does_not_have_is_an_error() {
    let ns = namespace!("logs-not-found");
    let kubelet = Kubelet::start(&ns);
    let job = start(&ns, "lost", &json!({"backoffLimit": 0}), "Never");
    until(|| pods(&ns, &job).len() == 1);
    let pod = pods(&ns, &job).remove(0);
    kubelet.run(&ns, &pod, "Failed", &ended(&ns, 1), "");
    kubelet.logs.lock().unwrap().clear();
    let ran = ns.doctor("logs lost");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
    let said = "its node no longer has the container";
    assert_contains!(ran.stderr, said);
}

/// What `logs` reports about pods that the Job controller has deleted.
#[test]
fn logs_explain_that_the_job_controller_deleted_running_pods() {
    let ns = namespace!("logs-of-deleted");
    let kubelet = Kubelet::start(&ns);
    let deadline = json!({"backoffLimit": 0, "activeDeadlineSeconds": 2});
    let late = start(&ns, "late", &deadline, "Never");
    let restarts = start(&ns, "restarts", &json!({"backoffLimit": 1}), "OnFailure");
    until(|| pods(&ns, &restarts).len() == 1);
    let pod = pods(&ns, &restarts).remove(0);
    let again = json!({
        "restartCount": 2,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": ended(&ns, 1)["state"],
    });
    kubelet.run(&ns, &pod, "Running", &again, "oops\n");
    let expect = |name: &str, job: &str, reason: &str, said: &str| {
        // Before 1.31, there is no FailureTarget.
        until(|| {
            ["FailureTarget", "Failed"]
                .iter()
                .any(|end| condition(&ns, job, end).is_some())
        });
        let deleted = |pod: &Value| pod["metadata"]["deletionTimestamp"].is_string();
        until(|| pods_of(&ns, job).iter().all(deleted));
        // There is no kubelet that ends the pods. A pod without a node may already be deleted.
        for pod in pods(&ns, job) {
            let path = format!("{}?gracePeriodSeconds=0", ns.pod_path(&pod));
            ns.api.ask("DELETE", &path, "", &[]);
        }
        until(|| condition(&ns, job, "Failed").is_some_and(|found| found == reason));
        until(|| pods(&ns, job).is_empty());
        let ran = ns.doctor(["logs", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
        assert_contains!(ran.stderr, said);
    };
    let said = "the Job controller deletes running pods after activeDeadlineSeconds (2s)";
    expect("late", &late, "DeadlineExceeded", said);
    let said = "with restartPolicy: OnFailure, the Job controller deletes the pod once";
    expect("restarts", &restarts, "BackoffLimitExceeded", said);
}
