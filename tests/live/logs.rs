//! `logs`: which run, pod and container are chosen, which lines are printed about the log, and why there is none.

#![allow(
    clippy::needless_pass_by_value,
    reason = "the objects of a test are written where they are used"
)]

use crate::changing::terminal::at_terminal;
use crate::live::prelude::*;
use crate::live::scene::{server as scene, waiting};

pub(crate) const JOB: &str = "backup-29920440";
const SCHEDULED: &str = "2026-11-21T02:00:00Z";

/// `shop/backup`, daily at 02:00, and its Jobs.
pub(crate) fn backup(jobs: &[Value]) -> ApiServer {
    let server = scene();
    let mut backup = cron_job("shop", "backup", "0 2 * * *");
    backup["status"] = json!({
        "lastScheduleTime": SCHEDULED, "lastSuccessfulTime": "2026-11-19T02:03:00Z",
    });
    server.add(backup);
    for job in jobs {
        server.add(job.clone());
    }
    server
}

/// A failed Job of `backup` for the run on a day in November.
pub(crate) fn failed(day: u32, reason: &str) -> Value {
    let [start, end] = ["00", "04"].map(|minute| format!("2026-11-{day}T02:{minute}:00Z"));
    let mut job = job("shop", "backup", &start, None);
    job["status"] = ended_status("Failed", [&start, &end]);
    job["status"]["failed"] = json!(3);
    let condition = &mut job["status"]["conditions"][0];
    condition["reason"] = json!(reason);
    condition["message"] = json!("no more attempts");
    job
}

fn succeeded(day: u32) -> Value {
    let [start, end] = ["00", "03"].map(|minute| format!("2026-11-{day}T02:{minute}:00Z"));
    job("shop", "backup", &start, Some(&end))
}

/// A Job of `backup` that is still running.
fn unfinished() -> Value {
    job("shop", "backup", SCHEDULED, None)
}

/// The same Job, without any pods in its status.
fn without_pods() -> Value {
    let mut job = unfinished();
    job["status"] = json!({"startTime": SCHEDULED});
    job
}

/// An event about an object of `shop`, and when it was first and last seen.
fn event(kind: &str, name: &str, reason: &str, message: &str, seen: [&str; 2]) -> Value {
    let [first, last] = seen.map(|time| format!("2026-11-21T{time}Z"));
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "shop", "name": format!("{name}.{}", reason.to_lowercase())},
        "involvedObject": {
            "kind": kind, "namespace": "shop", "name": name, "uid": format!("uid-of-{name}"),
        },
        "type": "Normal", "reason": reason, "message": message, "firstTimestamp": first,
        "lastTimestamp": last, "count": 1,
    })
}

/// A pod of a Job, created at a time of the night, with the statuses of its containers.
pub(crate) fn pod(job: &str, name: &str, time: &str, phase: &str, containers: Value) -> Value {
    let job = json!({
        "metadata": {"name": job, "namespace": "shop", "uid": format!("uid-of-{job}")},
    });
    let status = json!({"phase": phase, "containerStatuses": containers});
    let mut pod = pod_of(&job, name, &status);
    pod["metadata"]["creationTimestamp"] = json!(format!("2026-11-21T{time}Z"));
    let containers = ["main", "sidecar", "migrate"];
    pod["spec"]["containers"] = containers
        .map(|name| json!({"name": name, "image": name}))
        .into();
    pod
}

/// Adds or replaces a pod whose main container is in this state.
pub(crate) fn put(server: &ApiServer, suffix: &str, time: &str, phase: &str, state: Value) {
    let containers = json!([container("main", 0, state)]);
    server.put(pod(JOB, suffix, time, phase, containers));
}

fn with_pod_that_succeeded() -> ApiServer {
    let server = backup(&[succeeded(21)]);
    put(&server, "aaaaa", "02:00:00", "Succeeded", completed());
    server
}

pub(crate) fn container(name: &str, restarts: u32, state: Value) -> Value {
    json!({
        "name": name, "image": "main", "imageID": "", "ready": false, "restartCount": restarts,
        "state": state,
    })
}

/// The state of a container that has ended.
pub(crate) fn ended(code: i32, reason: &str, start: &str, end: &str) -> Value {
    json!({"terminated": {
        "exitCode": code, "reason": reason, "startedAt": format!("2026-11-21T{start}Z"),
        "finishedAt": format!("2026-11-21T{end}Z"),
    }})
}

fn completed() -> Value {
    ended(0, "Completed", "02:00:02", "02:03:00")
}

/// Adds text to the log of the main container of a pod.
pub(crate) fn write(server: &ApiServer, pod: &str, text: &str) {
    server.log("shop", &format!("{JOB}-{pod}"), "main", text);
}

/// A Job that failed after three attempts; the pod of the second attempt was added first.
fn three_attempts() -> ApiServer {
    let server = backup(&[failed(21, "BackoffLimitExceeded")]);
    let second = ended(137, "OOMKilled", "02:01:12", "02:02:12");
    put(&server, "bbbbb", "02:01:10", "Failed", second);
    let first = ended(1, "Error", "02:00:02", "02:01:00");
    put(&server, "zzzzz", "02:00:00", "Failed", first);
    let third = ended(2, "Error", "02:02:34", "02:04:00");
    put(&server, "ccccc", "02:02:32", "Failed", third);
    write(&server, "zzzzz", "one\nuno\n");
    write(&server, "bbbbb", "two\nwithout an end");
    write(&server, "ccccc", "three\n");
    server
}

pub(crate) fn logs(server: &ApiServer, more: impl CommandLine) -> Ran {
    ask(server, "admin", ("logs backup", more))
}

fn log_requests(server: &ApiServer) -> Vec<Recorded> {
    server.requests_where(|request| request.path.ends_with("/log"))
}

/// The name of the Job in the first line of stderr.
#[track_caller]
fn job_of(ran: &Ran) -> String {
    assert_eq!(ran.code, 0, "{ran}");
    let line = ran.stderr.lines().next().unwrap();
    let name = line.strip_prefix("-- Job ").unwrap();
    name.split(',').next().unwrap().to_owned()
}

#[test]
fn last_attempt_is_printed_and_only_its_log_is_on_stdout() {
    let server = three_attempts();
    let ran = logs(&server, "");
    assert_eq!(ran.stdout, "three\n");
    insta::assert_snapshot!(ran);
    let [request] = &log_requests(&server)[..] else {
        panic!("{:?}", log_requests(&server));
    };
    assert_ends!(request.path, "/pods/backup-29920440-ccccc/log");
    let quiet = logs(&server, "-q");
    assert_eq!((quiet.stdout, quiet.stderr), (ran.stdout, String::new()));
}

/// Of a Job that failed, the pod that failed last says why, although another one succeeded later.
#[test]
fn pod_that_failed_is_preferred_in_a_job_that_failed() {
    let server = three_attempts();
    put(&server, "ddddd", "02:03:00", "Succeeded", completed());
    write(&server, "ddddd", "four\n");
    assert_eq!(logs(&server, "").stdout, "three\n");
    server.edit("batch/v1", "Job", "shop", JOB, |job| {
        job["status"] = succeeded(21)["status"].clone();
    });
    assert_eq!(logs(&server, "").stdout, "four\n");
}

/// The object that was named decides on the run and the pod, and one line says whose it is.
#[test]
fn job_or_pod_leads_to_its_cronjob_and_its_run() {
    let older = "backup-29917560";
    let server = backup(&[failed(19, "BackoffLimitExceeded"), failed(21, "Error")]);
    for (job, pods) in [(older, ["aaaaa", "bbbbb"]), (JOB, ["ccccc", "ddddd"])] {
        for pod_name in pods {
            let end = ended(1, "Error", "02:00:02", "02:01:00");
            let containers = json!([container("main", 0, end)]);
            server.add(pod(job, pod_name, "02:00:00", "Failed", containers));
            let name = format!("{job}-{pod_name}");
            server.log("shop", &name, "main", &format!("{name}\n"));
        }
    }
    for (named, expected) in [
        (format!("job/{older}"), format!("{older}-bbbbb")),
        (format!("job {older}"), format!("{older}-bbbbb")),
        (format!("pod/{older}-aaaaa"), format!("{older}-aaaaa")),
        (format!("pod/{JOB}-ccccc"), format!("{JOB}-ccccc")),
        ("cronjob/backup".to_owned(), format!("{JOB}-ddddd")),
    ] {
        let ran = ask(&server, "admin", format!("logs {named}"));
        let expected = (0, format!("{expected}\n"));
        assert_eq!((ran.code, ran.stdout.clone()), expected, "{named}: {ran}");
        let line = ran.stderr.lines().next().unwrap();
        let is_said = line.ends_with(" belongs to cronjob/backup");
        assert_eq!(is_said, !named.starts_with("cronjob"), "{named}: {line}");
    }
    for named in ["pod/gone", "job/gone"] {
        assert_ran!(ask(&server, "admin", ["logs", named]), 2, "");
    }
}

#[test]
fn flags_for_many_logs_are_errors_that_name_kubectl() {
    let server = three_attempts();
    let flags = [
        "--all-containers",
        "--prefix",
        "--since=5m",
        "-p",
        "--timestamps",
    ];
    let errors = flags.map(|flag| logs(&server, [flag]).refused());
    insta::assert_snapshot!(errors.concat());
    assert_eq!(logs(&server, "other").code, 2);
    assert!(server.requests().is_empty());
}

#[test]
fn logs_flags_are_sent_as_parameters() {
    let server = three_attempts();
    assert_eq!(logs(&server, "--tail=1").stdout, "three\n");
    assert_eq!(logs(&server, "--tail=-1").code, 0);
    let parameters = log_requests(&server).into_iter().map(|request| {
        let names = request.query.iter().map(|(name, _)| name.clone());
        names.collect::<Vec<_>>().join(" ")
    });
    let expected = ["container tailLines", "container"];
    assert!(parameters.eq(expected));
}

#[test]
fn run_is_chosen_by_result_time_or_name() {
    let (older, newer) = (failed(19, "BackoffLimitExceeded"), succeeded(20));
    let server = backup(&[succeeded(18), older, newer, succeeded(21)]);
    for name in ["backup-29916120", "backup-29917560", "backup-29919000", JOB] {
        let containers = json!([container("main", 0, completed())]);
        server.add(pod(name, "aaaaa", "02:00:01", "Succeeded", containers));
        server.log("shop", &format!("{name}-aaaaa"), "main", "text\n");
    }
    let cases: [(&str, &str); 6] = [
        ("", JOB),
        ("--failed", "backup-29917560"),
        ("--succeeded", JOB),
        ("--at=2026-11-20T03:00:00+01:00", "backup-29919000"),
        ("--job=backup-29916120", "backup-29916120"),
        ("--job=job/backup-29916120", "backup-29916120"),
    ];
    for (flags, expected) in cases {
        let ran = logs(&server, flags);
        assert_eq!(job_of(&ran), expected, "{flags:?}");
        assert_eq!(ran.stdout, "text\n");
    }
    let both = logs(&server, "--succeeded --failed").refused();
    assert_contains!(both, "cannot be used with");
}

#[test]
fn run_that_does_not_exist_is_an_error_with_a_remedy() {
    let server = backup(&[succeeded(20), succeeded(21)]);
    let cases: [&str; 6] = [
        "--failed",
        "--at=2026-11-20T02:00:01Z",
        "--at=2026-11-25T02:00:00Z",
        "--at=2026-11-15T02:00:00Z",
        "--job=backup-29919001",
        "--job=nightly-29920440",
    ];
    for flags in cases {
        assert_ran!(logs(&server, flags), 2, "");
    }
}

/// The output for a CronJob with this value of a field, whose last run does not have pods anymore.
fn logs_without_pods(jobs: &[Value], field: &str, value: Value) -> Ran {
    let server = backup(jobs);
    set(&server, "backup", field, value);
    let ran = logs(&server, "");
    assert!(log_requests(&server).is_empty());
    ran
}

/// The logs of the run before the last one are not shown instead, because they would be misleading.
#[test]
fn deleted_job_is_explained_by_the_setting_that_deletes_it() {
    let older = succeeded(20);
    let ttl = "spec.jobTemplate.spec.ttlSecondsAfterFinished";
    let cases = [
        (std::slice::from_ref(&older), ttl, json!(100)),
        (&[], "failedJobsHistoryLimit", json!(0)),
        (&[], "suspend", json!(false)),
    ];
    for (jobs, field, value) in cases {
        assert_ran!(logs_without_pods(jobs, field, value), 2, "");
    }
    let never_ran = scene();
    never_ran.add(cron_job("shop", "backup", "0 2 * * *"));
    assert_ran!(logs(&never_ran, ""), 2, "");
    assert!(log_requests(&never_ran).is_empty());
}

/// The controller's events show the name of the Job, how it ended, and that the controller deleted it.
#[test]
fn job_that_the_controller_deleted_is_known_from_events() {
    let server = backup(&[succeeded(20)]);
    set(&server, "backup", "failedJobsHistoryLimit", 0);
    let saw = format!("Saw completed job: {JOB}, condition: Failed");
    let events = [
        ("SuccessfulCreate", format!("Created job {JOB}"), "02:00:00"),
        ("SawCompletedJob", saw, "02:04:00"),
        ("SuccessfulDelete", format!("Deleted job {JOB}"), "02:04:01"),
    ];
    for (reason, message, time) in events {
        server.add(event("CronJob", "backup", reason, &message, [time, time]));
    }
    let (at, job) = (format!("--at {SCHEDULED}"), format!("--job {JOB}"));
    for flags in ["", "--failed", &at, &job] {
        let ran = logs(&server, flags);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags:?}");
        insta::allow_duplicates! { insta::assert_snapshot!(ran) };
    }
}

#[test]
fn pods_that_were_deleted_are_explained() {
    let policy = "spec.jobTemplate.spec.template.spec.restartPolicy";
    let mut too_long = failed(21, "DeadlineExceeded");
    too_long["spec"]["activeDeadlineSeconds"] = json!(240);
    let failed_early = failed(21, "BackoffLimitExceeded");
    let mut suspended = unfinished();
    suspended["spec"]["suspend"] = json!(true);
    suspended["status"] = json!({});
    let cases = [
        (failed_early.clone(), policy, json!("OnFailure")),
        (failed_early, "suspend", json!(false)),
        (too_long, "suspend", json!(false)),
        (suspended, "suspend", json!(false)),
        (without_pods(), "suspend", json!(false)),
    ];
    for (job, field, value) in cases {
        assert_ran!(logs_without_pods(&[job], field, value), 2, "");
    }
}

/// Kueue decides when the Job starts: resuming it would bypass the queue.
#[test]
fn job_that_kueue_holds_is_not_to_be_resumed() {
    let mut held = unfinished();
    held["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "batch"});
    held["spec"]["suspend"] = json!(true);
    held["status"] = json!({});
    let ran = logs_without_pods(&[held], "suspend", json!(false));
    assert_contains!(ran.stderr, "not admitted by Kueue (queue batch)");
    assert_contains!(ran.stderr, "kubectl get workloads");
    assert_lacks!(ran.stderr, "patch job");
    assert_ran!(ran, 2, "");
}

/// The Job controller deletes the pod that runs when the deadline passes, and keeps the others.
#[test]
fn lost_attempt_is_noted_below_the_log() {
    let server = backup(&[failed(21, "DeadlineExceeded")]);
    let end = ended(1, "Error", "02:00:02", "02:01:00");
    put(&server, "aaaaa", "02:00:00", "Failed", end.clone());
    put(&server, "bbbbb", "02:01:10", "Failed", end);
    write(&server, "aaaaa", "one\n");
    write(&server, "bbbbb", "two\n");
    let ran = logs(&server, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "two\n"));
    let lost = ran
        .stderr
        .lines()
        .find(|line| line.starts_with("-- 1 of 3 pods"));
    insta::assert_snapshot!(lost.unwrap());
}

#[test]
fn container_without_a_log_is_explained() {
    let image = image_pull_fails("Back-off pulling image \"main\"");
    let mut config = waiting("CreateContainerConfigError");
    config["containerStatuses"][0]["state"]["waiting"]["message"] = json!("secret \"x\" not found");
    let unscheduled = json!({"phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/3 nodes are available: 3 Insufficient memory.",
    }]});
    let evicted = json!({
        "phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory.",
    });
    let start = ended(128, "StartError", "02:00:02", "02:00:02");
    let start = json!({"phase": "Failed", "containerStatuses": [container("main", 0, start)]});
    let cases = [image, config, unscheduled, evicted, start];
    for status in cases {
        let server = backup(&[unfinished()]);
        let mut pod = pod(JOB, "aaaaa", "02:00:00", "", json!([]));
        pod["status"] = status;
        server.add(pod);
        assert_ran!(logs(&server, ""), 2, "");
        assert!(log_requests(&server).is_empty());
    }
}

/// The Job has the condition `FailureTarget`, and its pod is being deleted: the Job has failed, and its pod
/// still exists.
#[test]
fn job_that_is_ending_is_reported_as_failed_with_its_pod() {
    let mut job = unfinished();
    job["status"] = json!({
        "startTime": SCHEDULED, "failed": 1, "ready": 0, "terminating": 1,
        "conditions": [{
            "type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded",
            "lastTransitionTime": "2026-11-21T02:10:00Z",
        }],
    });
    let server = backup(&[job]);
    put(
        &server,
        "x1",
        "02:00:01",
        "Running",
        json!({"running": {"startedAt": "2026-11-21T02:00:03Z"}}),
    );
    let pod = format!("{JOB}-x1");
    server.edit("v1", "Pod", "shop", &pod, |pod| {
        pod["metadata"]["deletionTimestamp"] = json!("2026-11-21T02:10:30Z");
    });
    write(&server, "x1", "working\n");
    let ran = logs(&server, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "working\n"));
    assert_contains!(ran.stderr, "failed, ending (DeadlineExceeded)");
    assert_contains!(ran.stderr, "was running when its pod was deleted");
    for wrong in ["has been running", "no longer exist"] {
        assert!(!ran.stderr.contains(wrong), "{wrong}: {}", ran.stderr);
    }
}

/// Kubernetes 1.38 can add the name of the rule to the reason.
#[test]
fn pods_of_a_job_that_its_pod_failure_policy_failed_were_deleted_by_the_job_controller() {
    for reason in ["PodFailurePolicy", "PodFailurePolicy_bad-config"] {
        let mut job = unfinished();
        job["status"] = json!({
            "startTime": SCHEDULED, "failed": 1,
            "conditions": [{
                "type": "Failed", "status": "True", "reason": reason,
                "lastTransitionTime": "2026-11-21T02:10:00Z",
            }],
        });
        let ran = logs(&backup(&[job]), "");
        assert_contains!(
            ran.stderr,
            "the Job controller deletes the pods that still run"
        );
    }
}

calls! {
    /// The events about the Job say why, as in `explain`.
    job_whose_pods_are_rejected_is_explained {
        let server = backup(&[without_pods()]);
        let message = "Error creating: pods \"backup-x\" is forbidden: exceeded quota: pods";
        let seen = ["02:00:01", "02:10:01"];
        let mut event = event("Job", JOB, "FailedCreate", message, seen);
        event["type"] = json!("Warning");
        event["count"] = json!(5);
        server.add(event);
    } logs(&server, "") => 2, "";
    /// The other containers of the pod do not start, and are not reported as missing.
    failed_init_container_is_printed_instead_of_the_main_one {
        let mut job = failed(21, "BackoffLimitExceeded");
        let migrate = json!([{"name": "migrate", "image": "migrate"}]);
        job["spec"]["template"]["spec"]["initContainers"] = migrate;
        let server = backup(&[job]);
        let waiting = json!({"waiting": {"reason": "PodInitializing"}});
        let containers = json!([container("main", 0, waiting)]);
        let mut pod = pod(JOB, "aaaaa", "02:00:00", "Failed", containers);
        let end = ended(3, "Error", "02:00:02", "02:01:00");
        pod["status"]["initContainerStatuses"] = json!([container("migrate", 0, end)]);
        server.add(pod);
        server.log("shop", &format!("{JOB}-aaaaa"), "migrate", "no such table\n");
    } logs(&server, "") => 0, "no such table\n";
    pod_that_is_deleted_in_the_meantime_is_an_error {}
        with_log_fault("ccccc", Fault::Status(404))
        => 2, "";
    cronjob_that_does_not_exist_is_an_error {}
        ask(&backup(&[]), "admin", "logs bakcup")
        => 2, "";
}

/// A pod with a main container and a sidecar.
fn two_containers(annotated: bool) -> ApiServer {
    let mut job = succeeded(21);
    let template = &mut job["spec"]["template"];
    template["spec"]["containers"] = json!([{"name": "main"}, {"name": "sidecar"}]);
    if annotated {
        template["metadata"]["annotations"] =
            json!({"kubectl.kubernetes.io/default-container": "sidecar"});
    }
    let server = backup(&[job]);
    let both = ["main", "sidecar"].map(|name| container(name, 0, completed()));
    server.add(pod(JOB, "aaaaa", "02:00:00", "Succeeded", json!(both)));
    write(&server, "aaaaa", "a\nb\n");
    server.log("shop", &format!("{JOB}-aaaaa"), "sidecar", "c\n");
    server
}

#[test]
fn container_is_chosen_as_kubectl_does() {
    let server = two_containers(false);
    assert_ran!(logs(&server, ""), 0, "a\nb\n");
    assert_eq!(logs(&server, "-c sidecar").stdout, "c\n");
    assert_ran!(logs(&server, "-c side-car"), 2, "");
    let server = two_containers(true);
    assert_eq!(logs(&server, "").stdout, "c\n");
}

/// As by kubectl, in a pipe; a terminal is not steered.
#[test]
fn control_characters_of_containers_are_escaped_on_a_terminal_only() {
    let server = with_pod_that_succeeded();
    let text = "\u{1b}[31mred\u{1b}[0m\r50%\u{1b}[2J\u{1b}]0;title\u{7}\n";
    write(&server, "aaaaa", text);
    assert_eq!(logs(&server, "").stdout, text);
    let nothing = || {};
    let Some(session) = at_terminal(&server, "logs backup -q", &[], nothing) else {
        return;
    };
    let expected = "\u{1b}[31mred\u{1b}[0m\\r50%\\u{1b}[2J\\u{1b}]0;title\\u{7}\n\u{1b}[0m";
    assert_eq!((session.screen.as_str(), session.code), (expected, 0));
}

#[test]
fn restarted_container_has_a_previous_log_that_kubectl_prints() {
    let server = backup(&[unfinished()]);
    let running = json!({"running": {"startedAt": "2026-11-21T02:12:08Z"}});
    let mut main = container("main", 2, running);
    main["lastState"] = ended(1, "Error", "02:05:00", "02:11:00");
    server.add(pod(JOB, "aaaaa", "02:00:00", "Running", json!([main])));
    write(&server, "aaaaa", "now\n");
    server.log_before_restart("shop", &format!("{JOB}-aaaaa"), "main", "before\n");
    assert_ran!(logs(&server, ""), 0, "now\n");
    assert_contains!(
        logs(&server, "").stderr,
        "kubectl logs backup-29920440-aaaaa -n shop -c main --previous"
    );
}

/// Makes requests for the log of one attempt fail.
fn with_log_fault(pod: &str, fault: Fault) -> Ran {
    let server = three_attempts();
    let path = format!("/api/v1/namespaces/shop/pods/{JOB}-{pod}/log");
    server.fault(Match::path(&path), fault);
    logs(&server, "")
}

/// Each case is a response of an API server or a kubelet.
#[test]
fn failed_requests_for_logs_are_reported() {
    let kubelet = "Get \"https://10.0.0.5:10250/containerLogs/shop/x/main\": dial tcp \
                   10.0.0.5:10250: connect: connection refused";
    let waiting = "container \"main\" in pod \"x\" is waiting to start: ContainerCreating";
    let cases = [
        (Fault::refusal(500, "", kubelet), ""),
        (Fault::refusal(400, "BadRequest", waiting), ""),
        (Fault::CutOff(3), "thr"),
        (Fault::Html(502), ""),
        (Fault::Body("application/json", "{}"), ""),
    ];
    for (fault, stdout) in cases {
        assert_ran!(with_log_fault("ccccc", fault), 2, stdout);
    }
}

#[test]
fn missing_permissions_are_named() {
    for denied in ["get pods log", "list pods ", "list jobs "] {
        let server = three_attempts();
        server.deny(move |attempt| {
            [&*attempt.verb, &attempt.resource, &attempt.subresource].join(" ") == denied
        });
        assert_ran!(logs(&server, ""), 2, "");
    }
}

/// The reader closes the pipe after the first line, as `head` does.
#[test]
fn closed_pipe_ends_logs_without_an_error() {
    use std::io::{BufRead as _, BufReader};

    let server = with_pod_that_succeeded();
    write(&server, "aaaaa", &"line\n".repeat(20_000));
    server.repeat_log("shop", &format!("{JOB}-aaaaa"), "main", 100);
    let call = Call::by(&server, "admin", format!("logs backup -q {NOW}"));
    let mut child = call.start();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    assert_eq!(line, "line\n");
    let said = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

const MEGABYTE: usize = 1_000_000;

/// A log of one gigabyte takes no more memory than this one.
#[test]
fn log_of_one_line_without_an_end_takes_little_memory() {
    use std::process::{Command, Stdio};

    use crate::support::peak;

    let server = with_pod_that_succeeded();
    write(&server, "aaaaa", &"x".repeat(MEGABYTE));
    server.repeat_log("shop", &format!("{JOB}-aaaaa"), "main", 64);
    let config = Kubeconfig::user("admin").namespace("shop");
    let kubeconfig = server.kubeconfig(&config);
    let taken = peak::taken(
        Command::new(crate::support::run::binary())
            .args(["logs", "backup", "-q", NOW])
            .env_clear()
            .env("HOME", "/no/such/folder")
            .env("KUBECONFIG", &kubeconfig)
            .stdout(Stdio::null()),
    );
    assert!(taken.status.success(), "{taken:?}");
    let most = 60 * u64::try_from(MEGABYTE).unwrap();
    assert!(taken.peak < most, "{taken:?}");
}

/// The failed run's last lines are below the finding, and in the document.
#[test]
fn explain_shows_the_last_lines_of_the_log() {
    let server = three_attempts();
    let lines = (1..=30).map(|line| format!("line {line}\u{1b}[2J\n"));
    write(&server, "ccccc", &lines.collect::<String>());
    assert_ran!(ask(&server, "admin", "explain backup --logs"), 0);
    let requests = log_requests(&server);
    let [request] = requests.as_slice() else {
        panic!("{requests:?}");
    };
    let limits = ["tailLines", "limitBytes"].map(|name| request.parameter(name));
    assert_eq!(limits, [Some("10"), Some("1048576")]);
    let document = ask(&server, "admin", "explain backup --logs=2 -ojson").json();
    let expected = json!([{
        "pod": format!("{JOB}-ccccc"), "container": "main", "previous": false,
        "lines": ["line 29\u{1b}[2J", "line 30\u{1b}[2J"], "truncated": false, "error": null,
    }]);
    assert_eq!(document["items"][0]["logs"], expected);
    let document = ask(&server, "admin", "explain backup -ojson").json();
    assert_eq!(document["items"][0].get("logs"), None);
}

#[test]
fn explain_shows_the_log_of_a_running_pod_or_why_it_cannot_be_read() {
    let server = backup(&[unfinished()]);
    let running = json!({"running": {"startedAt": "2026-11-21T02:12:08Z"}});
    put(&server, "aaaaa", "02:00:00", "Running", running);
    write(&server, "aaaaa", "at work\n");
    let log = |ran: Ran| {
        assert_eq!(ran.code, 0);
        let (_, log) = ran.stdout.split_once("\nLog\n").unwrap();
        log.to_owned()
    };
    let ran = ask(&server, "admin", "explain backup --logs");
    insta::assert_snapshot!(log(ran));
    server.deny(|attempt| attempt.subresource == "log");
    let ran = ask(&server, "admin", "explain backup --logs");
    insta::assert_snapshot!(log(ran));
}

/// Nine CronJobs with three containers each: the logs of the seventh would be more than twenty.
#[test]
fn explain_reads_at_most_twenty_logs() {
    let server = scene();
    let running = json!({"running": {"startedAt": "2026-11-21T02:12:08Z"}});
    let containers = ["main", "sidecar", "migrate"];
    let containers = containers.map(|name| container(name, 0, running.clone()));
    for number in 0..9 {
        let name = format!("c{number}");
        let job = job("shop", &name, SCHEDULED, None);
        let containers = json!(containers);
        let pod = pod(
            job["metadata"]["name"].text(),
            "aaaaa",
            "02:00:00",
            "Running",
            containers,
        );
        server.add(cron_job("shop", &name, "0 2 * * *"));
        server.add(job);
        server.add(pod);
    }
    let names: Vec<String> = (0..9).map(|number| format!("c{number}")).collect();
    let ran = ask(
        &server,
        "admin",
        ("explain --logs", names.join(" ").as_str()),
    );
    assert_eq!(log_requests(&server).len(), 18);
    assert_contains!(ran.stderr, "only the logs of the first CronJobs are shown");
}
