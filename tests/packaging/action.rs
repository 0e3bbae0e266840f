//! The scripts of the action: the download, which must match the released checksums, and the linter.

use std::path::Path;
use std::process::{Command, Output};

use test_requirements::CURL;

use crate::support::files::root;
use crate::support::prelude::*;

const SYSTEM: &str = if cfg!(target_os = "macos") {
    "macOS"
} else {
    "Linux"
};
const ARCHIVE: &str = if cfg!(target_os = "macos") {
    "kubectl-cronjob_doctor_v1.2.3_darwin_arm64.tar.gz"
} else {
    "kubectl-cronjob_doctor_v1.2.3_linux_arm64.tar.gz"
};

/// A release in a folder, whose binary prints `released`.
fn release(name: &str) -> Folder {
    let folder = Folder::new(name, &[]);
    folder.program("kubectl-cronjob_doctor", "#!/bin/sh\necho released\n");
    let release = "us/doctor/releases/download/v1.2.3";
    folder.write(&format!("{release}/checksums.txt"), "");
    run(
        folder.path(),
        &format!("tar -czf {release}/{ARCHIVE} ./kubectl-cronjob_doctor"),
    );
    let sum =
        "if command -v sha256sum >/dev/null; then sha256sum *.gz; else shasum -a 256 *.gz; fi";
    run(
        folder.path(),
        &format!("cd {release}; ({sum}) > checksums.txt"),
    );
    folder
}

fn run(folder: &str, script: &str) {
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Installs from that folder; `None` if curl is not installed.
fn install(folder: &Folder, variables: &[(&str, &str)]) -> Option<Output> {
    if Command::new("curl").arg("--version").output().is_err() {
        CURL.skip();
        return None;
    }
    folder.write("output", "");
    let output = Command::new(root().join("packaging/action/install"))
        .env("GITHUB_SERVER_URL", format!("file://{}", folder.path()))
        .env("GITHUB_OUTPUT", folder.join("output"))
        .env("RUNNER_TEMP", folder.path())
        .env("RUNNER_OS", SYSTEM)
        .env("RUNNER_ARCH", "ARM64")
        .env("REPOSITORY", "us/doctor")
        .env("VERSION", "")
        .env("REF", "main")
        .envs(variables.iter().copied())
        .output();
    Some(output.unwrap())
}

#[test]
fn action_installs_the_released_version() {
    let folder = release("installs");
    for variables in [
        ("VERSION", "v1.2.3"),
        ("VERSION", "1.2.3"),
        ("REF", "v1.2.3"),
    ] {
        let Some(output) = install(&folder, &[variables]) else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let outputs = folder.read("output");
        let (version, doctor) = outputs.trim_end().split_once('\n').unwrap();
        assert_eq!(version, "version=v1.2.3");
        let doctor = doctor.strip_prefix("doctor=").unwrap();
        let output = Command::new(doctor).output().unwrap();
        assert_eq!(output.stdout, b"released\n");
    }
}

#[test]
fn action_refuses_unknown_versions_and_wrong_checksums() {
    let folder = release("refuses");
    let sums = "us/doctor/releases/download/v1.2.3/checksums.txt";
    let refused = |variables: &[(&str, &str)]| {
        let output = install(&folder, variables)?;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(folder.read("output"), "");
        Some(String::from_utf8(output.stdout).unwrap())
    };
    let wrong = folder.read(sums);
    let digest = wrong.split(' ').next().unwrap().to_owned();
    let other = "0".repeat(64);
    folder.write(sums, format!("{other}  {ARCHIVE}\n"));
    let Some(printed) = refused(&[("VERSION", "v1.2.3")]) else {
        return;
    };
    let expected = format!(
        "::error title=cronjob-doctor::{ARCHIVE} is not what v1.2.3 released: its SHA-256 is \
         {digest}, and should be {other}\n"
    );
    assert_eq!(printed, expected);
    folder.write(sums, format!("{digest}  another.tar.gz\n"));
    assert_eq!(
        refused(&[("VERSION", "v1.2.3")]).unwrap(),
        format!("::error title=cronjob-doctor::checksums.txt of v1.2.3 does not name {ARCHIVE}\n")
    );
    for (variables, end) in [
        (&[("VERSION", "v9.9.9")][..], " cannot be downloaded\n"),
        (
            &[("VERSION", "../../evil")],
            "::version v../../evil is no version such as v0.1.0\n",
        ),
        (
            &[("VERSION", "v1.2.3"), ("RUNNER_ARCH", "X86")],
            "::there is no binary for X86\n",
        ),
    ] {
        assert_ends!(refused(variables).unwrap(), end);
    }
}

fn lint(folder: &Folder, files: &str, more: &[(&str, &str)]) -> Output {
    lint_in(root(), folder, files, more)
}

fn lint_in(place: &Path, folder: &Folder, files: &str, more: &[(&str, &str)]) -> Output {
    Command::new(root().join("packaging/action/lint"))
        .current_dir(place)
        .env("DOCTOR", crate::support::run::binary())
        .env("FILES", files)
        .env("KUBERNETES_VERSION", "")
        .env("FAIL_ON", "error")
        .env("SARIF", folder.join("findings.sarif"))
        .envs(more.iter().copied())
        .output()
        .unwrap()
}

fn results(folder: &Folder) -> usize {
    let sarif: Value = serde_json::from_str(&folder.read("findings.sarif")).unwrap();
    sarif["runs"][0]["results"].items().len()
}

#[test]
fn action_lints_the_given_files() {
    let folder = Folder::new("lints", &[]);
    let output = lint(&folder, "examples/lint-project\n", &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.matches("::error ").count(), 2, "{printed}");
    assert_eq!(results(&folder), 2);

    let output = lint(&folder, "examples/lint-project", &[("FAIL_ON", "never")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    let two = "deploy/nightly.yaml\n\nexamples/lint/invalid-value/good.yaml\n";
    let output = lint(&folder, two, &[("KUBERNETES_VERSION", "1.29-1.33")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(results(&folder), 0);

    let output = lint(&folder, "examples/lint-project\r\n\r\n", &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(results(&folder), 2);

    // The name of a file is never read as an option.
    let output = lint(&folder, "--help", &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn sarif_that_cannot_be_written_is_an_error() {
    let text = fs::read_to_string(root().join("examples/lint/invalid-value/good.yaml")).unwrap();
    let folder = Folder::new("sarif", &[("good.yaml", &text)]);
    let manifest = folder.file("good.yaml");
    for sarif in ["no/such/folder/x.sarif", "", "good.yaml"] {
        let sarif = folder.join(sarif);
        let output = lint(&folder, &manifest, &[("SARIF", sarif.to_str().unwrap())]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            output
                .stdout
                .starts_with(b"::error title=cronjob-doctor::sarif: "),
            "{output:?}"
        );
    }
    assert_eq!(folder.read("good.yaml"), text);
    // The SARIF file of an earlier run is replaced.
    for _ in 0..2 {
        assert_eq!(lint(&folder, &manifest, &[]).status.code(), Some(0));
        assert_eq!(results(&folder), 0);
    }
}

#[test]
fn sarif_file_whose_name_begins_with_a_dash_is_a_file() {
    let text = fs::read_to_string(root().join("examples/lint/invalid-value/good.yaml")).unwrap();
    let folder = Folder::new("sarif-dash", &[("good.yaml", &text)]);
    let place = folder.join("");
    let sarif = [("SARIF", "-x.sarif")];
    // It is written, and replaced.
    for _ in 0..2 {
        let output = lint_in(&place, &folder, "good.yaml", &sarif);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_contains!(folder.read("-x.sarif"), "sarif");
    }
    // Without an answer of this run, it is removed.
    let invalid = [sarif[0], ("FAIL_ON", "nonsense")];
    let output = lint_in(&place, &folder, "good.yaml", &invalid);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.join("-x.sarif").exists());
}

/// pre-commit appends the arguments of the hook, and then the names of the files.
#[test]
fn file_whose_name_is_a_flag_is_a_file_for_the_hooks() {
    let text = fs::read_to_string(root().join("examples/lint/invalid-value/bad.yaml")).unwrap();
    let good = fs::read_to_string(root().join("examples/lint/invalid-value/good.yaml")).unwrap();
    let files = ["--fail-on=never.yaml", "--help.yaml", "-k.yaml"];
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks = located_yaml::parse(&hooks).documents.remove(0).root;
    let hooks = hooks.to_json().unwrap();
    for hook in hooks.items() {
        let entry: Vec<&str> = hook["entry"].text().split(' ').collect();
        assert_eq!(entry[0], "kubectl-cronjob_doctor");
        let mut arguments = entry[1..].to_vec();
        for argument in hook["args"].items() {
            arguments.push(argument.text());
        }
        for (text, code) in [(&good, 0), (&text, 1)] {
            let folder = Folder::new("hook", &files.map(|file| (file, text.as_str())));
            let output = Command::new(crate::support::run::binary())
                .current_dir(folder.path())
                .args(&arguments)
                .args(files)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(code), "{output:?}");
        }
    }
}
