//! Standard input and kustomizations: the output of other programs.

use std::path::PathBuf;
use std::process::Stdio;

use crate::support::prelude::*;

use super::{GOOD, NEVER, NOW};
use crate::live::logins::{await_end_of, await_that};
use crate::support::signal;

/// Runs lint in a folder, with only the programs in its folder `bin` on the PATH.
fn lint_in(folder: &Folder, arguments: impl CommandLine) -> Ran {
    run_in(folder, &[folder.join("bin")], arguments)
}

fn run_in(folder: &Folder, programs: &[PathBuf], arguments: impl CommandLine) -> Ran {
    let output = program()
        .args(["lint", NOW])
        .args(arguments.arguments())
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(programs).unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran::of(output)
}

/// A program that prints its name and arguments into a file, and a manifest.
fn add_program(folder: &Folder, name: &str) {
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' {name} \"$@\" > called\nwhile IFS= read -r line; do\n  \
         printf '%s\\n' \"$line\"\ndone < rendered\n"
    );
    folder.program(&format!("bin/{name}"), &text);
}

fn called(folder: &Folder) -> Vec<String> {
    folder.read("called").lines().map(str::to_owned).collect()
}

#[test]
fn object_comes_before_the_line() {
    assert_ran!(doctor_with_stdin(format!("lint {NOW} -"), NEVER), 1);
    let short = doctor_with_stdin(format!("lint {NOW} - -o short"), NEVER);
    assert_starts!(short.stdout, "stdin:7:13: error: shop/report: ");
    // The line of a file can be opened in an editor.
    let file = doctor(format!("lint {NOW} examples/lint/never-scheduled/bad.yaml"));
    let place = "\n --> examples/lint/never-scheduled/bad.yaml:7:13 (CronJob shop/report)\n";
    assert_contains!(file.stdout, place);
}

#[test]
fn name_of_standard_input_is_shown_and_decides_the_configuration() {
    let folder = Folder::new(
        "stdin-name",
        &[
            (
                "overlays/prod/.cronjob-doctor.yaml",
                "rules: {never-scheduled: warning}\n",
            ),
            (
                ".cronjob-doctor.yaml",
                "ignore: [{path: base/, rules: [never-scheduled]}, {path: old/}]\n",
            ),
            (
                "patched/kustomization.yaml",
                "patches: [{path: patch.yaml}]\n",
            ),
            ("base/a.yaml", ""),
        ],
    );
    let found = |name: &str| {
        std::fs::write(folder.join("stdin"), NEVER).unwrap();
        let stdin = std::fs::File::open(folder.join("stdin")).unwrap();
        let arguments = ("lint - -o json", [NOW], name);
        let mut call = program();
        call.args(arguments.arguments()).current_dir(folder.path());
        let ran = Ran::of(call.stdin(stdin).output().unwrap());
        let document = ran.json();
        let findings = document["findings"].items().iter();
        let shown = findings.map(|one| {
            ["file", "severity", "code"]
                .map(|key| one[key].text())
                .join(" ")
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(found(""), ["stdin error CJD201"]);
    // A directory that was rendered, or a file in it.
    for name in ["overlays/prod", "overlays/prod/new.yaml"] {
        let shown = [format!("{name} warning CJD201")];
        assert_eq!(found(&format!("--stdin-name {name}")), shown);
    }
    assert_eq!(found("--stdin-name=base"), [""; 0]);
    assert_eq!(found("--stdin-name=old/a.yaml"), [""; 0]);
    let expected = ["patched/patch.yaml info CJD005"];
    assert_eq!(found("--stdin-name=patched/patch.yaml"), expected);
}

#[test]
fn name_without_standard_input_is_an_error() {
    let file = "examples/lint/never-scheduled/bad.yaml";
    insta::assert_snapshot!(doctor(format!("lint {file} --stdin-name=a")).refused());
    assert_eq!(doctor("lint - --stdin-name=").code, 2);
}

/// A terminal would execute what is in the name.
#[test]
fn hostile_name_is_shown_as_text() {
    let name = ["--stdin-name=a\u{1b}[31m\nb"];
    let ran = doctor_with_stdin(("lint - -o short", [NOW], name), NEVER);
    assert_starts!(ran.stdout, r"a\u{1b}[31m\nb:7:13: error: ");
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn kustomization_is_rendered_by_kubectl_or_else_by_kustomize() {
    let folder = Folder::new("render", &[("rendered", NEVER)]);
    add_program(&folder, "kustomize");
    let ran = lint_in(&folder, "-k 'overlays/a b;$(x)'");
    assert_ran!(ran, 1);
    let expected = ["kustomize", "build", "--", "overlays/a b;$(x)"];
    assert_eq!(called(&folder), expected);
    add_program(&folder, "kubectl");
    let ran = lint_in(&folder, "-k=-x -o short");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_starts!(ran.stdout, "-x:7:13: error: shop/report: ");
    assert_eq!(called(&folder), ["kubectl", "kustomize", "--", "-x"]);
    folder.write("rendered", GOOD);
    lint_in(&folder, "--kustomize .").assert_no_problems();
}

#[test]
fn configuration_of_a_kustomization_is_beside_it() {
    let folder = Folder::new(
        "render-config",
        &[
            ("rendered", NEVER),
            (
                "overlays/prod/.cronjob-doctor.yaml",
                "rules: {never-scheduled: off}\n",
            ),
            ("overlays/old/a.yaml", ""),
            (".cronjob-doctor.yaml", "ignore: [overlays/old/]\n"),
        ],
    );
    add_program(&folder, "kubectl");
    lint_in(&folder, "-k overlays/prod").assert_no_problems();
    assert_eq!(lint_in(&folder, "-k .").code, 1);
    assert_eq!(lint_in(&folder, "-k overlays/old").code, 0);
}

#[test]
fn kustomization_that_cannot_be_rendered_is_an_error() {
    let folder = Folder::new("render-fails", &[("bin/x", "")]);
    insta::assert_snapshot!(lint_in(&folder, "-k overlays/prod").refused());
    // It fails, although kustomize might not.
    add_program(&folder, "kustomize");
    folder.program(
        "bin/kubectl",
        "#!/bin/sh\necho 'kind: CronJob'\n\
         printf '# Warning: old\\nerror: \\033[31maccumulating resources: missing\\n' >&2\nexit 1\n",
    );
    let ran = lint_in(&folder, "-k overlays/prod -o json");
    insta::assert_snapshot!(ran.refused());
}

/// Processes that the program has started end with it.
#[cfg(unix)]
#[test]
fn interrupted_program_leaves_nothing_behind() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new("kustomize-hangs", &[("overlay/kustomization.yaml", "")]);
        let hanging = "#!/bin/sh\nsleep 300 & echo $$ $! > pids; wait; wait\n";
        folder.program("bin/kubectl", hanging);
        let mut lint = program()
            .args(["lint", NOW, "-k", "overlay"])
            .current_dir(folder.path())
            .env("PATH", format!("{}:/usr/bin:/bin", folder.file("bin")))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let pids = folder.join("pids");
        await_that(|| std::fs::read_to_string(&pids).is_ok_and(|pids| pids.ends_with('\n')));
        signal::send(name, lint.id());
        assert_eq!(lint.wait().unwrap().code(), Some(code), "{name}");
        await_end_of(&pids);
    }
}

#[test]
fn rendered_text_cannot_be_fixed_or_mixed_with_files() {
    for other in ["--fix", "-R", "-f a.yaml", "a.yaml", "--stdin-name=a"] {
        let ran = doctor(("lint -k overlays/prod", other));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
    }
}

/// With the kubectl of this machine, where there is one.
#[test]
fn real_kustomization_is_rendered() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let has = |name: &str| programs.iter().any(|folder| folder.join(name).is_file());
    if !has("kubectl") && !has("kustomize") {
        return;
    }
    let folder = Folder::new(
        "real-kustomization",
        &[
            ("base/kustomization.yaml", "resources: [report.yaml]\n"),
            ("base/report.yaml", GOOD),
            (
                "prod/kustomization.yaml",
                "namespace: prod\nresources: [../base]\npatches: [{path: patch.yaml}]\n",
            ),
            (
                "prod/patch.yaml",
                "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: report, namespace: shop}\n\
                 spec: {schedule: 0 0 30 2 *}\n",
            ),
        ],
    );
    let ran = run_in(&folder, &programs, "-k prod -o short");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran}");
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_starts!(ran.stdout, "prod:");
    let expected = ": error: prod/report: the schedule never runs: February 30";
    assert_contains!(ran.stdout, expected);
    let base = run_in(&folder, &programs, "-k base");
    base.assert_no_problems();
}
