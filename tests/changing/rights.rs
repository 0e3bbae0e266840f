//! Missing permissions are reported before anything is changed.

use crate::changing::prelude::*;

calls! {
    suspend_without_the_right_to_patch_changes_nothing(server) {}
        call_as(&server, "viewer", "suspend nightly hourly -yq")
        => 2 => changes(&server).is_empty();
    suspend_without_the_right_in_one_namespace_changes_nothing(server) {
        server.deny(|attempt| attempt.verb == "patch" && attempt.namespace != "shop");
    } call(&server, "suspend -A -yq -o name") => 2 => changes(&server).is_empty();
    /// A server that rejects the access review may still allow the change.
    review_that_fails_refuses_nothing(server) {
        let reviews = Match::path("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
        server.fault(reviews, Fault::Status(403));
    } call(&server, "suspend nightly -yq") => 0, "cronjob.batch/nightly suspended\n";
}

/// Permissions can be granted by name: each CronJob then has an access review of its own.
#[test]
fn right_by_name_allows_that_cronjob_only() {
    let server = server();
    server.deny(|attempt| attempt.verb == "patch" && attempt.name != "nightly");
    let ran = call(&server, "suspend nightly -yq");
    assert_ran!(ran, 0, "cronjob.batch/nightly suspended\n");
    let ran = call(&server, "suspend nightly hourly -yq");
    // A CronJob that is already suspended needs no permission.
    assert_ran!(ran, 2, "cronjob.batch/nightly already suspended\n");
    assert_eq!(changes(&server).len(), 1);
}

/// The access review allows the patch, and the server rejects it nevertheless.
#[test]
fn patch_refused_by_the_server_does_not_stop_the_others() {
    let server = server();
    let hourly = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/hourly").method("PATCH");
    server.fault(hourly, Fault::Status(422));
    let ran = call(&server, "suspend hourly nightly -yq");
    assert_ran!(ran, 2, "cronjob.batch/nightly suspended\n");
    let document = call(&server, "suspend hourly -yq -o json").json();
    let item = &document["items"][0];
    assert_eq!(item["applied"], false);
    assert_starts!(item["error"].text(), "from server (");
}

/// A server that allows no user to list Jobs, and a Job that is running according to the status of its
/// CronJob.
fn server_without_jobs(policy: &str, is_suspended: bool) -> ApiServer {
    let server = crate::live::scene::server();
    let [mut report, job] = running_report(policy);
    report["spec"]["suspend"] = json!(is_suspended);
    server.add(report);
    server.add(job);
    server.deny(|attempt| attempt.resource == "jobs" && attempt.verb == "list");
    server
}

/// The prediction of a call with --quiet, which hides even the warning about missing data.
fn predicted(server: &ApiServer, arguments: impl CommandLine) -> Value {
    let document = call(server, (arguments, "--dry-run -q -o json")).document();
    assert_eq!(document["lacks"][0]["what"], "jobs");
    document["items"][0]["prediction"].clone()
}

/// The Job that cannot be read counts as running, and the statements that depend on it are conditional.
#[test]
fn without_jobs_predictions_depend_on_the_status() {
    let suspended = server_without_jobs("Forbid", true);
    let resume = predicted(&suspended, "resume report --catch-up=run");
    let expected = (&json!("blocked"), &json!(["report-29916120"]));
    assert_eq!((&resume["outcome"], &resume["startsAfter"]), expected);
    insta::assert_snapshot!(resume["text"].text());
    let replaced = server_without_jobs("Replace", true);
    let resume = predicted(&replaced, "resume report --catch-up=run");
    let expected = (&json!("replace"), &json!(["report-29916120"]));
    assert_eq!((&resume["outcome"], &resume["deletedJobs"]), expected);
    let text = resume["text"].text();
    let first = "Deletes report-29916120 first, if still running (Jobs were not read).";
    assert_contains!(text, first);

    let running = server_without_jobs("Forbid", false);
    let trigger = predicted(&running, "trigger report --force");
    let expected = (&json!(["report-29916120"]), &json!("blocked"));
    assert_eq!((&trigger["running"], &trigger["sync"]["outcome"]), expected);
    let reasons = trigger["sync"]["events"].texts("reason");
    assert_eq!(reasons, ["UnexpectedJob", "JobAlreadyActive"]);
    let unread = "unless finished already (Jobs were not read)";
    for prediction in [trigger, predicted(&running, "suspend report")] {
        assert_contains!(prediction["text"].text(), unread);
    }
}

/// Without permission to list Jobs, the program cannot see whether a Job is created.
#[test]
fn without_jobs_nothing_is_compared_with_a_prediction() {
    let server = server_without_jobs("Forbid", true);
    let run = |arguments: &str| Call::by(&server, "admin", arguments).run();
    assert_ran!(run("resume report --catch-up=run --wait -yq"), 2);
    assert!(changes(&server).is_empty());
}
