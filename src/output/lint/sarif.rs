//! SARIF 2.1.0, which code scanning shows in pull requests.

use std::path::Path;

use serde_json::{Value, json};

use super::{difference, display_name, message_with_help};
use cronjob_manifest::lint::{LintFinding, LintReport, Region};
use cronjob_manifest::rules::{self, LintRule, Rule, Severity};

/// Where the schema of the format is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub fn sarif(report: &LintReport) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cronjob-doctor",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules::lint_rules().map(descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn descriptor((rule, lint): (&Rule, &LintRule)) -> Value {
    let remedy = lint.remedy.map(|remedy| format!("\n\n{remedy}"));
    let text = format!("{}{}", rule.reason, remedy.unwrap_or_default());
    json!({
        "id": lint.code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.reason},
        "help": {
            "markdown": format!("{text}\n\n```diff\n{}```\n", difference(rule)),
            "text": text,
        },
        "defaultConfiguration": default_configuration(lint),
    })
}

fn default_configuration(lint: &LintRule) -> Value {
    let mut configuration = json!({"level": level(lint.severity)});
    if lint.is_off_by_default {
        configuration["enabled"] = json!(false);
    }
    configuration
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(finding: &LintFinding) -> Value {
    let found = &finding.found;
    let index = rules::lint_rules().position(|(rule, _)| rule.name == finding.rule.name);
    let mut result = json!({
        "ruleId": finding.lint.code,
        "level": level(finding.severity),
        "message": {"text": message_with_help(&finding.headline(), finding)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&finding.file),
                "region": region(finding.region),
            },
        }],
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if let Some(object) = &finding.object {
        let name = match found.field.as_str() {
            "" => display_name(object),
            field => format!("{} {field}", display_name(object)),
        };
        let logical = json!([{"fullyQualifiedName": name, "kind": "object"}]);
        result["locations"][0]["logicalLocations"] = logical;
    }
    if let Some(fix) = &found.fix {
        let replacements = fix.edits.iter().zip(&finding.edits).map(|(edit, place)| {
            json!({
                "deletedRegion": region(*place),
                "insertedContent": {"text": edit.replacement},
            })
        });
        result["fixes"] = json!([{
            "description": {"text": fix.description},
            "artifactChanges": [{
                "artifactLocation": artifact(&finding.file),
                "replacements": replacements.collect::<Vec<_>>(),
            }],
        }]);
    }
    result
}

fn region(region: Region) -> Value {
    json!({
        "startLine": region.start.0,
        "startColumn": region.start.1,
        "endLine": region.end.0,
        "endColumn": region.end.1,
    })
}

/// Relative names start from the root of the repository, as far as can be known.
fn artifact(file: &str) -> Value {
    let uri = encoded(file);
    if file.starts_with('/') {
        json!({"uri": format!("file://{uri}")})
    } else if Path::new(file).is_absolute() {
        // With the letter of a drive.
        json!({"uri": format!("file:///{uri}")})
    } else {
        json!({"uri": uri, "uriBaseId": "%SRCROOT%"})
    }
}

/// A path as a URI has it.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
