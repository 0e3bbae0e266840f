//! The program without some of its cargo features, or with all of them. Runs with any set of features:
//! `cargo test --no-default-features --test features`.

#![allow(clippy::unwrap_used, reason = "a test may fail in any way")]

use std::process::{Command, Output};

/// The verbs that are not built without a feature, and whether the feature is enabled.
const VERBS: [(&str, &str, bool); 12] = [
    ("scan", "fleet", cfg!(feature = "fleet")),
    ("plan", "fleet", cfg!(feature = "fleet")),
    ("load", "fleet", cfg!(feature = "fleet")),
    ("alerts", "fleet", cfg!(feature = "fleet")),
    ("top", "tui", cfg!(feature = "tui")),
    ("report", "report", cfg!(feature = "report")),
    ("logs", "cluster", cfg!(feature = "cluster")),
    ("suspend", "cluster", cfg!(feature = "cluster")),
    ("resume", "cluster", cfg!(feature = "cluster")),
    ("trigger", "cluster", cfg!(feature = "cluster")),
    ("backfill", "cluster", cfg!(feature = "cluster")),
    ("serve", "cluster", cfg!(feature = "cluster")),
];

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
fn verb_that_is_not_built_is_unknown_and_its_feature_is_named() {
    let (_, overview, _) = run(&["--help"]);
    for (verb, feature, is_built) in VERBS {
        let (code, help, error) = run(&[verb, "--help"]);
        let is_listed = overview.lines().any(|line| {
            line.strip_prefix("  ")
                .is_some_and(|line| line.split(' ').next() == Some(verb))
        });
        if is_built {
            assert_eq!((code, help.is_empty()), (Some(0), false), "{verb}: {error}");
        } else {
            assert!(!is_listed, "{verb} is listed: {overview}");
            assert_eq!(code, Some(2), "{verb}");
            assert!(
                error.contains(&format!("unknown command {verb:?}"))
                    && error.contains(&format!("cargo feature {feature:?}")),
                "{verb}: {error}"
            );
        }
    }
}

#[test]
fn cluster_is_read_only_with_its_feature() {
    let (code, _, error) = run(&["explain", "--server", "http://127.0.0.1:1"]);
    assert_eq!(code, Some(2));
    let names_feature = error.contains("feature \"cluster\"");
    assert_eq!(names_feature, !cfg!(feature = "cluster"), "{error}");
}

#[test]
fn file_of_recorded_runs_is_read_only_with_its_feature() {
    let args = [
        "history",
        "--recorder",
        "examples/recorder/runs.db",
        "--now",
        "2026-11-23T12:00:00Z",
    ];
    let (_, _, error) = run(&[&args[..], &["-f", CRON_JOBS]].concat());
    let names_feature = error.contains("feature \"recorder\"");
    assert_eq!(names_feature, !cfg!(feature = "recorder"), "{error}");
}

#[test]
fn files_are_read_with_any_features() {
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
fn folders_are_linted_only_with_their_feature() {
    let (_, answer, error) = run(&["lint", "-R", "examples/lint", "-o", "json"]);
    let names_feature = format!("{answer}{error}").contains("feature \\\"fleet\\\"")
        || error.contains("feature \"fleet\"");
    assert_eq!(names_feature, !cfg!(feature = "fleet"), "{error}");
}

#[test]
#[cfg(feature = "fleet")]
fn plan_reads_files_without_a_cluster() {
    let (code, answer, error) = run(&["plan", "-f", CRON_JOBS, "--from", CRON_JOBS, "-o", "json"]);
    assert!(code == Some(0) && answer.starts_with('{'), "{error}");
}
