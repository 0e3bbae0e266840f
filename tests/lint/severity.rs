//! What is shown, what is hidden, and what is counted.

use super::{lint, short};
use crate::support::prelude::*;

/// A manifest with a warning.
const DUPLICATE: &str = "examples/lint/duplicate-key/bad.yaml";
/// Manifests with findings of severity info.
const HINTS: [&str; 2] = [
    "examples/lint/history-limit-hides-successes/bad.yaml",
    "examples/lint/time-zone-alias/bad.yaml",
];

/// The lines of a summary on stdout, which follow the last finding.
fn summary(ran: &Ran) -> Vec<&str> {
    let (_, summary) = ran.stdout.rsplit_once("\n\n").unwrap();
    summary.lines().collect()
}

/// The codes in the text output.
fn shown(ran: &Ran) -> Vec<&str> {
    let heads = ran.stdout.lines().filter(|line| line.contains("[CJD"));
    heads
        .map(|line| line.split_once('[').unwrap().1.split(' ').next().unwrap())
        .collect()
}

#[test]
fn hints_are_hidden_and_counted() {
    let ran = lint([DUPLICATE, HINTS[0], HINTS[1]]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(shown(&ran), ["CJD003"]);
    let expected = [
        "3 CronJobs in 3 files: 1 warning",
        "2 hints hidden; --severity info shows them",
    ];
    assert_eq!(summary(&ran), expected);
    let all = lint([DUPLICATE, HINTS[0], HINTS[1], "--severity=info"]);
    assert_eq!(shown(&all), ["CJD003", "CJD502", "CJD305"]);
    assert_eq!(summary(&all), ["3 CronJobs in 3 files: 1 warning, 2 info"]);
}

/// Stdout is empty if no finding is shown.
#[test]
fn hidden_findings_are_not_problems() {
    let ran = lint([HINTS[0]]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let expected = "1 CronJob in 1 file: no problems\n1 hint hidden; --severity info shows it\n";
    assert_eq!(ran.stderr, expected);
    assert_eq!(lint([HINTS[0], "-q"]).fine(), "");
    let errors = lint([DUPLICATE, HINTS[0], HINTS[1], "--severity=error"]);
    assert_eq!((errors.code, errors.stdout.as_str()), (0, ""));
    assert_eq!(
        errors.stderr,
        "3 CronJobs in 3 files: no errors\n\
         1 warning and 2 hints hidden; --severity info shows them\n"
    );
}

#[test]
fn clean_run_counts_what_was_checked() {
    let good = "examples/lint/never-scheduled/good.yaml";
    let ran = lint([good]);
    ran.assert_no_problems();
    assert_eq!(ran.stderr, "1 CronJob in 1 file: no problems\n");
    let folder = Folder::new(
        "clean",
        &[
            ("a.yaml", super::GOOD),
            (
                "b.yaml",
                &super::GOOD.replace("name: report", "name: other"),
            ),
            ("c.yaml", "kind: ConfigMap\n"),
        ],
    );
    let ran = doctor_in(&folder, ["lint", super::NOW, "."]);
    ran.assert_no_problems();
    assert_eq!(ran.stderr, "2 CronJobs in 3 files: no problems\n");
}

/// Templates and patches were not checked, which is more than a hint.
#[test]
fn hidden_templates_and_patches_are_not_called_checked() {
    let ran = lint("examples/lint/template/bad.yaml");
    let expected = "0 CronJobs in 1 file: no problems\n\
                    1 template or patch not checked; --severity info shows it\n";
    assert_eq!(ran.stderr, expected);
}

/// A finding that sets the exit code is shown, whatever else is hidden.
#[test]
fn finding_that_fails_the_run_is_shown() {
    let ran = lint([HINTS[0], "--fail-on=info"]);
    assert_eq!((ran.code, shown(&ran)), (1, vec!["CJD502"]));
    let ran = lint(format!("{DUPLICATE} --severity=error --fail-on=warning"));
    assert_eq!((ran.code, shown(&ran)), (1, vec!["CJD003"]));
    let ran = lint(format!("{DUPLICATE} --severity=error --fail-on=never"));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}

/// Formats for programs contain all findings, unless --severity is given. The counts include all findings.
#[test]
fn formats_for_programs_hide_nothing_by_default() {
    let folder = Folder::new("formats", &[("a.yaml", &short(1))]);
    let file = folder.file("a.yaml");
    for format in ["json", "yaml", "sarif", "github", "junit", "short"] {
        let all = lint([HINTS[0], "-o", format]).stdout;
        assert_contains!(all, "history-limit-hides-successes/bad.yaml");
    }
    let json = |severity: &str| {
        let ran = lint([&file, HINTS[0], "-o", "json", severity]);
        assert_eq!(ran.code, 1);
        let document = ran.json();
        let found = document["findings"].items().len();
        (found, document["summary"]["infos"].as_u64().unwrap())
    };
    assert_eq!(json("--severity=info"), (2, 1));
    assert_eq!(json("--severity=error"), (1, 1));
}
