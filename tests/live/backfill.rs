//! `backfill`: which Jobs it creates, in which order, and what it prints. The tests act as the Job
//! controller.

use crate::changing::cast::{report, requests_after_reading, stored};
use crate::live::prelude::*;
use crate::support::apiserver::Scripted;

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
/// The Jobs of the runs scheduled at 02:00 on the 19th, the 20th and the 21st.
const THREE: [&str; 3] = ["report-29917560", "report-29919000", "report-29920440"];

/// `shop/report` last ran on Wednesday the 18th at 02:00, and has been suspended since then: it missed
/// three runs.
fn server() -> ApiServer {
    let server = crate::live::scene::server();
    let mut report = report();
    report["spec"]["jobTemplate"]["metadata"] =
        json!({"labels": {"app": "report"}, "annotations": {"team": "data"}});
    report["spec"]["jobTemplate"]["spec"]["backoffLimit"] = json!(2);
    server.add(report);
    server
}

fn call<'s>(server: &'s ApiServer, user: &str, arguments: impl CommandLine) -> Call<'s> {
    let arguments = ("backfill", arguments, NOW);
    Call::by(server, user, arguments)
}

fn run(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    call(server, "admin", arguments).run()
}

/// Runs the command, and calls `during` in the meantime.
fn run_during(server: &ApiServer, arguments: impl CommandLine, during: impl FnOnce()) -> Ran {
    thread::scope(|scope| {
        let call = scope.spawn(|| run(server, arguments));
        during();
        call.join().unwrap()
    })
}

/// Runs the command, and finishes each Job as `Complete` or `Failed` as soon as it exists.
fn run_while(server: &ApiServer, arguments: impl CommandLine, ends: &[(&str, &str)]) -> Ran {
    run_during(server, arguments, || {
        for (job, condition) in ends {
            made(server, job);
            finish(server, job, condition);
        }
    })
}

/// Runs the command for the latest run only, whose Job succeeds.
fn run_last(server: &ApiServer, flags: &str) -> Ran {
    let arguments = ("report --last=1", flags);
    run_while(server, arguments, &[(THREE[2], "Complete")])
}

/// Makes requests that create Jobs fail.
fn fault_creation(server: &ApiServer, fault: impl Into<Scripted>) {
    server.fault(Match::path(JOBS).method("POST"), fault);
}

/// Waits until a Job was requested and exists.
pub(crate) fn made(server: &ApiServer, job: &str) {
    let posted = |one: &Recorded| {
        one.method == "POST" && one.path == JOBS && one.json()["metadata"]["name"] == job
    };
    server.wait_for_request(posted);
    server.wait_for_object("Job", "shop", job, |_| true);
}

/// The names of the Jobs that were requested, in order.
fn asked_for(server: &ApiServer) -> Vec<String> {
    let posts = server.posts().into_iter();
    let names = posts.map(|one| one.json()["metadata"]["name"].text().to_owned());
    names.collect()
}

const FIRST: &str = "job.batch/report-29917560 created\n";
const LAST: &str = "job.batch/report-29920440 created\n";
const CREATED: &str = "\
job.batch/report-29917560 created
job.batch/report-29919000 created
job.batch/report-29920440 created
";

#[test]
fn backfill_runs_jobs_one_by_one_and_oldest_first() {
    let server = server();
    let all = THREE.map(|job| (job, "Complete"));
    let ran = run_while(&server, "report --since 3d --yes", &all);
    assert_ran!(ran, 0, CREATED);
    let review = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let job = [format!("POST {JOBS}"), format!("watch {JOBS}")];
    let read = "GET /apis/batch/v1/namespaces/shop/cronjobs/report";
    let before = [review, review, read].map(str::to_owned);
    assert_eq!(
        requests_after_reading(&server),
        [&before[..], &job, &job, &job].concat()
    );
}

/// The request is the one that the controller sends, except for `blockOwnerDeletion`.
#[test]
fn backfilled_job_equals_the_one_of_the_controller() {
    let server = server();
    run_last(&server, "-yq --field-manager=me");
    let reviews = server.requests_where(|one| one.path.ends_with("accessreviews"));
    let rights = reviews
        .iter()
        .map(|one| one.json()["spec"]["resourceAttributes"].clone());
    let right = |verb| {
        json!({
            "verb": verb, "group": "batch", "resource": "jobs", "subresource": "",
            "namespace": "shop", "name": "",
        })
    };
    assert!(rights.eq([right("create"), right("watch")]), "{reviews:?}");
    let post = &server.posts()[0];
    assert_eq!(post.query, [("fieldManager".to_owned(), "me".to_owned())]);
    let report = stored(&server, "report");
    let template = &report["spec"]["jobTemplate"]["spec"];
    assert_eq!(template["backoffLimit"], 2);
    // Five random characters, which no other call uses.
    let mark = &post.json()["metadata"]["annotations"]["cronjob-doctor/backfilled"];
    assert_eq!(mark.as_str().map(str::len), Some(5));
    assert_eq!(
        post.json(),
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "name": "report-29920440", "namespace": "shop", "labels": {"app": "report"},
                "annotations": {
                    "team": "data", "cronjob-doctor/backfilled": mark,
                    "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-11-21T02:00:00Z",
                },
                "ownerReferences": [owner_reference("CronJob", "report", "uid-of-report")],
            },
            "spec": template,
        })
    );
    let watch = &server.requests_where(Recorded::is_watch)[0];
    let expected = Some("metadata.name=report-29920440");
    assert_eq!(watch.parameter("fieldSelector"), expected);
}

/// The printed command continues in the same cluster, as the same user.
#[test]
fn backfill_command_to_continue_keeps_the_connection_flags() {
    let server = server();
    let arguments = "report --since=3d -y --as=admin --as-group=system:authenticated \
                     --insecure-skip-tls-verify";
    let ran = run_while(&server, arguments, &[(THREE[0], "Failed")]);
    let expected = "to continue: kubectl cronjob-doctor backfill report -n shop --as admin --as-group \
                    system:authenticated --insecure-skip-tls-verify --since \
                    2026-11-20T02:00:00Z --until 2026-11-21T02:00:00Z\n";
    assert_ends!(ran.stderr, expected);
}

/// Another call of the same command may have created the Job in the meantime.
#[test]
fn job_of_another_backfill_is_skipped() {
    let server = server();
    let post = || Match::path(JOBS).method("POST");
    server.fault(post(), Fault::Hold.times(1));
    let arguments = "report --last=1 -yq";
    let [slow, fast] = thread::scope(|scope| {
        let slow = scope.spawn(|| run(&server, arguments));
        server.wait_for_request(|one| one.method == "POST");
        let fast = scope.spawn(|| run(&server, arguments));
        server.wait_for_object("Job", "shop", THREE[2], |_| true);
        server.clear_faults();
        let slow = slow.join().unwrap();
        finish(&server, THREE[2], "Complete");
        [slow, fast.join().unwrap()]
    });
    assert_eq!((slow.stdout.as_str(), slow.code), ("", 0), "{slow}");
    let expected = "job.batch/report-29920440 skipped: created by another client in the meantime\n";
    assert_eq!(slow.stderr, expected);
    assert_eq!((fast.stdout.as_str(), fast.code), (LAST, 0), "{fast}");
}

calls! {
    backfill_with_parallel_2_runs_two_jobs_at_a_time(server) {
        let in_order = || {
            // The second Job is created while the first one runs; the third waits for one of the two.
            made(&server, THREE[1]);
            assert_eq!(asked_for(&server), THREE[..2]);
            finish(&server, THREE[1], "Complete");
            made(&server, THREE[2]);
            finish(&server, THREE[2], "Complete");
            finish(&server, THREE[0], "Complete");
        };
    } run_during(&server, "report --since=3d -y -q --parallel=2", in_order) => 0, CREATED;
    backfill_stops_after_a_failed_job(server) { let ends = [(THREE[0], "Failed")]; }
        run_while(&server, "report --since=3d -y", &ends)
        => 1, FIRST => asked_for(&server) == THREE[..1];
    backfill_with_keep_going_runs_all_after_a_failed_job(server) {
        let mut ends = THREE.map(|job| (job, "Complete"));
        ends[0].1 = "Failed";
    } run_while(&server, "report --since=3d -yq --keep-going", &ends) => 1, CREATED;
    backfill_stops_after_a_deleted_job(server) {
        let times = "--at=2026-11-19T02:00:00Z --at=2026-11-21T02:00:00Z";
        let delete = || {
            made(&server, THREE[0]);
            server.delete("batch/v1", "Job", "shop", THREE[0]);
        };
    } run_during(&server, ("report -yq --parallel=1", times), delete) => 2, FIRST;
    /// Another client may have created the Job after the Jobs were listed.
    backfill_skips_a_job_created_in_the_meantime(server) {
        let make_another = || {
            made(&server, THREE[0]);
            server.put(job("shop", "report", "2026-11-20T02:00:00Z", None));
            finish(&server, THREE[0], "Complete");
            made(&server, THREE[2]);
            finish(&server, THREE[2], "Complete");
        };
    } run_during(&server, "report --since=3d -yq", make_another) => 0, [FIRST, LAST].concat();
    /// The existing Job is not created again, and no confirmation is requested.
    backfill_of_a_run_that_has_its_job_creates_nothing(server) {
        let end = Some("2026-11-21T02:05:00Z");
        server.put(job("shop", "report", "2026-11-21T02:00:00Z", end));
    } run(&server, "report --at 2026-11-21T02:00:00Z") => 0 => asked_for(&server).is_empty();
    backfill_stops_at_max(server) { let ends = [(THREE[0], "Complete")]; }
        run_while(&server, "report --since=3d -y --max=1", &ends)
        => 0, FIRST;
    /// A proxy sends the request twice: the existing Job was created by this call, which waits for it.
    request_that_is_replayed_makes_one_job(server) {
        fault_creation(&server, Fault::Preceded("kubectl-cronjob-doctor"));
    } run_last(&server, "-yq") => 0, LAST;
    /// The request reaches the server, but the response is lost.
    backfill_with_a_lost_response_creates_one_job(server) { fault_creation(&server, Fault::CutOff(10).times(1)); }
        run_last(&server, "-y")
        => 0, LAST => asked_for(&server) == THREE[2..];
    /// The response is lost, and the Job finishes before the client can read it: no watch reports it
    /// anymore.
    backfill_finds_a_job_that_completed_unseen(server) {
        fault_creation(&server, Fault::CutOff(10).times(1));
        let job = format!("{JOBS}/{}", THREE[2]);
        let later = Fault::TooManyRequests { retry_after: 1 };
        server.fault(Match::path(&job), later);
        let complete = || {
            server.wait_for_request(|one| one.path == job);
            finish(&server, THREE[2], "Complete");
            server.clear_faults();
        };
    } run_during(&server, "report --last=1 -yq", complete)
        => 0, LAST => asked_for(&server) == THREE[2..];
    /// No Job exists, but it may have run and be gone, or may still be created.
    backfill_does_not_send_a_lost_request_again(server) { fault_creation(&server, Fault::Reset.times(1)); }
        run(&server, "report --last=1 -yq") => 2, "" => asked_for(&server) == THREE[2..];
    backfill_stops_after_a_refused_job(server) { fault_creation(&server, Fault::Status(403)); }
        run(&server, "report --since=3d -yq")
        => 2 => asked_for(&server) == THREE[..1];
    /// Runs whose Jobs could not be created are listed as left, wherever they are among the others.
    backfill_with_keep_going_names_refused_jobs_as_left(server) {
        fault_creation(&server, Fault::Status(403).times(1));
        let runs = "report --at=2026-11-20T02:00:00Z --at=2026-11-21T02:00:00Z";
        let ends = [(THREE[2], "Complete")];
    } run_while(&server, (runs, "-yq --keep-going"), &ends) => 2, LAST;
    /// No response arrives, and the Job may still be created. It runs only once, because two Jobs cannot
    /// have the same name.
    backfill_names_a_job_without_a_response_as_left(server) { fault_creation(&server, Fault::Hang); }
        run(&server, "report --last=1 -yq --request-timeout=1s")
        => 2;
    /// The watch ends, and the next one continues where it ended.
    backfill_continues_after_its_watch_ends(server) {
        let close = || {
            server.wait_for(|requests| watches(requests) == 1);
            server.close_watches();
            finish(&server, THREE[2], "Complete");
        };
    } run_during(&server, "report --last=1 -yq", close) => 0, LAST;
}

#[test]
fn backfill_with_dry_run_creates_no_job() {
    let server = server();
    let planned = run(&server, "report --since=3d --dry-run");
    assert_ran!(planned, 0);
    let client = run(&server, "report --since=3d --dry-run=client");
    assert_eq!(client, planned);
    assert!(server.requests_where(|one| one.method != "GET").is_empty());
    server.clear_requests();
    assert_ran!(run(&server, "report --since=3d --dry-run=server"), 0);
    assert_eq!(asked_for(&server), THREE);
    for post in server.posts() {
        assert_eq!(post.parameter("dryRun"), Some("All"));
    }
    assert_eq!(server.object("batch/v1", "Job", "shop", THREE[0]), None);
}

#[test]
fn backfill_as_json_has_the_plan_and_what_was_observed() {
    let server = server();
    let mut document = run_last(&server, "-yq -o json").document();
    let notes = document["plan"]["notes"].take();
    let codes = ["resumeFindsJob"];
    assert_eq!(notes.texts("code"), codes);
    let object = document["items"][0]["object"].take();
    assert_eq!(object["metadata"]["name"], THREE[2]);
    assert_eq!(object["metadata"]["managedFields"], Value::Null);
    assert_eq!(document["items"][0]["applied"], true);
    assert_eq!(document["items"][0]["observed"]["result"], "succeeded");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
    let names = run(&server, "report --since=3d --dry-run -q -o name");
    let both = "job.batch/report-29917560\njob.batch/report-29919000\n";
    assert_ran!(names, 0, both);
}

#[test]
fn backfill_without_its_rights_creates_no_job() {
    for verb in ["create", "watch"] {
        let server = server();
        server.deny(move |attempt| attempt.verb == verb && attempt.resource == "jobs");
        assert_ran!(run(&server, "report --last=1 -y"), 2, "");
        assert_eq!(asked_for(&server), Vec::<String>::new());
    }
}

#[test]
fn backfill_refuses_wrong_calls_with_a_remedy() {
    let server = server();
    let error = |arguments: &str| run(&server, arguments).stderr;
    assert_texts!(
        error("report"),
        error("report --at=2026-11-21T03:00:00Z"),
        error("report nightly --last=1"),
        error("repot --last=1"),
    );
    let refused = run(&server, "report --last=1").refused();
    let error = "error: nothing was changed: confirmation requires a terminal; use --yes to skip it, \
                 or --dry-run to show the plan only\n";
    assert_ends!(refused, error);
    assert_eq!(asked_for(&server), Vec::<String>::new());
}

#[test]
fn backfill_interrupted_names_what_is_left() {
    let server = server();
    let child = call(&server, "admin", "report --since=3d -yq").start();
    made(&server, THREE[0]);
    server.wait_for_watch();
    signal::send("INT", child.id());
    let ran = Ran::of(child.wait_with_output().unwrap());
    insta::assert_snapshot!(ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.code), (FIRST, 130));
    assert_eq!(asked_for(&server), THREE[..1]);
}
