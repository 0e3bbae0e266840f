//! The rules themselves.

use std::io::{self, Write};

use super::meaning;
use crate::output::lines::{heading, paragraph};
use crate::output::rules::difference;
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table};
use crate::rules::{LintRule, Rule, lint_rules};

/// Writes a table of all rules.
pub(crate) fn list(out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(["CODE", "NAME", "SEVERITY", "TITLE"]);
    for (rule, lint) in lint_rules() {
        table.push(vec![
            lint.code.into(),
            rule.name.into(),
            Cell::new(lint.severity_in_words(), meaning(lint.severity)),
            rule.title.into(),
        ]);
    }
    table.write(out, true)
}

pub(crate) fn explain(out: &mut dyn Write, rule: &Rule, lint: &LintRule) -> io::Result<()> {
    let Rule {
        name,
        title,
        reason,
        ..
    } = rule;
    let LintRule {
        code,
        remedy,
        example,
        ..
    } = lint;
    let head = styled(Meaning::Strong, format!("{code} {name}"));
    let severity = styled(meaning(lint.severity), lint.severity_in_words());
    writeln!(out, "{head} ({severity}): {title}")?;
    heading(out, "WHY")?;
    paragraph(out, 2, reason)?;
    heading(out, "REMEDY")?;
    paragraph(out, 2, remedy)?;
    heading(out, "EXAMPLE")?;
    for line in difference(example).lines() {
        let meaning = match line.chars().next() {
            Some('-') => Meaning::Bad,
            Some('+') => Meaning::Help,
            _ => Meaning::Plain,
        };
        writeln!(out, "  {}", styled(meaning, line))?;
    }
    if lint.is_off_by_default {
        heading(out, "ENABLE")?;
        let severity = lint.severity.as_str();
        paragraph(
            out,
            2,
            &format!("In .cronjob-doctor.yaml: rules: {{{name}: {severity}}}"),
        )?;
    }
    heading(out, "IGNORE")?;
    paragraph(
        out,
        2,
        &format!("For one object or line: # cronjob-doctor: ignore[{name}] reason"),
    )?;
    paragraph(
        out,
        2,
        &format!("In .cronjob-doctor.yaml: rules: {{{name}: off}}"),
    )
}
