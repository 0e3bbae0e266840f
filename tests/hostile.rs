//! Hostile names, schedules and messages: they are shown as text, without other effects.

use crate::support::prelude::*;
use crate::support::verbs;

use std::path::Path;

const NOW: &str = "--now=2026-11-21T02:13:08Z";
/// Escape sequences, carriage returns, characters of other directions and without any width, and workflow
/// commands of GitHub.
const HARM: &str = "x\u{1b}]0;pwn\u{7}\u{1b}[35m\u{9b}2J\ry\u{202e}\u{2066}\u{200b}\u{200d}\u{feff}\u{2028}\n::error::z\n ##[debug]";

/// Further flags of calls. Every format of each verb is called, too.
const FLAGS: [(&str, &str); 4] = [
    ("scan", "-A -o wide"),
    (
        "explain",
        "-o wide --compare=1.20,1.27.1 | --kubernetes-version=1.21 --compare=1.36 | --what-if suspend=false",
    ),
    ("next-runs", "--explain"),
    (
        "simulate",
        "--kubernetes-version=1.21 --compare=1.36 --upgrade-at=1h/2d",
    ),
];

/// Calls of the verbs that read files.
fn calls() -> Vec<String> {
    let mut calls = Vec::new();
    for verb in verbs::reading()
        .into_iter()
        .chain(["lint", "plan"].map(str::to_owned))
    {
        let formats = verbs::formats(&verb).into_iter();
        let needed = match verb.as_str() {
            "simulate" | "load" => "--for=1d",
            "plan" => "--from=examples/plan/old",
            _ => "",
        };
        let more = FLAGS.iter().filter(|(name, _)| *name == verb);
        let more = more.flat_map(|(_, flags)| flags.split('|').map(str::to_owned));
        let flags = [String::new()].into_iter().chain(more);
        let flags = flags.chain(formats.map(|format| format!("-o {format}")));
        calls.extend(flags.map(|flags| format!("{verb} {needed} {flags}")));
    }
    assert!(calls.len() > 60, "{calls:?}");
    calls
}

/// Calls with `--color always`, as in a terminal.
fn call(arguments: impl CommandLine, evidence: &str) -> Ran {
    let more = ["-f", "-", NOW, "--color=always"];
    doctor_with_stdin((arguments, &more), evidence)
}

fn cron_job(namespace: &str, name: &str, schedule: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": namespace, "name": name, "uid": name,
            "creationTimestamp": "2026-11-18T00:00:00Z",
            "annotations": {"cronjob-doctor/runbook": HARM, "cronjob-doctor/max-duration": HARM},
        },
        "spec": {
            "schedule": schedule, "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "main:1"}],
            }}}},
        },
    })
}

/// A Job of the CronJob that has been running since the evening, its pod, and the events about them.
fn running(cron_job: &mut Value, message: &str) -> Vec<Value> {
    let since = "2026-11-20T20:00:00Z";
    let [namespace, name] = ["namespace", "name"].map(|field| cron_job["metadata"][field].clone());
    let job = format!("{}-29928240", name.text());
    cron_job["status"] = json!({
        "lastScheduleTime": since,
        "active": [{"apiVersion": "batch/v1", "kind": "Job", "namespace": namespace, "name": job, "uid": job}],
    });
    let event = |kind: &str, name: &str, reason: &str| {
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"namespace": namespace, "name": format!("{kind}-{reason}")},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": name, "uid": name},
            "type": "Warning", "reason": reason, "message": message, "count": 2,
            "firstTimestamp": "2026-11-21T02:00:00Z", "lastTimestamp": "2026-11-21T02:10:00Z",
        })
    };
    let pod = format!("{job}-x2v8p");
    vec![
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {
                "namespace": namespace, "name": job, "uid": job, "creationTimestamp": since,
                "ownerReferences": [owner_reference("CronJob", &name, &name)],
            },
            "spec": {}, "status": {"startTime": since, "active": 1},
        }),
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "namespace": namespace, "name": pod, "uid": pod, "creationTimestamp": since,
                "ownerReferences": [owner_reference("Job", &job, &job)],
            },
            "spec": {},
            "status": {
                "phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}],
                "containerStatuses": [{
                    "name": message,
                    "state": {"waiting": {"reason": "ImagePullBackOff", "message": message}},
                }],
            },
        }),
        event("Job", &job, "FailedCreate"),
        event("Pod", &pod, "Failed"),
        event("CronJob", name.text(), "FailedCreate"),
    ]
}

/// CronJobs in which every text is `text`, in one field or another.
fn evidence(text: &str) -> String {
    let mut items = vec![
        cron_job("shop", "plain", "0 2 * * *"),
        cron_job(text, &format!("{text}-one"), "0 20 * * *"),
        cron_job("shop", "schedule", text),
        cron_job("shop", "zone", "0 2 * * *"),
        cron_job("shop", "prefix", &format!("TZ={text} 0 2 * * *")),
        cron_job("shop", "suspended", "0 2 * * *"),
    ];
    items[3]["spec"]["timeZone"] = json!(text);
    items[5]["spec"]["suspend"] = json!(true);
    items[5]["metadata"]["annotations"] = json!({"cronjob-doctor/suspend-reason": text});
    let beside = running(&mut items[1], text);
    items.extend(beside);
    list(&items)
}

/// The invisible characters of a text for a terminal, apart from the colors of this program.
fn hidden(text: &str) -> Vec<char> {
    let mut plain = text.replace("\r\n", "\n");
    for code in ["0", "1", "2", "31", "31;1", "33", "36;1"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    let hidden = |c: &char| *c != '\n' && cronjob_text::printable::is_hidden(*c);
    plain.chars().filter(hidden).collect()
}

#[test]
fn output_has_no_escape_sequences_of_hostile_texts() {
    let evidence = evidence(HARM);
    for arguments in calls() {
        let ran = call(&arguments, &evidence);
        assert!([0, 1, 2].contains(&ran.code), "{arguments:?}: {ran:?}");
        let length = ran.stdout.len() + ran.stderr.len();
        // A verb may only count them.
        assert!(length > 20, "{arguments:?}: {ran:?}");
        for text in [&ran.stdout, &ran.stderr] {
            assert_eq!(hidden(text), [], "{arguments:?}: {text:?}");
        }
    }
}

#[test]
fn output_has_no_workflow_commands_of_hostile_texts() {
    let evidence = evidence(HARM);
    for arguments in calls() {
        let ran = call(&arguments, &evidence);
        let is_github = arguments.contains("github");
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            let command = line.trim_start().starts_with("::");
            let own = [
                "error file=",
                "warning file=",
                "notice file=",
                "warning title=",
            ];
            let text = line.strip_prefix("::").filter(|_| is_github);
            let ours = text.is_some_and(|text| own.iter().any(|own| text.starts_with(own)));
            assert!(!command || ours, "{arguments:?}: {line}");
            assert!(ours || !line.contains("##["), "{arguments:?}: {line}");
        }
    }
}

/// A file's name stays in the line that it belongs to.
#[cfg(unix)]
#[test]
fn names_of_files_do_not_begin_a_line() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    fs::create_dir_all(&folder).unwrap();
    let begins = [
        "a\n::error file=n.yaml,line=1::pwned\n::stop-commands::x",
        "::add-mask::y",
        "b\n  help: z",
    ];
    let mut paths = Vec::new();
    for begin in begins {
        let path = folder.join(format!("{begin}.yaml"));
        fs::write(&path, cron_job("shop", "late", "0 25 * * *").to_string()).unwrap();
        paths.push(path);
        paths.push(folder.join(format!("{begin}-missing.yaml")));
    }
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    for (arguments, name) in [
        ("lint", None),
        ("lint -o short", None),
        ("lint -o github", None),
        ("lint --fix --diff", None),
        ("scan", Some("-f")),
        ("next-runs", Some("-f")),
        ("report", Some("-f")),
    ] {
        let paths = paths
            .iter()
            .flat_map(|path| name.into_iter().chain([*path]));
        let ran = doctor((arguments, paths.collect::<Vec<_>>()));
        assert_contains!(ran.stderr, "missing");
        let is_github = arguments.ends_with("github");
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            let is_ours = is_github && line.contains(&format!(" file={}", folder.display()));
            let line = line.trim_start();
            assert!(is_ours || !line.starts_with("::"), "{arguments}: {line}");
            assert!(!line.starts_with("help: z"), "{arguments}: {line}");
        }
    }
}

/// One object never breaks the output for the others.
#[test]
fn very_long_texts_are_cut() {
    let list = "0,".repeat(12_000);
    let name = "a".repeat(24_000);
    let wide = "夜".repeat(13_000);
    let mut items = vec![
        cron_job("shop", "plain", "0 2 * * *"),
        cron_job(&name, &name, "0 20 * * *"),
        cron_job("shop", &wide, "0 20 * * *"),
        cron_job("shop", "valid", &format!("{list}0 0 1 1 *")),
        cron_job("shop", "invalid", &format!("{list}61 0 1 1 *")),
        cron_job("shop", "suspended", "0 2 * * *"),
    ];
    items[5]["spec"]["suspend"] = json!(true);
    items[5]["metadata"]["annotations"] = json!({"cronjob-doctor/suspend-reason": name});
    for number in [1, 2] {
        let beside = running(&mut items[number], &name);
        items.extend(beside);
    }
    let evidence = crate::support::json::list(&items);
    // All formats of report and alerts are for programs.
    let documents = "report alerts json yaml csv ics html name junit prometheus svg patch kustomize sarif gitlab \
                     markdown";
    let is_document = |word: &str| documents.split(' ').any(|document| document == word);
    let mut calls = calls();
    calls.retain(|call| !call.split(' ').any(is_document));
    for arguments in calls {
        let ran = call(&arguments, &evidence);
        let stderr = &ran.stderr;
        assert!(
            [0, 1, 2].contains(&ran.code),
            "{arguments:?}: {stderr:.500}"
        );
        for line in ran.stdout.lines().chain(stderr.lines()) {
            let length = line.len();
            assert!(
                length < 20_000,
                "{arguments:?}: {length} bytes: {line:.500}"
            );
        }
    }
    // The other CronJobs are shown, in a readable table.
    let table = call("scan -A -o wide", &evidence).stdout;
    let plain = table.lines().find(|line| line.contains(" plain "));
    let plain = plain.unwrap();
    assert!(plain.chars().count() < 1_500, "{plain}");
}

#[test]
fn hostile_arguments_are_escaped_and_cut_in_errors() {
    let long = format!("{}61 0 1 1 *", "0,".repeat(35_000));
    for arguments in [
        &["next-runs", "--schedule", &long][..],
        &["simulate", "--for=1d", "--schedule", &long],
        &["next-runs", "--schedule", HARM],
        &["next-runs", "--schedule", "0 0 * * *", "--time-zone", HARM],
        &[
            "next-runs",
            "--schedule=@daily",
            "--controller-time-zone",
            HARM,
        ],
        &["scan", "-l", HARM, "-f", "-"],
        &["scan", HARM, "-f", "-"],
        &["scan", "--now", HARM],
        &["explain", "--context", HARM, "--kubeconfig", HARM],
        &["lint", HARM],
        &["resume", "--reason", HARM, "-f", HARM],
    ] {
        let ran = doctor_with_stdin((arguments, "--color=always"), "");
        let error = ran.refused();
        assert!(error.len() < 6_000, "{error:.200}");
        let underlined = error.replace("\u{1b}[4m", "").replace("\u{1b}[32m", "");
        assert_eq!(hidden(&underlined), [], "{error}");
        let begins = |line: &str| line.trim_start().starts_with("::");
        assert!(!error.lines().any(begins), "{error}");
    }
}
