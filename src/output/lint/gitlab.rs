//! A GitLab Code Quality report, which GitLab shows in merge requests.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{message_with_help, named_headline};
use cronjob_manifest::lint::{LintFinding, LintReport};
use cronjob_manifest::rules::Severity;

/// The report: an array of findings.
pub(super) fn gitlab(report: &LintReport) -> Value {
    let mut alike = HashMap::new();
    let findings = report.findings.iter();
    findings.map(|found| entry(found, &mut alike)).collect()
}

fn entry(finding: &LintFinding, alike: &mut HashMap<String, usize>) -> Value {
    let path = path(&finding.file);
    let identity = fingerprint(finding, &path, 0);
    let nth = alike.entry(identity.clone()).or_default();
    // GitLab shows only one of several findings with the same fingerprint.
    let fingerprint = match *nth {
        0 => identity,
        nth => fingerprint(finding, &path, nth),
    };
    *nth += 1;
    json!({
        "description": message_with_help(&named_headline(finding), finding),
        "check_name": finding.rule.name,
        "fingerprint": fingerprint,
        "severity": severity(finding.severity),
        "location": {
            "path": path,
            "lines": {"begin": finding.region.start.0, "end": finding.region.end.0},
        },
    })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}

/// GitLab compares paths with those of the repository, which do not begin with `./`.
fn path(file: &str) -> String {
    file.trim_start_matches("./").to_owned()
}

/// Identifies a finding across runs, also if lines were added above it or the message names another date. That is how
/// GitLab knows which findings a merge request adds.
fn fingerprint(finding: &LintFinding, path: &str, nth: usize) -> String {
    let object = finding.object.as_deref();
    let kind = object.and_then(|object| object.kind.as_deref());
    let namespace = object.and_then(|object| object.namespace.as_deref());
    let name = object.and_then(|object| object.name.as_deref());
    let mut hash = Sha256::new();
    let mut add = |part: Option<&str>| {
        // The length keeps neighboring parts apart.
        let part = part.unwrap_or_default();
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    let field = &finding.found.field;
    for part in [kind, namespace, name] {
        add(part);
    }
    for part in [finding.lint.code, path, field] {
        add(Some(part));
    }
    if field.is_empty() {
        add(Some(finding.line.text.trim()));
    }
    if nth > 0 {
        add(Some(&nth.to_string()));
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
