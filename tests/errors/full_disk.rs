//! Results that cannot be written, and results that are not read to the end.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use crate::errors::CLUSTER;
use crate::support::prelude::*;
use crate::support::verbs;

/// Stderr and the exit code if stdout is a device that is always full.
fn error_of(arguments: impl CommandLine) -> (String, Option<i32>) {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    run(arguments, full.into())
}

fn run(arguments: impl CommandLine, stdout: Stdio) -> (String, Option<i32>) {
    let output = Command::new(crate::support::run::binary())
        .args(arguments.arguments())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("HOME", "/no/such/folder")
        .stdin(Stdio::null())
        .stdout(stdout)
        .output()
        .unwrap();
    (
        String::from_utf8(output.stderr).unwrap(),
        output.status.code(),
    )
}

fn cannot_write(what: &str) -> (String, Option<i32>) {
    let why = "No space left on device (os error 28)";
    (format!("error: cannot write {what}: {why}\n"), Some(2))
}

/// Small results fail at the end, and large ones while they are written.
#[test]
fn full_disk_is_an_error_of_each_verb_and_format() {
    for verb in verbs::reading() {
        // By default it simulates a month.
        let needed = if verb == "simulate" { "--for=1d" } else { "" };
        for format in verbs::formats(&verb) {
            let error = error_of((&verb, format!("-q {needed} -o {format}"), CLUSTER));
            assert_eq!(error, cannot_write("the result"), "{verb} {format}");
        }
    }
    for arguments in [
        "next-runs --schedule=@hourly --count=3000",
        "next-runs --schedule=@hourly --explain",
        "lint -R examples",
        "lint -R examples -o sarif",
        "lint -R examples --fix --diff",
        "lint --list",
        PLAN,
        &format!("{PLAN} -o=markdown"),
        "lint --explain never-scheduled",
        "version --client",
        "version --client -o json",
    ] {
        assert_eq!(
            error_of(arguments),
            cannot_write("the result"),
            "{arguments}"
        );
    }
}

const PLAN: &str = "plan -f=examples/plan/new --from=examples/plan/old";

/// The system ends a process that ignores this limit with a signal.
#[test]
fn file_larger_than_the_limit_is_an_error() {
    let folder = Folder::new("full-disk", &[]);
    let limited = |command: &str| {
        let command = format!("ulimit -f 1; exec \"$0\" {command}");
        let output = Command::new("sh")
            .args(["-c", &command, crate::support::run::binary()])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("OUT", folder.path())
            .output()
            .unwrap();
        (
            String::from_utf8(output.stderr).unwrap(),
            output.status.code(),
        )
    };
    let (said, code) = limited("report -q -f examples/cluster >\"$OUT/page.html\"");
    assert_eq!(code, Some(2), "{said}");
    assert_contains!(said, "error: cannot write the result: File too large");
}

/// As in `lint | head -1` with `pipefail`.
#[test]
fn closed_pipe_keeps_the_exit_code_of_findings() {
    for (arguments, more) in [
        ("scan -q --fail-on=warning", CLUSTER),
        ("scan -q --fail-on=warning -o=json", CLUSTER),
        ("report -q --fail-on=warning", CLUSTER),
        ("lint -q -R examples", ""),
        ("lint -q -R examples -o=github", ""),
        ("lint -q -R examples --fix --diff", ""),
        (PLAN, "-q --fail-on=skips-runs"),
        (PLAN, "-q --fail-on=skips-runs -o=github"),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = run((arguments, more), writer.into());
        assert_eq!(ran, (String::new(), Some(1)), "{arguments} {more}");
    }
}

/// What is found after a closed pipe counts, too: only the last of the CronJobs never runs, or has a schedule that cannot
/// be read.
#[test]
fn closed_pipe_keeps_the_exit_code_of_what_was_not_written() {
    let cron_job = |number: usize, schedule: &str| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {
                "name": format!("job-{number:03}"), "namespace": "shop",
                "creationTimestamp": "2026-11-01T00:00:00Z",
            },
            "spec": {"schedule": schedule, "jobTemplate": {}},
            "status": {"lastScheduleTime": "2026-11-21T02:00:00Z"},
        })
    };
    let folder = Folder::new("closed-pipe", &[]);
    let snapshot = |last: &str| {
        let mut objects: Vec<Value> = (0..150)
            .map(|number| cron_job(number, "0 * * * *"))
            .collect();
        objects.push(cron_job(999, last));
        let file = format!("{}.json", last.len());
        folder.write(&file, list(&objects));
        folder.file(&file)
    };
    let never = snapshot("0 0 31 2 *");
    let unreadable = snapshot("0 0 31 2");
    for (arguments, file, code) in [
        ("explain -q --fail-on=error", &never, 1),
        ("explain -q --fail-on=error -o=json", &never, 1),
        ("explain -q --fail-on=error -o=wide", &never, 1),
        ("history", &unreadable, 2),
        ("history -o=json", &unreadable, 2),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let all = format!("-f {file} --now=2026-11-21T02:13:08Z");
        let (_, ran) = run((arguments, all.as_str()), writer.into());
        assert_eq!(ran, Some(code), "{arguments}");
    }
}

#[test]
fn completion_and_help_on_a_full_disk_are_errors() {
    for shell in ["bash", "elvish"] {
        let expected = cannot_write("the script");
        assert_eq!(error_of(["completion", shell]), expected);
    }
    assert_eq!(error_of("--help"), cannot_write("the help"));
    assert_eq!(error_of("scan -h"), cannot_write("the help"));
}
