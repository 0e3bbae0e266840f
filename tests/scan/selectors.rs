//! `--selector` and `--field-selector`, which apply to files in the same way as to a cluster.

use super::scan;
use crate::support::prelude::*;

fn names(arguments: impl CommandLine) -> String {
    let text = scan((arguments, "-o name --sort name")).fine();
    let lines = text.lines().map(|line| line.replace("cronjob.batch/", ""));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn label_selectors_select_cronjobs_of_files() {
    assert_eq!(names("-l app=nightly"), "nightly");
    let expected = "tight never";
    assert_eq!(names("-l 'app in (never, tight),tier!=test'"), expected);
    let expected = "healthy minutely nightly";
    assert_eq!(names("-n shop -l 'app notin (never,office)'"), expected);
    assert_eq!(
        names("--selector app --field-selector metadata.name=zero"),
        "zero"
    );
}

#[test]
fn field_selectors_select_cronjobs_of_files() {
    let fields = "metadata.namespace==shop,metadata.name!=office,metadata.name!=never";
    let expected = "healthy minutely nightly";
    assert_eq!(names(format!("--field-selector {fields}")), expected);
}

#[test]
fn selector_without_a_match_in_files_is_not_an_error() {
    let ran = scan("-l '!app'");
    assert_eq!(ran.stdout, "");
    let message =
        "No CronJobs found; the files contain 12 CronJobs, but none that matches the selector.\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (0, message));
}

#[test]
fn selector_mistakes_are_shown_with_their_place() {
    let labels = scan("-l 'app in (shop; blog)'").refused();
    insta::assert_snapshot!(labels);
    let fields = scan("--field-selector metadata.name=a,spec.suspend=true").refused();
    insta::assert_snapshot!(fields);
}
