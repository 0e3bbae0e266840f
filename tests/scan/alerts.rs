//! The alerts of docs/alerts.md, evaluated against the metrics of the examples.

use std::collections::BTreeSet;

use crate::support::prelude::*;
use cronjob_doctor::diagnose::finding_rules;

use super::metrics::{self, Metrics};
use crate::support::files::{text, yaml};

/// An alert, and the metrics that it fires for: their value, and the codes if the alert is limited to some.
struct Alert {
    name: String,
    metric: String,
    codes: Option<BTreeSet<String>>,
    value: i64,
    /// Whether it also fires for higher values.
    or_more: bool,
}

impl Alert {
    /// Reads `METRIC == 3`, `METRIC >= 2` and `METRIC{code=~"ONE|OTHER"} == 1`.
    fn of(rule: &Value) -> Self {
        let expression = rule["expr"].text();
        let equals = expression.split_once(" == ");
        let (selector, value) = equals.or_else(|| expression.split_once(" >= ")).unwrap();
        let (metric, codes) = match selector.split_once('{') {
            None => (selector, None),
            Some((metric, matcher)) => {
                let codes = matcher.strip_prefix("code=~\"").unwrap();
                let codes = codes.strip_suffix("\"}").unwrap();
                (metric, Some(codes.split('|').map(str::to_owned).collect()))
            }
        };
        Alert {
            name: rule["alert"].text().to_owned(),
            metric: metric.to_owned(),
            codes,
            value: value.parse().unwrap(),
            or_more: equals.is_none(),
        }
    }

    fn fires(&self, metrics: &Metrics) -> bool {
        let values = metrics.get(&self.metric);
        values.into_iter().flatten().any(|(labels, value)| {
            let codes = self.codes.as_ref();
            let matches = *value == self.value || (self.or_more && *value > self.value);
            matches && codes.is_none_or(|codes| codes.contains(&labels["code"]))
        })
    }
}

/// The rules of docs/alerts.md.
pub(super) fn rules() -> String {
    let document = text("docs/alerts.md");
    let mut blocks = document.split("```yaml\n").skip(1);
    let groups = blocks.find(|block| block.starts_with("groups:")).unwrap();
    groups.split_once("```").unwrap().0.to_owned()
}

/// The alerts about findings; the others compare times.
fn alerts() -> Vec<Alert> {
    let groups = yaml(&rules()).remove(0);
    let rules = groups["groups"][0]["rules"].items().iter();
    let compares = |rule: &&Value| !rule["expr"].text().contains("time()");
    rules.filter(compares).map(Alert::of).collect()
}

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

/// The names of the alerts that fire for an example.
fn fired(code: &str) -> Vec<String> {
    let (file, now) = example(code);
    let arguments = ["scan", "-q", "-f", &file, &now, "-o", "prometheus"];
    let metrics = metrics::parse(&doctor(arguments).fine());
    let alerts = alerts().into_iter();
    let fired = alerts.filter(|alert| alert.fires(&metrics));
    fired.map(|alert| alert.name).collect()
}

#[test]
fn alerts_name_codes_that_exist() {
    let known: BTreeSet<&str> = finding_rules().map(|rule| rule.name).collect();
    let alerts = alerts();
    assert_eq!(alerts.len(), 4);
    for code in alerts
        .iter()
        .filter_map(|alert| alert.codes.as_ref())
        .flatten()
    {
        assert!(known.contains(code.as_str()), "{code}");
    }
}

#[test]
fn alerts_for_missed_blocked_or_failing_runs_fire() {
    for code in "blocked-by-running-job job-creation-fails last-run-failed no-pod-ready \
                 quota-exceeded pod-config-missing pod-crashes pod-image-pull-fails \
                 pod-not-scheduled pod-creation-rejected starting-deadline-exceeded \
                 missed-without-event runs-without-success start-overdue"
        .split(' ')
    {
        assert!(!fired(code).is_empty(), "{code}");
    }
}

#[test]
fn alerts_without_missed_or_failing_runs_do_not_fire() {
    for code in "clock-change-skips-run history-limit-hides-failures name-too-long suspended-long \
                 uneven-schedule-can-miss-runs"
        .split(' ')
    {
        assert_eq!(fired(code), [""; 0], "{code}");
    }
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
