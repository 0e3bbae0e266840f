//! Each lint rule has a manifest that breaks it, one that does not, and a snapshot of the whole output for the first.

use crate::support::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cronjob_manifest::rules::{LintSource, lint_rules};

/// The time from which the next runs of the examples are searched.
const NOW: &str = "--now=2026-11-21T08:00:00Z";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The names in a folder without their extensions.
fn names(path: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder(path)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .map(|name| name.split('.').next().unwrap().to_owned())
        .collect()
}

fn lint(name: &str, which: &str) -> String {
    let file = format!("examples/lint/{name}/{which}.yaml");
    let ran = doctor(format!("lint {NOW} --severity=info {file}"));
    // Some findings need a cluster.
    let is_clean = ran.stderr.ends_with(": no problems\n");
    assert_eq!(is_clean, ran.stdout.is_empty(), "{file}: {ran:?}");
    assert!(
        ran.code < 2 && ran.stderr.lines().count() == 1,
        "{file}: {ran:?}"
    );
    ran.stdout
}

#[test]
fn every_rule_has_its_examples() {
    let rules: BTreeSet<String> = lint_rules().map(|(rule, _)| rule.name.to_owned()).collect();
    assert_eq!(names("examples/lint"), rules);
}

#[test]
fn bad_examples_are_reported_and_good_ones_are_not() {
    let mut texts = String::new();
    for (rule, lint_rule) in lint_rules() {
        let (name, code) = (rule.name, lint_rule.code);
        assert_eq!(lint(name, "good"), "", "{name}");
        let bad = lint(name, "bad");
        // Some findings need a cluster; tests/live/lint.rs uses one.
        let is_found = lint_rule.source != LintSource::Cluster;
        assert_eq!(bad.contains(&format!("[{code} {name}]")), is_found, "{bad}");
        assert_eq!(bad.is_empty(), !is_found, "{bad}");
        texts += &format!("---- {name}\n{bad}");
    }
    insta::assert_snapshot!(texts);
}
