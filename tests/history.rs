//! `history` through the real binary, on worked examples and on a recorded cluster.

use crate::support::prelude::*;

const ORDERS: &str =
    "history -f examples/history/orders.yaml --now=2026-03-10T12:00:30Z --kubernetes-version 1.36";

const BILLING: &str = "history -f examples/history/phantom.yaml --now=2026-03-09T19:30:00Z \
                       --kubernetes-version 1.27.1";

/// A real 1.36.2 cluster and the moment at which it was recorded.
const CLUSTER: &str = "history -f tests/fixtures/cronjobs.json -f tests/fixtures/jobs.json -f \
                       tests/fixtures/events.json --kubernetes-version 1.36.2 \
                       --now=2026-11-21T02:13:08Z";

fn shown(call: impl CommandLine, more: impl CommandLine) -> String {
    doctor((call, more)).fine()
}

fn document(call: impl CommandLine, more: impl CommandLine) -> Value {
    let text = shown((call, more), "-o json");
    serde_json::from_str(&text).unwrap()
}

/// An alert names a Job or a pod.
#[test]
fn job_or_pod_stands_for_its_cron_job() {
    let names = [
        ("backup-29551830", "Job"),
        ("job/backup-29551830", "Job"),
        ("job backup-29551830", "Job"),
        ("pod/backup-29551830-hz7pn", "pod"),
        ("pod backup-29551830-hz7pn", "pod"),
        ("backup-29551830-hz7pn", "pod"),
    ];
    let file = "-n db -f examples/findings/last-run-failed.yaml --now=2026-03-10T09:00:00Z";
    let verbs = [
        "history",
        "explain",
        "scan",
        "next-runs",
        "simulate",
        "report",
    ];
    for verb in verbs.into_iter().chain(["load", "alerts"]) {
        for (name, kind) in names {
            let json = if verb == "alerts" { "" } else { "-o json" };
            let ran = doctor(format!("{verb} {name} {file} {json}"));
            assert_eq!(ran.code, 0, "{verb} {name}: {ran}");
            let plain = name.rsplit(['/', ' ']).next().unwrap();
            let note = format!("{plain} is a {kind} of CronJob backup.\n");
            assert_contains!(ran.stderr, &note);
            if ["load", "alerts"].contains(&verb) {
                continue;
            }
            let document: Value = serde_json::from_str(&ran.stdout).unwrap();
            let items = match verb {
                "report" => &document["scan"]["items"],
                _ => &document["items"],
            };
            assert_eq!(items[0]["name"], "backup", "{verb} {name}");
        }
    }
    let unknown = doctor(format!("history pod/backup-29551830-hz7pn-x {file}"));
    assert_contains!(
        unknown.stderr,
        "no pod \"backup-29551830-hz7pn-x\" of a CronJob"
    );
}

/// The runs of each are shown with a name or -o wide.
#[test]
fn history_of_several_cron_jobs_has_a_line_for_each() {
    let text = shown(CLUSTER, "-A");
    let lines: Vec<&str> = text.lines().collect();
    let items = document(CLUSTER, "-A")["items"].items().len();
    assert_eq!(lines.len(), items + 1, "{text}");
    insta::assert_snapshot!(text);
    let one = shown(CLUSTER, "-n ops failing");
    assert_contains!(one, "LOCAL TIME");
    assert_lacks!(one, "Window");
    assert_contains!(shown(CLUSTER, "-A -o wide"), "LOCAL TIME");
}

/// Runs are ten minutes apart. The one of 11:10 took until 11:35:12, so that 11:20 was blocked and 11:30 waited.
/// The Jobs of 11:00 and 11:10 are gone, and known by their events. Three successful Jobs are kept, including the
/// manually created one, so that nothing is known about earlier runs.
#[test]
fn each_run_has_its_status_delay_duration_and_cause() {
    let document = document(ORDERS, "");
    let runs = document["items"][0]["runs"].items().iter();
    let runs = runs.map(|run| {
        let fields = ["status", "delaySeconds", "durationSeconds", "cause"];
        fields.map(|field| run[field].clone())
    });
    let expected = [
        json!(["onTime", 0, 120, "events"]),
        json!(["onTime", 0, 1512, "events"]),
        json!(["skipped", null, null, "forbid"]),
        json!(["late", 312, 120, "forbid"]),
        json!(["onTime", 0, 360, "jobFailed"]),
        json!(["onTime", 0, 120, null]),
        json!(["running", 0, null, null]),
    ];
    assert_eq!(json!(runs.collect::<Vec<_>>()), json!(expected));
    insta::assert_snapshot!(shown(ORDERS, ""));
}

#[test]
fn runs_removed_by_the_history_limits_are_one_unknown_line() {
    let text = shown(ORDERS, "--since 2h --until 2026-03-10T11:00:00Z");
    insta::assert_snapshot!(text);
}

#[test]
fn wide_has_the_jobs_and_the_whole_reasons() {
    let since = "--since 20m -o wide";
    insta::assert_snapshot!(shown(ORDERS, since));
}

/// The run of Monday 06:30 started. Nothing started at 10:30 and 14:30, and at 19:00 that release multiplied four
/// hours by three: 18:30, which is not a scheduled time.
#[test]
fn start_at_an_unscheduled_time_is_not_a_run_of_the_schedule() {
    insta::assert_snapshot!(shown(BILLING, "--no-headers"));
}

#[test]
fn json_has_every_run() {
    let item = &document(BILLING, "")["items"][0];
    assert_eq!(item["runs"].items().len(), 3);
    assert_eq!(item["offSchedule"][0]["cause"], "phantom");
    insta::assert_snapshot!(shown(BILLING, "-o json"));
}

#[test]
fn csv_has_a_line_for_each_run_and_each_other_job() {
    let text = shown(ORDERS, "-o csv --since 41m");
    insta::assert_snapshot!(text.replace("\r\n", "\n"));
    let bare = shown(ORDERS, "-o csv --since 41m --no-headers");
    assert_eq!(bare, text.split_once("\r\n").unwrap().1);
}

/// Each of these states was created on purpose. `minutely` was created suspended and resumed at
/// 02:13:05; `replacer` replaces running Jobs; `blocked` has been hanging since 02:11.
#[test]
fn history_of_the_recorded_cluster_matches_its_controller() {
    let document = document(CLUSTER, "");
    let outcomes: Vec<String> = document["items"]
        .items()
        .iter()
        .flat_map(|item| {
            let name = item["name"].text();
            let runs = item["runs"].items().iter();
            runs.map(move |run| {
                let text = |field: &str| run[field].as_str().unwrap_or("-").to_owned();
                let at = text("scheduledTime");
                let clock = at.get(11..16).unwrap_or_default();
                let (status, result, cause) = (text("status"), text("result"), text("cause"));
                format!("{name} {clock} {status} {result} {cause}")
            })
        })
        .collect();
    let expected = [
        "blocked 02:11 waiting - -",
        "blocked 02:12 skipped - forbid",
        "blocked 02:13 pending - forbid",
        "failing 02:12 onTime failed jobFailed",
        "replacer 02:11 onTime - replaced",
        "replacer 02:12 onTime - replaced",
        "replacer 02:13 waiting - -",
        "minutely 02:11 skipped - unknown",
        "minutely 02:12 skipped - unknown",
        "minutely 02:13 waiting - -",
    ];
    assert_eq!(outcomes, expected);
    let manual = |name: &str| -> Value {
        let item = document["items"].named(name);
        item["manual"].clone()
    };
    assert_eq!(
        manual("manual"),
        json!([{
            "jobName": "manual-run", "startedAt": "2026-11-21T02:12:18Z",
            "finishedAt": "2026-11-21T02:12:20Z", "result": "succeeded", "durationSeconds": 2,
        }])
    );
    assert_eq!(manual("blocked")[0]["jobName"], "blocked-by-hand");
}

/// The requested window of a year begins before the creation.
#[test]
fn window_that_begins_before_the_creation_starts_with_it() {
    let text = shown(CLUSTER, "minutely --since 365d");
    let (_, table) = text.split_once("REASON\n").unwrap();
    insta::assert_snapshot!(table);
    assert!(text.contains("  Runs        3: 1 waiting, 2 skipped\n"));
    let window = "  Window      Sat 2026-11-21 02:10:06 to Sat 02:13:08 UTC (since the creation)\n";
    assert_contains!(shown(CLUSTER, "minutely --since 365d -o wide"), window);
    // In a window that ends before the creation, all runs are skipped.
    let until = "--until 2026-11-21T02:00:00Z";
    let before = shown(CLUSTER, ("minutely --since 365d", until));
    assert_contains!(before, " skipped, last Sat 2026-11-21 02:00: not created\n");
}

/// It runs every quarter of an hour since February 2; the last hundred runs begin at 05:45 on the day
/// before.
#[test]
fn history_without_since_has_the_last_hundred_runs() {
    let blocked = "history -f examples/explain/blocked.yaml --now=2026-03-10T06:30:05Z";
    // The Job that succeeded last is not in the file, so the history begins with the oldest run.
    let document = document(blocked, "");
    let item = &document["items"][0];
    assert_eq!(item["basis"], "oldestRun");
    assert_eq!(item["since"], "2026-03-09T05:45:00Z");
    assert_eq!(item["summary"]["runs"], 100);
    // From 03-07 06:15 to 03-10 06:30 there are 3 days and one quarter: 290 runs, both included.
    assert_eq!(item["omittedRuns"], 190);
    let text = shown(blocked, "");
    assert_contains!(text, "  Runs        100 of 290 (--since shows more): ");
    let window = "  Window      Mon 2026-03-09 05:45 to Tue 2026-03-10 06:30:05 UTC";
    assert_lacks!(text, window);
    assert_contains!(shown(blocked, "-o wide"), window);
}

#[test]
fn history_of_old_files_ends_with_their_evidence() {
    let blocked = "history -f examples/explain/blocked.yaml";
    // The text depends on the day of the week, because the call has no --now.
    let document = document(blocked, "");
    let item = &document["items"][0];
    assert_eq!(item["since"], "2026-03-07T06:15:00Z");
    assert_eq!(item["until"], "2026-03-07T06:15:40Z");
    assert_eq!(item["summary"]["runs"], 1);
    let note = item["notes"][0].as_str().unwrap();
    assert_contains!(note, "--now");
}

#[test]
fn invalid_windows_are_errors() {
    let refused = |more: &str| doctor((ORDERS, more)).refused();
    insta::assert_snapshot!(refused("--since lately"));
    assert_texts!(
        refused("--since 2026-03-11T00:00:00Z"),
        refused("--since 1h --until 2026-03-10T10:00:00Z"),
        refused("--since 999999999999s"),
    );
}

#[test]
fn unparseable_schedule_has_no_runs() {
    let ran = doctor(
        "history -q -f examples/explain/unparseable-schedule.yaml --now=2026-03-10T12:00:00Z",
    );
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn too_many_runs_are_refused() {
    let every_second = "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: second, namespace: shop, creationTimestamp: '2020-01-01T00:00:00Z'}
spec: {schedule: '@every 1s'}
";
    let call = "history -q -f - --now=2026-03-10T12:00:00Z";
    let ran = doctor_with_stdin((call, "--since 2000d"), every_second);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    // Without `--since`, the last hundred are shown.
    let ran = doctor_with_stdin(call, every_second);
    assert_eq!(ran.code, 0);
    // 2260 days and 12 hours.
    assert_contains!(
        ran.stdout,
        "  Runs        100 of 195307200 (--since shows more): "
    );
}

#[test]
fn text_fits_a_terminal_of_80_columns() {
    for call in [CLUSTER, ORDERS, BILLING] {
        for line in shown(call, "--since 365d").lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
