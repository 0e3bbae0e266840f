//! Properties of `lint` for every text, and of every fix that it offers.

use std::time::Duration;

use crate::support::prelude::*;
use cronjob_doctor::output::lint as output;
use cronjob_manifest::lint::{
    LintFinding, LintReport, LintSettings, Severity, apply, wide_manifest,
};
use cronjob_manifest::rules::{LintSource, lint_rules};
use located_yaml as document;
use proptest::prelude::*;

use crate::support::cases::properties;
use crate::support::differences::assert_none;
use crate::support::linted::report;
use crate::support::moments::cpu_time;
use crate::support::recorded;

fn lint(bytes: &[u8], releases: &str) -> LintReport {
    let releases = releases.parse().unwrap();
    let settings = LintSettings {
        releases,
        ..LintSettings::default()
    };
    report(bytes, settings)
}

/// Lints bytes and checks the properties that every report has.
fn exercise(bytes: &[u8]) -> LintReport {
    let report = lint(bytes, "1.20-1.37");
    for finding in &report.findings {
        let region = finding.region;
        assert!(
            region.start >= (1, 1) && region.start <= region.end,
            "{region:?}"
        );
        assert!(!finding.found.message.is_empty());
        assert!(finding.line.before <= finding.line.text.len());
        assert!(finding.line.text.len() <= 1_000);
    }
    let mut out = Vec::new();
    output::text(&mut out, &report).unwrap();
    output::short(&mut out, &report).unwrap();
    output::github(&mut out, &report).unwrap();
    let _ = output::sarif(&report).to_string();
    report
}

/// The bad and the good manifest of every rule.
fn examples() -> Vec<&'static str> {
    let examples = lint_rules().filter_map(|(rule, _)| output::example(rule.name));
    examples
        .flat_map(|example| [example.bad, example.good])
        .collect()
}

/// Pieces of a manifest, and punctuation of YAML.
fn token() -> impl Strategy<Value = String> {
    crate::support::tokens::token(&[
        "kind: CronJob\n",
        "apiVersion: batch/v1\n",
        "spec:\n",
        "  schedule: ",
        "*/5 * * * *",
        "# cronjob-doctor: ",
        "ignore[never-scheduled]",
        "ignore",
        "<<: *x\n",
        "items:\n",
        "kind: List\n",
        "metadata: {name: a}\n",
        "TZ=UTC ",
        "0 0 30 2 *",
        "@every 1s",
        "\\u004a",
        "!!binary ",
    ])
}

proptest! {
    #![proptest_config(properties(80))]

    #[test]
    fn lint_of_random_bytes_gives_a_report(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&bytes);
        exercise(&[b"kind: CronJob\n", bytes.as_slice()].concat());
    }

    #[test]
    fn lint_of_random_tokens_gives_a_report(tokens in prop::collection::vec(token(), 0..60)) {
        exercise(tokens.concat().as_bytes());
        exercise(format!("kind: CronJob\n{}", tokens.concat()).as_bytes());
    }

    /// A fixed manifest can still be read, and after some rounds there is nothing left to fix.
    #[test]
    fn lint_of_mutated_examples_gives_a_report_and_lasting_fixes(
        example in 0..1_000usize,
        changes in prop::collection::vec((0.0..1.0f64, 0..12usize, token()), 0..4),
    ) {
        let examples = examples();
        let mut text = examples[example % examples.len()].to_owned();
        for (at, length, insert) in changes {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let at = (text.len() as f64 * at) as usize;
            let end = (at + length).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &insert);
            }
        }
        exercise(text.as_bytes());
        fixes_hold(&text);
    }
}

/// Applies all fixes of a text until there are none, and returns how many were applied.
fn fixes_hold(text: &str) -> usize {
    let mut text = text.to_owned();
    let mut applied = 0;
    for round in 0..10 {
        let report = lint(text.as_bytes(), "1.36");
        let fixable = |finding: &&LintFinding| finding.found.fix.is_some();
        let fixes: Vec<_> = report.findings.iter().filter(fixable).collect();
        let all = fixes.iter().filter_map(|one| one.found.fix.as_ref());
        let fixed = apply(&text, all);
        if fixes.is_empty() {
            assert_eq!(fixed.text, text);
            return applied;
        }
        assert!(round < 9, "fixes without end: {text}");
        applied += fixed.applied;
        // A fix does not make a file unreadable.
        let unreadable = |report: &LintReport| {
            let names = report.findings.iter().map(|finding| finding.rule.name);
            names.filter(|name| *name == "unreadable-file").count()
        };
        let after = lint(fixed.text.as_bytes(), "1.36");
        assert!(
            unreadable(&after) <= unreadable(&report),
            "{text}\n{}",
            fixed.text
        );
        assert!(after.objects >= report.objects, "{text}\n{}", fixed.text);
        text = fixed.text;
    }
    applied
}

#[test]
fn fixes_of_examples_leave_nothing_to_fix() {
    let mut applied = 0;
    for example in examples() {
        applied += fixes_hold(example);
        applied += fixes_hold(&example.replace('\n', "\r\n"));
    }
    assert!(applied >= 10, "{applied}");
}

/// A manifest that a real API server of 1.36 accepted has no error here, and one that it rejected has an error.
#[test]
fn lint_agrees_with_a_real_server() {
    let vectors = include_str!("../crates/cronjob-manifest/tests/vectors/manifests.jsonl");
    let (mut count, mut wrong, mut fixes) = (0, Vec::new(), 0);
    for (_, case) in recorded::cases(vectors) {
        let text = case["manifest"].text();
        // The form of the report is checked for every fourth manifest.
        if count % 4 == 0 {
            exercise(text.as_bytes());
        }
        let report = lint(text.as_bytes(), "1.36");
        let refused = report.findings.iter().any(|finding| {
            finding.lint.source == LintSource::ApiServer && finding.severity >= Severity::Error
        });
        count += 1;
        if refused == case["accepted"].as_bool().unwrap() {
            wrong.push(text.to_owned());
        }
        fixes += fixes_hold(text);
    }
    assert!(count > 100 && fixes > 10, "{count} cases, {fixes} fixes");
    // kubectl drops duplicate keys before the server sees them, and zone names that the database
    // does not have are those of the server's machine.
    wrong.retain(|text| {
        let documents = document::parse(text).documents;
        documents.iter().all(|one| one.problems.is_empty())
    });
    wrong.retain(|text| !text.contains("posixrules") && !text.contains("right/UTC"));
    assert_none(&wrong);
}

/// None of them takes much processor time.
#[test]
fn malicious_texts_are_linted_within_seconds() {
    let began = cpu_time();
    let mut laughs = String::from("kind: CronJob\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for nth in 1..12 {
        let before = nth - 1;
        laughs.push_str(&format!(
            "a{nth}: &a{nth} [{}]\n",
            vec![format!("*a{before}"); 9].join(", ")
        ));
    }
    for text in [
        laughs,
        format!("kind: CronJob\na: {}", "[".repeat(200_000)),
        format!("kind: CronJob\na: {}", "{a: ".repeat(60_000)),
        format!("{{\"kind\": \"CronJob\", \"a\": {}", "[".repeat(200_000)),
        format!("kind: CronJob\n{}", "- ".repeat(100_000)),
        "kind: CronJob\n---\n".repeat(600),
        format!(
            "kind: CronJob\nspec: {{schedule: '{}'}}\n",
            "1,".repeat(40_000)
        ),
        format!(
            "kind: CronJob\nmetadata: {{name: {}}}\n",
            "a".repeat(400_000)
        ),
        format!(
            "# {}\nkind: CronJob\n",
            "cronjob-doctor: ignore[x] ".repeat(20_000)
        ),
        "kind: CronJob\n# cronjob-doctor: ignore[never-scheduled]\n".repeat(300),
        format!("kind: \"Cron{}", "\\\n".repeat(40_000)),
        format!("kind: CronJob # {}", "\\u0043".repeat(40_000)),
    ] {
        exercise(text.as_bytes());
    }
    let report = exercise(b"kind: CronJob\nmetadata: {name: caf\xe9}\n");
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].rule.name, "unreadable-file");
    // The caller checks for wider encodings before it reads a file.
    for bytes in [
        b"\xff\xfek\0i\0n\0d\0:\0 \0C\0r\0o\0n\0J\0o\0b\0".as_slice(),
        b"\xfe\xff\0k\0i\0n\0d\0:\0 \0C\0r\0o\0n\0J\0o\0b".as_slice(),
    ] {
        assert!(exercise(bytes).findings.is_empty());
        assert_eq!(wide_manifest(bytes), Some("UTF-16"));
    }
    // It takes a few seconds.
    let took = cpu_time().saturating_sub(began);
    assert!(took < Duration::from_secs(10), "{took:?}");
}
