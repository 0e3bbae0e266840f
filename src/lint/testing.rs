//! Helpers for tests of rules.

use std::sync::Arc;

use super::config::LintSettings;
use super::fix;
use super::linter::Linter;
use crate::rules::lint_rules;
use crate::schedule::{BundledZones, Zone};

/// A `CronJob` with a spec, of which `lines` are the fields that a test is about. Its template is
/// fine.
pub(super) fn spec(lines: &str) -> String {
    let indented = lines.replace('\n', "\n  ");
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: report\n  namespace: shop\nspec:\n\
         \x20 {indented}\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          \
         restartPolicy: Never\n          containers:\n          - name: report\n            \
         image: registry.example.com/report:1.4.2\n"
    )
}

/// What a rule finds in a text for releases such as `1.36` or `1.24-1.36`, on November 21, 2026:
/// `7:13 the message`, followed by the releases unless it applies to all.
pub(super) fn found(rule: &str, releases: &str, text: &str) -> Vec<String> {
    let findings = findings(rule, releases, text).into_iter();
    let messages = findings.map(|finding| {
        let place = finding.found.place;
        let releases = finding
            .releases
            .map_or(String::new(), |r| format!(" ({r})"));
        format!(
            "{}:{} {}{releases}",
            place.line, place.column, finding.found.message
        )
    });
    messages.collect()
}

/// The help of each of a rule's findings.
pub(super) fn helps(rule: &str, releases: &str, text: &str) -> Vec<String> {
    let findings = findings(rule, releases, text).into_iter();
    let helps = findings.map(|finding| {
        let own = finding.found.help;
        own.unwrap_or_else(|| finding.lint.remedy.to_owned())
    });
    helps.collect()
}

/// The text after the fixes of a rule, or `None` if it has none.
pub(super) fn fixed(rule: &str, releases: &str, text: &str) -> Option<String> {
    let findings = findings(rule, releases, text);
    let fixes: Vec<_> = findings
        .iter()
        .filter_map(|finding| finding.found.fix.as_ref())
        .collect();
    (!fixes.is_empty()).then(|| fix::apply(text, fixes).text)
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
            .filter(|(_, lint)| lint.is_off_by_default())
            .map(|(_, lint)| (lint.code, Some(lint.severity)))
            .collect(),
    });
    let file = Arc::from("test.yaml");
    let report = linter.finish(vec![linter.read(&file, text.as_bytes(), &settings)]);
    let mut findings = report.findings;
    findings.retain(|finding| finding.rule.is_called(rule));
    findings
}
