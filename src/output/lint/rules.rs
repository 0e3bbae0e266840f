//! The rules themselves.

use std::io::{self, Write};

use super::meaning;
use crate::diagnose::Severity;
use crate::lint::Rule;
use crate::lint::rules::RULES;
use crate::output::lines::{heading, paragraph};
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table};

/// Writes a table of all rules.
pub fn list(out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(["CODE", "NAME", "SEVERITY", "TITLE"]);
    for rule in RULES {
        table.push(vec![
            rule.code.into(),
            rule.name.into(),
            Cell::new(rule.severity.as_str(), meaning(rule.severity)),
            rule.title.into(),
        ]);
    }
    table.write(out, true)
}

/// Writes everything about a rule.
pub fn explain(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let Rule {
        code,
        name,
        severity,
        title,
        reason,
        remedy,
        example,
        ..
    } = rule;
    let head = styled(Meaning::Strong, format!("{code} {name}"));
    let severity = styled(meaning(*severity), severity.as_str());
    writeln!(out, "{head} ({severity}): {title}")?;
    heading(out, "WHY")?;
    paragraph(out, 2, reason)?;
    heading(out, "WHAT TO DO")?;
    paragraph(out, 2, remedy)?;
    heading(out, "EXAMPLE")?;
    for line in example.difference().lines() {
        let meaning = match line.chars().next() {
            Some('-') => Meaning::Bad,
            Some('+') => Meaning::Help,
            _ => Meaning::Plain,
        };
        writeln!(out, "  {}", styled(meaning, line))?;
    }
    heading(out, "LEAVE IT OUT")?;
    paragraph(
        out,
        2,
        &format!("For one object or line: # cronjob-doctor: ignore[{name}] and the reason"),
    )?;
    paragraph(
        out,
        2,
        &format!("In .cronjob-doctor.yaml: rules: {{{name}: off}}"),
    )
}

/// All rules as Markdown.
pub fn documentation() -> String {
    let mut text = String::from("| code | name | severity | |\n|---|---|---|---|\n");
    for rule in RULES {
        let Rule {
            code,
            name,
            severity,
            title,
            ..
        } = rule;
        let severity = severity.as_str();
        text.push_str(&format!(
            "| {code} | [{name}](#{name}) | {severity} | {title} |\n"
        ));
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        text.push_str(&format!("\n## {}\n", severity.as_str()));
        for rule in RULES.iter().filter(|rule| rule.severity == severity) {
            text.push_str(&format!(
                "\n### {}\n\n{}: **{}**\n\n{}\n\n{}\n\n```diff\n{}```\n",
                rule.name,
                rule.code,
                rule.title,
                rule.reason,
                rule.remedy,
                rule.example.difference()
            ));
        }
    }
    text
}
