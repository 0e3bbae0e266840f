//! The dashboard of deploy/grafana: its metrics exist, and its queries return what the panels show.

use std::collections::BTreeSet;

use crate::support::prelude::*;

use super::alerts::now_of;
use crate::support::files::{below, text};
use crate::support::promtool::accepts;

fn dashboard() -> Value {
    serde_json::from_str(&text("deploy/grafana/cronjob-doctor.json")).unwrap()
}

/// The title and the query of each target.
fn queries(dashboard: &Value) -> Vec<(String, String)> {
    let mut queries = Vec::new();
    for panel in dashboard["panels"].items() {
        let title = panel["title"].text();
        for target in panel["targets"].items() {
            let expression = target["expr"].text();
            queries.push((title.to_owned(), expression.to_owned()));
        }
    }
    queries
}

/// The names of metrics in a text.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let metrics = words.filter(|word| word.starts_with("cronjob_doctor_"));
    metrics.map(str::to_owned).collect()
}

#[test]
fn dashboard_has_unique_panels_and_two_variables() {
    let dashboard = dashboard();
    let panels = dashboard["panels"].items();
    let ids: BTreeSet<u64> = panels
        .iter()
        .map(|panel| panel["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids.len(), panels.len());
    let mut taken = BTreeSet::new();
    for panel in panels {
        let place = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{panel}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(taken.insert((x, y)), "overlaps: {panel}");
            }
        }
        assert_eq!(panel["datasource"]["uid"], "${datasource}");
        let targets = panel["targets"].items();
        let names: BTreeSet<&str> = targets
            .iter()
            .map(|target| target["refId"].text())
            .collect();
        assert_eq!(names.len(), targets.len(), "{panel}");
    }
    let variables = dashboard["templating"]["list"].each("name");
    assert_eq!(variables, ["datasource", "namespace"]);
    // Each query selects the chosen namespaces, except for those that are not about CronJobs.
    for (title, query) in queries(&dashboard) {
        let chosen = query.contains("namespace=~\"$namespace\"");
        let global = title == "Last scan" || title == "Data that could not be read";
        assert!(chosen != global, "{title}: {query}");
    }
}

#[test]
fn every_metric_of_the_dashboard_exists() {
    let mut known = BTreeSet::new();
    for file in below("examples/findings") {
        let now = now_of(&file);
        let ran = doctor(format!("scan -q -f {file} {now} -o prometheus"));
        known.extend(names(&ran.stdout));
    }
    // This input has no Jobs, which adds the metric of data that could not be read.
    let alone = json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": "a", "uid": "u", "creationTimestamp": "2026-11-20T00:00:00Z"},
        "spec": {"schedule": "0 * * * *", "jobTemplate": {}},
    });
    let call = "scan -q -f - --now=2026-11-21T00:00:00Z -o=prometheus";
    known.extend(names(&doctor_with_stdin(call, &alone.to_string()).stdout));
    let used = names(&dashboard().to_string());
    let unknown: Vec<&String> = used.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    // The dashboard uses all metrics except for these, which no panel needs.
    let unused: Vec<&String> = known.difference(&used).collect();
    let expected = [
        "cronjob_doctor_active_jobs",
        "cronjob_doctor_controller_down",
        "cronjob_doctor_last_run_state",
        "cronjob_doctor_last_schedule_timestamp_seconds",
        "cronjob_doctor_last_success_timestamp_seconds",
        "cronjob_doctor_runs_since_success",
        "cronjob_doctor_suspended_until_timestamp_seconds",
        "cronjob_doctor_usual_duration_seconds_count",
        "cronjob_doctor_usual_duration_seconds_sum",
    ];
    assert_eq!(unused, expected);
}

/// At 600 s: `a/x` has an error, and its success has been due for 100 s; `a/y` is fine and due in 100 s;
/// `b/z` is in a namespace that was not chosen.
#[test]
fn dashboard_queries_return_what_the_panels_show() {
    let series = |metric: &str, labels: &str, value: i64| {
        let series = if labels.is_empty() {
            format!("cronjob_doctor_{metric}")
        } else {
            format!("cronjob_doctor_{metric}{{{labels}}}")
        };
        json!({"series": series, "values": format!("{value}x10")})
    };
    let [x, y, z] = [("a", "x"), ("a", "y"), ("b", "z")].map(|(namespace, name)| {
        format!("namespace=\"{namespace}\",cronjob=\"{name}\",job=\"scan\"")
    });
    let usual = "usual_duration_seconds";
    let input = [
        series("health", &x, 3),
        series("health", &y, 0),
        series("health", &z, 3),
        series("success_due_timestamp_seconds", &x, 500),
        series("success_due_timestamp_seconds", &y, 700),
        series("success_due_timestamp_seconds", &z, 100),
        series("last_run_result", &x, 0),
        series("last_run_result", &y, 1),
        series("missed_runs", &x, 4),
        series("missed_runs", &y, 0),
        series("next_run_timestamp_seconds", &y, 900),
        series("running_since_timestamp_seconds", &x, 550),
        series("suspended", &x, 0),
        series("suspended", &y, 1),
        series("scan_timestamp_seconds", "", 540),
        series("last_run_duration_seconds", &x, 12),
        series(usual, &format!("{x},quantile=\"0.5\""), 10),
        series(usual, &format!("{x},quantile=\"0.95\""), 20),
        series("findings", &format!("{x},code=\"c\",severity=\"error\""), 1),
        series("lacks", "what=\"jobs\"", 1),
    ];
    let of_x = "{namespace=\"a\",cronjob=\"x\"}";
    let of_y = "{namespace=\"a\",cronjob=\"y\"}";
    let of_code = "{namespace=\"a\",cronjob=\"x\",code=\"c\",severity=\"error\"}";
    // The sample of each query, in the order of the panels.
    let totals = [1, 0, 0, 1, 1, 1, 60, 1, 0, 0].map(|value| ("{}", value));
    let of_jobs = [(of_code, 1), (of_x, 100), (of_x, 0), (of_x, 4)];
    let of_times = [
        (of_y, 900_000),
        (of_x, 550_000),
        (of_x, 10),
        (of_x, 20),
        (of_x, 12),
    ];
    let lacks = [("{what=\"jobs\"}", 1)];
    let expected = [&totals[..], &of_jobs, &of_times, &lacks].concat();
    let queries = queries(&dashboard());
    assert_eq!(queries.len(), expected.len());
    let tests = queries
        .iter()
        .zip(expected)
        .map(|((_, query), (labels, value))| {
            json!({
                "expr": query.replace("$namespace", "a"), "eval_time": "10m",
                "exp_samples": [{"labels": labels, "value": value}],
            })
        });
    let tests = json!({
        "evaluation_interval": "1m",
        "tests": [{
            "interval": "1m", "input_series": input, "promql_expr_test": tests.collect::<Vec<_>>(),
        }],
    });
    let folder = Folder::new("dashboard", &[("tests.yaml", &tests.to_string())]);
    accepts(&folder, "test", "tests.yaml");
}
