//! What the server stores is compared with what was asked: a webhook may have changed it.

use crate::changing::prelude::*;
use crate::support::apiserver::{Break, Fate};

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
const NIGHTLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/nightly";
const REPORT: &str = "/apis/batch/v1/namespaces/shop/cronjobs/report";

/// A server whose webhook removes the changes of these requests.
fn ignoring(path: &str) -> ApiServer {
    let server = server();
    server.fault(Match::path(path).method("PATCH"), Fault::Ignored);
    server
}

/// A server whose webhook removes annotations.
fn without_annotations() -> ApiServer {
    let server = server();
    server.fault(
        Match::path(NIGHTLY).method("PATCH"),
        Fault::WithoutAnnotations,
    );
    server
}

/// A server whose webhook changes the Jobs that are created.
fn creating(fate: Fate) -> ApiServer {
    let server = server();
    let post = Match::path(JOBS).method("POST");
    server.fault(post, Fault::Creation(fate, Break::Nowhere));
    server
}

fn patched(server: &ApiServer) -> Vec<String> {
    let sent = server.requests_where(|one| one.method == "PATCH");
    sent.into_iter().map(|one| one.path).collect()
}

/// Calls `trigger`, and edits the CronJob between the request that lists it and the one for its template.
fn trigger_while_reading(server: &ApiServer, arguments: &str, edit: impl FnOnce()) -> Ran {
    let get = Match::path(NIGHTLY).method("GET");
    let busy = Fault::TooManyRequests { retry_after: 1 }.times(1);
    server.fault(get.clone(), busy);
    thread::scope(|scope| {
        let ran = scope.spawn(|| call(server, arguments));
        server.wait_for_request(|one| get.fits_but_for_page(one));
        edit();
        ran.join().unwrap()
    })
}

calls! {
    suspension_that_a_webhook_removes_is_an_error { let server = ignoring(NIGHTLY); }
        call(&server, "suspend nightly -yq") => 2, "" => patched(&server) == [NIGHTLY];
    /// The CronJob continues to start Jobs, so that no Job being there says nothing.
    suspend_wait_ends_if_a_webhook_removes_the_suspension { let server = ignoring(NIGHTLY); }
        call(&server, "suspend nightly -yq --wait=5s") => 2, "";
    suspend_wait_continues_with_those_that_are_suspended { let server = ignoring(NIGHTLY); }
        call(&server, "suspend nightly hourly -y --wait=5s") => 2, "cronjob.batch/hourly suspended\n";
    resumption_that_a_webhook_removes_is_an_error { let server = ignoring(REPORT); }
        call(&server, "resume report -yq --catch-up=run") => 2, "" => is_suspended(&server, "report");
    /// The missed run would start.
    skip_that_a_webhook_removes_does_not_resume { let server = ignoring(&format!("{REPORT}/status")); }
        call(&server, "resume report -yq --catch-up=skip")
        => 2, "" => patched(&server) == [format!("{REPORT}/status")] && is_suspended(&server, "report");
    skip_by_a_deadline_that_a_webhook_removes_does_not_resume {
        let server = ignoring(REPORT);
        server.deny(|attempt| attempt.subresource == "status");
    } call(&server, "resume report -yq --catch-up=skip")
        => 2, "" => patched(&server) == [REPORT] && is_suspended(&server, "report");
    dry_run_of_a_suspension_that_a_webhook_removes_is_an_error { let server = ignoring(NIGHTLY); }
        call(&server, "suspend nightly -q --dry-run=server") => 2;
    /// `resume --reason` would not find it.
    annotations_that_a_webhook_removes_are_an_error { let server = without_annotations(); }
        call(&server, "suspend nightly -yq --reason=window") => 2, "cronjob.batch/nightly suspended\n";
    job_that_a_webhook_renames_is_an_error { let server = creating(Fate::Renamed); }
        call(&server, "trigger nightly -yq --name=again") => 2, "" => server.posts().len() == 1;
    job_that_a_webhook_suspends_is_an_error { let server = creating(Fate::Suspended); }
        call(&server, "trigger nightly -yq --name=again") => 2, "" => server.posts().len() == 1;
    /// Kueue does so, and resumes it.
    job_that_kueue_suspends_is_created {
        let server = creating(Fate::Suspended);
        let labels = json!({"labels": {"kueue.x-k8s.io/queue-name": "q"}});
        set(&server, "nightly", "spec.jobTemplate.metadata", labels);
    } call(&server, "trigger nightly -yq --name=again") => 0, "job.batch/again created\n";
    backfilled_job_that_a_webhook_renames_is_an_error { let server = creating(Fate::Renamed); }
        call(&server, "backfill report --last=2 -yq") => 2, "" => server.posts().len() == 1;
    /// The plan was about another CronJob.
    trigger_of_a_recreated_cronjob_is_refused(server) {
        let recreate = || {
            let mut other = stored(&server, "nightly");
            other["metadata"]["uid"] = json!("another");
            server.put(other);
        };
    } trigger_while_reading(&server, "trigger nightly -y --name=again", recreate)
        => 2, "" => server.posts().is_empty();
    trigger_of_a_cronjob_with_another_spec_is_refused(server) {
        let edit = || {
            set(&server, "nightly", "concurrencyPolicy", "Replace");
            set(&server, "nightly", "metadata.generation", 2);
        };
    } trigger_while_reading(&server, "trigger nightly -y --name=again", edit)
        => 2, "" => server.posts().is_empty();
    /// The controller has started a run in the meantime: the plan is about the status that it wrote.
    trigger_of_a_cronjob_with_another_status_has_a_new_plan(server) {
        set(&server, "nightly", "concurrencyPolicy", "Forbid");
        let run = || {
            let job = job("shop", "nightly", "2026-11-21T02:13:00Z", None);
            set(&server, "nightly", "status.active", status_with_active(&job)["active"].take());
            server.put(job);
        };
    } trigger_while_reading(&server, "trigger nightly -y --name=again", run)
        => 2, "" => server.posts().is_empty();
}
