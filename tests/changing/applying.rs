//! `load --apply`: which schedules are changed, which are not, and what is sent.

use crate::changing::prelude::*;

/// Three CronJobs are due at two, and it is 02:13:08: `fresh` was created at 02:05, so it has not run.
/// `archive` and `backup` have run, and `archive` has a deadline of five minutes. Two of them are moved,
/// by ten minutes and by twenty.
fn server() -> ApiServer {
    let server = crate::live::scene::server();
    for (name, deadline) in [("archive", json!(300)), ("backup", Value::Null)] {
        let mut ran = cron_job("shop", name, "0 2 * * *");
        ran["spec"]["startingDeadlineSeconds"] = deadline;
        ran["status"] = json!({"lastScheduleTime": "2026-11-21T02:00:00Z"});
        server.add(ran);
    }
    let mut fresh = cron_job("shop", "fresh", "0 2 * * *");
    fresh["metadata"]["creationTimestamp"] = json!("2026-11-21T02:05:00Z");
    server.add(fresh);
    server
}

const NAMES: [&str; 4] = ["load", "archive", "backup", "fresh"];

fn schedules(server: &ApiServer) -> [String; 3] {
    ["archive", "backup", "fresh"].map(|name| {
        let schedule = &stored(server, name)["spec"]["schedule"];
        schedule.text().to_owned()
    })
}

const SKIPPED: &str = "\
error: cronjob.batch/backup: skipped because it runs a second time at Sat 2026-11-21 02:20 Etc/UTC \
(backup-29920460); use --force to change it anyway
";

#[test]
fn apply_skips_a_schedule_change_that_causes_an_extra_run() {
    let server = server();
    let document = call(&server, (NAMES, "-o json")).document();
    let suggestions = document["suggestions"].items().iter();
    let extra = suggestions.map(|one| json!([one["name"], one["newSchedule"], one["extraRun"]]));
    let repeated = json!({
        "kind": "repeated", "scheduledTime": "2026-11-21T02:20:00Z", "jobName": "backup-29920460",
        "startsAt": "2026-11-21T02:20:00Z", "running": [],
    });
    let expected = json!([
        ["archive", "10 2 * * *", null],
        ["backup", "20 2 * * *", repeated]
    ]);
    assert_eq!(extra.collect::<Value>(), expected);
    let expected = json!({"repeated": 1, "retroactive": 0, "quietAt": null});
    assert_eq!(document["applying"], expected);

    let ran = call(&server, (NAMES, "--apply --yes"));
    assert_ran!(ran, 2, "cronjob.batch/archive rescheduled\n");
    let sent = changes(&server);
    assert_eq!(sent.len(), 1);
    assert_contains!(sent[0], "\"resourceVersion\":");
    assert_ends!(sent[0], "\"spec\":{\"schedule\":\"10 2 * * *\"}}");
    assert_eq!(schedules(&server), ["10 2 * * *", "0 2 * * *", "0 2 * * *"]);
}

#[test]
fn apply_as_json_has_the_skipped_change_and_its_reason() {
    let server = server();
    let ran = call(&server, (NAMES, "--apply -yq -o json"));
    assert_eq!((ran.stderr.as_str(), ran.code), (SKIPPED, 2));
    let document = ran.json();
    assert_eq!(document["kind"], "Actions");
    let items = document["items"].items();
    let summary = |item: &Value| json!([item["name"], item["action"], item["applied"]]);
    let expected = [
        json!(["backup", "reschedule", false]),
        json!(["archive", "reschedule", true]),
    ];
    assert_eq!([summary(&items[0]), summary(&items[1])], expected);
    assert_eq!(items.len(), 2);
    assert!(items[0]["error"].text().starts_with("skipped because "));
    let expected = json!({
        "schedule": "0 2 * * *", "newSchedule": "10 2 * * *", "laterSeconds": 600,
        "nextRun": "2026-11-22T02:10:00Z", "extraRun": null, "syncEffect": null,
        "text": "Changes the schedule from 0 2 * * * to 10 2 * * * (10m later). Next run of the new schedule: \
                 Sun 2026-11-22 02:10 Etc/UTC (in 23h).",
    });
    assert_eq!(items[1]["prediction"], expected);
    assert_eq!(items[1]["object"]["spec"]["schedule"], "10 2 * * *");
}

#[test]
fn apply_with_force_patches_every_schedule() {
    let server = server();
    let ran = call(&server, (NAMES, "--apply --force -yq"));
    let lines = "cronjob.batch/archive rescheduled\ncronjob.batch/backup rescheduled\n";
    ran.assert(0, lines, "");
    let bodies = [("archive", "10 2 * * *"), ("backup", "20 2 * * *")].map(|(name, schedule)| {
        let is_it = |one: &Recorded| one.method == "PATCH" && one.path.ends_with(name);
        let sent = server.requests_where(is_it)[0].json();
        let version = &sent["metadata"]["resourceVersion"];
        let body = json!({
            "metadata": {"resourceVersion": version}, "spec": {"schedule": schedule},
        });
        assert!(version.is_string());
        patch(name, "", &body.to_string())
    });
    assert_eq!(changes(&server), bodies);
    // After the changes, there is nothing left to spread.
    let again = call(&server, (NAMES, "--apply -y"));
    let nothing = "Nothing to spread: no two Jobs start in the same minute.\n";
    again.assert(0, "", nothing);
}

#[test]
fn apply_with_dry_run_stores_nothing() {
    let server = server();
    for (flag, suffix, sent) in [
        ("--dry-run", "(dry run)", 0),
        ("--dry-run=client", "(dry run)", 0),
        ("--dry-run=server", "(server dry run)", 1),
    ] {
        let before = changes(&server).len();
        let ran = call(&server, (NAMES, &format!("--apply {flag}")));
        let line = format!("cronjob.batch/archive rescheduled {suffix}\n");
        assert_ends!(ran.stdout, &line);
        assert_eq!(changes(&server).len() - before, sent, "{flag}");
    }
    assert_eq!(schedules(&server), ["0 2 * * *"; 3]);
}

#[test]
fn apply_asks_at_a_terminal_and_is_refused_without_one() {
    let server = server();
    assert_ran!(call(&server, (NAMES, "--apply -q")), 2, "");
    assert!(changes(&server).is_empty());
    let no = asked!(&server, (NAMES, "--apply"), &["n"], || {});
    let asked = "Change the schedule of archive? [yes/no] n\nNothing was changed.\n";
    assert_ends!(no.screen, asked);
    assert_eq!(no.code, 2);
    assert!(changes(&server).is_empty());
}

calls! {
    /// Permissions are checked before anything is changed or skipped.
    apply_without_the_right_changes_nothing(server) {}
        call_as(&server, "viewer", (NAMES, "--apply -yq")) => 2 => changes(&server).is_empty();
    /// Another client changed the schedule in the meantime: the proposal was made for the earlier one.
    apply_leaves_a_schedule_edited_in_the_meantime_alone(server) {
        let edit = || set(&server, "archive", "schedule", "30 5 * * *");
    } while_waiting(&server, (NAMES, "--apply -y"), edit)
        => 2, "" => schedules(&server)[0] == "30 5 * * *";
}

/// The next sync of Argo CD applies the schedule of its manifest again.
#[test]
fn schedule_of_a_managed_object_is_set_back_by_the_sync() {
    let server = server();
    let tracking = json!({"argocd.argoproj.io/tracking-id": "shop:batch/CronJob:shop/archive"});
    set(&server, "archive", "metadata.annotations", tracking);
    let document = call(&server, (NAMES, "--apply -yq --dry-run -o json")).json();
    let prediction = &document["items"].named("archive")["prediction"];
    assert_eq!(prediction["syncEffect"], "setsBack");
    insta::assert_snapshot!(prediction["text"].text());
}

#[test]
fn apply_refuses_flags_that_cannot_be_combined() {
    let server = server();
    let refused = |more: &[&'static str]| call(&server, (NAMES, more)).refused();
    let formats = "error: --apply supports only -o json and -o yaml\n";
    for format in ["csv", "svg", "patch"] {
        assert_eq!(refused(&["--apply", "-o", format]), formats);
    }
    assert!(refused(&["--apply", "-f", "-"]).contains("--filename"));
    for alone in ["--yes", "--force", "--dry-run"] {
        assert!(refused(&[alone]).contains("--apply"), "{alone}");
    }
    assert!(server.requests().is_empty());
}
