//! `suspend`: what it says, what it sends, and what it does not do.

use crate::changing::prelude::*;
use crate::changing::terminal::at_terminal;

#[test]
fn suspend_of_one_cronjob_sends_one_patch() {
    let server = server();
    let ran = call(&server, "suspend nightly --yes");
    assert_ran!(ran, 0, "cronjob.batch/nightly suspended\n");
    let body = r#"{"metadata":{"resourceVersion":"2","annotations":{"cronjob-doctor/suspended-at":"2026-11-21T02:13:08Z","cronjob-doctor/suspended-by":"admin"}},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "", body)]);
    assert!(is_suspended(&server, "nightly"));
}

/// Permissions and the user are requested before the patch, and nothing else is.
#[test]
fn suspend_asks_for_the_right_and_the_user_before_the_patch() {
    let server = server();
    call(&server, "suspend cj/nightly -y");
    let expected = [
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
        "PATCH /apis/batch/v1/namespaces/shop/cronjobs/nightly",
    ];
    assert_eq!(requests_after_reading(&server), expected);
    let asked = server.requests()[6].json();
    let expected = json!({
        "verb": "patch", "group": "batch", "resource": "cronjobs", "subresource": "",
        "namespace": "shop", "name": "",
    });
    assert_eq!(asked["spec"]["resourceAttributes"], expected);
}

calls! {
    suspend_of_a_suspended_cronjob_sends_no_patch(server) {}
        call(&server, "suspend report --yes --reason=again")
        => 0, "cronjob.batch/report already suspended\n" => changes(&server).is_empty();
    suspend_without_a_terminal_needs_yes(server) {}
        call(&server, "suspend nightly") => 2 => changes(&server).is_empty();
    /// The running Job continues, and a run that is due may start before the suspension.
    suspend_leaves_a_running_job_alone(server) {
        put_running_report(&server, "Allow");
        set(&server, "report", "suspend", false);
    } call(&server, "suspend report -y") => 0, "cronjob.batch/report suspended\n";
    /// Two nightly runs are missed until Monday at noon. Resuming ten hours after the second one starts
    /// nothing, because the deadline is an hour.
    suspend_until_a_time_counts_the_missed_runs {} call(&server(), "suspend nightly -y --until=2026-11-23T12:00:00Z")
        => 0, "cronjob.batch/nightly suspended\n";
    suspend_until_a_time_in_the_past_is_refused {}
        call(&server(), "suspend nightly -y --until=2026-11-21T02:13:00Z") => 2;
    suspend_until_a_time_before_the_next_run_misses_none {}
        call(&server(), "suspend nightly -y --until=2026-11-21T12:00:00Z")
        => 0, "cronjob.batch/nightly suspended\n";
    /// Without a deadline the last missed run starts, however late: 29922000 is the minute of Sunday,
    /// 04:00. A run is due every five minutes, so a hundred are missed after 500 minutes: from 02:15 the
    /// 101st is at 02:15 + 100 * 5 min = 10:35.
    suspend_until_a_time_names_the_missed_run_that_resuming_starts {}
        call(&server_with_often(), "suspend often -y --until=2026-11-22T04:03:00Z")
        => 0, "cronjob.batch/often suspended\n";
    /// The polling controller stops starting runs at that point. It does not support `spec.timeZone`, and
    /// uses the time zone of its own clock.
    suspend_until_a_time_before_1_21_reports_too_many_missed_runs {
        let old = "suspend often --dry-run --kubernetes-version=1.20";
    } call(&server_with_often(), (old, "--until=2026-11-22T04:03:00Z")) => 0;
    suspend_with_quiet_prints_only_the_result {} call(&server(), "suspend nightly -y -q") => 0, "cronjob.batch/nightly suspended\n";
    suspend_with_quiet_and_output_name_prints_only_the_name {}
        call(&server(), "suspend nightly -y -q -o name") => 0, "cronjob.batch/nightly\n";
    suspend_of_a_schedule_that_never_runs_misses_nothing {}
        call(&server(), "suspend never -n ops -y") => 0, "cronjob.batch/never suspended\n";
    /// No change is sent, and the prediction is the result.
    suspend_with_client_dry_run_only_reads(server) {
        let ran = call(&server, "suspend nightly --dry-run");
        assert_eq!(call(&server, "suspend nightly --dry-run=client"), ran);
    } ran => 0 => server.requests_where(|one| one.method != "GET").is_empty();
    /// A name that is not found is an error, and does not stop the others.
    suspend_with_an_unknown_name_suspends_the_others(server) {}
        call(&server, "suspend nightli nightly -y -q") => 2, "cronjob.batch/nightly suspended\n";
}

#[test]
fn suspend_at_a_terminal_needs_the_answer_yes() {
    let server = server();
    let no = asked!(&server, "suspend nightly", &["what?", "n"], || {});
    assert_eq!(no.code, 2);
    assert!(changes(&server).is_empty());
    // An empty answer counts as no.
    let nothing = at_terminal(&server, "suspend nightly", &[""], || {}).unwrap();
    assert_eq!(nothing.code, 2);
    assert!(changes(&server).is_empty());
    let yes = at_terminal(&server, "suspend nightly", &["YES"], || {}).unwrap();
    assert_eq!(yes.code, 0);
    assert_eq!(changes(&server).len(), 1);
    assert_texts!(no.screen, yes.screen);
}

#[test]
fn suspend_with_server_dry_run_stores_nothing() {
    let server = server();
    let warning = r#"spec: "quoted", and with a comma"#;
    server.warn(Match::any().method("PATCH"), warning);
    assert_ran!(call(&server, "suspend nightly --dry-run=server"), 0);
    let body = r#"{"metadata":{"resourceVersion":"2","annotations":{"cronjob-doctor/suspended-at":"2026-11-21T02:13:08Z"}},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "dryRun=All&", body)]);
    assert!(!is_suspended(&server, "nightly"));
}

#[test]
fn suspend_as_json_has_the_prediction_and_the_stored_object() {
    let server = server();
    let ran = call(&server, "suspend nightly -y -q -o json --field-manager=me");
    let mut document = ran.json();
    let item = &mut document["items"][0];
    let mut object = stored(&server, "nightly");
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.remove("managedFields").unwrap();
    assert_eq!(item["object"].take(), object);
    assert_eq!(item["applied"], true);
    assert_eq!(item["prediction"]["ifResumed"]["outcome"], "wait");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
    let query = server.requests().pop().unwrap().query;
    assert_eq!(query, [("fieldManager".to_owned(), "me".to_owned())]);
}

#[test]
fn suspend_dry_run_as_json_has_the_object_as_it_would_be() {
    let server = server();
    let ran = call(&server, "suspend nightly --dry-run -q -o json");
    let document = ran.json();
    let item = &document["items"][0];
    let expected = (&json!("client"), &json!(false));
    assert_eq!((&document["dryRun"], &item["applied"]), expected);
    let mut object = stored(&server, "nightly");
    object["metadata"]["annotations"] = json!({
        "cronjob-doctor/suspended-at": "2026-11-21T02:13:08Z",
        "cronjob-doctor/suspended-by": "admin",
    });
    object["spec"]["suspend"] = json!(true);
    assert_eq!(item["object"], object);
}

fn server_with_often() -> ApiServer {
    let server = server();
    let mut often = cron_job("shop", "often", "*/5 * * * *");
    often["spec"]["startingDeadlineSeconds"] = Value::Null;
    often["status"] = json!({"lastScheduleTime": "2026-11-21T02:10:00Z"});
    server.add(often);
    server
}

/// `shop/nightly` as Argo CD applied it, with `suspend: false` in Git, or without.
fn managed_by_argo_cd(is_stated: bool) -> ApiServer {
    let server = server();
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        let stated = if is_stated { r#","suspend":false"# } else { "" };
        let spec = format!(r#"{{"schedule":"0 2 * * *"{stated}}}"#);
        nightly["metadata"]["annotations"] = json!({
            "argocd.argoproj.io/tracking-id": "shop:batch/CronJob:shop/nightly",
            "kubectl.kubernetes.io/last-applied-configuration": format!(
                r#"{{"apiVersion":"batch/v1","kind":"CronJob","metadata":{{"name":"nightly"}},"spec":{spec}}}"#
            ),
        });
    });
    server
}

fn suspension(server: &ApiServer, more: impl CommandLine) -> Value {
    let arguments = ("suspend nightly -yq -o json", more);
    call(server, &arguments).item()["prediction"].take()
}

/// The count of missed runs holds only if no sync of Argo CD comes before.
#[test]
fn end_on_a_managed_object_has_the_effect_of_the_sync() {
    let until = "--until=2026-11-25T00:00:00Z";
    let prediction = suspension(&managed_by_argo_cd(true), until);
    assert_eq!(prediction["missed"], 3);
    assert_eq!(prediction["syncEffect"], "setsBack");
    assert!(prediction["revertedBy"].is_string(), "{prediction:#}");
    insta::assert_snapshot!(prediction["text"].text());

    let prediction = suspension(&managed_by_argo_cd(false), until);
    assert_eq!(prediction["syncEffect"], "keeps");
    assert_eq!(prediction["revertedBy"], Value::Null);
}

/// Helm 4 applies on the server side, and takes over no field that somebody else set.
#[test]
fn field_that_helm_applied_conflicts_with_its_next_upgrade() {
    let text = |operation: &str| {
        let server = server();
        server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
            nightly["metadata"]["managedFields"] = json!([{
                "manager": "helm", "operation": operation, "apiVersion": "batch/v1",
                "time": "2026-11-20T00:00:00Z", "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:schedule": {}, "f:suspend": {}}},
            }]);
        });
        let prediction = suspension(&server, "--reason=window");
        prediction["text"].text().to_owned()
    };
    assert_contains!(text("Apply"), "--force-conflicts");
    assert_lacks!(text("Update"), "--force-conflicts");
}

/// A CronJob that a sync of Argo CD resumed in the meantime is left alone, and one that it left suspended is
/// resumed.
#[test]
fn managed_objects_are_resumed_after_a_sync() {
    for (is_stated, resumed) in [(true, ""), (false, "cronjob.batch/nightly resumed\n")] {
        let server = managed_by_argo_cd(is_stated);
        let prediction = suspension(&server, "--reason=window");
        let effect = if is_stated { "setsBack" } else { "keeps" };
        assert_eq!(prediction["syncEffect"], effect);
        if is_stated {
            set(&server, "nightly", "suspend", false);
        }
        let ran = call(&server, "resume --reason=window -yq");
        assert_eq!((ran.stdout.as_str(), ran.code), (resumed, 0));
    }
}

/// A Job that is suspended, such as one in a queue of Kueue, does not run.
#[test]
fn suspended_job_keeps_waiting() {
    let server = server();
    let [mut report, mut job] = running_report("Allow");
    report["spec"]["suspend"] = json!(false);
    job["spec"]["suspend"] = json!(true);
    server.put(report);
    server.put(job);
    for verb in ["suspend", "trigger"] {
        let item = call(&server, format!("{verb} report --dry-run -q -o=json")).item();
        let text = item["prediction"]["text"].text();
        assert_contains!(text, "report-29916120 keeps waiting.");
    }
}
