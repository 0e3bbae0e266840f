//! The table in which the tests of rules are written.

use std::fmt::Write;
use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::config::LintSettings;
use super::fix;
use super::linter::Linter;
use crate::rules::lint_rules;
use crate::schedule::{BundledZones, Zone};

/// Checks a table of cases: what a rule finds in a manifest on November 21, 2026, and what its fixes
/// make of it.
///
/// - `[rule]` begins the cases of a rule, `[rule help]` those that show the help, too. Behind it are edits
///   that all of them share.
/// - Any other line that is not indented is a case: edits of [`spec`], separated by ` | `, or `.` for none.
///   It may begin with its releases, such as `@1.20` or `@1.24-1.36`; without, they are `1.36`. ` --- `
///   begins another document.
/// - An edit is a line of the spec; `job.LINE` and `pod.LINE` for the specs in the template; `+TEXT` at the
///   end; `OLD => NEW` anywhere. `\n` is a line break.
/// - The indented lines below a case are all that comes of it: findings as `7:13 message`, with the
///   releases unless it applies to all, and the lines that the fixes remove (`-7 old`) and add (`+7 new`).
///   With `UPDATE=1` they are written.
#[track_caller]
pub(super) fn check(table: &str) {
    let (mut actual, mut rule, mut shared) = (String::new(), "", "");
    for line in table.lines().filter(|line| !line.starts_with(' ')) {
        actual = actual + line + "\n";
        if let Some(group) = line.strip_prefix('[') {
            let (name, edits) = group.split_once(']').unwrap();
            (rule, shared) = (name, edits.trim());
        } else if !line.is_empty() && !line.starts_with('#') {
            let (releases, edits) = match line.strip_prefix('@') {
                Some(case) => case.split_once(' ').unwrap(),
                None => ("1.36", line),
            };
            let documents = edits.split(" --- ").map(|edits| manifest(shared, edits));
            let text = documents.collect::<Vec<_>>().join("---\n");
            actual += &outcome(rule, releases, &text);
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        let file = std::panic::Location::caller().file();
        let source = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, source.replace(table, &actual)).unwrap();
        return;
    }
    let difference = TextDiff::from_lines(table, &actual);
    assert!(
        table == actual,
        "{}",
        difference.unified_diff().header("expected", "actual")
    );
}

/// A `CronJob` with a spec, of which `lines` are the fields that a test is about. Its template is
/// fine.
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

fn outcome(rule: &str, releases: &str, text: &str) -> String {
    let (rule, with_help) = match rule.split_once(' ') {
        Some((rule, "help")) => (rule, true),
        _ => (rule, false),
    };
    let mut outcome = String::new();
    let findings = findings(rule, releases, text);
    for finding in &findings {
        let (place, message) = (finding.found.place, &finding.found.message);
        write!(outcome, "  {}:{} {message}", place.line, place.column).unwrap();
        if let Some(releases) = &finding.releases {
            write!(outcome, " ({releases})").unwrap();
        }
        outcome.push('\n');
        if with_help {
            let help = finding.found.help.as_deref();
            let help = help.unwrap_or(finding.lint.remedy);
            writeln!(outcome, "  help: {help}").unwrap();
        }
    }
    let fixes = findings
        .iter()
        .filter_map(|finding| finding.found.fix.as_ref());
    let fixes: Vec<_> = fixes.collect();
    let is_fixed = !fixes.is_empty() && fixes.len() == findings.len();
    let has_fixes = !fixes.is_empty();
    let after = fix::apply(text, fixes).text;
    assert_eq!(has_fixes, after != text, "{after}");
    for change in TextDiff::from_lines(text, &after).iter_all_changes() {
        let (sign, index) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => ('-', change.old_index()),
            ChangeTag::Insert => ('+', change.new_index()),
        };
        write!(outcome, "  {sign}{} {}", index.unwrap() + 1, change.value()).unwrap();
    }
    if is_fixed {
        assert!(self::findings(rule, releases, &after).is_empty(), "{after}");
    }
    outcome
}

fn findings(rule: &str, releases: &str, text: &str) -> Vec<super::LintFinding> {
    assert!(
        crate::rules::find_lint_rule(rule).is_some(),
        "no rule {rule}"
    );
    let linter = Linter {
        now: "2026-11-21T08:00:00Z".parse().unwrap(),
        zones: &BundledZones,
        local: Zone::utc(),
    };
    let settings = Arc::new(LintSettings {
        releases: releases.parse().unwrap(),
        severities: lint_rules()
            .filter(|(_, lint)| lint.is_off_by_default)
            .map(|(_, lint)| (lint.code, Some(lint.severity)))
            .collect(),
    });
    let file = Arc::from("test.yaml");
    let report = linter.finish(vec![linter.read(&file, text.as_bytes(), &settings)]);
    let mut findings = report.findings;
    findings.retain(|finding| finding.rule.is_called(rule));
    findings
}
