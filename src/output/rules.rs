//! The catalog of rules as Markdown, for the documents.

use super::diff::changed_lines;
use crate::diagnose::finding_rules;
use crate::rules::{Example, RULES, Rule, Severity};

/// All rules with both their uses, by severity.
pub fn book() -> String {
    let mut text = String::from("| rule | in a cluster | in manifests | |\n|---|---|---|---|\n");
    for Rule {
        name,
        title,
        finding,
        lint,
        ..
    } in RULES.iter()
    {
        let finding = finding.as_ref().map_or("", |rule| rule.severity.as_str());
        let lint = lint.as_ref().map_or(String::new(), |rule| {
            format!("{} {}", rule.code, rule.severity_in_words())
        });
        text.push_str(&format!(
            "| [{name}](#{name}) | {finding} | {lint} | {title} |\n"
        ));
    }
    for severity in Severity::ALL {
        text.push_str(&format!("\n## {}\n", severity.as_str()));
        for rule in RULES.iter().filter(|rule| worst(rule) == Some(severity)) {
            text.push_str(&entry(rule));
        }
    }
    text
}

/// The severity of a rule, or the worse of the two.
fn worst(rule: &Rule) -> Option<Severity> {
    let finding = rule.finding.as_ref().map(|finding| finding.severity);
    finding.max(rule.lint.as_ref().map(|lint| lint.severity))
}

fn entry(rule: &Rule) -> String {
    let Rule {
        name,
        title,
        reason,
        finding,
        lint,
    } = rule;
    let mut text = format!("\n### {name}\n\n**{title}**\n\n{reason}\n");
    if let Some(finding) = finding {
        let field = finding
            .field
            .map_or(String::new(), |field| format!(", `{field}`"));
        text.push_str(&format!(
            "\nIn a cluster: {}{field}. Example: `examples/findings/{name}.yaml`.\n",
            finding.severity.as_str()
        ));
    }
    if let Some(lint) = lint {
        text.push_str(&format!(
            "\nIn manifests: {}, {}. {}\n\n```diff\n{}```\n",
            lint.code,
            lint.severity_in_words(),
            lint.remedy,
            difference(&lint.example)
        ));
    }
    text
}

/// The findings in the order in which they are shown, with links into the book.
pub fn findings() -> String {
    let mut text = String::from("| finding | severity | |\n|---|---|---|\n");
    for severity in Severity::ALL {
        for rule in finding_rules() {
            if rule.finding.as_ref().map(|finding| finding.severity) == Some(severity) {
                let Rule { name, title, .. } = rule;
                text.push_str(&format!(
                    "| <a id=\"{name}\"></a>[{name}](rules.md#{name}) | {} | {title} |\n",
                    severity.as_str()
                ));
            }
        }
    }
    text
}

/// The lines in which the two manifests of an example differ, and those around them.
pub(super) fn difference(example: &Example) -> String {
    changed_lines(example.bad, example.good)
}
