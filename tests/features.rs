//! The program with its feature and without it: `cargo test --no-default-features --test features`.

#![allow(clippy::unwrap_used, reason = "a test may fail in any way")]

use std::process::{Command, Output};

const HAS_CLUSTER: bool = cfg!(feature = "cluster");

const CRON_JOBS: &str = "examples/explain/blocked.yaml";

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("KUBECONFIG", "/nonexistent")
        .env("HOME", "/nonexistent")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn verb_that_is_not_built_is_unknown_and_the_feature_is_named() {
    let (_, overview, _) = run(&["--help"]);
    // Each verb has a page of the manual, also one that is not built here.
    let pages = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/man")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let verbs: Vec<String> = pages
        .filter_map(|page| {
            let verb = page.strip_prefix("kubectl-cronjob_doctor-")?;
            verb.strip_suffix(".1").map(str::to_owned)
        })
        .collect();
    assert!(verbs.len() > 15, "{verbs:?}");
    for verb in verbs.iter().map(String::as_str) {
        let (code, help, error) = run(&[verb, "--help"]);
        let is_listed = overview.lines().any(|line| {
            line.strip_prefix("  ")
                .is_some_and(|line| line.split(' ').next() == Some(verb))
        });
        let is_built = HAS_CLUSTER || is_listed || ["options", "version"].contains(&verb);
        if is_built {
            assert_eq!((code, help.is_empty()), (Some(0), false), "{verb}: {error}");
        } else {
            assert_eq!(code, Some(2), "{verb}");
            assert!(
                error.contains(&format!("unknown command {verb:?}"))
                    && error.contains("cargo feature \"cluster\""),
                "{verb}: {error}"
            );
        }
    }
}

/// What is shown if it needs the feature.
fn names_feature(error: &str) -> bool {
    error.contains("this program was built without the feature \"cluster\"")
}

#[test]
fn cluster_is_read_only_with_the_feature() {
    let (code, _, error) = run(&["explain", "--server", "http://127.0.0.1:1"]);
    assert_eq!(code, Some(2));
    let has_no_client = error.contains("this program was built without a client");
    assert_eq!(has_no_client, !HAS_CLUSTER, "{error}");
}

#[test]
fn recorded_runs_programs_and_settings_need_the_feature() {
    let recorder = [
        "history",
        "--recorder",
        "examples/recorder/runs.db",
        "--now",
        "2026-11-23T12:00:00Z",
        "-f",
        CRON_JOBS,
    ];
    let config = [
        "lint",
        CRON_JOBS,
        "--config",
        "examples/lint/dropped-field/.cronjob-doctor.yaml",
    ];
    for args in [&recorder[..], &["lint", "-k", "examples/lint"], &config] {
        let (_, _, error) = run(args);
        assert_eq!(names_feature(&error), !HAS_CLUSTER, "{args:?}: {error}");
    }
}

#[test]
fn files_are_read_with_and_without_the_feature() {
    let now = "2026-11-23T12:00:00Z";
    for verb in ["explain", "next-runs", "history", "simulate"] {
        let (code, answer, error) = run(&[verb, "-f", CRON_JOBS, "--now", now, "-o", "json"]);
        assert!(
            matches!(code, Some(0 | 1)) && answer.starts_with('{'),
            "{verb}: {error}"
        );
    }
    let manifest = "examples/lint/invalid-value/bad.yaml";
    let (code, answer, error) = run(&["lint", manifest, "-o", "json"]);
    assert!(code == Some(1) && answer.starts_with('{'), "{error}");
}

#[test]
fn folders_are_linted_only_with_the_feature() {
    let (_, _, error) = run(&["lint", "-R", "examples/lint"]);
    assert_eq!(names_feature(&error), !HAS_CLUSTER, "{error}");
}

#[test]
fn plan_reads_files_without_a_cluster() {
    let args = ["plan", "-f", CRON_JOBS, "--from", CRON_JOBS, "-o", "json"];
    let (code, answer, error) = run(&args);
    let is_read = code == Some(0) && answer.starts_with('{');
    assert_eq!(is_read, HAS_CLUSTER, "{error}");
}
