//! Files that are missing, that cannot be read, or that do not contain the requested objects.

use crate::support::prelude::*;

use super::{CLUSTER, refused};

fn scan(arguments: &str) -> Ran {
    doctor(("scan", CLUSTER, arguments))
}

#[test]
fn unknown_name_in_files_is_an_error_with_a_suggestion() {
    let error = |arguments: &str| scan(arguments).refused();
    assert_texts!(
        error("nigthly"),
        error("else"),
        error("nightly -n ops"),
        // A CronJob in another namespace is not suggested.
        error("nigthly -n ops"),
    );
}

#[test]
fn empty_namespace_is_an_error_and_an_empty_selection_is_not() {
    let message = |arguments: &str| {
        let ran = scan(arguments);
        assert_eq!(ran.stdout, "");
        (ran.code, ran.stderr)
    };
    let nowhere = message("-n prod");
    let nothing = message("-l app=none");
    assert_eq!((nowhere.0, nothing.0), (2, 0));
    assert_texts!(nowhere.1, nothing.1,);
    assert!(message("-l app=none -q").1.is_empty());
}

#[test]
fn files_without_cronjobs_list_their_kinds() {
    let of = |kind: &str, version: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n---\n")
    };
    let message = |manifests: &str| {
        let ran = doctor_with_stdin(["scan", "-f", "-"], manifests);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        ran.stderr
    };
    assert_eq!(message(""), "No CronJobs found.\n");
    let deployment = of("Deployment", "apps/v1");
    let some = deployment.clone() + &deployment + &of("CronJob", "batch/v3");
    insta::assert_snapshot!(message(&some));
    let many = ["A", "B", "C", "D", "E", "F"].map(|kind| of(kind, "v1"));
    insta::assert_snapshot!(message(&many.concat()));
}

/// An empty page or picture would be mistaken for the result.
#[test]
fn report_and_load_without_a_readable_file_print_no_document() {
    let expected = "error: cannot read nowhere.yaml: No such file or directory (os error 2)\n";
    for arguments in [
        "report -f nowhere.yaml",
        "report -f nowhere.yaml -o html",
        "load -f nowhere.yaml -o svg",
    ] {
        assert_eq!(refused(arguments), expected);
    }
    // Files that can be read are still shown, and the exit code reports that some are missing.
    for (verb, beginning) in [("report", "<!doctype html>"), ("load", "<?xml ")] {
        let format = if verb == "load" { "svg" } else { "html" };
        let ran = doctor((verb, CLUSTER, format!("-f nowhere.yaml -q -o {format}")));
        assert_eq!((ran.code, ran.stderr.as_str()), (2, expected), "{verb}");
        assert_starts!(ran.stdout, beginning);
    }
    // An empty input was read completely, so the empty report is correct.
    let ran = doctor_with_stdin(["report", "-f", "-"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "No CronJobs found.\n"));
    assert!(ran.stdout.starts_with("<!doctype html>"));
}

#[test]
fn lint_of_a_url_is_refused() {
    insta::assert_snapshot!(refused("lint https://example.com/cronjob.yaml"));
}

#[test]
fn unreadable_files_of_flags_are_errors() {
    let manifest = "examples/lint/never-scheduled/bad.yaml";
    let lint = |config: &str| refused(["lint", manifest, "--config", config]);
    let folder = Folder::new("errors", &[]);
    folder.write("latin.yaml", b"rules:\n  a: \xe4");
    let latin = &folder.file("latin.yaml");
    let refusals = [lint("nowhere.yaml"), lint(latin)].concat();
    insta::assert_snapshot!(refusals.replace(latin, "latin.yaml"));
}

#[test]
fn suspend_by_a_file_without_cronjobs_is_an_error() {
    let folder = Folder::new("errors", &[("empty.yaml", "")]);
    insta::assert_snapshot!(refused(["suspend", "-f", &folder.file("empty.yaml")]));
}
