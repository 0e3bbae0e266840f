//! The catalog of rules as Markdown.

use cronjob_diagnosis::diagnose::Severity;
use cronjob_doctor::output::lint::difference;
use cronjob_manifest::rules::{RULES, Rule};

/// All rules with both their uses, by severity.
pub(super) fn book() -> String {
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
        text += &format!("| [{name}](#{name}) | {finding} | {lint} | {title} |\n");
    }
    for severity in Severity::ALL {
        text += &format!("\n## {}\n", severity.as_str());
        for rule in RULES.iter().filter(|rule| worst(rule) == Some(severity)) {
            text += &entry(rule);
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
        let field = finding.field.map(|field| format!(", `{field}`"));
        text += &format!(
            "\nIn a cluster: {}{}. Example: `examples/findings/{name}.yaml`.\n",
            finding.severity.as_str(),
            field.unwrap_or_default()
        );
    }
    if let Some(lint) = lint {
        text += &format!(
            "\nIn manifests: {}, {}.{}\n\n```diff\n{}```\n",
            lint.code,
            lint.severity_in_words(),
            lint.remedy
                .map_or_else(String::new, |remedy| format!(" {remedy}")),
            difference(rule)
        );
    }
    text
}
