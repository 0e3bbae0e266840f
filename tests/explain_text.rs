//! The text of `explain`: what is first, what is short, which events are recorded, and its colors.

use crate::support::prelude::*;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::support::files::{below, text};

/// The lines of a small terminal without those of the prompt and the command.
const SCREEN: usize = 22;

/// The examples with the times and versions that their comments name.
fn examples() -> Vec<(String, Vec<String>)> {
    let folders = ["examples/explain", "examples/findings"];
    let mut files: Vec<String> = folders.iter().flat_map(|folder| below(folder)).collect();
    files.push("tests/fixtures/healthy.yaml".to_owned());
    let examples = files.iter().map(|file| {
        let text = text(file);
        let mut arguments = ["explain", "-q", "-f", file.as_str()]
            .map(str::to_owned)
            .to_vec();
        for (name, flag) in [("now", "--now"), ("kubernetes", "--kubernetes-version")] {
            let comment = format!("# {name}: ");
            if let Some(value) = text.lines().find_map(|line| line.strip_prefix(&comment)) {
                arguments.push(format!("{flag}={value}"));
            }
        }
        (file.clone(), arguments)
    });
    examples
        .filter(|(file, _)| !file.ends_with("outage.yaml"))
        .collect()
}

/// The arguments for the example whose file name has this ending.
fn example(end: &str) -> Vec<String> {
    let mut examples = examples().into_iter();
    examples.find(|(file, _)| file.ends_with(end)).unwrap().1
}

fn explain(arguments: &[String], more: impl CommandLine) -> Ran {
    doctor((arguments, more))
}

/// The examples, and what `explain` finds in each.
fn explained() -> &'static [(String, Vec<String>, Value)] {
    static EXPLAINED: OnceLock<Vec<(String, Vec<String>, Value)>> = OnceLock::new();
    EXPLAINED.get_or_init(|| {
        let items = examples().into_iter().map(|(file, arguments)| {
            let document = explain(&arguments, "-o json").document();
            (file, arguments, document["items"][0].clone())
        });
        items.collect()
    })
}

/// How many lines of a terminal of 80 columns a line takes.
fn screen_lines(line: &str) -> usize {
    line.chars().count().div_ceil(80).max(1)
}

#[test]
fn verdict_and_first_finding_fit_on_one_screen() {
    let mut found = 0;
    for (file, arguments, item) in explained() {
        let text = explain(arguments, "").fine();
        let verdict = text.find(item["verdict"].text().split(' ').next().unwrap());
        assert!(verdict.is_some_and(|at| at < 80), "{file}: {text}");
        let finding = &item["findings"][0];
        if finding.is_null() {
            continue;
        }
        found += 1;
        let mut taken = 0;
        let fitting = text.lines().take_while(|line| {
            taken += screen_lines(line);
            taken <= SCREEN
        });
        let shown = undated(&fitting.collect::<Vec<_>>().join("\n"));
        // What the first lines say is not in the detail again.
        for part in ["/title", "/remedy/command"] {
            let part = finding.pointer(part).and_then(Value::as_str);
            let part = part.map(undated).unwrap_or_default();
            assert!(shown.contains(&part), "{file}: {part}\n{text}");
        }
    }
    assert!(found > 50, "{found}");
}

/// The most lines of the default text.
const LONGEST_TEXT: usize = 20;
const MEDIAN_TEXT: usize = 10;
const HEALTHY_TEXT: usize = 6;

/// The first command is within these lines.
const FIRST_COMMAND: usize = 12;

const NAMES_WIDE: &str = "  -o wide: all details\n";

#[test]
fn default_text_is_short() {
    let mut counts = Vec::new();
    for (file, mut arguments) in examples() {
        if !file.starts_with("examples/findings/") {
            continue;
        }
        arguments.retain(|argument| argument != "-q");
        let text = explain(&arguments, "").stdout;
        assert_contains!(text, NAMES_WIDE);
        counts.push((text.lines().count(), file));
    }
    counts.sort();
    let longest = counts.last().unwrap();
    assert!(longest.0 <= LONGEST_TEXT, "{longest:?}");
    // Of an even number, the mean of the two in the middle.
    let median = counts[(counts.len() - 1) / 2].0 + counts[counts.len() / 2].0;
    assert!(median <= 2 * MEDIAN_TEXT, "{counts:#?}");
}

#[test]
fn date_of_a_near_day_is_on_a_page_once() {
    for (file, arguments) in examples() {
        let text = explain(&arguments, "").fine();
        let now = arguments.iter().find_map(|one| one.strip_prefix("--now="));
        let today: jiff::civil::Date = now.unwrap()[..10].parse().unwrap();
        let is_near = |date: &jiff::civil::Date| (*date - today).get_days().abs() <= 6;
        for page in text.split("\n\n") {
            let dates = page.split_whitespace().map(str::parse::<jiff::civil::Date>);
            let dates: Vec<_> = dates.filter_map(Result::ok).filter(is_near).collect();
            let different: BTreeSet<_> = dates.iter().copied().collect();
            let days = different
                .iter()
                .map(|date| date.weekday().to_sunday_zero_offset());
            let days: BTreeSet<_> = days.collect();
            // Two Sundays need their dates.
            if days.len() == different.len() {
                assert_eq!(dates.len(), different.len(), "{file}: {page}");
            }
        }
    }
}

/// An on-call engineer sees the remedy without scrolling.
#[test]
fn first_command_is_near_the_top() {
    for (file, arguments) in examples() {
        let text = explain(&arguments, "").fine();
        for page in text.split("\n\n") {
            let command = page.lines().position(|line| line.contains("-> "));
            assert!(
                command.is_none_or(|line| line < FIRST_COMMAND),
                "{file}: {page}"
            );
        }
    }
}

#[test]
fn default_text_of_a_healthy_cron_job_is_a_few_lines() {
    let healthy = example("healthy.yaml");
    let all = explain(&healthy, "").fine();
    for text in all.split("\n\n") {
        assert!(text.lines().count() <= HEALTHY_TEXT, "{text}");
    }
    let mut nightly = healthy;
    nightly.retain(|argument| argument != "-q");
    let text = explain(&nightly, "nightly -n shop").fine();
    assert_contains!(text, NAMES_WIDE);
    assert!(text.lines().count() <= HEALTHY_TEXT, "{text}");
}

/// The default text leaves out what `-o wide` shows, but no finding, and not the result of the last run.
#[test]
fn default_text_has_the_last_run_and_each_finding_with_its_remedy() {
    for (file, arguments, item) in explained() {
        if file.ends_with("healthy.yaml") {
            continue;
        }
        let text = explain(arguments, "").fine();
        let shown = undated(&text);
        let last = item["lastScheduledRun"]["text"].as_str();
        let last = last.map(undated).unwrap_or_default();
        // Findings name the Job, and say why it failed or waits.
        let run = &item["lastScheduledRun"];
        let [job, reason] = ["jobName", "reason"].map(|name| run[name].as_str());
        let mut last = last;
        for said in [job, reason].into_iter().flatten().map(undated) {
            if !shown.contains(&last) {
                last = last.replace(&format!(" {said}"), "");
            }
        }
        assert!(shown.contains(&last), "{file}: {last}\n{text}");
        let wide = undated(&explain(arguments, "-o wide").fine());
        for finding in item["findings"].items() {
            assert!(shown.contains(finding["code"].text()), "{file}: {text}");
            let command = finding["remedy"]["command"].as_str().unwrap_or_default();
            assert!(undated(&wide).contains(&undated(command)), "{file}: {wide}");
            let detail = undated(finding["detail"].text());
            assert!(wide.contains(&detail), "{file}: {wide}");
            // A command that only shows something may be left out, and so may the text after it.
            let is_change = !["describe", "get", "logs", "cronjob-doctor history"]
                .iter()
                .any(|verb| command.starts_with(&format!("kubectl {verb} ")));
            assert!(
                !is_change || words(&text).contains(&words(command)),
                "{file}: {text}"
            );
        }
    }
}

#[test]
fn findings_with_the_same_cause_are_one() {
    let text = explain(&example("held-by-sidecar.yaml"), "").fine();
    assert_eq!(
        words(&text).matches("kubectl delete job").count(),
        1,
        "{text}"
    );
    assert_contains!(words(&text), "[held-by-sidecar, blocked-by-running-job]");
    // The runs without success are those that are blocked.
    let text = explain(&example("blocked-by-running-job.yaml"), "").fine();
    assert_contains!(text, " No success in 6 runs [runs-without-success]\n  Sch");
    // Why the Job does not finish is why it blocks, also if nothing has to be deleted.
    let waiting = crate::support::files::text("examples/findings/pod-not-scheduled.yaml");
    let blocks = waiting.replace("concurrencyPolicy: Allow", "concurrencyPolicy: Forbid");
    let blocks = blocks.replace("schedule: 0 2 * * *", "schedule: 0 * * * *");
    let folder = Folder::new("same-cause", &[("blocks.yaml", &blocks)]);
    let path = folder.file("blocks.yaml");
    let arguments = ["explain", "-q", "-f", &path, "--now=2026-03-10T09:00:00Z"].map(str::to_owned);
    let text = explain(&arguments, "").fine();
    assert_contains!(words(&text), "[pod-not-scheduled, blocked-by-running-job]");
}

#[test]
fn wide_is_mentioned_only_if_something_is_left_out() {
    let mut arguments = example("last-run-failed.yaml");
    arguments.retain(|argument| argument != "-q");
    let names_wide = |more: &str| explain(&arguments, more).stdout.contains("-o wide");
    assert!(names_wide(""));
    for more in ["-q", "-o=wide", "-o=json"] {
        assert!(!names_wide(more), "{more}");
    }
    // After several explanations it is mentioned once.
    let mut several = example("healthy.yaml");
    several.retain(|argument| argument != "-q");
    let text = explain(&several, "").fine();
    assert_eq!(text.matches("-o wide").count(), 1, "{text}");
}

/// Events that the next sync would record are not shown as recorded ones.
#[test]
fn recorded_events_are_newest_first() {
    let mut arguments = example("job-creation-fails.yaml");
    let text = fs::read_to_string("examples/findings/job-creation-fails.yaml").unwrap();
    let event = |index: usize| {
        format!(
            "---\napiVersion: v1\nkind: Event\nmetadata: {{name: e{index}, namespace: batch}}\n\
             type: Normal\nreason: Test{index}\nmessage: \"message {index}\\nsecond line\"\n\
             involvedObject: {{kind: CronJob, name: import, namespace: batch}}\n\
             count: {index}\nlastTimestamp: \"2026-03-10T07:0{index}:00Z\"\n"
        )
    };
    let events: String = (1..=6).map(event).collect();
    arguments[3] = "-".to_owned();
    let text = doctor_with_stdin((&arguments, "-o wide"), &format!("{text}\n{events}")).fine();
    let (_, after) = text.split_once("\nRecorded events\n").unwrap();
    insta::assert_snapshot!(after.split("\n\n").next().unwrap());
}

/// Red is 31, with or without bold.
#[test]
fn healthy_cron_jobs_are_explained_without_red() {
    let is_red = |text: &str| text.contains("\x1b[31") || text.contains(";31");
    let colored = |file: &str, more: &str| {
        let more = ("--color=always", more);
        explain(&example(file), more).fine()
    };
    for more in ["", "-o=wide"] {
        let text = colored("healthy.yaml", more);
        assert!(!is_red(&text), "{text}");
        // The verdict is green.
        assert_contains!(text, "\x1b[32m");
    }
    assert!(is_red(&colored("last-run-failed.yaml", "")));
}

/// The terminal wraps commands; no other word is broken.
#[cfg(target_os = "linux")]
#[test]
fn no_word_is_broken_in_a_narrow_terminal() {
    let files = ["/explain/", "pod-image-pull-fails", "job-creation-fails"];
    let is_tried = |file: &str| files.iter().any(|part| file.contains(part));
    for (file, arguments) in examples().into_iter().filter(|(file, _)| is_tried(file)) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let whole = doctor(&arguments).fine();
        let Some(narrow) = doctor_in_terminal(40, &arguments) else {
            return;
        };
        assert_eq!(words(&narrow), words(&whole), "{file}");
        for line in narrow.lines() {
            // A word that is too long stands alone, or alone beside a label.
            let last = line.trim().rsplit("  ").next().unwrap();
            let is_whole = !last.contains(' ') || line.contains("kubectl ");
            assert!(is_whole || line.chars().count() <= 40, "{file}: {line}");
        }
    }
}

/// The output of a verb for a CronJob in Berlin.
fn in_berlin(metadata: &str, more: impl CommandLine) -> String {
    let text = format!(
        "apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
  namespace: shop
  creationTimestamp: '2026-10-01T00:00:00Z'
{metadata}
  timeZone: Europe/Berlin
  jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}
"
    );
    let folder = Folder::new("in-berlin", &[("report.yaml", &text)]);
    let file = folder.file("report.yaml");
    doctor((more, &format!("-q -f {file}"))).fine()
}

const SUSPENDED: &str = "  annotations:
    cronjob-doctor/suspended-by: jane
    cronjob-doctor/suspended-at: '2026-11-20T15:00:00Z'
    cronjob-doctor/suspended-until: '2026-11-22T06:00:00Z'
spec:
  suspend: true
  schedule: 30 2 * * *";

#[test]
fn actions_of_people_are_in_utc_and_runs_in_the_zone_of_the_schedule() {
    let suspended = |more: &str| {
        let more = (more, "--now=2026-11-21T12:00:00Z");
        words(&in_berlin(SUSPENDED, more))
    };
    let page = suspended("explain");
    assert_contains!(page, "at Fri 2026-11-20 15:00 UTC");
    assert_contains!(page, "until Sun 2026-11-22 06:00 UTC");
    assert_contains!(page, "Sat 02:30 Europe/Berlin");
    assert!(suspended("scan").contains("until Sun 06:00 UTC"));
    // One time zone for everything, in every verb.
    for verb in ["explain", "scan", "history", "next-runs"] {
        let page = suspended(&format!("{verb} --display-time-zone=Asia/Tokyo"));
        assert!(page.contains("Asia/Tokyo"), "{verb}: {page}");
        for other in ["15:00 UTC", "06:00 UTC", "02:30 Europe"] {
            assert!(!page.contains(other), "{verb}: {page}");
        }
    }
}

#[test]
fn next_runs_are_short_where_they_are_alike() {
    let runs = |schedule: &str, now: &str| {
        let spec = format!("spec:\n  schedule: '{schedule}'");
        let page = in_berlin(&spec, format!("explain --now {now}"));
        let (_, runs) = page.split_once("\n  Next runs   ").unwrap();
        words(runs)
    };
    let daily = runs("30 5 * * *", "2026-11-21T12:00:00Z");
    assert_eq!(
        daily,
        "Sun 2026-11-22 05:30, Mon 2026-11-23 05:30, Tue 2026-11-24 05:30"
    );
    // Several on a day.
    let hours = runs("0 13-16 * * *", "2026-10-01T10:30:00Z");
    assert_eq!(hours, "13:00, 14:00, 15:00");
    // Twice, because clocks go back.
    let twice = runs("30 2 * * *", "2026-10-24T12:00:00Z");
    assert_contains!(twice, "02:30 CET (second of two runs");
}

/// Also of a CronJob whose next run starts as usual.
#[test]
fn headline_has_the_color_of_the_most_severe_finding() {
    let color = |file: &str| {
        let page = doctor((example(file), "--color=always")).fine();
        let headline = page.lines().nth(1).unwrap().trim_start().to_owned();
        headline.split('m').next().unwrap().to_owned()
    };
    let colors = [
        "last-run-failed.yaml",
        "clock-change-skips-run.yaml",
        "ttl-hides-failures.yaml",
    ];
    let [error, warning, info] = colors.map(color);
    assert_contains!(error, "31");
    assert_contains!(warning, "33");
    assert_contains!(info, "32");
}

/// A manifest without a Job template.
const DAILY: &str =
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  schedule: '@daily'\n";

/// A manifest that cannot be created has no next run.
#[test]
fn manifest_that_the_api_server_rejects_is_named() {
    let page = |text: &str| {
        let folder = Folder::new("rejected", &[("report.yaml", text)]);
        let file = folder.file("report.yaml");
        words(&doctor(format!("explain -q -f {file} --now=2026-11-21T12:00:00Z")).fine())
    };
    let note = "the API server rejects this manifest";
    let text = page(DAILY);
    let verdict = text.find("If it were accepted: ");
    assert!(text.find(note) < verdict && text.contains(note), "{text}");
    let pod = "{restartPolicy: Never, containers: [{name: a, image: b}]}";
    let whole = format!("{DAILY}  jobTemplate: {{spec: {{template: {{spec: {pod}}}}}}}\n");
    assert!(!page(&whole).contains(note), "{}", page(&whole));
    let folder = Folder::new("rejected-fails", &[("report.yaml", DAILY)]);
    let ran = doctor_in(&folder, "explain -q -f report.yaml --fail-on=error");
    assert_eq!(ran.code, 1, "{ran}");
    assert_contains!(words(&ran.stdout), note);
}

#[test]
fn patch_of_a_kustomization_is_not_explained() {
    let kustomization = "resources: [base.yaml]\npatches: [{path: ./later.yaml}]\n";
    let files = [
        ("base.yaml", DAILY),
        ("later.yaml", &DAILY.replace("@daily", "@weekly")),
        ("kustomization.yaml", kustomization),
    ];
    let folder = Folder::new("patched", &files);
    let ran = doctor(["explain", "-f", folder.path(), "-o", "json"]);
    assert_contains!(ran.stderr, "later.yaml skipped: a kustomize patch");
    let document = ran.json();
    assert_eq!(document["items"].items().len(), 1);
    assert_eq!(document["items"][0]["schedule"]["expression"], "@daily");
}

/// The verdict describes what prevents the run, and does not name the outcome.
#[test]
fn verdict_of_a_suspended_cron_job_names_the_job_in_the_way() {
    let objects = "apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop, creationTimestamp: '2026-03-01T00:00:00Z'}
spec:
  schedule: 0 2 * * *
  suspend: true
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
status: {lastScheduleTime: '2026-03-09T02:00:00Z'}
---
apiVersion: batch/v1
kind: Job
metadata: {name: report-29551800, namespace: shop, uid: a, creationTimestamp: '2026-03-10T01:00:00Z'}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}
";
    let call = "explain -q -f - --now=2026-03-10T08:00:00Z --kubernetes-version=1.36";
    let text = words(&doctor_with_stdin(call, objects).fine());
    assert_contains!(
        text,
        "If resumed now, nothing starts: the Job report-29551800 is in the way."
    );
}
