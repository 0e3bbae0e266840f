//! The script with which the weekly workflow downloads released control planes.

use std::process::{Command, Output};

use crate::support::files::{root, text};
use crate::support::prelude::*;

/// A stand-in for `setup-envtest`, which cannot be called here.
const ENVTEST: &str = "#!/bin/sh
case $1 in
list) printf '(available)  v%s  linux/amd64\\n' 1.38.0-alpha.1 1.37.0 1.36.2 1.36.10 1.35.0 1.34.1 1.33.0 1.29.5 1.29.4 1.24.2 ;;
use) printf %s \"$ASSETS\" ;;
esac
";

/// A stand-in for curl, which answers from a folder.
const CURL: &str = "#!/bin/sh
while [ $# -gt 1 ]; do
    [ \"$1\" != --output ] || output=$2
    shift
done
cat \"$SERVER/${1##*/}\" > \"$output\"
";

fn control_plane(folder: &Folder, arguments: &[&str]) -> Output {
    folder.program("path/setup-envtest", ENVTEST);
    folder.program("path/curl", CURL);
    let path = format!("{}:{}", folder.file("path"), std::env::var("PATH").unwrap());
    let mut command = Command::new(root().join(".ci/control-plane"));
    command.args(arguments).current_dir(folder.path());
    command
        .env("PATH", path)
        .env("ASSETS", folder.file("assets"));
    command
        .env("SERVER", folder.file("server"))
        .output()
        .unwrap()
}

fn printed(output: &Output) -> &str {
    assert!(output.status.success(), "{output:?}");
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn newest_patch_of_the_newest_and_of_some_old_releases_is_checked() {
    let folder = Folder::new("released", &[]);
    let output = control_plane(&folder, &["released"]);
    assert_eq!(
        printed(&output),
        "1.29.5\n1.34.1\n1.35.0\n1.36.10\n1.37.0\n"
    );
}

#[test]
fn newest_checked_release_is_the_first_of_the_table() {
    let folder = Folder::new("checked", &[]);
    let output = control_plane(&folder, &["checked"]);
    let checked = printed(&output).trim_end();
    let controller = text("docs/controller.md");
    let table = controller.split("## Checked on\n").nth(1).unwrap();
    let mut rows = table.lines().filter_map(|line| line.strip_prefix("| 1."));
    let first = rows.next().unwrap().split([' ', ',']).next().unwrap();
    assert_eq!(checked, format!("1.{first}"));
}

#[cfg(target_os = "linux")]
#[test]
fn control_plane_has_the_programs_of_envtest_and_the_released_controller_manager() {
    let folder = Folder::new("get", &[]);
    for program in ["etcd", "kube-apiserver"] {
        folder.program(&format!("assets/{program}"), "");
    }
    folder.write("server/kube-controller-manager", "released\n");
    let sum = "sha256sum kube-controller-manager | cut -c -64 > kube-controller-manager.sha256";
    let mut sh = Command::new("sh");
    sh.args(["-c", sum]).current_dir(folder.join("server"));
    assert!(sh.status().unwrap().success());
    let get = |folder: &Folder| control_plane(folder, &["get", "v1.36.2", "plane"]);
    printed(&get(&folder));
    assert_eq!(folder.read("plane/kube-controller-manager"), "released\n");
    for program in ["etcd", "kube-apiserver", "kube-controller-manager"] {
        let program = folder.join(&format!("plane/{program}"));
        let mut test = Command::new("test");
        assert!(test.arg("-x").arg(program).status().unwrap().success());
    }
    // A program other than the released one.
    folder.write("server/kube-controller-manager", "another\n");
    let output = get(&folder);
    assert_eq!(output.status.code(), Some(1));
    assert_contains!(
        String::from_utf8(output.stderr).unwrap(),
        "another checksum"
    );
}

#[test]
fn row_shows_the_results_of_the_trial_and_the_tests() {
    let summary = text("tests/control_plane/forecast/tally.rs");
    // The words that the script looks for.
    assert_contains!(summary, "\"{} forecasts compared (");
    assert_contains!(summary, "{} mismatches\"");
    let trial = |mismatches: u8| {
        format!(
            "test result: ok. 56 passed; 0 failed; 0 ignored\n\
             5822 forecasts compared (10 of them conditional) over 812 minutes each on average 80 s; {mismatches} \
             mismatches\ntest result: FAILED. 0 passed; {mismatches} failed; 0 ignored\n"
        )
    };
    for (log, expected) in [
        (
            trial(0),
            "| 1.36.2 | 5822 | none | 56 passed | [log](L) |\n",
        ),
        (
            trial(2),
            "| 1.36.2 | 5822 | 2 | 56 passed, 2 failed | [log](L) |\n",
        ),
        (
            String::new(),
            "| 1.36.2 | no result | no result | 0 passed | [log](L) |\n",
        ),
    ] {
        let folder = Folder::new("row", &[("log", &log)]);
        let output = control_plane(&folder, &["row", "1.36.2", "log", "L"]);
        assert_eq!(printed(&output), expected);
    }
}
