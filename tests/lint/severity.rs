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

/// The summary, which is on stderr whether there are findings or not.
fn summary(ran: &Ran) -> &str {
    assert!(ran.stdout.is_empty() || ran.stdout.ends_with("\n\n"));
    ran.stderr.trim_end()
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
    assert_eq!(ran.code, 0);
    assert_eq!(shown(&ran), ["CJD003"]);
    let expected = "3 CronJobs in 3 files: 1 warning (2 hints hidden; --severity info shows them)";
    assert_eq!(summary(&ran), expected);
    let all = lint([DUPLICATE, HINTS[0], HINTS[1], "--severity=info"]);
    assert_eq!(shown(&all), ["CJD003", "CJD502", "CJD305"]);
    assert_eq!(summary(&all), "3 CronJobs in 3 files: 1 warning, 2 info");
}

/// Stdout is empty if no finding is shown.
#[test]
fn hidden_findings_are_not_problems() {
    let ran = lint([HINTS[0]]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let expected = "1 CronJob in 1 file: no problems (1 hint hidden; --severity info shows it)\n";
    assert_eq!(ran.stderr, expected);
    assert_eq!(lint([HINTS[0], "-q"]).fine(), "");
    let errors = lint([DUPLICATE, HINTS[0], HINTS[1], "--severity=error"]);
    assert_eq!((errors.code, errors.stdout.as_str()), (0, ""));
    assert_eq!(
        errors.stderr,
        "3 CronJobs in 3 files: no errors (1 warning and 2 hints hidden; --severity info shows them)\n"
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
    let expected = "0 CronJobs in 1 file: no problems \
                    (1 template, patch or nested object not checked; --severity info shows it)\n";
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

/// Documents contain all findings, unless --severity is given, and their counts always include all. The formats that
/// people see hide hints, as the text does.
#[test]
fn only_documents_contain_hints_by_default() {
    let folder = Folder::new("formats", &[("a.yaml", &short(1))]);
    let file = folder.file("a.yaml");
    for format in ["json", "yaml", "sarif"] {
        let all = lint([HINTS[0], "-o", format]).stdout;
        assert_contains!(all, "history-limit-hides-successes/bad.yaml");
    }
    for (format, empty) in [("github", ""), ("gitlab", "[]\n"), ("short", "")] {
        assert_eq!(lint([HINTS[0], "-o", format]).fine(), empty);
        let all = lint([HINTS[0], "-o", format, "--severity=info"]).stdout;
        assert_contains!(all, "history-limit-hides-successes");
    }
    let junit = lint([HINTS[0], "-o", "junit"]).stdout;
    assert_lacks!(junit, "CJD502");
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

/// The codes and the notes in the document for a text, with rules that are off by default.
fn found(text: &str) -> Vec<(String, usize)> {
    let rules = "rules: {next-run-metric-differs: info, starting-deadline-unset: info}\n";
    let folder = Folder::new(
        "found",
        &[(".cronjob-doctor.yaml", rules), ("a.yaml", text)],
    );
    let document = lint([&folder.file("a.yaml"), "-o=json"]).json();
    let findings = document["findings"].items().iter();
    let pairs = findings.map(|finding| {
        let code = finding["code"].as_str().unwrap().to_owned();
        (code, finding["notes"].items().len())
    });
    pairs.collect()
}

/// What one change of the clock does, or one frequent schedule, is one finding.
#[test]
fn findings_with_the_same_cause_are_one() {
    let text = super::GOOD.replace("Etc/UTC", "Europe/Berlin");
    let schedule = text
        .lines()
        .find(|line| line.contains("schedule:"))
        .unwrap();
    let text = text.replace(schedule, "  schedule: 30 2 * * *");
    assert_eq!(found(&text), [("CJD301".to_owned(), 2)]);
    // If the first is ignored, the others are not.
    let ignored = text.replace("30 2 * * *", "30 2 * * * # cronjob-doctor: ignore[CJD301]");
    let codes: Vec<String> = found(&ignored).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["CJD302", "CJD210"]);
}

/// The patches of a kustomization are one hint, and each is counted as not checked.
#[test]
fn patches_of_a_kustomization_are_one_finding() {
    let patch = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {suspend: true}\n";
    let kustomization = "patches: [{path: a.yaml}, {path: b.yaml}, {path: c.yaml}]\n";
    let files = [
        ("kustomization.yaml", kustomization),
        ("a.yaml", patch),
        ("b.yaml", patch),
        ("c.yaml", patch),
    ];
    let folder = Folder::new("patches", &files);
    let document = lint([folder.path(), "-o=json"]).json();
    let findings = document["findings"].items();
    assert_eq!(findings.len(), 1);
    assert!(
        findings[0]["message"]
            .as_str()
            .unwrap()
            .ends_with("; so are 2 other files")
    );
    let hidden =
        "(3 templates, patches or nested objects not checked; --severity info shows them)\n";
    assert_contains!(lint([folder.path()]).stderr, hidden);
}

/// What the API server rejects comes before what is only risky.
#[test]
fn errors_come_first() {
    let text = super::GOOD.replace("concurrencyPolicy: Forbid", "concurrencyPolicy: Sometimes");
    let text = text.replace("schedule: ", "schedule: '*/7 * * * *' # ");
    let folder = Folder::new("first", &[("a.yaml", &text)]);
    let ran = lint([&folder.file("a.yaml")]);
    assert_eq!(shown(&ran), ["CJD106", "CJD203"]);
}
