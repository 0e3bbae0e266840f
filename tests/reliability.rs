//! `--recorder` with the file of examples/recorder: how many of the due runs succeeded in time.

use crate::support::prelude::*;

/// A CronJob that runs on working days in Berlin and whose Jobs are gone. Now is a Tuesday.
const CLUSTER: &str = "-f examples/recorder/cluster.yaml --now 2026-03-31T12:00:00Z --kubernetes-version 1.36 \
                       --tzdb bundled";
const RECORDER: &str = "--recorder examples/recorder/runs.db";

fn recorded(verb: &str, arguments: &str) -> Ran {
    doctor((verb, CLUSTER, (RECORDER, arguments)))
}

/// From March 4 on there are 20 working days: two are suspended and two not recorded; two runs failed and one was
/// skipped.
fn assert_reliability(of: &Value) {
    let keys = [
        "due",
        "succeeded",
        "failed",
        "late",
        "skipped",
        "unknown",
        "excluded",
    ];
    let counts = keys.map(|key| of[key].as_u64().unwrap());
    assert_eq!(counts, [18, 13, 2, 0, 1, 2, 2]);
    assert_eq!(of["successRate"], 13.0 / 16.0);
    // March 11 to 13.
    assert_eq!(of["longestFailureStreak"], 3);
}

#[test]
fn history_explain_scan_and_report_have_the_same_figures() {
    let item = |verb: &str, arguments: &str| recorded(verb, arguments).json()["items"][0].take();
    let past = item("history", "--since 28d -o json");
    assert_reliability(&past["reliability"]);
    assert_reliability(&item("explain", "-o json")["reliability"]);
    assert_reliability(&item("scan", "-o json")["reliability"]);
    let report = recorded("report", "-o json").json();
    assert_reliability(&report["reliability"][0]);
    // A suspended run is not among those that were lost.
    let page = recorded("report", "").stdout;
    for (class, count) in [("skipped", 1), ("suspended", 2)] {
        assert_contains!(
            page,
            &format!("class=\"key {class}\"><b>{count}</b> {class}<")
        );
    }
    // The first run is from the file, and the last one from the cluster.
    let runs = past["runs"].as_array().unwrap();
    assert_eq!(runs[0]["source"], "recorder");
    assert_eq!(runs[runs.len() - 1]["source"], "cluster");
    let note = "not recorded: Tue 2026-03-24 01:00 to Wed 2026-03-25 13:00 Europe/Berlin";
    assert_eq!(past["notes"], json!([note]));
}

#[test]
fn weeks_show_how_durations_change() {
    let ran = recorded("history", "--since 28d -o json");
    let weeks = ran.json()["items"][0]["reliability"]["weeks"].take();
    let week = |week: &Value| {
        let count = |key: &str| week[key].as_u64().unwrap();
        (
            count("due"),
            count("succeeded"),
            week["durationSeconds"]["p50"].as_i64().unwrap(),
        )
    };
    let weeks: Vec<_> = weeks.as_array().unwrap().iter().map(week).collect();
    // A run takes ten minutes, and a minute more in each week.
    assert_eq!(weeks, [(5, 5, 600), (5, 2, 720), (3, 2, 720), (5, 4, 780)]);
}

#[test]
fn column_and_source_are_only_shown_with_a_recorder() {
    let wide = recorded("scan", "-o wide").stdout;
    let headings: Vec<&str> = wide.lines().next().unwrap().split_whitespace().collect();
    assert!(headings.contains(&"28D"), "{wide}");
    assert!(wide.contains("81.2%"), "{wide}");
    let csv = recorded("history", "-o csv").stdout;
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",cause,reason,source")
    );
    assert!(csv.lines().last().unwrap().ends_with(",cluster"));
    let scan = doctor(("scan", CLUSTER, "-o wide")).stdout;
    assert!(!scan.contains("28D"), "{scan}");
    let csv = doctor(("history", CLUSTER, "-o csv")).stdout;
    assert!(csv.lines().next().unwrap().ends_with(",cause,reason"));
    for verb in ["history", "explain", "scan", "report"] {
        let json = doctor((verb, CLUSTER, "-o json")).stdout;
        assert!(!json.contains("\"reliability\""), "{verb}");
    }
}

#[test]
fn calendar_has_a_square_for_each_day_with_the_newest_last() {
    let page = recorded("report", "").stdout;
    let squares = page
        .split("<span class=\"day ")
        .filter(|square| square.contains("title="));
    let squares: Vec<&str> = squares
        .map(|square| square.split("</span>").next().unwrap())
        .collect();
    let signs: String = squares
        .iter()
        .filter_map(|square| square.chars().last())
        .collect();
    // From Wednesday, March 4 to Tuesday, March 31.
    assert_eq!(signs, "✓✓✓··✓✓×××··✓✓✓‖‖··✓??✓✓··✓✓");
    assert_eq!(squares[7], "failed\" title=\"2026-03-11: 1 failed\">×");
    let styles = page.matches("<style>").count();
    assert_eq!(
        (styles, page.matches("href=\"#reliability\"").count()),
        (2, 1)
    );
    let since = recorded("report", "--since 2026-03-30T00:00:00Z").stdout;
    assert_eq!(since.matches("title=\"2026-").count(), 2);
    let plain = doctor(("report", CLUSTER)).stdout;
    assert!(!plain.contains("eliability"));
}

#[test]
fn recorded_durations_count_as_measured() {
    let assumed = doctor(("alerts", CLUSTER)).stdout;
    assert!(assumed.contains("takes at most 60m (assumed"), "{assumed}");
    // The longest of fewer than 20 runs took 15 minutes, and twice that is not unusual.
    let measured = recorded("alerts", "").stdout;
    assert_contains!(measured, "takes at most 30m (by its last runs)");
    let usual = recorded("scan", "-o json").json()["items"][0]["usualDuration"].take();
    let expected = (&json!(13), &json!(900));
    assert_eq!((&usual["runs"], &usual["p95Seconds"]), expected);
}

#[test]
fn recorded_runs_change_no_prediction() {
    let explained = |ran: Ran| ran.json()["items"][0].take();
    let with = explained(recorded("explain", "-o json"));
    let without = explained(doctor(("explain", CLUSTER, "-o json")));
    for key in ["decision", "forecast", "missed", "nextRuns", "lastRun"] {
        assert_eq!(with[key], without[key], "{key}");
    }
}

/// The files do not contain billing, and the recorder was watching until March 31.
#[test]
fn history_of_a_deleted_cronjob_is_what_the_recorder_stored() {
    let of = "history billing -n shop -f examples/cluster --now 2026-04-30T12:00:00Z --tzdb bundled -o json";
    let past = doctor((of, RECORDER));
    assert_eq!(past.code, 2);
    assert_contains!(past.stderr, "\"billing\" not found");
    assert_contains!(past.stderr, "billing: showing only stored runs");
    let item = past.json()["items"][0].take();
    assert_eq!(item["until"], "2026-03-31T12:00:00Z");
    // The two that were not recorded are unknown, although no Job is left.
    let reliability = &item["reliability"];
    let counts = ["due", "succeeded", "failed", "unknown", "excluded"].map(|key| &reliability[key]);
    assert_eq!(json!(counts), json!([20, 15, 2, 2, 2]));
    let unknown = doctor((of.replace("billing", "bilingg"), RECORDER));
    assert_eq!(unknown.json()["items"], json!([]));
    assert_lacks!(unknown.stderr, "stored runs");
}
