//! `backfill` at a terminal and after `resume`; the rest of it is in tests/live/backfill.rs.

use crate::changing::prelude::*;

/// The plan for the newest of three missed runs.
#[test]
fn backfill_answered_with_no_creates_no_job() {
    let server = server();
    let no = asked!(&server, "backfill report --last=1", &["no"], || {});
    assert_eq!(no.code, 2);
    insta::assert_snapshot!(no.screen);
    assert!(changes(&server).is_empty());
}

/// The answer confirms a plan for the CronJob before the edit.
#[test]
fn backfill_of_a_cronjob_edited_during_the_question_creates_no_job() {
    let server = server();
    let change = || {
        server.edit("batch/v1", "CronJob", "shop", "report", |report| {
            report["metadata"]["generation"] = json!(2);
            report["spec"]["schedule"] = json!("0 3 * * *");
        });
    };
    let yes = asked!(&server, "backfill report --last=1", &["yes"], change);
    assert_eq!(yes.code, 2);
    insta::assert_snapshot!(yes.screen);
    assert!(changes(&server).is_empty());
}

fn call_at(server: &ApiServer, now: &str, arguments: impl CommandLine) -> Ran {
    let now = format!("--now=2026-11-{now}:00Z");
    Call::by(server, "admin", (arguments, &now)).run()
}

/// The scheduled times of the runs that would be started.
fn backfilled(server: &ApiServer, now: &str, arguments: impl CommandLine) -> Vec<String> {
    let more = "--dry-run -q -o=json";
    let document = call_at(server, now, ("backfill", arguments, more)).document();
    let items = document["items"].items().iter();
    let times = items.map(|item| item["prediction"]["scheduledTime"].text());
    times.map(str::to_owned).collect()
}

/// The cause and the reason that the history shows for each run.
fn causes(server: &ApiServer, now: &str, name: &str) -> Vec<(String, String)> {
    let since = "--since=2026-11-21T02:30:00Z";
    let document = call_at(server, now, format!("history {name} {since} -o=json")).document();
    let runs = document["items"][0]["runs"].items().iter();
    let text = |run: &Value, field: &str| run[field].as_str().unwrap_or_default().to_owned();
    runs.map(|run| (text(run, "cause"), text(run, "reason")))
        .collect()
}

/// A maintenance window, and the README's "Run missed jobs again" after its "Resume without running missed
/// jobs".
#[test]
fn runs_that_resume_skipped_can_be_started() {
    let server = server_of(Options::default().now("2026-11-21T09:00:00Z"));
    call_at(&server, "21T02:13", ["suspend", "--all", "-yq"]).fine();
    // The annotation has the time of the server's clock, and not that of --now.
    let suspended_at = "metadata.annotations.cronjob-doctor/suspended-at";
    set(&server, "hourly", suspended_at, "2026-11-21T02:13:00Z");
    let resume = "resume hourly nightly -yq --catch-up=skip";
    call_at(&server, "21T05:20", resume).fine();
    let last = ["hourly", "--last=1"];
    let missed = ["03", "04", "05"].map(|hour| format!("2026-11-21T{hour}:05:00Z"));
    assert_eq!(backfilled(&server, "21T05:21", last), [missed[2].clone()]);
    let reason = "suspended from Sat 2026-11-21 02:13 Etc/UTC until Sat 2026-11-21 05:20 Etc/UTC";
    let suspended = ("suspended".to_owned(), reason.to_owned());
    let is_suspended = |causes: Vec<(String, String)>| {
        assert!(
            causes[..3].iter().all(|cause| *cause == suspended),
            "{causes:?}"
        );
    };
    is_suspended(causes(&server, "21T05:21", "hourly"));

    // Without the annotations, for example after a sync of a GitOps tool, the field manager of the status
    // shows that runs were skipped.
    let annotations = stored(&server, "hourly")["metadata"]["annotations"].take();
    let annotate = |annotations| set(&server, "hourly", "metadata.annotations", annotations);
    annotate(json!({}));
    assert_eq!(backfilled(&server, "21T05:21", last), [missed[2].clone()]);
    assert_eq!(causes(&server, "21T05:21", "hourly")[2].0, "skipped");
    annotate(annotations);

    // Later runs fill the history limit of 3.
    for hour in ["06", "07", "08"] {
        let at = |minute| format!("2026-11-21T{hour}:{minute}:00Z");
        server.add(job("shop", "hourly", &at("05"), Some(&at("06"))));
        server.edit("batch/v1", "CronJob", "shop", "hourly", |hourly| {
            hourly["status"] =
                json!({"lastScheduleTime": at("05"), "lastSuccessfulTime": at("06")});
            for entry in hourly["metadata"]["managedFields"].as_array_mut().unwrap() {
                let fields = entry["fieldsV1"].as_object_mut().unwrap();
                fields.remove("f:status");
            }
        });
    }
    server.delete("batch/v1", "Job", "shop", "hourly-29920445");
    let all = ["hourly", "--since=2026-11-21T02:30:00Z"];
    assert_eq!(backfilled(&server, "21T08:30", all), missed);
    is_suspended(causes(&server, "21T08:30", "hourly"));
}
