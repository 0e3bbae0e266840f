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
fn dashboard_has_unique_panels_and_variables() {
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
    let expected = ["datasource", "namespace", "cronjob", "target", "page"];
    assert_eq!(variables, expected);
    // Each query selects the chosen CronJobs, except for those that are not about CronJobs.
    for (title, query) in queries(&dashboard) {
        let chosen = query.contains("namespace=~\"$namespace\",cronjob=~\"$cronjob\"");
        let is_target = query == "vector($target)";
        let global = ["Last scan", "Data that could not be read", "Monitoring"];
        let global = is_target || global.contains(&title.as_str());
        assert!(chosen != global, "{title}: {query}");
    }
}

/// The metrics that `scan` has not, because they require what `serve --record` stores.
const OF_A_RECORDER: [&str; 3] = [
    "cronjob_doctor_recorder_up",
    "cronjob_doctor_reliability_ratio",
    "cronjob_doctor_runs_total",
];

#[test]
fn every_metric_of_the_dashboard_exists() {
    let mut known: BTreeSet<String> = OF_A_RECORDER.map(str::to_owned).into();
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

/// The labels and the values of samples.
type Samples = &'static [(&'static str, f64)];

/// The samples of each query, in the order of the panels.
fn expected_samples() -> Vec<Samples> {
    const OF_X: &str = "{namespace=\"a\",cronjob=\"x\"}";
    const OF_Y: &str = "{namespace=\"a\",cronjob=\"y\"}";
    const OF_CODE: &str = "{namespace=\"a\",cronjob=\"x\",code=\"c\",severity=\"error\"}";
    const OF_ERROR: &str = "{namespace=\"a\",cronjob=\"x\",code=\"c\"}";
    vec![
        &[("{}", 1.0)],
        &[("{}", 0.0)],
        &[("{}", 0.0)],
        &[("{}", 1.0)],
        // Of 40 runs, 30 succeeded.
        &[("{}", 0.75)],
        &[("{}", 0.99)],
        &[("{}", 0.0)],
        &[("{}", 1.0)],
        &[("{}", 1.0)],
        &[("{}", 1.0)],
        &[(OF_ERROR, 1.0)],
        &[(OF_X, 10.0)],
        &[
            ("{outcome=\"failed\"}", 10.0),
            ("{outcome=\"succeeded\"}", 30.0),
        ],
        &[(OF_X, 0.75)],
        &[(OF_X, 3.0)],
        &[("{}", 1.0)],
        &[("{}", 0.0)],
        &[("{}", 0.0)],
        &[("{}", 1.0)],
        &[("{}", 1.0)],
        &[("{}", 60.0)],
        &[(OF_CODE, 1.0)],
        &[(OF_X, 100.0)],
        &[(OF_X, 0.0)],
        &[(OF_X, 4.0)],
        &[(OF_Y, 900_000.0)],
        &[(OF_X, 550_000.0)],
        &[(OF_X, 10.0)],
        &[(OF_X, 20.0)],
        &[(OF_X, 10.0)],
        &[(OF_X, 20.0)],
        &[(OF_X, 12.0)],
        &[("{what=\"jobs\"}", 1.0)],
    ]
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
    let changing = |series: &str, values: &str| json!({"series": series, "values": values});
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
        series("controller_down", "", 0),
        series("recorder_up", "", 1),
        changing(
            &format!("cronjob_doctor_reliability_ratio{{{x}}}"),
            "0.75x10",
        ),
        changing(&format!("cronjob_doctor_reliability_ratio{{{y}}}"), "1x10"),
        changing(
            &format!("cronjob_doctor_runs_total{{{x},outcome=\"succeeded\"}}"),
            "0+3x10",
        ),
        changing(
            &format!("cronjob_doctor_runs_total{{{x},outcome=\"failed\"}}"),
            "0+1x10",
        ),
        changing("up{job=\"cronjob-doctor\",instance=\"one\"}", "1x10"),
        changing("up{job=\"cronjob-doctor\",instance=\"other\"}", "0x10"),
    ];
    let expected = expected_samples();
    let queries = queries(&dashboard());
    assert_eq!(queries.len(), expected.len());
    let tests = queries.iter().zip(expected).map(|((_, query), samples)| {
        let query = query.replace("$namespace", "a").replace("$cronjob", ".*");
        let samples = samples
            .iter()
            .map(|(labels, value)| json!({"labels": labels, "value": value}));
        json!({
            "expr": query.replace("$target", "0.99"), "eval_time": "10m",
            "exp_samples": samples.collect::<Vec<_>>(),
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
