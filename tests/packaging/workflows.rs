//! The workflows, the action and the hooks: that they can be read, and take nothing unseen.

use serde_json::Value;

use crate::support::files::{below, text, yaml};

fn workflows() -> Vec<String> {
    let mut files = below(".github/workflows");
    files.push("action.yml".to_owned());
    files
}

/// All steps, wherever they stand.
fn steps(value: &Value, found: &mut Vec<Value>) {
    if let Some(steps) = value["steps"].as_array() {
        found.extend(steps.iter().cloned());
    }
    if let Some(map) = value.as_object() {
        map.values().for_each(|value| steps(value, found));
    }
}

/// An action is named by its commit, which nobody can move, with the version beside it for people.
#[test]
fn actions_are_pinned() {
    let mut count = 0;
    for file in workflows() {
        for line in text(&file).lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(action) = line
                .strip_prefix("uses: ")
                .filter(|at| !at.starts_with("./"))
            else {
                continue;
            };
            count += 1;
            let (_, commit) = action.split_once('@').expect(action);
            let (commit, version) = commit.split_once(" # v").expect(action);
            let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_commit, "{file}: {action}");
            assert_eq!(version.split('.').count(), 3, "{file}: {action}");
        }
    }
    assert!(count > 10, "only {count} were found");
}

/// What outsiders can choose is handed to scripts as variables and never put into their text.
#[test]
fn scripts_contain_no_expressions() {
    for file in workflows() {
        let mut found = Vec::new();
        steps(&yaml(&text(&file)).remove(0), &mut found);
        assert!(!found.is_empty(), "{file}");
        for step in found {
            let run = step["run"].as_str().unwrap_or_default();
            assert!(!run.contains("${{"), "{file}: {run}");
        }
    }
}

/// Nothing is allowed but what a job asks for, and only the release asks for more than to read.
#[test]
fn permissions_are_small() {
    let ci = yaml(&text(".github/workflows/ci.yml")).remove(0);
    assert_eq!(ci["permissions"], serde_json::json!({"contents": "read"}));
    for job in ci["jobs"].as_object().unwrap().values() {
        assert_eq!(job["permissions"], Value::Null);
    }
    let release = yaml(&text(".github/workflows/release.yml")).remove(0);
    assert_eq!(release["permissions"], serde_json::json!({}));
    let mut writers = Vec::new();
    for (name, job) in release["jobs"].as_object().unwrap() {
        for (what, how) in job["permissions"].as_object().expect(name) {
            if how == "write" {
                writers.push(format!("{name}: {what}"));
            }
        }
    }
    let expected = [
        "publish: contents",
        "publish: id-token",
        "publish: attestations",
        "image: packages",
        "image: id-token",
        "image: attestations",
        "crate: id-token",
    ];
    assert_eq!(writers, expected);
}
