//! What each rule finds in a manifest, and what its fixes make of it.

use std::collections::BTreeSet;
use std::fs;

use cronjob_manifest::lint::{LintFinding, LintSettings, apply};
use cronjob_manifest::rules::{RULES, lint_rules};
use similar::{ChangeTag, TextDiff};

use crate::support::linted::report;

/// The file describes its own format.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lint_rules.txt");

#[test]
fn rules_find_what_the_table_lists() {
    let table = fs::read_to_string(FILE).unwrap();
    let (mut actual, mut rule, mut shared) = (String::new(), "", "");
    for line in table.lines().filter(|line| !line.starts_with(' ')) {
        actual = actual + line + "\n";
        if let Some(group) = line.strip_prefix('[') {
            let (name, edits) = group.split_once(']').unwrap();
            (rule, shared) = (name, edits.trim());
        } else if !line.is_empty() && !line.starts_with('#') {
            actual += &outcome(rule, shared, line);
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(FILE, actual).unwrap();
        return;
    }
    let difference = TextDiff::from_lines(&table, &actual);
    let difference = difference
        .unified_diff()
        .header("expected", "actual")
        .to_string();
    assert!(table == actual, "{difference}");
}

fn outcome(rule: &str, shared: &str, case: &str) -> String {
    let (releases, edits) = match case.strip_prefix('@') {
        Some(case) => case.split_once(' ').unwrap(),
        None => ("1.36", case),
    };
    let documents = edits.split(" --- ").map(|edits| manifest(shared, edits));
    let text = documents.collect::<Vec<_>>().join("---\n");
    let (rule, with_help) = match rule.split_once(' ') {
        Some((rule, "help")) => (rule, true),
        _ => (rule, false),
    };
    let mut outcome = String::new();
    let findings = findings(rule, releases, &text);
    for finding in &findings {
        let found = &finding.found;
        let (place, message) = (found.place, &found.message);
        outcome += &format!("  {}:{} {message}", place.line, place.column);
        if let Some(releases) = &finding.releases {
            outcome += &format!(" ({releases})");
        }
        outcome += "\n";
        if with_help {
            let help = found.help.as_deref().or(finding.lint.remedy);
            outcome += &help.map_or_else(String::new, |help| format!("  help: {help}\n"));
        }
    }
    let fixes = findings.iter();
    let fixes: Vec<_> = fixes.filter_map(|one| one.found.fix.as_ref()).collect();
    let (has_fixes, has_all) = (!fixes.is_empty(), fixes.len() == findings.len());
    let after = apply(&text, fixes).text;
    assert!(text.lines().count() <= after.lines().count(), "{after}");
    assert_eq!(has_fixes, after != text, "{after}");
    let mut removed = Vec::new();
    for change in TextDiff::from_lines(&text, &after).iter_all_changes() {
        let (sign, index) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => {
                removed.push(change.old_index());
                continue;
            }
            ChangeTag::Insert if removed.contains(&change.new_index()) => ('~', change.new_index()),
            ChangeTag::Insert => ('+', change.new_index()),
        };
        outcome += &format!("  {sign}{} {}", index.unwrap() + 1, change.value());
    }
    if has_fixes && has_all {
        assert!(self::findings(rule, releases, &after).is_empty(), "{after}");
    }
    outcome
}

/// A `CronJob` whose spec has `lines`, the fields that a test is about, and a valid template.
fn spec(lines: &str) -> String {
    let indented = lines.replace('\n', "\n  ");
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: report\n  namespace: shop\nspec:\n\
         \x20 {indented}\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          \
         restartPolicy: Never\n          containers:\n          - name: report\n            \
         image: registry.example.com/report:1.4.2\n"
    )
}

fn manifest(shared: &str, own: &str) -> String {
    let edits = shared.split(" | ").chain(own.split(" | "));
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    for edit in edits.filter(|edit| !["", "."].contains(edit)) {
        let edit = edit.replace("\\n", "\n");
        let (old, new) = if let Some((old, new)) = edit.split_once(" =>") {
            (old, new.strip_prefix(' ').unwrap_or(new).to_owned())
        } else if let Some(line) = edit.strip_prefix("job.") {
            let new = format!("    spec:\n      {line}\n      template");
            ("    spec:\n      template", new)
        } else if let Some(line) = edit.strip_prefix("pod.") {
            let before = "          restartPolicy";
            (before, format!("          {line}\n{before}"))
        } else if let Some(end) = edit.strip_prefix('+') {
            ("report:1.4.2\n", format!("report:1.4.2\n{end}\n"))
        } else {
            lines.push(edit);
            continue;
        };
        others.push((old.to_owned(), new));
    }
    let text = spec(&lines.join("\n"));
    others.into_iter().fold(text, |text, (old, new)| {
        assert!(text.contains(&old), "{old:?} is not in {text}");
        text.replace(&old, &new)
    })
}

fn findings(rule: &str, releases: &str, text: &str) -> Vec<LintFinding> {
    assert!(lint_rules().any(|(known, _)| known.name == rule), "{rule}");
    let settings = LintSettings {
        releases: releases.parse().unwrap(),
        severities: lint_rules()
            .filter(|(_, lint)| lint.is_off_by_default)
            .map(|(_, lint)| (lint.code, Some(lint.severity)))
            .collect(),
    };
    let report = report(text.as_bytes(), settings);
    let mut findings = report.findings;
    findings.retain(|finding| finding.rule.is_called(rule));
    findings
}

#[test]
fn codes_names_and_texts_are_well_formed() {
    let codes: Vec<&str> = lint_rules().map(|(_, lint)| lint.code).collect();
    assert!(codes.is_sorted(), "{codes:?}");
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    for code in codes {
        let code = code.strip_prefix("CJD").unwrap();
        assert!(code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit()));
    }
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len(), "a name is used twice");
    for rule in RULES.iter() {
        let name = rule.name;
        assert!(rule.finding.is_some() || rule.lint.is_some(), "{name}");
        let kebab = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        assert!(name.split('-').all(kebab), "{name}");
        assert!(!rule.title.ends_with('.'), "{name}");
        assert!(rule.reason.ends_with('.'), "{name}");
        let remedy = rule.lint.as_ref().and_then(|lint| lint.remedy);
        for text in [rule.title, rule.reason].into_iter().chain(remedy) {
            assert!(!text.is_empty() && !text.contains("  "), "{name}");
        }
    }
}
