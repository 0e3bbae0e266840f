//! `-o gitlab`: the fields of a Code Quality report that GitLab requires, and fingerprints that stay.

use std::collections::HashSet;

use crate::support::prelude::*;

use super::{GOOD, NEVER, NOW, lint};

fn entries(ran: &Ran) -> Vec<Value> {
    let report = ran.json();
    report.items().to_vec()
}

fn gitlab(folder: &Folder, arguments: impl CommandLine) -> Vec<Value> {
    let arguments = ("lint -o gitlab", arguments);
    entries(&doctor_in(folder, &arguments))
}

fn fingerprints(entries: &[Value]) -> Vec<String> {
    let text = |entry: &Value| entry["fingerprint"].text().to_owned();
    entries.iter().map(text).collect()
}

#[test]
fn finding_has_what_gitlab_requires() {
    let folder = Folder::new("gitlab", &[("a b.yaml", NEVER)]);
    let found = gitlab(&folder, format!("{NOW} './a b.yaml'"));
    let [entry] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(entry["check_name"], "never-scheduled");
    assert_eq!(entry["severity"], "major");
    let expected = json!({"path": "a b.yaml", "lines": {"begin": 7, "end": 7}});
    assert_eq!(entry["location"], expected);
    let description = entry["description"].text();
    assert!(description.starts_with("the schedule never runs: February 30 does not exist. "));
    let fingerprint = entry["fingerprint"].text();
    assert_eq!(fingerprint.len(), 64);
    assert!(fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn severities_are_those_of_code_quality() {
    let of = |example: &str| {
        let file = format!("examples/lint/{example}/bad.yaml");
        entries(&lint(format!("{file} -o gitlab --severity=info")))[0]["severity"].clone()
    };
    assert_eq!(of("never-scheduled"), "major");
    assert_eq!(of("duplicate-key"), "minor");
    assert_eq!(of("history-limit-hides-successes"), "info");
}

#[test]
fn report_without_findings_is_an_empty_array() {
    let folder = Folder::new("gitlab-clean", &[("a.yaml", GOOD)]);
    let ran = doctor_in(&folder, "lint -o gitlab a.yaml");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "[]\n"));
    assert_eq!(ran.stderr, "");
}

/// Otherwise GitLab would report old findings as new ones.
#[test]
fn fingerprint_stays_when_lines_move_and_time_passes() {
    let clock = "examples/lint/clock-change-skips-run/bad.yaml";
    let text =
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(clock))
            .unwrap();
    let folder = Folder::new("gitlab-moves", &[("a.yaml", &text)]);
    let before = gitlab(&folder, "--now=2026-11-21T08:00:00Z a.yaml");
    folder.write("a.yaml", format!("# one\n# two\n---\n{text}"));
    let after = gitlab(&folder, "--now=2028-11-21T08:00:00Z a.yaml");
    assert_eq!(before.len(), 1);
    assert_ne!(before[0]["location"], after[0]["location"]);
    assert_ne!(before[0]["description"], after[0]["description"]);
    assert_eq!(fingerprints(&before), fingerprints(&after));
    folder.write("b.yaml", &text);
    let other = gitlab(&folder, "b.yaml");
    assert_ne!(fingerprints(&before), fingerprints(&other));
}

/// GitLab shows one of several findings with the same fingerprint.
#[test]
fn fingerprints_are_unique() {
    let ran = lint("-R examples/lint -o gitlab");
    let all = fingerprints(&entries(&ran));
    assert!(all.len() > 100);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    // The same object twice, with the same finding.
    let twice = format!("{NEVER}---\n{NEVER}");
    let folder = Folder::new("gitlab-twice", &[("a.yaml", &twice)]);
    let found = gitlab(&folder, "a.yaml");
    let never = |entry: &&Value| entry["check_name"] == "never-scheduled";
    assert_eq!(found.iter().filter(never).count(), 2);
    let all = fingerprints(&found);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
}

#[test]
fn rendered_object_is_in_the_description() {
    let arguments = format!("lint {NOW} - --stdin-name=overlays/prod -o gitlab");
    let ran = doctor_with_stdin(arguments, NEVER);
    let entry = &entries(&ran)[0];
    assert_eq!(entry["location"]["path"], "overlays/prod");
    let description = entry["description"].text();
    assert!(description.starts_with("shop/report: the schedule never runs"));
}
