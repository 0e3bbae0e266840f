//! `resume`: which missed run starts late, whether it should, and how it is kept from starting.
//!
//! `shop/report` is scheduled at two every night, was suspended on Wednesday after its run, and has no
//! deadline: the runs of Thursday, Friday and today were missed. 29920440 is the minute of today, two
//! o'clock.

use crate::changing::prelude::*;
use crate::changing::terminal::at_terminal;

/// The resource version of `report`, which is added after the objects of the scene.
const VERSION: &str = "7";

/// The patch that resumes it, and records that it skips the runs from the 19th on.
fn resumed(query: &str, last_skipped: &str) -> String {
    let body = format!(
        r#"{{"metadata":{{"resourceVersion":"{VERSION}",{}}},"spec":{{"suspend":false}}}}"#,
        skipped(last_skipped)
    );
    patch("report", query, &body)
}

fn skipped(last: &str) -> String {
    format!(
        r#""annotations":{{"cronjob-doctor/skipped-runs":"2026-11-19T02:00:00Z/{last}","cronjob-doctor/last-suspension":"../2026-11-21T02:13:08Z"}}"#
    )
}

/// The patch that moves the last schedule time in its status.
fn moved(query: &str) -> String {
    let body = r#"{"metadata":{"resourceVersion":"7"},"status":{"lastScheduleTime":"2026-11-21T02:00:00Z"}}"#;
    patch("report/status", query, body)
}

/// The last two runs that were missed.
const LAST: &str = "2026-11-21T02:00:00Z";
const BEFORE: &str = "2026-11-20T02:00:00Z";

calls! {
    resume_without_missed_runs_needs_no_catch_up(server) {}
        call(&server, "resume import -y") => 0, "cronjob.batch/import resumed\n";
    resume_of_a_cronjob_that_is_not_suspended_says_so(server) { call(&server, "resume import -y"); }
        call(&server, "unsuspend import -y") => 0, "cronjob.batch/import not suspended\n";
    /// The run of today at 02:00 is older than 10 minutes, and will not start either.
    resume_records_a_last_run_past_its_deadline(server) {
        let mut limited = stored(&server, "report");
        limited["spec"]["startingDeadlineSeconds"] = json!(600);
        server.put(limited);
        let ran = call(&server, "resume report -y");
        let last = changes(&server).concat();
        assert_contains!(last, &*format!("2026-11-19T02:00:00Z/{LAST}"));
    } ran => 0, "cronjob.batch/report resumed\n";
    resume_with_catch_up_run_starts_the_last_missed_run(server) {
        let ran = call(&server, "resume report --catch-up=run -y");
        assert_eq!(changes(&server), [resumed("", BEFORE)]);
    } ran => 0, "cronjob.batch/report resumed\n" => !is_suspended(&server, "report");
    /// A server dry run stores nothing, so both patches are for the same version.
    resume_with_catch_up_skip_and_server_dry_run_sends_both_patches(server) { let dry = "dryRun=All&"; }
        call(&server, "resume report --catch-up=skip --dry-run=server")
        => 0 => changes(&server) == [moved(dry), resumed(dry, LAST)];
    /// The Job of Wednesday is still running, and the missed run starts when it ends.
    resume_under_forbid_waits_for_the_running_job(server) { put_running_report(&server, "Forbid"); }
        call(&server, "resume report --catch-up=run -y")
        => 0, "cronjob.batch/report resumed\n";
    resume_under_replace_deletes_the_running_job(server) { put_running_report(&server, "Replace"); }
        call(&server, "resume report --catch-up=run -y")
        => 0, "cronjob.batch/report resumed\n";
    /// The status would record tomorrow's run as started, so the controller would not start it.
    skip_with_a_given_now_is_refused(server) {
        let tomorrow = "resume report --catch-up=skip -yq --now=2026-11-22T12:00:00Z";
    } Call::by(&server, "admin", tomorrow).run() => 2 => changes(&server).is_empty();
    resume_of_two_warns_that_both_start_at_the_same_time(server) { add_like_report(&server, &["other"]); }
        call(&server, BOTH) => 0, BOTH_RESUMED;
    /// With a pause between them there is no warning. The pause is a second, and the call takes at least as
    /// long.
    resume_of_two_with_stagger_waits_between_them(server) {
        add_like_report(&server, &["other"]);
        let begun = std::time::Instant::now();
    } call(&server, (BOTH, "--stagger=1s"))
        => 0, BOTH_RESUMED => begun.elapsed() >= Duration::from_secs(1);
    /// Nothing starts, so that there is nothing to space out.
    dry_run_with_stagger_does_not_wait(server) {
        add_like_report(&server, &["other"]);
        let begun = std::time::Instant::now();
    } call(&server, (BOTH, "--stagger=60s --dry-run"))
        => 0 => begun.elapsed() < Duration::from_secs(60);
}

const BOTH: &str = "resume report other --catch-up=run -y";
const BOTH_RESUMED: &str = "cronjob.batch/report resumed\ncronjob.batch/other resumed\n";

/// A server that allows no user to write the status of CronJobs.
fn server_without_status() -> ApiServer {
    let server = server();
    server.deny(|attempt| attempt.subresource == "status");
    server
}

#[test]
fn resume_with_a_missed_run_requires_catch_up() {
    let server = server();
    let refused = call(&server, "resume report");
    let agreed = call(&server, "resume report --yes");
    assert_eq!(agreed, refused);
    assert_ran!(refused, 2, "");
    assert!(changes(&server).is_empty());
    assert_ran!(call(&server, "resume report --dry-run"), 0);
}

/// The status is patched while the CronJob is still suspended. The patch of the spec is for the version that
/// the first patch results in.
#[test]
fn skip_by_status_patches_the_status_before_the_spec() {
    let server = server();
    let ran = call(&server, "resume report --catch-up=skip -y");
    assert_ran!(ran, 0, "cronjob.batch/report resumed\n");
    let after = server.requests();
    let last = after.last().unwrap().json();
    let version = last["metadata"]["resourceVersion"].text();
    assert_ne!(version, VERSION);
    let resumed = resumed("", LAST).replace(VERSION, version);
    assert_eq!(changes(&server), [moved(""), resumed]);
    let report = stored(&server, "report");
    assert_eq!(report["status"]["lastScheduleTime"], "2026-11-21T02:00:00Z");
    assert_eq!(report["spec"]["suspend"], json!(false));
}

/// Without permission to write the status, a deadline is set before the CronJob is resumed: 788 seconds have passed since the missed run,
/// and 10 minutes plus half a minute of slack are less.
#[test]
fn skip_without_the_right_to_the_status_sets_a_deadline() {
    let server = server_without_status();
    let ran = call(&server, "resume report --catch-up=skip -y");
    assert_ran!(ran, 0, "cronjob.batch/report resumed\n");
    let body = r#"{"metadata":{"resourceVersion":"7"},"spec":{"startingDeadlineSeconds":600}}"#;
    let last = server.requests().last().unwrap().json();
    let version = last["metadata"]["resourceVersion"].text();
    assert_ne!(version, VERSION);
    let resumed = resumed("", LAST).replace(VERSION, version);
    assert_eq!(changes(&server), [patch("report", "", body), resumed]);
    // The command to run afterwards reaches the same cluster in the same way.
    let server = server_without_status();
    let skip = "resume report --catch-up=skip -y";
    let place = format!("--token=admin-token --server {}", server.url());
    let ran = call(&server, (skip, place));
    let afterwards = "  Afterwards, run: kubectl patch cronjob report -n shop --server SERVER --type=merge -p \
                      '{\"spec\":{\"startingDeadlineSeconds\":null}}'  # add --token\n";
    assert_ends!(ran.stderr, afterwards);
}

/// If another client sets the deadline or applies the whole CronJob, its next sync may remove the deadline of
/// the skip, and the missed run would start.
#[test]
fn skip_by_a_deadline_that_another_client_sets_needs_force() {
    let entry = |manager: &str, operation: &str, fields: Value| {
        json!({"manager": manager, "operation": operation, "apiVersion": "batch/v1",
               "time": "2026-11-20T00:00:00Z", "fieldsType": "FieldsV1",
               "fieldsV1": {"f:spec": fields}})
    };
    let deadline = json!({"f:startingDeadlineSeconds": {}});
    let schedule = json!({"f:schedule": {}});
    let of = |manager: &str, operation: &str, fields: &Value| json!({"managedFields": [entry(manager, operation, fields.clone())]});
    let another = [
        of("controller-of-ours", "Update", &deadline),
        of("kustomize-controller", "Apply", &schedule),
        of("argocd-controller", "Apply", &schedule),
        json!({"annotations": {"argocd.argoproj.io/tracking-id": "shop:batch/CronJob:shop/report"}}),
        json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "shop"}}),
        json!({"labels": {"app.kubernetes.io/managed-by": "Helm"}}),
    ];
    let ours = json!({"managedFields": [
        entry("kubectl-edit", "Update", deadline.clone()),
        entry("kubectl-cronjob-doctor", "Update", deadline),
        entry("kubectl", "Apply", schedule),
    ]});
    let skip = "resume report --catch-up=skip -yq";
    let with = |metadata: Value| {
        let server = crate::live::scene::server();
        let mut report = report();
        for (field, value) in metadata.as_object().unwrap() {
            report["metadata"][field] = value.clone();
        }
        server.add(report);
        server.deny(|attempt| attempt.subresource == "status");
        let ran = call(&server, skip);
        (server, ran)
    };
    let mut refusals = String::new();
    for metadata in another {
        let (server, ran) = with(metadata);
        refusals += &ran.refused();
        assert!(changes(&server).is_empty());
        let forced = call(&server, (skip, "--force"));
        assert_eq!(forced.fine(), "cronjob.batch/report resumed\n");
    }
    assert_eq!(with(ours).1.fine(), "cronjob.batch/report resumed\n");
    insta::assert_snapshot!(refusals);
}

/// For a run that was due less than half a minute ago, the deadline would be too short for a slow controller.
#[test]
fn skip_by_deadline_of_a_run_due_seconds_ago_is_refused() {
    let skip = "resume report --catch-up=skip -y";
    let denied = server_without_status();
    let permitted = server();
    for server in [&denied, &permitted] {
        set(server, "report", "schedule", "13 2 * * *");
    }
    assert_ran!(call(&denied, skip), 2);
    assert!(changes(&denied).is_empty());
    let ran = call(&permitted, skip);
    let expected = ("cronjob.batch/report resumed\n", 0);
    assert_eq!((ran.stdout.as_str(), ran.code), expected);
}

/// A deadline below the interval of `@every` would prevent every later run, and a longer one starts the missed run.
#[test]
fn skip_by_deadline_of_an_every_schedule_is_refused() {
    let server = server_without_status();
    set(&server, "report", "schedule", "@every 30m");
    assert_ran!(call(&server, "resume report --catch-up=skip -y"), 2);
    assert!(changes(&server).is_empty());
}

#[test]
fn resume_at_a_terminal_asks_whether_to_run_or_to_skip() {
    let server = server();
    let cancelled = asked!(&server, "resume report", &["c"], || {});
    assert_eq!(cancelled.code, 2);
    assert!(changes(&server).is_empty());
    let skipped = at_terminal(&server, "resume report", &["skip"], || {}).unwrap();
    assert_eq!(skipped.code, 0);
    assert_eq!(changes(&server).len(), 2);
    let server = crate::changing::cast::server();
    let run = at_terminal(&server, "resume report", &["r"], || {}).unwrap();
    assert_eq!(run.code, 0);
    assert_eq!(changes(&server), [resumed("", BEFORE)]);
    assert_texts!(cancelled.screen, skipped.screen, run.screen);
}

/// With --catch-up, the only question is whether to resume.
#[test]
fn resume_with_catch_up_at_a_terminal_still_asks_for_yes() {
    let asked = asked!(&server(), "resume report --catch-up=run", &["y"], || {});
    assert_eq!(asked.code, 0);
    insta::assert_snapshot!(asked.screen);
}

#[test]
fn resume_names_the_reason_why_no_missed_run_starts() {
    let deadline = |report: &mut Value| report["spec"]["startingDeadlineSeconds"] = json!(600);
    let existing = job("shop", "report", LAST, Some("2026-11-21T02:01:00Z"));
    let hourly = |report: &mut Value| {
        report["spec"]["schedule"] = json!("0 * * * *");
        report["status"]["lastScheduleTime"] = json!("2026-11-16T04:00:00Z");
    };
    let never = |report: &mut Value| report["spec"]["timeZone"] = json!("Mars/Olympus");
    assert_texts!(
        prediction(&[], deadline, ""),
        prediction(&[existing], |_| {}, ""),
        prediction(&[], hourly, "--kubernetes-version=1.20"),
        prediction(&[], never, ""),
    );
}

/// The prediction for `report` after a change, with other objects in the cluster.
fn prediction(others: &[Value], change: impl FnOnce(&mut Value), more: impl CommandLine) -> String {
    let server = crate::live::scene::server();
    let mut report = report();
    change(&mut report);
    server.add(report);
    for other in others {
        server.add(other.clone());
    }
    let arguments = ("resume report --dry-run -q -o json", more);
    let item = call(&server, &arguments).item();
    item["prediction"]["text"].text().to_owned()
}

#[test]
fn resume_as_json_and_yaml_has_the_missed_run_and_the_method() {
    let server = server();
    let arguments = "resume report --catch-up=skip -y -q -o json";
    let item = call(&server, arguments).item();
    let prediction = &item["prediction"];
    assert_eq!(prediction["outcome"], "wait");
    assert_eq!(prediction["missed"], 3);
    assert_eq!(prediction["catchUp"]["method"], "status");
    insta::assert_snapshot!(serde_json::to_string_pretty(prediction).unwrap());
    assert_eq!(item["object"]["spec"]["suspend"], json!(false));
    assert_eq!(item["action"], "resume");
    assert_eq!(item["applied"], json!(true));
    let arguments = "resume report --catch-up=run --dry-run -q -o yaml";
    let ran = call(&crate::changing::cast::server(), arguments);
    for lines in [
        "    scheduledTime: \"2026-11-21T02:00:00Z\"\n    jobName: report-29920440\n",
        "    lateSeconds: 788\n",
    ] {
        assert_contains!(ran.stdout, lines);
    }
}

#[test]
fn skip_of_two_cronjobs_only_patches_the_status_with_missed_runs() {
    let server = server();
    let ran = call(&server, "resume report import --catch-up=skip -y -q");
    let expected = "cronjob.batch/report resumed\ncronjob.batch/import resumed\n";
    assert_eq!(ran.fine(), expected);
    // A CronJob that missed no run is only resumed.
    let patches = server.requests_where(|one| one.method == "PATCH");
    let root = "/apis/batch/v1/namespaces/shop/cronjobs/";
    let paths = patches.iter().map(|one| one.path.strip_prefix(root));
    let paths: Vec<_> = paths.collect();
    assert_eq!(paths, ["report/status", "report", "import"].map(Some));
}
