//! Input of any size is answered in a time that grows no faster than the input. Each case here would take
//! many times as long if it grew with the square of its size.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::prelude::*;

const GOOD: &str = include_str!("../examples/lint/never-scheduled/good.yaml");

/// Runs the program with this input, and returns its exit code and stderr.
#[track_caller]
fn run(arguments: impl CommandLine, stdin: String) -> (Option<i32>, String) {
    let mut child = program()
        .args(arguments.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut errors) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
    thread::spawn(move || input.write_all(stdin.as_bytes()));
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        sender.send(text)
    });
    let stderr = receiver.recv_timeout(Duration::from_secs(300));
    let _ = child.kill();
    let status = child.wait().unwrap();
    (status.code(), stderr.expect("it takes too long"))
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn names_of_any_length_are_not_compared_letter_by_letter() {
    let name = "x".repeat(1_000_000);
    let zone = GOOD.replace("Etc/UTC", &name);
    let prefix = GOOD
        .replace("0 6 28 2 *", &format!("TZ={name} 0 6 28 2 *"))
        .replace("  timeZone: Etc/UTC\n", "");
    let word = GOOD.replace("0 6 28 2 *", &format!("'@{name}'"));
    for text in [zone, prefix, word] {
        assert_eq!(run("lint -o short -", text).0, Some(1));
    }
}

#[test]
fn comment_with_thousands_of_rules_is_read() {
    let names = lines(50_000, |nth| format!("never-runz{nth},"));
    let comment = format!("  # cronjob-doctor: ignore[{names}]\n  schedule");
    let text = GOOD.replace("  schedule", &comment);
    assert_eq!(run("lint -o short -", text).0, Some(0));
}

#[test]
fn thousands_of_labels_are_read() {
    let labels = lines(100_000, |nth| format!("    l{}: v\n", 900_000 - nth));
    let text = GOOD.replacen("metadata:\n", &format!("metadata:\n  labels:\n{labels}"), 1);
    assert_eq!(run("scan -f - -q", text), (Some(0), String::new()));
}

#[test]
fn status_with_thousands_of_active_jobs_is_explained() {
    let active = |nth: usize| json!({"name": format!("j{nth}"), "uid": format!("u{nth}")});
    let listed = 20_000;
    let cron_job = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report", "namespace": "shop", "uid": "c",
            "creationTimestamp": "2026-11-20T00:00:00Z"},
        "spec": {"schedule": "0 2 * * *", "concurrencyPolicy": "Forbid", "jobTemplate": {}},
        "status": {"active": (0..listed).map(active).collect::<Vec<_>>()},
    });
    let owner = owner_reference("CronJob", "report", "c");
    let jobs = (0..listed).map(|nth| {
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": format!("j{nth}"), "namespace": "shop", "uid": format!("u{nth}"),
                "creationTimestamp": "2026-11-20T02:00:00Z", "ownerReferences": [owner]},
        })
    });
    let items: Vec<Value> = std::iter::once(cron_job).chain(jobs).collect();
    let list = list(&items);
    for verb in ["scan", "explain", "next-runs"] {
        let arguments = (verb, "-f - --now=2026-11-21T02:30:00Z");
        let (code, stderr) = run(arguments, list.clone());
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{verb}");
    }
}

/// Each sync processes all running Jobs.
#[test]
fn simulation_of_too_many_running_jobs_is_refused() {
    let simulate = |more: &str| {
        let call = "simulate '--schedule=* * * * *' --from=2026-11-21T00:00:00Z --for=30d";
        run((call, more), String::new())
    };
    let refused = "error: about 43200 Jobs would run at the same time from 2026-11-21T00:00:00Z to \
                   2026-12-21T00:00:00Z, which is too many to simulate: use a shorter period (--for) or a \
                   shorter --job-duration\n";
    let hanging = simulate("--job-duration=1000d");
    assert_eq!(hanging, (Some(2), refused.to_owned()));
    let short = simulate("--job-duration=2m");
    assert_eq!(short, (Some(0), String::new()));
}

#[test]
fn more_runs_than_can_be_kept_are_refused() {
    let manifest = GOOD.replace("0 6 28 2 *", "\"* * * * *\"");
    let next = "error: more than 1,000,000 runs, which is too many: use a smaller --count, an earlier \
                --until, or fewer CronJobs\n";
    for more in [
        "--count 1000000000000",
        "--until 9999-12-30T00:00:00Z",
        "--until 9999-12-30T00:00:00Z --count 18446744073709551615 -o csv",
        "--count 1000001 -o name",
    ] {
        let ran = run(("next-runs -f -", more), manifest.clone());
        assert_eq!(ran, (Some(2), next.to_owned()), "{more}");
    }
    // Few runs over a long time are not too many.
    let yearly = manifest.replace("* * * * *", "@yearly");
    let far = "next-runs -f - --count 1000000000000";
    assert_eq!(run(far, yearly), (Some(0), String::new()));
    let report = "report -f - --now 2026-11-21T00:00:00Z --since 3650d";
    let metadata = |since: &str| {
        let created = format!("metadata:\n  creationTimestamp: {since}\n");
        manifest.replacen("metadata:\n", &created, 1)
    };
    let (code, stderr) = run(report, metadata("2010-11-20T00:00:00Z"));
    let expected = "error: more than 500,000 past runs since 2016-11-23T00:00:00Z, which is too many for \
                    a report: use a later --since, or fewer CronJobs";
    assert_eq!((code, stderr.lines().last()), (Some(2), Some(expected)));
    // There are few runs since its creation.
    let young = metadata("2026-11-20T00:00:00Z");
    assert_eq!(run(report, young).0, Some(0));
}
