//! `trigger`: what it says, what it sends, and what it does not do.

use crate::changing::prelude::*;
use crate::changing::terminal::at_terminal;
use crate::support::apiserver::Scripted;

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";

/// The prediction for a manually created Job of `shop/nightly`, which ran at two today.
const AGAIN: &str = "\
shop/nightly
  Creates the Job again. Next scheduled run: Sun 2026-11-22 02:00 Etc/UTC (in
  23h).
";

/// The Job that is sent to the server.
const BODY: &str = r#"{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"again","namespace":"shop","annotations":{"cronjob.kubernetes.io/instantiate":"manual"},"ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"nightly","uid":"uid-of-nightly","controller":true}]},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"registry.example.com/main:1.4"}]}}}}"#;

/// The request that creates a Job in `shop`, as [`changes`] shows it.
fn posted(query: &str, body: &str) -> String {
    format!("POST {JOBS}?{query}fieldManager=kubectl-cronjob-doctor application/json {body}")
}

/// A server that answers the creation of Jobs with this fault.
fn failing(fault: impl Into<Scripted>) -> ApiServer {
    let server = server();
    server.fault(Match::path(JOBS).method("POST"), fault);
    server
}

fn server_with_overdue_run() -> ApiServer {
    let server = server();
    let yesterday = "2026-11-20T02:00:00Z";
    set(&server, "nightly", "status.lastScheduleTime", yesterday);
    server.delete("batch/v1", "Job", "shop", "nightly-29920440");
    server
}

fn stored(server: &ApiServer, name: &str) -> Option<Value> {
    server.object("batch/v1", "Job", "shop", name)
}

/// The output with `RANDOM` in place of the random end of a Job's name.
fn plain(ran: &Ran) -> Ran {
    let plain = |text: &str| {
        let mut parts = text.split("-manual-");
        let mut plain = parts.next().unwrap().to_owned();
        for part in parts {
            let (random, rest) = part.split_at(5);
            let of_five = |letter| "bcdfghjklmnpqrstvwxz2456789".contains(letter);
            assert!(random.chars().all(of_five), "{random}");
            plain.push_str("-manual-RANDOM");
            plain.push_str(rest);
        }
        plain
    };
    Ran {
        stdout: plain(&ran.stdout),
        stderr: plain(&ran.stderr),
        code: ran.code,
    }
}

/// The template is read from the server, then the permissions are checked, and nothing else is requested.
#[test]
fn trigger_reads_the_cronjob_and_the_right_before_the_post() {
    let server = server();
    call(&server, "trigger cj/nightly -y");
    let expected = [
        "GET /apis/batch/v1/namespaces/shop/cronjobs/nightly",
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "POST /apis/batch/v1/namespaces/shop/jobs",
    ];
    assert_eq!(requests_after_reading(&server), expected);
    let asked = server.requests()[7].json();
    let expected = json!({
        "verb": "create", "group": "batch", "resource": "jobs", "subresource": "",
        "namespace": "shop", "name": "",
    });
    assert_eq!(asked["spec"]["resourceAttributes"], expected);
}

/// Compared with the Job that `kubectl create job manual-run --from=cronjob/manual` created on Kubernetes 1.36.
#[test]
fn triggered_job_equals_the_one_of_kubectl_create_job() {
    let server = ApiServer::start(Options::default());
    server.load_list("tests/fixtures/cronjobs.json");
    let ran = call(&server, "trigger manual -n ops -yq --name=manual-run");
    assert_ran!(ran, 0, "job.batch/manual-run created\n");
    let mut ours = server
        .object("batch/v1", "Job", "ops", "manual-run")
        .unwrap();
    let text = include_str!("../fixtures/job-made-by-kubectl-create-from.json");
    let mut kubectls: Value = serde_json::from_str(text).unwrap();
    for job in [&mut ours, &mut kubectls] {
        for field in "uid resourceVersion creationTimestamp managedFields".split(' ') {
            job["metadata"][field] = Value::Null;
        }
        job["status"] = Value::Null;
        job["spec"]["selector"] = Value::Null;
        let labels = &mut job["spec"]["template"]["metadata"]["labels"];
        labels["controller-uid"] = Value::Null;
        labels["batch.kubernetes.io/controller-uid"] = Value::Null;
    }
    // Fields that a real server sets to their defaults.
    let defaults =
        "completionMode completions manualSelector parallelism podReplacementPolicy suspend";
    let spec = kubectls["spec"].as_object_mut().unwrap();
    spec.retain(|field, _| !defaults.split(' ').any(|default| default == field));
    assert_eq!(ours, kubectls);
}

#[test]
fn trigger_without_a_name_generates_one() {
    let server = server();
    let ran = call(&server, "trigger nightly -yq");
    let name = ran.stdout.trim().strip_suffix(" created").unwrap();
    let name = name.strip_prefix("job.batch/").unwrap();
    assert!(stored(&server, name).is_some(), "{name}");
    assert_ran!(plain(&ran), 0, "job.batch/nightly-manual-RANDOM created\n");
}

/// A generated name is already taken once in millions of times.
#[test]
fn trigger_generates_another_name_if_one_is_taken() {
    let server = failing(Fault::Preceded("kubectl-create").times(2));
    let ran = call(&server, "trigger nightly -yq");
    assert_ran!(plain(&ran), 0, "job.batch/nightly-manual-RANDOM created\n");
    let mut sent = changes(&server);
    assert_eq!(sent.len(), 3);
    sent.sort();
    sent.dedup();
    assert_eq!(sent.len(), 3, "each has another name");
}

#[test]
fn trigger_refuses_invalid_names_and_one_name_for_two() {
    let server = server();
    let long = "a".repeat(64);
    let errors = ["Again", &long]
        .map(|name| call(&server, format!("trigger nightly -y --name {name}")).refused());
    insta::assert_snapshot!(errors.concat());
    assert_ran!(call(&server, "trigger nightly hourly -y --name=again"), 2);
    assert!(changes(&server).is_empty());
}

calls! {
    trigger_of_one_cronjob_creates_one_job(server) {
        let ran = call(&server, "trigger nightly --yes --name=again");
        let job = stored(&server, "again").unwrap();
        let entry = &job["metadata"]["managedFields"][0];
        assert_eq!(entry["manager"], "kubectl-cronjob-doctor");
    } ran => 0, "job.batch/again created\n" => changes(&server) == [posted("", BODY)];
    /// The existing Job belongs to the same CronJob.
    trigger_with_the_name_of_a_job_of_the_cronjob_is_refused(server) {}
        call(&server, "trigger nightly -y --name=nightly-29920440")
        => 2 => changes(&server).is_empty();
    /// The existing Job belongs to another CronJob, so the server reports it.
    trigger_with_the_name_of_another_job_is_refused(server) {
        let mut stranger = job("shop", "other", "2026-11-21T02:00:00Z", None);
        stranger["metadata"]["name"] = json!("again");
        server.add(stranger);
    } call(&server, "trigger nightly -yq --name=again") => 2;
    /// Without permission to list Jobs, one of that name may be older than the call.
    job_of_an_earlier_call_is_not_treated_as_a_new_one(server) {
        server.deny(|attempt| attempt.verb == "list" && attempt.resource == "jobs");
        let arguments = "trigger nightly -yq --name=again";
        assert_eq!(call(&server, arguments).code, 0);
    } call(&server, arguments) => 2;
    /// No response arrives in time, and the Job does not exist yet.
    job_without_an_answer_is_named {
        let server = failing(Fault::Hang);
        let ran = call(&server, "trigger nightly -yq --request-timeout=1s");
    } plain(&ran) => 2 => changes(&server).len() == 1;
    trigger_under_forbid_with_a_running_job_is_refused(server) { put_running_report(&server, "Forbid"); }
        call(&server, "trigger report -y --name=again") => 2 => changes(&server).is_empty();
    trigger_with_force_ignores_a_running_job_under_forbid(server) { put_running_report(&server, "Forbid"); }
        call(&server, "trigger report -y --name=again --force")
        => 0, "job.batch/again created\n";
    /// A run is overdue, and the controller has not started it yet, so it has no Job that could be running.
    trigger_while_a_run_is_overdue_is_refused { let server = server_with_overdue_run(); }
        call(&server, "trigger nightly -y --name=again") => 2;
    trigger_with_force_ignores_an_overdue_run { let server = server_with_overdue_run(); }
        call(&server, "trigger nightly -y --name=again --force")
        => 0, "job.batch/again created\n";
    trigger_by_selector_creates_a_job_of_each_match {} plain(&call(&server(), "trigger -l app=hourly -yq"))
        => 0, "job.batch/hourly-manual-RANDOM created\n";
    trigger_of_two_cronjobs_creates_a_job_of_each {} plain(&call(&server(), "trigger never nightly -A -yq -o name"))
        => 0, "job.batch/never-manual-RANDOM\njob.batch/nightly-manual-RANDOM\n";
    trigger_with_client_dry_run_sends_no_post(server) {}
        call(&server, "trigger nightly --dry-run --name=again") => 0 => changes(&server).is_empty();
    trigger_with_server_dry_run_stores_no_job(server) {
        let ran = call(&server, "trigger nightly --dry-run=server --name=again");
        assert!(stored(&server, "again").is_none());
    } ran => 0 => changes(&server) == [posted("dryRun=All&", BODY)];
    /// The controller needs this name for tomorrow's run: 29921880 is the minute of its scheduled time.
    trigger_with_the_name_of_the_next_run_warns {
        let arguments = "trigger nightly -y --name=nightly-29921880";
    } call(&server(), arguments) => 0, "job.batch/nightly-29921880 created\n";
    trigger_without_the_right_to_create_jobs_is_refused(server) {}
        call_as(&server, "viewer", "trigger nightly -y")
        => 2 => changes(&server).is_empty();
    /// The server answers neither the creation nor the request for the Job.
    creation_without_any_answer_is_unknown {
        let server = failing(Fault::Reset);
        server.fault(Match::path(&format!("{JOBS}/again")), Fault::Reset);
    } call(&server, "trigger nightly -yq --name=again") => 2, "";
    trigger_with_a_suspended_template_says_that_no_pod_starts(server) {
        set(&server, "nightly", "spec.jobTemplate.spec.suspend", true);
    } call(&server, "trigger nightly -y --name=again") => 0, "job.batch/again created\n";
    trigger_without_a_terminal_is_refused(server) {}
        call(&server, "trigger nightly --name=again") => 2 => changes(&server).is_empty();
    trigger_shows_warnings_of_the_server(server) { server.warn(Match::path(JOBS).method("POST"), "careful"); }
        call(&server, "trigger nightly -y --name=again") => 0, "job.batch/again created\n";
    /// No Job exists, but it may have run and be gone, or may still be created.
    trigger_does_not_send_a_lost_request_again { let server = failing(Fault::Reset.times(1)); }
        call(&server, "trigger nightly -yq --name=again") => 2, ""
        => changes(&server) == [posted("", BODY)];
    /// The history limits delete the earlier Job or the new one, and the next run is due before the new Job ends.
    trigger_names_the_jobs_that_replace_and_history_delete(server) {
        let mut often = cron_job("shop", "often", "15 * * * *");
        often["spec"]["concurrencyPolicy"] = json!("Replace");
        often["spec"]["successfulJobsHistoryLimit"] = json!(1);
        often["spec"]["failedJobsHistoryLimit"] = json!(0);
        often["status"] = json!({"lastScheduleTime": "2026-11-21T01:15:00Z"});
        server.add(often);
        let end = Some("2026-11-21T01:18:00Z");
        server.add(job("shop", "often", "2026-11-21T01:15:00Z", end));
    } call(&server, "trigger often -y --name=again") => 0, "job.batch/again created\n";
}

#[test]
fn trigger_reports_each_job_that_the_server_refuses() {
    let server = failing(Fault::Status(422));
    let refusal = call(&server, "trigger nightly hourly -yq").refused();
    let mut lines: Vec<&str> = refusal.lines().collect();
    lines.sort_unstable();
    let why = "from server (Unknown): the test wanted it so";
    let expected = ["hourly", "nightly"].map(|name| format!("error: cronjob.batch/{name}: {why}"));
    assert_eq!(lines, expected);
}

/// The Job was created, and only the response is lost: there is one Job, and no failure is reported.
#[test]
fn trigger_with_a_lost_response_creates_one_job() {
    let server = failing(Fault::CutOff(10).times(1));
    let ran = call(&server, "trigger nightly -y --name=again");
    let expected = ("job.batch/again created\n", 0);
    assert_eq!((ran.stdout.as_str(), ran.code), expected);
    let said = ran.stderr.strip_prefix(AGAIN).unwrap();
    let lost = "the response was lost (the response from SERVER was cut off (POST ";
    assert_starts!(said, lost);
    assert_ends!(said, "), but the change was made\n");
    assert_eq!(changes(&server).len(), 1);
}

/// A proxy sends the request twice, and passes on the second response: there is one Job.
#[test]
fn request_that_is_replayed_makes_one_job() {
    for name in ["", "--name=again"] {
        let server = failing(Fault::Preceded("kubectl-cronjob-doctor"));
        let made = call(&server, ("trigger nightly -yq", name)).fine();
        let sent = changes(&server);
        assert_eq!(sent.len(), 1, "{sent:?}");
        let made = made.strip_prefix("job.batch/").unwrap();
        assert!(stored(&server, made.strip_suffix(" created\n").unwrap()).is_some());
    }
}

/// `applied` is null, and the document has the name of the Job.
#[test]
fn trigger_as_json_has_null_for_a_job_without_a_response() {
    let arguments = "trigger nightly -yq --name=again --request-timeout=1s -o json";
    let ran = call(&failing(Fault::Hang), arguments);
    let item = ran.json()["items"][0].take();
    assert_eq!((&item["applied"], ran.code), (&Value::Null, 2));
    assert_eq!(item["prediction"]["jobName"], "again");
}

#[test]
fn trigger_at_a_terminal_creates_the_job_after_yes_only() {
    let server = server();
    let arguments = "trigger nightly --name=again";
    let refused = asked!(&server, arguments, &["no"], || {});
    assert_eq!(refused.code, 2);
    assert!(changes(&server).is_empty());
    let agreed = at_terminal(&server, arguments, &["y"], || {}).unwrap();
    assert_eq!(agreed.code, 0);
    assert_eq!(changes(&server), [posted("", BODY)]);
    assert_texts!(refused.screen, agreed.screen);
}

/// The user may confirm a prediction that is outdated by the time of the answer.
#[test]
fn change_during_the_question_creates_nothing() {
    let server = server();
    let edit = || set(&server, "nightly", "concurrencyPolicy", "Replace");
    let arguments = "trigger nightly --name=again";
    let asked = asked!(&server, arguments, &["yes"], edit);
    insta::assert_snapshot!(asked.screen);
    assert_eq!(asked.code, 2);
    assert!(changes(&server).is_empty());
}

#[test]
fn trigger_wait_and_logs_are_refused_with_a_dry_run() {
    for flag in ["--wait", "--wait=5s", "--logs"] {
        let ran = call(&server(), format!("trigger nightly --dry-run {flag}"));
        assert_ran!(ran, 2, "");
    }
}

#[test]
fn trigger_dry_run_as_json_has_the_job_and_the_prediction() {
    let arguments = "trigger nightly -yq --name=again --dry-run -o json";
    let mut document = call(&server(), arguments).document();
    let sent: Value = serde_json::from_str(BODY).unwrap();
    let item = &mut document["items"][0];
    assert_eq!(item["object"].take(), sent);
    assert_eq!(item["applied"], false);
    assert_eq!(item["prediction"]["sync"]["outcome"], "wait");
    insta::assert_snapshot!(serde_json::to_string_pretty(item).unwrap());
    let expected = (&json!("Actions"), &json!("client"));
    assert_eq!((&document["kind"], &document["dryRun"]), expected);
}

/// A Job's name leads to its CronJob, whose template is used, and not that of the Job.
#[test]
fn trigger_with_the_name_of_a_job_triggers_its_cronjob() {
    let of_cron_job = call(&server(), "trigger nightly -y --name=again");
    for name in ["nightly-29920440", "job/nightly-29920440"] {
        let server = server();
        let ran = call(&server, format!("trigger {name} -y --name=again"));
        assert_eq!((ran.code, &ran.stdout), (0, &of_cron_job.stdout), "{name}");
        assert_contains!(
            ran.stderr,
            "nightly-29920440 is a Job of CronJob nightly.\n"
        );
        assert_eq!(changes(&server), [posted("", BODY)], "{name}");
    }
}
