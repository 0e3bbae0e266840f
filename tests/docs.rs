//! Every example of the README and of docs/ is run, and must print what it shows.
//!
//! An example is a block marked `console`: a line that begins with `$ ` is run in the project's
//! folder, and what follows is what it prints, to either stream. `$ echo $?` shows the exit code.
//! `UPDATE=1 cargo test --test integration docs::` writes the output into the documents: review the changes.

use crate::support::examples::{Example, arguments, check_documents, words};
use std::collections::BTreeSet;

use crate::support::files::{below, text};
use crate::support::run::{doctor, program};

#[test]
fn every_example_prints_what_the_documents_show() {
    check_documents("console", 10, |examples| examples.iter().map(run).collect());
}

#[test]
fn command_to_try_in_readme_works() {
    let readme = text("README.md");
    let lines = readme.lines();
    let tried = lines.filter_map(|line| line.strip_prefix("    cargo run --quiet -- "));
    let tried: Vec<&str> = tried.collect();
    assert!(!tried.is_empty(), "the README has no command to try");
    for arguments in tried {
        let ran = doctor(words(arguments));
        assert!(
            ran.code == 0 && !ran.stdout.is_empty(),
            "{arguments}: {ran}"
        );
    }
}

#[test]
fn manifest_of_write_md_is_the_example() {
    assert_contains!(text("docs/write.md"), &text("examples/write/report.yaml"));
}

/// The numbers of the prose that come from constants: the page, a sentence with `{}` for the number, the file with the constant,
/// its name, and by what it is divided (60 for minutes of a constant in seconds).
const NUMBERS: &[(&str, &str, &str, &str, u64)] = &[
    (
        "serve",
        "At most {} clients are connected",
        "src/cli/live/serve/http.rs",
        "CONNECTIONS",
        1,
    ),
    (
        "serve",
        "A client has {} seconds to send it",
        "src/cli/live/serve/http.rs",
        "TO_SEND",
        1,
    ),
    (
        "serve",
        "in at most {} KiB",
        "src/cli/live/serve/http.rs",
        "LARGEST_HEAD",
        1 << 10,
    ),
    (
        "serve",
        "and {} seconds to receive the response",
        "src/cli/live/serve/http.rs",
        "TO_RECEIVE",
        1,
    ),
    (
        "serve",
        "At most {} responses other than",
        "src/cli/live/serve/http.rs",
        "DOCUMENTS",
        1,
    ),
    (
        "serve",
        "longer than {} seconds for its turn",
        "src/cli/live/serve/http.rs",
        "TO_WAIT",
        1,
    ),
    (
        "serve",
        "for at most {} seconds. If the first",
        "src/cli/live/serve/http.rs",
        "TO_END",
        1,
    ),
    (
        "serve",
        "Pods and quotas are read every {} seconds",
        "src/cli/live/serve/exporter.rs",
        "READ_EVERY",
        1,
    ),
    (
        "serve",
        "API server are read every {} minutes",
        "src/cli/live/serve/exporter.rs",
        "VERSION_EVERY",
        60,
    ),
    (
        "serve",
        "and sent again for {} seconds",
        "src/cli/live/serve/page.rs",
        "FRESH",
        1,
    ),
    (
        "serve",
        "within {} seconds after its outcome",
        "src/cli/live/serve/run_counts.rs",
        "COUNT_EVERY",
        1,
    ),
    (
        "serve",
        "due in the last {} days",
        "src/cli/live/serve/run_counts.rs",
        "DAYS",
        1,
    ),
    (
        "serve",
        "contains about {} runs",
        "src/cli/live/serve/history.rs",
        "MOST_ROWS",
        1,
    ),
    (
        "serve",
        "stores is at most {} seconds old",
        "src/recorder/following.rs",
        "MARK_EVERY",
        1,
    ),
    (
        "serve",
        "nothing had been stored for {} seconds",
        "src/recorder/following.rs",
        "UNSTORED_FOR",
        1,
    ),
    (
        "serve",
        "at most {} characters. Logs",
        "src/recorder/rows.rs",
        "LONGEST_REASON",
        1,
    ),
    (
        "serve",
        "takes over within {} seconds",
        "src/cli/live/serve/recording.rs",
        "RETRY_EVERY",
        1,
    ),
    (
        "trigger",
        "closed {} seconds after its",
        "src/cli/live/log_reader.rs",
        "GRACE",
        1,
    ),
    (
        "trigger",
        "requested again, {} times at most",
        "src/cli/live/log_reader.rs",
        "TRIES",
        1,
    ),
    (
        "trigger",
        "Near means within {} minutes",
        "crates/cronjob-diagnosis/src/change/trigger.rs",
        "NEAR",
        60,
    ),
    (
        "cluster",
        "{} namespaces in parallel",
        "crates/kube-access/src/cluster/pods.rs",
        "AT_ONCE",
        1,
    ),
    (
        "cluster",
        "If there are more than {}, it lists",
        "crates/kube-access/src/cluster/pods.rs",
        "MANY_NAMESPACES",
        1,
    ),
    (
        "cluster",
        "can have up to {} MiB",
        "crates/kube-access/src/cluster/credential_files.rs",
        "LARGEST",
        1 << 20,
    ),
    (
        "cluster",
        "object larger than {} MiB",
        "crates/kube-access/src/cluster/api_request.rs",
        "LARGEST_OBJECT",
        1 << 20,
    ),
    (
        "cluster",
        "page of a list larger than {} GiB",
        "crates/kube-access/src/cluster/api_request.rs",
        "LARGEST_LIST",
        1 << 30,
    ),
    (
        "cluster",
        "more than {} objects",
        "crates/kube-access/src/cluster/list.rs",
        "MOST_OBJECTS",
        1,
    ),
    (
        "cluster",
        "stays open for {} seconds",
        "crates/kube-access/src/cluster/watch.rs",
        "STEADY",
        1,
    ),
    (
        "cluster",
        "from 0.25 to {} seconds",
        "crates/kube-access/src/cluster/watch.rs",
        "LONGEST_PAUSE",
        1,
    ),
    (
        "cluster",
        "Pauses of {} seconds or more",
        "crates/kube-access/src/cluster/transport.rs",
        "LONG_PAUSE",
        1,
    ),
    (
        "permissions",
        "(at most {} nodes)",
        "crates/kube-access/src/cluster/pods.rs",
        "MOST_NODES",
        1,
    ),
    (
        "permissions",
        "Files are read up to {} GiB",
        "crates/kube-objects/src/snapshot/error.rs",
        "LARGEST",
        1 << 30,
    ),
    (
        "explain",
        "newest first, at most {}.",
        "src/output/explain/events.rs",
        "EVENTS_SHOWN",
        1,
    ),
    (
        "explain",
        "not older than {} seconds counts",
        "crates/cronjob-diagnosis/src/diagnose/just_started.rs",
        "STATUS_LAG",
        1,
    ),
    (
        "explain",
        "It is shown for {} days",
        "crates/cronjob-diagnosis/src/diagnose/schedule_edit.rs",
        "RECENT",
        86_400,
    ),
    (
        "explain",
        "{} successful Jobs are needed",
        "crates/cronjob-diagnosis/src/diagnose/durations.rs",
        "ENOUGH",
        1,
    ),
    (
        "alerts",
        "more than {} CronJobs. `-o rules`",
        "src/output/alerts.rs",
        "MOST",
        1,
    ),
    (
        "history",
        "the latest {} lines",
        "src/output/history/markdown.rs",
        "MOST_ENTRIES",
        1,
    ),
    (
        "history",
        "oldest first, {} at most",
        "src/output/history/text.rs",
        "LENGTH",
        1,
    ),
    (
        "report",
        "If more than {} CronJobs have findings",
        "src/output/report/findings.rs",
        "MOST_BY_CRON_JOB",
        1,
    ),
    (
        "report",
        "of each list at most {} rows",
        "src/output/report/week.rs",
        "MOST",
        1,
    ),
    (
        "history",
        "the Job was created within {} seconds",
        "crates/cronjob-controller/src/controller/missed_cause.rs",
        "ON_TIME",
        1,
    ),
    (
        "glossary",
        "created within {} seconds",
        "crates/cronjob-controller/src/controller/missed_cause.rs",
        "ON_TIME",
        1,
    ),
    (
        "changing",
        "reminds of it after {} days",
        "crates/cronjob-diagnosis/src/diagnose/findings/suspended.rs",
        "LONG",
        86_400,
    ),
    (
        "schedules",
        "next {} (or until",
        "src/output/next_runs/calendar.rs",
        "WEEKS",
        1,
    ),
    (
        "top",
        "the last {} lines, and at most",
        "src/cli/live/log_of_job.rs",
        "PAGE_LINES",
        1,
    ),
    (
        "top",
        "{} KiB, of the pod",
        "crates/kube-access/src/cluster/logs.rs",
        "MOST_KEPT",
        1 << 10,
    ),
    (
        "logs",
        "waits up to {} seconds until",
        "src/cli/live/logs/mod.rs",
        "LONGEST_START",
        1,
    ),
    (
        "logs",
        "At most {} logs are read",
        "src/cli/explain.rs",
        "MOST_LOGS",
        1,
    ),
    (
        "cluster",
        "(at most {}; credential plugins",
        "src/cli/contexts.rs",
        "AT_ONCE",
        1,
    ),
    (
        "trigger",
        "the last {} lines of the log",
        "src/cli/live/job_wait.rs",
        "LAST_LINES",
        1,
    ),
    (
        "trigger",
        "(default: {}) |",
        "src/cli/live/changing/args.rs",
        "DEFAULT_MAX",
        1,
    ),
    (
        "serve",
        "lost for {} minutes or longer",
        "src/cli/live/serve/status.rs",
        "LOST_FOR",
        60,
    ),
    (
        "serve",
        "the newest {} stored runs",
        "src/cli/live/serve/run_counts.rs",
        "MOST_SUCCESSES",
        1,
    ),
    (
        "simulate",
        "limited to {} million runs",
        "src/cli/simulate.rs",
        "MOST",
        1_000_000,
    ),
    (
        "simulate",
        "as text to {} million.",
        "src/cli/simulate.rs",
        "MOST_COUNTED",
        1_000_000,
    ),
    (
        "changing",
        "watches for at least {} seconds",
        "src/cli/live/running_jobs.rs",
        "LATE_START",
        1,
    ),
    (
        "changing",
        "with more than {} CronJobs they also",
        "src/cli/live/changing/mod.rs",
        "MANY",
        1,
    ),
    (
        "report",
        "At most {} days are shown",
        "crates/cronjob-diagnosis/src/report/mod.rs",
        "MOST_DAYS",
        1,
    ),
    (
        "report",
        "of lists of up to {};",
        "src/output/report/markup.rs",
        "MOST_UNPACKED",
        1,
    ),
    (
        "history",
        "the last {} are shown",
        "crates/cronjob-diagnosis/src/history/window.rs",
        "DEFAULT_RUNS",
        1,
    ),
    (
        "scan",
        "if at least {} CronJobs share it",
        "crates/cronjob-diagnosis/src/survey/causes.rs",
        "ENOUGH",
        1,
    ),
    (
        "scan",
        "; {} are enough",
        "crates/cronjob-diagnosis/src/survey/causes.rs",
        "ENOUGH_ALONE",
        1,
    ),
    (
        "scan",
        "The rule: at least {} CronJobs",
        "crates/cronjob-diagnosis/src/diagnose/outage.rs",
        "ENOUGH",
        1,
    ),
    (
        "load",
        "more often than every {} minutes",
        "crates/cronjob-diagnosis/src/load/proposal.rs",
        "MOST_OFTEN",
        60,
    ),
    (
        "lint",
        "or larger than {} MiB, is an error",
        "src/cli/lint/files.rs",
        "LARGEST",
        1 << 20,
    ),
    (
        "comparison",
        "need more than {} MB in a program",
        "tests/cluster_memory.rs",
        "MOST",
        1_000_000,
    ),
];

#[test]
fn numbers_in_documents_are_those_of_the_code() {
    const WORDS: [&str; 11] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    for (page, sentence, file, name, unit) in NUMBERS {
        let number = constant(&text(file), name) / unit;
        let digits = number.to_string();
        let mut grouped = digits.as_bytes().rchunks(3).rev();
        let grouped = grouped.by_ref().map(|part| str::from_utf8(part).unwrap());
        let mut forms = vec![digits.clone(), grouped.collect::<Vec<_>>().join(",")];
        if let Some(word) = usize::try_from(number).ok().and_then(|at| WORDS.get(at)) {
            forms.extend([
                (*word).to_owned(),
                format!("{}{}", word[..1].to_uppercase(), &word[1..]),
            ]);
        }
        let page = text(&format!("docs/{page}.md"));
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_shown = forms
            .iter()
            .any(|form| page.contains(&sentence.replace("{}", form)));
        assert!(
            is_shown,
            "{sentence:?} is not shown with {digits} ({name} of {file})"
        );
    }
}

#[test]
fn flags_in_prose_exist() {
    /// Flags of other programs.
    const OTHERS: [&str; 12] = [
        "--cascade",
        "--event-ttl",
        "--exit-zero-on-sigterm",
        "--fail",
        "--force-conflicts",
        "--no-default-features",
        "--prefix",
        "--quitquitquit",
        "--readonly",
        "--server-side",
        "--terminated-pod-gc-threshold",
        "--test",
    ];
    let manuals = below("packaging/man").into_iter();
    let manuals: String = manuals.map(|file| text(&file)).collect();
    let fonts = ["\\fR", "\\fB", "\\fI", "\\"];
    let manuals = fonts
        .iter()
        .fold(manuals, |text, font| text.replace(font, ""));
    let ours: BTreeSet<&str> = flags(&manuals).collect();
    let mut pages = below("docs");
    pages.retain(|page| page.strip_suffix(".md").is_some());
    pages.push("README.md".to_owned());
    let mut checked = 0;
    for page in pages {
        let text = text(&page);
        // Every second part is outside of code blocks.
        for prose in text.split("```").step_by(2) {
            let lines = prose.lines().filter(|line| !line.starts_with("    "));
            for flag in lines.flat_map(flags) {
                checked += 1;
                assert!(
                    ours.contains(flag) || OTHERS.contains(&flag),
                    "{page}: {flag}"
                );
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

fn flags(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
    words.filter(|word| word.strip_prefix("--").is_some_and(|name| name.len() > 1))
}

#[test]
fn every_metric_is_described() {
    let pages = ["scan", "serve", "cluster"].map(|page| text(&format!("docs/{page}.md")));
    let pages = pages.concat();
    let sources = [
        "src/output/scan/prometheus.rs",
        "src/cli/live/serve/recording.rs",
    ];
    let sources = sources.map(text).concat();
    let names = sources.split('"').skip(1).step_by(2);
    let names: Vec<&str> = names
        .filter(|name| name.starts_with("cronjob_doctor_"))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert_contains!(pages, &format!("`{name}`"));
    }
}

#[test]
fn table_of_crates_has_the_dependencies() {
    let design = text("docs/design.md");
    let row = |name: &str| {
        let begin = format!("| {name} | ");
        let mut rows = design.lines().filter_map(|line| line.strip_prefix(&begin));
        let row = rows.next().unwrap_or_else(|| panic!("no row for {name}"));
        let (_, dependencies) = row.trim_end_matches(" |").rsplit_once(" | ").unwrap();
        let names = dependencies.split(", ").map(str::to_owned);
        names
            .filter(|name| name != "none of ours")
            .collect::<BTreeSet<_>>()
    };
    let root = toml(&text("Cargo.toml"), "[workspace.dependencies]");
    let ours: BTreeSet<String> = root
        .into_iter()
        .filter(|name| below("crates").contains(&format!("crates/{name}/Cargo.toml")))
        .collect();
    assert_eq!(ours.len(), 9, "{ours:?}");
    for name in &ours {
        let manifest = text(&format!("crates/{name}/Cargo.toml"));
        let dependencies = toml(&manifest, "[dependencies]");
        let of_ours: BTreeSet<String> = dependencies.intersection(&ours).cloned().collect();
        assert_eq!(row(name), of_ours, "{name}");
    }
}

/// The keys of a section.
fn toml(text: &str, section: &str) -> BTreeSet<String> {
    let lines = text.lines().skip_while(|line| *line != section).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let keys = lines.filter_map(|line| line.split_once([' ', '.', '=']));
    keys.map(|(key, _)| key.to_owned()).collect()
}

/// The value of a constant: numbers that are multiplied or shifted, or a duration in seconds.
fn constant(source: &str, name: &str) -> u64 {
    let (_, rest) = source
        .split_once(&format!("const {name}: "))
        .unwrap_or_else(|| panic!("no {name}"));
    let (_, value) = rest.split_once(" = ").unwrap();
    let (value, _) = value.split_once(';').unwrap();
    let value = value
        .rsplit_once('(')
        .map_or(value, |(_, value)| value)
        .replace(['_', ')'], "");
    let number = |text: &str| {
        text.trim()
            .parse::<u64>()
            .unwrap_or_else(|_| panic!("{name}: {text}"))
    };
    let shifted = |text: &str| match text.split_once("<<") {
        Some((number_, by)) => number(number_) << number(by),
        None => number(text),
    };
    value.split('*').map(shifted).product()
}

fn run(example: &Example) -> String {
    let mut call = program();
    call.args(arguments(example)).env("HOME", "/home/you");
    example.shown(&call.output().unwrap())
}
