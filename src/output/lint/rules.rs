//! The rules themselves.

use std::io::{self, Write};

use super::examples::example;
use crate::output::columns::table_of;
use crate::output::diff::changed_lines;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::output::table::Cell;
use cronjob_manifest::rules::{LintRule, Rule, lint_rules};

/// The lines in which the two manifests of the example of a rule differ, and those around them.
pub fn difference(rule: &Rule) -> String {
    let example = example(rule.name);
    example.map_or_else(String::new, |example| {
        changed_lines(example.bad, example.good)
    })
}

/// Writes a table of all rules.
pub(crate) fn list(out: &mut dyn Write) -> io::Result<()> {
    let severity =
        |lint: &LintRule| Cell::new(lint.severity_in_words(), Meaning::from(lint.severity));
    let table = table_of(
        lint_rules(),
        &[
            ("CODE", &|(_, lint)| lint.code.into()),
            ("NAME", &|(rule, _)| rule.name.into()),
            ("SEVERITY", &|(_, lint)| severity(lint)),
            ("TITLE", &|(rule, _)| rule.title.into()),
        ],
    );
    table.write(out, true)
}

pub(crate) fn explain(out: &mut dyn Write, rule: &Rule, lint: &LintRule) -> io::Result<()> {
    let (name, title) = (rule.name, rule.title);
    let LintRule { code, remedy, .. } = lint;
    let mut page = TextPage::default();
    let head = styled(Meaning::Strong, format!("{code} {name}"));
    let severity = styled(Meaning::from(lint.severity), lint.severity_in_words());
    page.line(format_args!("{head} ({severity}): {title}"));
    page.heading("WHY").paragraph(2, rule.reason);
    if let Some(remedy) = remedy {
        page.heading("REMEDY").paragraph(2, *remedy);
    }
    page.heading("EXAMPLE");
    for line in difference(rule).lines() {
        let meaning = match line.chars().next() {
            Some('-') => Meaning::Bad,
            Some('+') => Meaning::Help,
            _ => Meaning::Plain,
        };
        page.line(format_args!("  {}", styled(meaning, line)));
    }
    let set = |severity| format!("In .cronjob-doctor.yaml: rules: {{{name}: {severity}}}");
    if lint.is_off_by_default {
        page.heading("ENABLE")
            .paragraph(2, set(lint.severity.as_str()));
    }
    let comment = format!("For one object or line: # cronjob-doctor: ignore[{name}] reason");
    page.heading("IGNORE")
        .paragraph(2, comment)
        .paragraph(2, set("off"));
    page.write(out)
}
