//! The alerts of deploy/alerts.yaml, evaluated against the metrics of the examples.

use crate::support::prelude::*;

use super::metrics;
use crate::support::files::text;
use crate::support::promtool::accepts;

fn example(code: &str) -> (String, String) {
    let file = format!("examples/findings/{code}.yaml");
    let now = now_of(&file);
    (file, now)
}

/// The `--now` flag with the time of an example.
pub(super) fn now_of(example: &str) -> String {
    let text = text(example);
    let now = text.lines().find_map(|line| line.strip_prefix("# now: "));
    format!("--now={}", now.unwrap())
}

/// Asserts how many alerts fire for the example of each code.
#[track_caller]
fn check_fired<'c>(codes: impl Iterator<Item = &'c str>, count: u32) {
    let tests = codes.map(|code| {
        let (file, now) = example(code);
        let metrics = doctor(["scan", "-q", "-f", &file, &now, "-o", "prometheus"]).fine();
        let lines = metrics.lines().filter(|line| !line.starts_with('#'));
        let input = lines.map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            json!({"series": series, "values": format!("{value}x10")})
        });
        let fired = json!([{"labels": "{}", "value": count}]);
        json!({
            "name": code, "interval": "1m", "input_series": input.collect::<Vec<_>>(),
            "promql_expr_test": [{
                "expr": "count(ALERTS{alertstate=\"firing\"}) or vector(0)", "eval_time": "5m",
                "exp_samples": fired,
            }],
        })
    });
    let tests = json!({
        "rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests.collect::<Vec<_>>(),
    });
    let files = [
        ("rules.yaml", text("deploy/alerts.yaml")),
        ("tests.yaml", tests.to_string()),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let folder = Folder::new(&format!("alerts-{count}"), &files);
    accepts(&folder, "test", "tests.yaml");
}

#[test]
fn one_alert_fires_for_missed_blocked_or_failing_runs() {
    let codes = "blocked-by-running-job job-creation-fails last-run-failed no-pod-ready \
                 quota-exceeded pod-config-missing pod-crashes pod-image-pull-fails \
                 pod-not-scheduled pod-creation-rejected starting-deadline-exceeded \
                 missed-without-event runs-without-success start-overdue suspended-long";
    check_fired(codes.split(' '), 1);
}

#[test]
fn alerts_without_missed_or_failing_runs_do_not_fire() {
    let codes = "clock-change-skips-run history-limit-hides-failures name-too-long uneven-schedule-can-miss-runs";
    check_fired(codes.split(' '), 0);
}

/// The runs of two nights in a row were missed, and every format reports it.
#[test]
fn missed_runs_are_a_problem_in_every_format() {
    let (file, now) = example("starting-deadline-exceeded");
    let scan = |arguments: &str| doctor(format!("scan -q -f {file} {now} {arguments}")).fine();
    assert_eq!(scan("--problems-only -o name"), "cronjob.batch/mirror\n");
    let metrics = metrics::parse(&scan("-o prometheus"));
    let health: Vec<i64> = metrics["cronjob_doctor_health"].values().copied().collect();
    assert_eq!(health, [3]);
    let report = doctor(format!("report -q -f {file} {now} -o json")).document();
    assert_eq!(report["scan"]["items"][0]["health"], "error");
    let failed = doctor(format!("scan -q -f {file} {now} --fail-on error"));
    assert_eq!(failed.code, 1);
}
