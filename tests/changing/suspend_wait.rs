//! `suspend --wait`: which Jobs are waited for, and what is printed until they have finished. The test plays
//! the Job controller.

use crate::changing::prelude::*;

const NIGHTLY: &str = "nightly-29920440";
const HOURLY: &str = "hourly-29920445";

/// The Jobs of `nightly` and `hourly` are running.
fn busy_server() -> ApiServer {
    let server = server();
    server.put(job("shop", "nightly", "2026-11-21T02:00:00Z", None));
    server.put(job("shop", "hourly", "2026-11-21T02:05:00Z", None));
    server
}

fn start(server: &ApiServer, arguments: impl CommandLine) -> RunningCall {
    RunningCall::start(call_at_now(server, arguments))
}

/// Starts a call, and waits until it names the Jobs that it waits for. Returns that line.
fn waiting(server: &ApiServer, arguments: impl CommandLine) -> (RunningCall, String) {
    let going = start(server, arguments);
    let waits = |line: &str| line.starts_with("Waiting for ") || line == "No Job is running.";
    let said = going.message_where(waits);
    (going, said)
}

/// A server that runs both Jobs, and a call that waits for the one of `nightly`.
fn waiting_for_nightly() -> (ApiServer, RunningCall) {
    let server = busy_server();
    let (going, _) = waiting(&server, "suspend nightly -y --wait");
    (server, going)
}

/// Makes a change before the suspension of `nightly`, and waits until the call waits for its Job.
fn waiting_after(server: &ApiServer, change: impl FnOnce()) -> RunningCall {
    let busy = Fault::TooManyRequests { retry_after: 1 }.times(1);
    server.fault(Match::any().method("PATCH"), busy);
    let going = start(server, "suspend nightly -y --wait");
    server.wait_for_request(|one| one.method == "PATCH");
    change();
    while going.message() != format!("Waiting for 1 Job: {NIGHTLY}.") {}
    going
}

fn complete(server: &ApiServer, name: &str) {
    finish_in(server, "shop", name, "Complete");
}

fn finish_in(server: &ApiServer, namespace: &str, name: &str, how: &str) {
    server.edit("batch/v1", "Job", namespace, name, |job| {
        job["status"] = ended_status(how, ["2026-11-21T02:00:00Z", "2026-11-21T02:15:00Z"]);
    });
}

/// A manually created Job of a CronJob.
fn manual(cron_job: &str, name: &str) -> Value {
    let mut job = job("shop", cron_job, "2026-11-21T02:10:00Z", None);
    job["metadata"]["name"] = json!(name);
    job["metadata"]["uid"] = json!(format!("uid-of-{name}"));
    job["metadata"]["annotations"] = json!({"cronjob.kubernetes.io/instantiate": "manual"});
    job
}

fn watches(server: &ApiServer) -> Vec<String> {
    let watches = server.requests_where(Recorded::is_watch).into_iter();
    watches.map(|one| one.path).collect()
}

/// The controller's Job and a manually created one; not those of CronJobs that are not selected.
#[test]
fn jobs_of_the_selected_cron_jobs_are_waited_for() {
    let server = busy_server();
    server.add(manual("nightly", "by-kubectl"));
    let (going, said) = waiting(&server, "suspend nightly -y --wait");
    assert_eq!(said, format!("Waiting for 2 Jobs: by-kubectl, {NIGHTLY}."));
    going.expect_line("cronjob.batch/nightly suspended");
    assert!(is_suspended(&server, "nightly"));
    complete(&server, NIGHTLY);
    going.expect_line(&format!("job.batch/{NIGHTLY} succeeded after 15m"));
    finish_in(&server, "shop", "by-kubectl", "Failed");
    assert_starts!(
        going.line(),
        "job.batch/by-kubectl failed after 5m: BackoffLimitExceeded"
    );
    assert_eq!(going.end(), (Vec::new(), Some(0)));
    assert_eq!(watches(&server), ["/apis/batch/v1/namespaces/shop/jobs"]);
}

#[test]
fn wait_without_a_running_job_ends() {
    let server = server();
    let (going, said) = waiting(&server, "suspend nightly -y --wait=1h");
    assert_eq!(said, "No Job is running.");
    let lines = vec!["cronjob.batch/nightly suspended".to_owned()];
    assert_eq!(going.end(), (lines, Some(0)));
}

/// The Job is created after the CronJobs were read, and before the suspension.
#[test]
fn job_created_before_the_suspension_is_waited_for() {
    let server = server();
    let nightly = job("shop", "nightly", "2026-11-21T02:00:00Z", None);
    let going = waiting_after(&server, || server.put(nightly));
    complete(&server, NIGHTLY);
    going.line();
    assert_eq!(going.end().1, Some(0));
}

#[test]
fn job_created_while_waiting_is_waited_for() {
    let (server, going) = waiting_for_nightly();
    server.add(manual("hourly", "of-another"));
    server.add(manual("nightly", "later"));
    going.expect_message("later was created in the meantime. Waiting for it, too.");
    complete(&server, NIGHTLY);
    complete(&server, "later");
    assert_eq!(going.end().1, Some(0));
}

/// The result of the Job is decided, but a pod on a lost node keeps it from ending. The call continues to
/// wait, and names the reason.
#[test]
fn job_that_only_a_pod_keeps_from_ending_is_named() {
    let (server, going) = waiting_for_nightly();
    server.edit("batch/v1", "Job", "shop", NIGHTLY, |job| {
        job["status"]["conditions"] = json!([{
            "type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded",
            "message": "Job was active longer than specified deadline",
            "lastTransitionTime": "2026-11-21T02:10:00Z",
        }]);
    });
    let said = going.message_where(|line| line.contains("failed after"));
    assert_contains!(said, "DeadlineExceeded");
    going.expect_message(&format!(
        "job.batch/{NIGHTLY}: a pod of it has not ended; the Job counts as active until then"
    ));
    finish_in(&server, "shop", NIGHTLY, "Failed");
    assert_eq!(going.end().1, Some(0));
}

/// A sync of Argo CD may have resumed the CronJob.
#[test]
fn scheduled_run_created_while_waiting_is_explained() {
    let (server, going) = waiting_for_nightly();
    server.add(job("shop", "nightly", "2026-11-21T02:14:00Z", None));
    insta::assert_snapshot!(going.message());
    assert_eq!(going.interrupted().1, Some(130));
}

/// The Job has been running since Wednesday. It does not end because the CronJob is already suspended.
#[test]
fn jobs_of_a_suspended_cron_job_are_waited_for() {
    let server = server();
    put_running_report(&server, "Allow");
    let (going, said) = waiting(&server, "suspend report --wait");
    assert_eq!(said, "Waiting for 1 Job: report-29916120.");
    going.expect_line("cronjob.batch/report already suspended");
    complete(&server, "report-29916120");
    assert_starts!(going.line(), "job.batch/report-29916120 succeeded");
    assert_eq!(going.end(), (Vec::new(), Some(0)));
    assert!(changes(&server).is_empty());
}

/// Another client suspends it first.
#[test]
fn jobs_of_a_cron_job_suspended_in_the_meantime_are_waited_for() {
    let server = busy_server();
    let going = waiting_after(&server, || set(&server, "nightly", "suspend", true));
    complete(&server, NIGHTLY);
    going.expect_line("cronjob.batch/nightly already suspended");
    assert_eq!(going.end().1, Some(0));
}

calls! {
    /// Kueue holds one Job back, and the pod of another one does not get its image.
    timeout_names_the_jobs_and_their_pods {
        let server = busy_server();
        server.edit("batch/v1", "Job", "shop", HOURLY, |job| {
            job["spec"]["suspend"] = json!(true);
            job["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "batch"});
            job["status"] = json!({});
        });
        let nightly = job("shop", "nightly", "2026-11-21T02:00:00Z", None);
        server.add(pod_of(&nightly, "x7k2p", &image_pull_fails("Back-off")));
    } call(&server, "suspend nightly hourly -y --wait=0s")
        => 2, "cronjob.batch/nightly suspended\ncronjob.batch/hourly suspended\n"
        => is_suspended(&server, "nightly") && is_suspended(&server, "hourly");
    /// Without permission to list pods their state is not shown.
    timeout_without_the_right_to_list_pods_names_the_jobs {
        let server = busy_server();
        server.deny(|attempt| attempt.resource == "pods");
    } call(&server, "suspend nightly -y --wait=0s") => 2, "cronjob.batch/nightly suspended\n";
}

#[test]
fn interrupt_names_the_jobs_and_leaves_them() {
    let (server, going) = waiting_for_nightly();
    going.interrupt();
    going.expect_message(&format!("1 Job has not finished: {NIGHTLY}"));
    let command = format!("kubectl get pods -l 'job-name in ({NIGHTLY})' -n shop");
    going.expect_message(&format!("To show the pods: {command}"));
    assert_eq!(going.end().1, Some(130));
    assert!(server.object("batch/v1", "Job", "shop", NIGHTLY).is_some());
}

/// Its pods may still be terminating, and the call does not watch them.
#[test]
fn deleted_job_is_not_known_to_have_finished() {
    let (server, going) = waiting_for_nightly();
    server.delete("batch/v1", "Job", "shop", NIGHTLY);
    let error = "deleted before it finished; its pods may still be terminating";
    going.expect_message(&format!("error: job.batch/{NIGHTLY}: {error}"));
    assert_eq!(going.end().1, Some(2));
}

/// A Job without history is deleted as soon as it has finished.
#[test]
fn job_deleted_after_its_end_has_finished() {
    let (server, going) = waiting_for_nightly();
    complete(&server, NIGHTLY);
    server.delete("batch/v1", "Job", "shop", NIGHTLY);
    assert_eq!(going.end().1, Some(0));
}

#[test]
fn end_during_an_outage_of_the_server_is_found() {
    let (server, going) = waiting_for_nightly();
    server.stop();
    let lost = "warning: connection to the cluster lost, retrying: ";
    assert!(going.message().starts_with(lost));
    server.restart();
    complete(&server, NIGHTLY);
    going.line();
    going.expect_line(&format!("job.batch/{NIGHTLY} succeeded after 15m"));
    assert_eq!(going.end().1, Some(0));
}

#[test]
fn document_has_the_ends_of_the_jobs() {
    let server = busy_server();
    let (going, _) = waiting(&server, "suspend nightly report -y --wait -o json");
    finish_in(&server, "shop", NIGHTLY, "Failed");
    let (lines, code) = going.end();
    assert_eq!(code, Some(0));
    let document: Value = serde_json::from_str(&lines.join("\n")).unwrap();
    let observed = |name: &str| document["items"].named(name)["observed"].clone();
    let expected = json!({
        "allEnded": true,
        "jobs": [{
            "jobName": NIGHTLY, "result": "failed", "durationSeconds": 900,
            "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit",
        }],
    });
    assert_eq!(observed("nightly"), expected);
    // It was suspended before, and none of its Jobs is running.
    assert_eq!(observed("report"), json!({"allEnded": true, "jobs": []}));
}

#[test]
fn document_of_a_timeout_has_the_running_jobs() {
    let server = busy_server();
    let ran = call(&server, "suspend nightly -yq --wait=0s -o json");
    assert_eq!(ran.code, 2);
    let observed = ran.json()["items"][0]["observed"].take();
    assert_eq!(observed["allEnded"], false);
    assert_eq!(observed["jobs"][0]["result"], "running");
}

#[test]
fn wait_is_refused_with_a_dry_run() {
    let server = server();
    for dry_run in ["--dry-run", "--dry-run=server"] {
        let refusal = call(&server, format!("suspend nightly --wait {dry_run}")).refused();
        assert_eq!(refusal, "error: --wait cannot be used with --dry-run\n");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn without_the_right_to_watch_jobs_nothing_is_changed() {
    let server = busy_server();
    server.deny(|attempt| attempt.resource == "jobs" && attempt.verb == "watch");
    let refusal = call(&server, "suspend nightly -yq --wait").refused();
    assert_contains!(refusal, "cannot watch jobs.batch");
    assert_contains!(refusal, "nothing was changed");
    assert!(changes(&server).is_empty());
}

/// One watch for the whole cluster, however many CronJobs and namespaces there are.
#[test]
fn all_namespaces_are_one_watch() {
    let server = busy_server();
    server.add(cron_job("ops", "backup", "0 1 * * *"));
    server.add(job("ops", "backup", "2026-11-21T01:00:00Z", None));
    let (going, said) = waiting(&server, "suspend -A -y --wait");
    let expected = format!(
        "Waiting for 3 Jobs: backup-29920380 (namespace ops), {HOURLY} (namespace shop), {NIGHTLY} \
         (namespace shop)."
    );
    assert_eq!(said, expected);
    finish_in(&server, "ops", "backup-29920380", "Complete");
    complete(&server, HOURLY);
    complete(&server, NIGHTLY);
    let (lines, code) = going.end();
    let ended = "job.batch/backup-29920380 (namespace ops) succeeded after 75m";
    assert!(lines.iter().any(|line| line == ended), "{lines:?}");
    assert_eq!(code, Some(0));
    assert_eq!(watches(&server), ["/apis/batch/v1/jobs"]);
}

/// A CronJob that was not suspended may start more Jobs. The Jobs of the others are still waited for.
#[test]
fn jobs_of_a_cron_job_that_was_not_suspended_are_not_waited_for() {
    let server = busy_server();
    let hourly = "/apis/batch/v1/namespaces/shop/cronjobs/hourly";
    server.fault(Match::path(hourly).method("PATCH"), Fault::Status(422));
    let (going, said) = waiting(&server, "suspend nightly hourly -y --wait");
    assert_eq!(said, format!("Waiting for 1 Job: {NIGHTLY}."));
    complete(&server, NIGHTLY);
    assert_eq!(going.end().1, Some(2));
}
