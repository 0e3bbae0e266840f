//! The rules of deploy/alerts.yaml, as Prometheus evaluates them.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::prelude::*;
use cronjob_diagnosis::diagnose::finding_rules;

use crate::support::files::{root, text, yaml};
use crate::support::promtool::accepts;

/// The rules with an alert.
fn alerts() -> Vec<Value> {
    let groups = yaml(&text("deploy/alerts.yaml")).remove(0);
    let groups = groups["groups"].items().iter();
    let rules = groups.flat_map(|group| group["rules"].items());
    let alerts = rules.filter(|rule| rule["alert"].is_string());
    alerts.cloned().collect()
}

/// What fires when, written by hand in the tests of promtool.
#[test]
fn shipped_rules_fire_and_resolve_as_the_tests_of_promtool_say() {
    let file = root().join("tests/alerts/deploy.yaml");
    let folder = Folder::new("alerts-deploy", &[]);
    let rules = root().join("deploy/alerts.yaml");
    accepts(&folder, "check", rules.to_str().unwrap());
    accepts(&folder, "test", file.to_str().unwrap());
}

/// In the tests of promtool, each alert fires once at least, and does not before and after that.
#[test]
fn each_shipped_alert_is_tested_before_while_and_after_it_fires() {
    let tests = yaml(&text("tests/alerts/deploy.yaml")).remove(0);
    let mut fired = BTreeSet::new();
    for test in tests["tests"].items() {
        let mut counts: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        let queries = test["promql_expr_test"].items();
        for query in queries {
            let samples = query["exp_samples"].items().iter();
            let labels: String = samples.map(|sample| sample["labels"].text()).collect();
            for alert in alerts() {
                let name = alert["alert"].text();
                let fires = labels.contains(&format!("alertname=\"{name}\""));
                counts.entry(name.to_owned()).or_default().push(fires);
            }
        }
        for (name, fires) in counts {
            let begins = fires.windows(2).position(|pair| pair == [false, true]);
            let ends = fires.windows(2).rposition(|pair| pair == [true, false]);
            if begins.zip(ends).is_some_and(|(begins, ends)| begins < ends) {
                fired.insert(name);
            }
        }
    }
    let names: BTreeSet<String> = alerts()
        .iter()
        .map(|it| it["alert"].text().to_owned())
        .collect();
    assert_eq!(fired, names);
}

#[test]
fn shipped_alerts_have_one_severity_a_command_and_a_chapter_in_the_book() {
    let document = text("docs/alerts.md");
    for alert in alerts() {
        let name = alert["alert"].text();
        let severity = alert["labels"]["severity"].text();
        assert!(["critical", "warning"].contains(&severity), "{name}");
        assert_eq!(alert["labels"].as_object().unwrap().len(), 1, "{name}");
        let annotations = &alert["annotations"];
        assert!(!annotations["summary"].text().is_empty(), "{name}");
        assert_contains!(annotations["description"].text(), " Run: kubectl ");
        let page = "https://cronjob-doctor.github.io/cronjob-doctor/alerts.html";
        let chapter = format!("{page}#{}", name.to_lowercase());
        assert_eq!(annotations["runbook_url"], chapter, "{name}");
        assert_contains!(document, &format!("\n### {name}\n"));
    }
}

/// The codes between quotation marks in the rules.
#[test]
fn shipped_rules_name_codes_that_exist() {
    let known: BTreeSet<&str> = finding_rules().map(|rule| rule.name).collect();
    let rules = text("deploy/alerts.yaml");
    let selected = rules.split("code=~\"").skip(1);
    let codes: Vec<&str> = selected
        .flat_map(|rest| rest.split('"').next().unwrap().split('|'))
        .collect();
    assert_eq!(codes.len(), 12);
    for code in codes {
        assert!(known.contains(code), "{code}");
    }
}

/// The object for the Prometheus Operator contains the rules of the file. `UPDATE=1` writes it.
#[test]
fn object_for_the_operator_has_the_shipped_rules() {
    let rules = text("deploy/alerts.yaml");
    let (_, groups) = rules.split_once("\ngroups:\n").unwrap();
    let indented = groups.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("  {line}\n"),
    });
    let object = format!(
        "# The rules of deploy/alerts.yaml for the Prometheus Operator.\n\
         apiVersion: monitoring.coreos.com/v1\n\
         kind: PrometheusRule\n\
         metadata:\n  name: cronjob-doctor\n\
         spec:\n  groups:\n{}",
        indented.collect::<String>()
    );
    let file = "deploy/operator/alerts.yaml";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(root().join(file), &object).unwrap();
    }
    assert!(text(file) == object, "UPDATE=1 writes {file}");
}
