//! Files that are not there, are something else, or do not have what was asked for.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CLUSTER, refused};
use crate::support::run::{Ran, doctor, doctor_with_stdin};

fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn scan(arguments: &[&str]) -> Ran {
    doctor(&[&["scan"], &CLUSTER[..], arguments].concat())
}

#[test]
fn names_that_no_cronjob_has() {
    let complaint = |arguments: &[&str]| scan(arguments).refused();
    assert_eq!(
        complaint(&["nigthly"]),
        "error: no CronJob named \"nigthly\" in what -f names; did you mean nightly?\n"
    );
    assert_eq!(
        complaint(&["else"]),
        "error: no CronJob named \"else\" in what -f names\n"
    );
    assert_eq!(
        complaint(&["nightly", "-n", "ops"]),
        "error: no CronJob named \"nightly\" in what -f names in the namespace \"ops\"; there is \
         one in the namespace \"shop\"\n"
    );
    // What is in another namespace is not meant.
    assert_eq!(
        complaint(&["nigthly", "-n", "ops"]),
        "error: no CronJob named \"nigthly\" in what -f names in the namespace \"ops\"\n"
    );
}

#[test]
fn nothing_is_chosen() {
    let said = |arguments: &[&str]| {
        let ran = scan(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        ran.stderr
    };
    assert_eq!(
        said(&["-n", "prod"]),
        "No CronJobs found in the namespace \"prod\"; -f names some in the namespaces \"ops\", \
         \"shop\".\n"
    );
    assert_eq!(
        said(&["-l", "app=none"]),
        "No CronJobs found; -f names 12 that the selector leaves out.\n"
    );
    assert_eq!(said(&["-n", "prod", "-q"]), "");
}

#[test]
fn nothing_but_other_kinds() {
    let of = |kind: &str, version: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n---\n")
    };
    let said = |manifests: &str| {
        let ran = doctor_with_stdin(&["scan", "-f", "-"], manifests);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        ran.stderr
    };
    assert_eq!(said(""), "No CronJobs found.\n");
    let deployment = of("Deployment", "apps/v1");
    let some = deployment.clone() + &deployment + &of("CronJob", "batch/v3");
    assert_eq!(
        said(&some),
        "No CronJobs found; -f names 2 apps/v1 Deployment, 1 batch/v3 CronJob.\n"
    );
    let many: String = ["A", "B", "C", "D", "E", "F"]
        .iter()
        .map(|kind| of(kind, "v1"))
        .collect();
    assert_eq!(
        said(&many),
        "No CronJobs found; -f names 1 v1 A, 1 v1 B, 1 v1 C, 1 v1 D and 2 more.\n"
    );
}

/// A page or a picture of nothing would be taken for the answer.
#[test]
fn nothing_can_be_read() {
    let expected = "error: cannot read nowhere.yaml: No such file or directory (os error 2)\n";
    for arguments in [
        &["report", "-f", "nowhere.yaml"][..],
        &["report", "-f", "nowhere.yaml", "-o", "html"],
        &["load", "-f", "nowhere.yaml", "-o", "svg"],
    ] {
        assert_eq!(refused(arguments), expected);
    }
    // What can be read is shown all the same, with the code that says that it is not all.
    for (verb, beginning) in [("report", "<!doctype html>"), ("load", "<?xml ")] {
        let format = if verb == "load" { "svg" } else { "html" };
        let more = ["-f", "nowhere.yaml", "-q", "-o", format];
        let ran = doctor(&[&[verb], &CLUSTER[..], &more].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (2, expected), "{verb}");
        assert!(ran.stdout.starts_with(beginning), "{verb}");
    }
    // Nothing was to be read, and all of it was: that is an answer.
    let ran = doctor_with_stdin(&["report", "-f", "-"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "No CronJobs found.\n"));
    assert!(ran.stdout.starts_with("<!doctype html>"));
}

#[test]
fn lint_reads_no_addresses() {
    assert_eq!(
        refused(&["lint", "https://example.com/cronjob.yaml"]),
        "error: https://example.com/cronjob.yaml: expected a file, a folder or `-`, found a URL; \
         download it and pass it as `-f -`\n"
    );
}

#[test]
fn files_of_flags() {
    let manifest = "examples/lint/never-runs/bad.yaml";
    let lint = |config: &str| refused(&["lint", manifest, "--config", config]);
    let resume = |state: &str| refused(&["resume", "--from-state", state]);
    let latin = file("latin.yaml", b"rules:\n  a: \xe4");
    let latin = latin.to_str().unwrap();
    assert_eq!(
        lint("nowhere.yaml"),
        "error: --config: cannot read nowhere.yaml: No such file or directory (os error 2)\n"
    );
    assert_eq!(
        resume("nowhere.yaml"),
        "error: --from-state: cannot read nowhere.yaml: No such file or directory (os error 2)\n"
    );
    let encoding = format!("{latin}:2:6: byte 12 (0xe4) is not UTF-8; save the file as UTF-8\n");
    assert_eq!(lint(latin), format!("error: --config: {encoding}"));
    assert_eq!(resume(latin), format!("error: --from-state: {encoding}"));
    assert_eq!(
        resume(manifest),
        "error: --from-state examples/lint/never-runs/bad.yaml: expected what `suspend --save-state` \
         writes (Suspended of cronjob-doctor/v1), found CronJob of batch/v1\n"
    );
}

#[test]
fn files_that_name_what_to_change() {
    let empty = file("empty.yaml", "");
    assert_eq!(
        refused(&["suspend", "-f", empty.to_str().unwrap()]),
        "error: nothing was changed: there is no CronJob in what -f names\n"
    );
}
