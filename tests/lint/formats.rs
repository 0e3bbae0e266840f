//! Formats, rules, exit codes.

use crate::support::prelude::*;

use super::lint;

const FILE: &str = "examples/lint/unsupported-value/bad.yaml";

#[test]
fn json_has_the_finding_with_its_place() {
    let ran = lint(format!("{FILE} -o json"));
    assert_ran!(ran, 1);
    let document = ran.json();
    let finding = &document["findings"][0];
    let expected = (&json!(10), &json!(22));
    assert_eq!((&finding["line"], &finding["column"]), expected);
}

#[test]
fn github_annotation_names_the_line() {
    let ran = lint(format!("{FILE} -o github"));
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn junit_has_a_test_for_each_file() {
    let files = [FILE, "examples/lint/never-scheduled/good.yaml"];
    let ran = lint([files[0], files[1], "-o", "junit"]);
    insta::assert_snapshot!(ran.stdout);
    // Below the threshold, the finding is reported, but not as a failure.
    let never = lint(format!("{FILE} -o junit --fail-on=never")).fine();
    assert!(never.contains("failures=\"0\"") && never.contains("<system-out>examples/lint/"));
}

#[test]
fn exit_code_is_that_of_the_most_severe_finding() {
    let code = |example: &str, arguments: &str| {
        let file = format!("examples/lint/{example}/bad.yaml");
        lint((file, "-o short", arguments)).code
    };
    assert_eq!(code("never-scheduled", ""), 1);
    assert_eq!(code("never-scheduled", "--fail-on=never"), 0);
    assert_eq!(code("duplicate-key", ""), 0);
    assert_eq!(code("duplicate-key", "--fail-on=warning"), 1);
    assert_eq!(code("simultaneous-starts", "--fail-on=warning"), 0);
    assert_eq!(code("simultaneous-starts", "--fail-on=info"), 1);
}

#[test]
fn rules_are_listed_and_explained() {
    let list = doctor("lint --list").fine();
    assert!(list.starts_with("CODE     NAME"));
    let lines = cronjob_manifest::rules::lint_rules().count() + 1;
    assert_eq!(list.lines().count(), lines);
    let by_code = doctor("lint --explain cjd401");
    assert_eq!(doctor("lint --explain starting-deadline-zero"), by_code);
    assert_ran!(doctor("lint --explain dead-line-zero"), 2);
    let cluster = doctor("lint --explain start-overdue").refused();
    assert_contains!(
        cluster,
        "found in clusters, not in manifests (Start is overdue)"
    );
    assert_ran!(by_code, 0);
}

#[test]
fn call_without_files_or_with_a_reversed_range_is_refused() {
    let nothing = doctor("lint").refused();
    assert_contains!(nothing, "FILE|DIR|-");
    let backwards = doctor("lint - --kubernetes-version=1.30-1.20").refused();
    assert_contains!(backwards, "the range 1.30-1.20 is reversed");
}

#[test]
fn removed_format_says_what_to_use() {
    let refused = doctor(format!("lint {FILE} -o markdown")).refused();
    assert_contains!(refused, "-o github");
    assert_contains!(refused, "-o gitlab");
}

#[test]
fn info_has_no_plural() {
    let ran = doctor(
        "lint --severity=info examples/lint/history-limit-hides-successes/bad.yaml \
         examples/lint/time-zone-alias/bad.yaml",
    );
    assert_eq!(ran.stderr, "2 CronJobs in 2 files: 2 info\n");
}
