//! What each rule finds in a manifest, and what its fixes make of it.

use cronjob_manifest::lint::{LintFinding, LintSettings, apply};
use cronjob_manifest::rules::lint_rules;
use similar::{ChangeTag, TextDiff};

use crate::lint_properties::report;
use crate::support::files::text;

/// The file describes its own format.
const FILE: &str = "tests/lint/rules.txt";

#[test]
fn rules_find_what_the_table_lists() {
    let table = text(FILE);
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
        std::fs::write(FILE, actual).unwrap();
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
